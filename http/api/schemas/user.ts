// Accounts, set-up and login as answers show them.
import Type from 'typebox';
import { ROLES } from '../../../core/model/permissions.js';
import { id, record, text, whole, word, yes } from '../../surface/wire.js';

/** UserInfo. */
export const Me = record('Me', {
  id: id(),
  username: text('ann'),
  email: text('ann@example.org'),
  role: word(ROLES),
  emailVerified: yes(true),
  permissions: Type.Array(text('LibrariesWrite'), {
    description: 'Permissions of the user in addition to those of the role.',
  }),
});

const SECONDS = 'In seconds.';

const loginFields = {
  access_token: text('eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
  accessToken: text('eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
  token_type: text('Bearer'),
  tokenType: text('Bearer'),
  expires_in: whole(86_400, SECONDS),
  expiresIn: whole(86_400, SECONDS),
  user: Me,
};

/** In both spellings: apps read one or the other. */
export const Login = record('Login', loginFields);

export const SetUp = record('SetUp', { ...loginFields, message: text('The server is set up.') });

export const SetupStatus = record('SetupStatus', {
  setupRequired: yes(false),
  hasUsers: yes(true),
  registrationEnabled: yes(false),
});

export const Message = record('Message', { message: text('Logged out.') });
