// Where the link leads with which a new password is set.

import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { NewPasswordField } from '../parts/account-fields.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { Fault } from '../parts/error-message.js';
import { failureText } from '../parts/fetched.js';
import { useSubmitting } from '../parts/submitting.js';
import { takeLinkToken } from '../state/link-token.js';
import { linkTo } from '../state/router.js';
import { faultyFieldOf, resetPassword } from '../state/session.js';

const explain = (thrown: unknown): string =>
  faultyFieldOf(thrown) === 'token' ? t.auth.linkInvalid : failureText(thrown);

export const ResetPassword = () => {
  const [token] = useState(takeLinkToken);
  const isDone = useSignal(false);
  const { isBusy, fault, submit } = useSubmitting(async ({ newPassword = '' }) => {
    await resetPassword(token ?? '', newPassword);
    isDone.value = true;
  }, explain);
  if (isDone.value)
    return (
      <AuthLayout title={t.auth.resetDone}>
        <p role="status">{t.auth.resetDoneText}</p>
        <a class="button primary wide" href={linkTo('signIn')}>
          {t.auth.signIn}
        </a>
      </AuthLayout>
    );
  return (
    <AuthLayout title={t.auth.reset}>
      <p>{t.auth.resetText}</p>
      <form class="form" onSubmit={submit}>
        <NewPasswordField label={t.settings.newPassword} name="newPassword" autofocus />
        <Fault text={token === null ? t.auth.linkIncomplete : fault.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value || token === null}>
          {t.auth.resetButton}
        </button>
      </form>
    </AuthLayout>
  );
};
