// Where the link leads with which a new password is set.

import { useSignal } from '@preact/signals';
import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { NewPasswordField } from '../parts/account-fields.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { ErrorMessage } from '../parts/error-message.js';
import { useSubmitting } from '../parts/submitting.js';
import { type Explanation, invalidFieldOf } from '../state/api-errors.js';
import { useLinkToken } from '../state/link-token.js';
import { linkTo } from '../state/router.js';
import { resetPassword } from '../state/session.js';

const explainReset = (thrown: unknown): Explanation =>
  invalidFieldOf(thrown) === 'token' ? plainly(t.auth.linkInvalid) : explain(thrown);

export const ResetPassword = () => {
  const token = useLinkToken();
  const isDone = useSignal(false);
  const { isBusy, error, submit } = useSubmitting(async ({ newPassword = '' }) => {
    await resetPassword(token ?? '', newPassword);
    isDone.value = true;
  }, explainReset);
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
        <ErrorMessage of={token === null ? plainly(t.auth.linkIncomplete) : error.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value || token === null}>
          {t.auth.resetButton}
        </button>
      </form>
    </AuthLayout>
  );
};
