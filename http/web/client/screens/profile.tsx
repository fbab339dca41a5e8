// The user's own name and e-mail address. Changing the address needs the password, since password-reset mails go there.
import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { EmailField, NameField } from '../parts/account-fields.js';
import { Fault } from '../parts/error-message.js';
import { failureText } from '../parts/fetched.js';
import { PasswordField } from '../parts/field.js';
import { useSubmitting } from '../parts/submitting.js';
import { type Me, userPatch } from '../state/api.js';
import { faultyFieldOf, renamed, statusOf } from '../state/session.js';

const explain = (thrown: unknown): string => {
  const field = faultyFieldOf(thrown);
  if (field === 'currentPassword') return t.settings.wrongPassword;
  if (statusOf(thrown) === 409) return field === 'email' ? t.auth.emailTaken : t.auth.nameTaken;
  return failureText(thrown);
};

export const Profile = ({ me }: { readonly me: Me }) => {
  const email = useSignal(me.email);
  const isDone = useSignal(false);
  const { isBusy, fault, submit } = useSubmitting(async ({ username = '', email: address = '', currentPassword }) => {
    isDone.value = false;
    const body = { username, email: address, ...(currentPassword === undefined ? {} : { currentPassword }) };
    const changed = await userPatch({ body });
    renamed(changed);
    email.value = changed.email;
    isDone.value = true;
  }, explain);
  return (
    <section aria-labelledby="account">
      <h2 id="account">{t.settings.account}</h2>
      <form
        class="form narrow"
        onSubmit={submit}
        onInput={(event) => {
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
        <Fault text={fault.value} />
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
