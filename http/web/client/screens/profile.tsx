// The user's own name and e-mail address. Changing the address needs the password, since password-reset mails go there.
import { useSignal } from '@preact/signals';
import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { EmailField, NameField } from '../parts/account-fields.js';
import { ErrorMessage } from '../parts/error-message.js';
import { PasswordField } from '../parts/field.js';
import { useSubmitting, useUnsavedInput } from '../parts/submitting.js';
import { type Me, userPatch } from '../state/api.js';
import { type Explanation, invalidFieldOf, statusOf } from '../state/api-errors.js';
import { renamed } from '../state/session.js';

const explainProfile = (thrown: unknown): Explanation => {
  const field = invalidFieldOf(thrown);
  if (field === 'currentPassword') return plainly(t.settings.wrongPassword);
  if (statusOf(thrown) === 409) return plainly(field === 'email' ? t.auth.emailTaken : t.auth.nameTaken);
  return explain(thrown);
};

export const Profile = ({ me }: { readonly me: Me }) => {
  const email = useSignal(me.email);
  const isDone = useSignal(false);
  const unsaved = useUnsavedInput();
  const { isBusy, error, submit } = useSubmitting(async ({ username = '', email: address = '', currentPassword }) => {
    isDone.value = false;
    const body = { username, email: address, ...(currentPassword === undefined ? {} : { currentPassword }) };
    const changed = await userPatch({ body });
    renamed(changed);
    email.value = changed.email;
    unsaved.saved();
    isDone.value = true;
  }, explainProfile);
  return (
    <section aria-labelledby="account">
      <h2 id="account">{t.settings.account}</h2>
      <form
        class="form narrow"
        onSubmit={submit}
        onInput={(event) => {
          unsaved.onInput();
          const { target } = event;
          if (target instanceof HTMLInputElement && target.name === 'email') email.value = target.value;
        }}
      >
        <NameField value={me.username} />
        <EmailField value={me.email} />
        {email.value !== me.email && (
          <PasswordField
            label={t.settings.oldPassword}
            hint={t.settings.passwordForEmail}
            name="currentPassword"
            autocomplete="current-password"
            required
          />
        )}
        <p class="hint">
          {t.settings.role}: {t.settings.roles[me.role]}
        </p>
        <ErrorMessage of={error.value} />
        <p role="status">{isDone.value ? t.settings.saved : ''}</p>
        <div>
          <button type="submit" class="button" disabled={isBusy.value}>
            {t.settings.save}
          </button>
        </div>
      </form>
    </section>
  );
};
