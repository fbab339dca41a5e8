// The sign-in screen.

import { t } from '../messages/messages.js';
import { CredentialsForm } from '../parts/credentials-form.js';
import { Door, OtherDoors } from '../parts/door.js';
import { linkTo, query } from '../state/router.js';

export const SignIn = () => (
  <Door title={t.door.signIn}>
    <CredentialsForm to={query.value.get('to') ?? linkTo('home')} />
    <OtherDoors to={['forgotPassword', 'register']} />
  </Door>
);
