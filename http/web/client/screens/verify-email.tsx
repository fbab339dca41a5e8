// Where the link leads that verifies an address. To open it does nothing, since programs that check mails open links too.

import { useState } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { Fault } from '../parts/error-message.js';
import { failureText } from '../parts/fetched.js';
import { useSubmitting } from '../parts/submitting.js';
import { takeLinkToken } from '../state/link-token.js';
import { go, linkTo } from '../state/router.js';
import { session, statusOf, verifyEmail } from '../state/session.js';

const explainLink = (thrown: unknown): string => (statusOf(thrown) === 400 ? t.auth.linkInvalid : failureText(thrown));

export const VerifyEmail = () => {
  const [token] = useState(takeLinkToken);
  const { isBusy, fault, submit } = useSubmitting(async () => {
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
        <Fault text={token === null ? t.auth.linkIncomplete : fault.value} />
        <button type="submit" class="button primary wide" disabled={isBusy.value || token === null}>
          {t.auth.verifyButton}
        </button>
      </form>
    </AuthLayout>
  );
};
