// Asks for a mail with a link to set a new password.

import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { EmailField } from '../parts/account-fields.js';
import { Door, OtherDoors } from '../parts/door.js';
import { Fault } from '../parts/fault.js';
import { useSubmitting } from '../parts/submitting.js';
import { authForgotPassword } from '../state/api.js';

export const ForgotPassword = () => {
  const sentTo = useSignal<string | null>(null);
  const { isBusy, fault, submit } = useSubmitting(async ({ email = '' }) => {
    await authForgotPassword({ body: { email } });
    sentTo.value = email;
  });
  if (sentTo.value !== null)
    return (
      <Door title={t.door.checkMail}>
        <p role="status">{t.door.resetMailSent(sentTo.value)}</p>
        <OtherDoors to={['back']} />
      </Door>
    );
  return (
    <Door title={t.door.forgotTitle}>
      <p>{t.door.forgotText}</p>
      <form class="form" onSubmit={submit}>
        <EmailField autofocus />
        <Fault text={fault.value} />
        <button type="submit" class="button strong wide" disabled={isBusy.value}>
          {t.door.sendLink}
        </button>
      </form>
      <OtherDoors to={['back']} />
    </Door>
  );
};
