// Registration, where the server allows it. The account may stay inactive until the link in a mail is followed.

import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { EmailField, NameField, NewPasswordField } from '../parts/account-fields.js';
import { Door, OtherDoors } from '../parts/door.js';
import { Fault } from '../parts/fault.js';
import { failureText } from '../parts/fetched.js';
import { useSubmitting } from '../parts/submitting.js';
import { authResendVerification } from '../state/api.js';
import { faultyFieldOf, register, statusOf } from '../state/session.js';

const explain = (thrown: unknown): string => {
  if (statusOf(thrown) !== 409) return failureText(thrown);
  return faultyFieldOf(thrown) === 'email' ? t.door.emailTaken : t.door.nameTaken;
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
    <Door title={t.door.checkMail}>
      <p>{t.door.verifyMailSent(email)}</p>
      <form class="form" onSubmit={submit}>
        <p class="hint">{t.door.noMail}</p>
        <button type="submit" class="button wide" disabled={isBusy.value}>
          {t.door.sendAgain}
        </button>
        <p role="status">{isSent.value ? t.door.sentAgain : ''}</p>
        <Fault text={fault.value} />
      </form>
      <OtherDoors to={['back']} />
    </Door>
  );
};

export const Register = () => {
  const waiting = useSignal<string | null>(null);
  const { isBusy, fault, submit } = useSubmitting(async ({ username = '', email = '', password = '' }) => {
    if (!(await register({ username, email, password }))) waiting.value = email;
  }, explain);
  if (waiting.value !== null) return <Waiting email={waiting.value} />;
  return (
    <Door title={t.door.register}>
      <form class="form" onSubmit={submit}>
        <NameField autofocus />
        <EmailField />
        <NewPasswordField label={t.door.password} name="password" />
        <Fault text={fault.value} />
        <button type="submit" class="button strong wide" disabled={isBusy.value}>
          {t.door.create}
        </button>
      </form>
      <OtherDoors to={['signIn']} />
    </Door>
  );
};
