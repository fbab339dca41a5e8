// Registration, where the server allows it. The account may stay inactive until the link in a mail is followed.

import { useSignal } from '@preact/signals';
import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { EmailField, NameField, NewPasswordField } from '../parts/account-fields.js';
import { AuthLayout, AuthLinks } from '../parts/auth-layout.js';
import { ErrorMessage } from '../parts/error-message.js';
import { useSubmitting } from '../parts/submitting.js';
import { authResendVerification } from '../state/api.js';
import { type Explanation, invalidFieldOf, statusOf } from '../state/api-errors.js';
import { register } from '../state/session.js';

const explainRegistration = (thrown: unknown): Explanation => {
  if (statusOf(thrown) === 403) return plainly(t.auth.registrationOff);
  if (statusOf(thrown) !== 409) return explain(thrown);
  return plainly(invalidFieldOf(thrown) === 'email' ? t.auth.emailTaken : t.auth.nameTaken);
};

/** The same words whether a mail was sent or not: nobody learns here whose address has an account. */
const Waiting = ({ email }: { readonly email: string }) => {
  const isSent = useSignal(false);
  const { isBusy, error, submit } = useSubmitting(async () => {
    isSent.value = false;
    await authResendVerification({ body: { email } });
    isSent.value = true;
  });
  return (
    <AuthLayout title={t.auth.checkMail}>
      <p>{t.auth.verifyMailSent(email)}</p>
      <form class="form" onSubmit={submit}>
        <p class="hint">{t.auth.noMail}</p>
        <button type="submit" class="button wide" disabled={isBusy.value}>
          {t.auth.sendAgain}
        </button>
        <p role="status">{isSent.value ? t.auth.sentAgain : ''}</p>
        <ErrorMessage of={error.value} />
      </form>
      <AuthLinks to={['back']} />
    </AuthLayout>
  );
};

export const Register = () => {
  const waiting = useSignal<string | null>(null);
  const { isBusy, error, submit } = useSubmitting(async ({ username = '', email = '', password = '' }) => {
    if (!(await register({ username, email, password }))) waiting.value = email;
  }, explainRegistration);
  if (waiting.value !== null) return <Waiting email={waiting.value} />;
  return (
    <AuthLayout title={t.auth.register}>
      <form class="form" onSubmit={submit}>
        <NameField autofocus />
        <EmailField />
        <NewPasswordField label={t.auth.password} name="password" />
        <ErrorMessage of={error.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value}>
          {t.auth.create}
        </button>
      </form>
      <AuthLinks to={['signIn']} />
    </AuthLayout>
  );
};
