// The sign-in screen.

import { t } from '../messages/messages.js';
import { AuthLayout, AuthLinks } from '../parts/auth-layout.js';
import { CredentialsForm } from '../parts/credentials-form.js';
import { linkTo, query } from '../state/router.js';

export const SignIn = () => (
  <AuthLayout title={t.auth.signIn}>
    <CredentialsForm to={query.value.get('to') ?? linkTo('home')} />
    <AuthLinks to={['forgotPassword', 'register']} />
  </AuthLayout>
);
