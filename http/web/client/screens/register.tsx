// Registration, where the server allows it. The account may stay inactive until the link in a mail is followed.

import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { EmailField, NameField, NewPasswordField } from '../parts/account-fields.js';
import { AuthLayout, AuthLinks } from '../parts/auth-layout.js';
import { Fault } from '../parts/error-message.js';
import { failureText } from '../parts/fetched.js';
import { useSubmitting } from '../parts/submitting.js';
import { authResendVerification } from '../state/api.js';
import { faultyFieldOf, register, statusOf } from '../state/session.js';

const explain = (thrown: unknown): string => {
  if (statusOf(thrown) !== 409) return failureText(thrown);
  return faultyFieldOf(thrown) === 'email' ? t.auth.emailTaken : t.auth.nameTaken;
};

/** The same words whether a mail was sent or not: nobody learns here whose address has an account. */
const Waiting = ({ email }: { readonly email: string }) => {
  const isSent = useSignal(false);
  const { isBusy, fault, submit } = useSubmitting(async () => {
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
        <Fault text={fault.value} />
      </form>
      <AuthLinks to={['back']} />
    </AuthLayout>
  );
};

export const Register = () => {
  const waiting = useSignal<string | null>(null);
  const { isBusy, fault, submit } = useSubmitting(async ({ username = '', email = '', password = '' }) => {
    if (!(await register({ username, email, password }))) waiting.value = email;
  }, explain);
  if (waiting.value !== null) return <Waiting email={waiting.value} />;
  return (
    <AuthLayout title={t.auth.register}>
      <form class="form" onSubmit={submit}>
        <NameField autofocus />
        <EmailField />
        <NewPasswordField label={t.auth.password} name="password" />
        <Fault text={fault.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value}>
          {t.auth.create}
        </button>
      </form>
      <AuthLinks to={['signIn']} />
    </AuthLayout>
  );
};
