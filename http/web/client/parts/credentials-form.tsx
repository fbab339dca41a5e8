// User name and password, for the sign-in screen and after a session has ended.

import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { signOnBegin, signOnProviders } from '../state/api.js';
import { type Explanation, isInactiveAccount, statusOf } from '../state/api-errors.js';
import { internalPath } from '../state/router.js';
import { serverUrl } from '../state/server-url.js';
import { signIn } from '../state/session.js';
import { ErrorMessage } from './error-message.js';
import { useFetched } from './fetched.js';
import { Field, PasswordField } from './field.js';
import { useSubmitting } from './submitting.js';

const explainSignIn = (thrown: unknown): Explanation => {
  if (statusOf(thrown) !== 401) return explain(thrown);
  return plainly(isInactiveAccount(thrown) ? t.auth.inactive : t.auth.wrong);
};

/** A button for each single sign-on provider. `to` is the address that the browser returns to. */
const Providers = ({ to }: { readonly to: string }) => {
  const { state } = useFetched((signal) => signOnProviders({ signal }), []);
  const { isBusy, error, submit } = useSubmitting(async ({ provider = '' }) => {
    const { redirectUrl } = await signOnBegin({ provider, body: { redirectUri: internalPath(to) } });
    location.assign(redirectUrl);
  });
  if (state.value.kind !== 'done' || !state.value.value.enabled) return null;
  return (
    <div class="providers">
      <ErrorMessage of={error.value} />
      {state.value.value.providers.map(({ name, displayName }) => (
        <form key={name} onSubmit={submit}>
          <input type="hidden" name="provider" value={name} />
          <button type="submit" class="button wide" disabled={isBusy.value}>
            {t.auth.signInWith(displayName)}
          </button>
        </form>
      ))}
    </div>
  );
};

interface Props {
  /** Set when a session has ended: only its owner may sign in again and continue. */
  readonly username?: string;
  readonly to: string;
}

export const CredentialsForm = ({ username, to }: Props) => {
  const { isBusy, error, submit } = useSubmitting(
    ({ username: given = '', password = '' }) => signIn(username ?? given, password),
    explainSignIn,
  );
  return (
    <>
      <form class="form" onSubmit={submit} action={serverUrl('/sign-in')} method="post">
        <Field
          label={t.auth.userName}
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          {...(username === undefined ? { autofocus: true } : { value: username, readOnly: true })}
        />
        <PasswordField
          label={t.auth.password}
          name="password"
          autocomplete="current-password"
          required
          autofocus={username !== undefined}
        />
        <ErrorMessage of={error.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value}>
          {t.auth.signIn}
        </button>
      </form>
      <Providers to={to} />
    </>
  );
};
