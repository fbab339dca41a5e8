// Where the link leads with which a new password is set.

import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { NewPasswordField } from '../parts/account-fields.js';
import { Door } from '../parts/door.js';
import { Fault } from '../parts/fault.js';
import { failureText } from '../parts/fetched.js';
import { useSubmitting } from '../parts/submitting.js';
import { takeLinkToken } from '../state/link-token.js';
import { linkTo } from '../state/router.js';
import { faultyFieldOf, resetPassword } from '../state/session.js';

const explain = (thrown: unknown): string =>
  faultyFieldOf(thrown) === 'token' ? t.door.linkInvalid : failureText(thrown);

export const ResetPassword = () => {
  const [token] = useState(takeLinkToken);
  const isDone = useSignal(false);
  const { isBusy, fault, submit } = useSubmitting(async ({ newPassword = '' }) => {
    await resetPassword(token ?? '', newPassword);
    isDone.value = true;
  }, explain);
  if (isDone.value)
    return (
      <Door title={t.door.resetDone}>
        <p role="status">{t.door.resetDoneText}</p>
        <a class="button strong wide" href={linkTo('signIn')}>
          {t.door.signIn}
        </a>
      </Door>
    );
  return (
    <Door title={t.door.reset}>
      <p>{t.door.resetText}</p>
      <form class="form" onSubmit={submit}>
        <NewPasswordField label={t.settings.newPassword} name="newPassword" autofocus />
        <Fault text={token === null ? t.door.linkIncomplete : fault.value} />
        <button type="submit" class="button strong wide" disabled={isBusy.value || token === null}>
          {t.door.resetButton}
        </button>
      </form>
    </Door>
  );
};
