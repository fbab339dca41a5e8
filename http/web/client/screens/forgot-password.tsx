// Asks for a mail with a link to set a new password.

import { useSignal } from '@preact/signals';
import { t } from '../messages/messages.js';
import { EmailField } from '../parts/account-fields.js';
import { AuthLayout, AuthLinks } from '../parts/auth-layout.js';
import { ErrorMessage } from '../parts/error-message.js';
import { useSubmitting } from '../parts/submitting.js';
import { authForgotPassword } from '../state/api.js';

export const ForgotPassword = () => {
  const sentTo = useSignal<string | null>(null);
  const { isBusy, error, submit } = useSubmitting(async ({ email = '' }) => {
    await authForgotPassword({ body: { email } });
    sentTo.value = email;
  });
  if (sentTo.value !== null)
    return (
      <AuthLayout title={t.auth.checkMail}>
        <p role="status">{t.auth.resetMailSent(sentTo.value)}</p>
        <AuthLinks to={['back']} />
      </AuthLayout>
    );
  return (
    <AuthLayout title={t.auth.forgotTitle}>
      <p>{t.auth.forgotText}</p>
      <form class="form" onSubmit={submit}>
        <EmailField autofocus />
        <ErrorMessage of={error.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value}>
          {t.auth.sendLink}
        </button>
      </form>
      <AuthLinks to={['back']} />
    </AuthLayout>
  );
};
