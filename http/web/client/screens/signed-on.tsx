// Where a sign-on ends that was not asked to end elsewhere, or that was refused. One word of the address chooses among our own texts.

import { useEffect } from 'preact/hooks';
import { t } from '../messages/messages.js';
import { AuthLayout } from '../parts/auth-layout.js';
import { CredentialsForm } from '../parts/credentials-form.js';
import { go, linkTo, query } from '../state/router.js';
import { session } from '../state/session.js';

type Reason = keyof typeof t.auth.refused;

const isReason = (word: string): word is Reason => Object.hasOwn(t.auth.refused, word);

export const SignedOn = () => {
  const word = query.value.get('refused');
  const { kind } = session.value;
  useEffect(() => {
    if (kind === 'user') go(linkTo('home'), { replaces: true });
    if (kind === 'signedOut' && word === null) go(linkTo('signIn'), { replaces: true });
  }, [word, kind]);
  if (word === null || kind !== 'signedOut') return null;
  return (
    <AuthLayout title={t.auth.notSignedIn}>
      <p role="alert">{isReason(word) ? t.auth.refused[word] : t.auth.refused.failed}</p>
      <CredentialsForm to={linkTo('home')} />
    </AuthLayout>
  );
};
