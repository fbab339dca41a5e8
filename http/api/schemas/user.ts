// Accounts, set-up and login as answers show them.
import Type from 'typebox';
import { ROLES } from '../../../core/model/permissions.js';
import { id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';

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
  effectivePermissions: Type.Array(text('LibrariesRead'), {
    description: 'Everything the user may do: the permissions of the role and those of their own.',
  }),
});

const SECONDS = 'In seconds.';

const REFRESH = 'gaqRnLpSGuYeEUDL2JOXALt-34Blt3unT3q-k3GpoZ0';
const ABSENT = 'Not there when it is in a cookie, or when the server gives none.';

const loginFields = {
  access_token: text('eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
  accessToken: text('eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
  token_type: text('Bearer'),
  tokenType: text('Bearer'),
  expires_in: whole(86_400, SECONDS),
  expiresIn: whole(86_400, SECONDS),
  refresh_token: Type.Optional(text(REFRESH, ABSENT)),
  refreshToken: Type.Optional(text(REFRESH, ABSENT)),
  user: Me,
};

/** In both spellings: apps read one or the other. */
export const Login = record('Login', loginFields);

export const SetUp = record('SetUp', { ...loginFields, message: text('The server is set up.') });

export const SetupStatus = record('SetupStatus', {
  setupRequired: yes(false),
  hasUsers: yes(true),
  registrationEnabled: yes(false),
  passwordResetEnabled: yes(true, 'Whether a link to set a new password reaches people: whether mails are sent.'),
});

export const SessionStatus = record('SessionStatus', {
  user: orNull(Me),
  isRenewable: yes(
    false,
    'Whether nobody is signed in any more, but `POST /auth/refresh` would sign the user in again.',
  ),
});

export const Message = record('Message', { message: text('Logged out.') });

export const Session = record('Session', {
  id: id(),
  createdAt: time(),
  lastSeenAt: time(),
  expiresAt: time('Unless it is refreshed before.'),
  userAgent: orNull(text('Mozilla/5.0', 'What the client said of itself when it signed in, or refreshed.')),
  address: orNull(text('192.0.2.7')),
  current: yes(true, 'Whether this request belongs to it.'),
});
