// Where the link leads that verifies an address. To open it does nothing, since programs that check mails open links too.

import { explain, plainly } from '../messages/explain.js';
import { t } from '../messages/messages.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { ErrorMessage } from '../parts/error-message.js';
import { useSubmitting } from '../parts/submitting.js';
import { type Explanation, statusOf } from '../state/api-errors.js';
import { useLinkToken } from '../state/link-token.js';
import { go, linkTo } from '../state/router.js';
import { session, verifyEmail } from '../state/session.js';

const explainLink = (thrown: unknown): Explanation =>
  statusOf(thrown) === 400 ? plainly(t.auth.linkInvalid) : explain(thrown);

export const VerifyEmail = () => {
  const token = useLinkToken();
  const { isBusy, error, submit } = useSubmitting(async () => {
    const wasSignedIn = session.value.kind === 'user';
    await verifyEmail(token ?? '');
    // Nothing that is loaded may be left for another account.
    if (wasSignedIn) location.assign(linkTo('home'));
    else go(linkTo('home'), { replaces: true });
  }, explainLink);
  return (
    <AuthLayout title={t.auth.verify}>
      <p>{t.auth.verifyText}</p>
      <form class="form" onSubmit={submit}>
        <ErrorMessage of={token === null ? plainly(t.auth.linkIncomplete) : error.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value || token === null}>
          {t.auth.verifyButton}
        </button>
      </form>
    </AuthLayout>
  );
};
