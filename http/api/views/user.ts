// Users and login answers as shown on the wire.
import type { Token } from '../../../core/access/sessions.js';
import type { User } from '../../../core/access/users.js';
import type { Wire } from '../../surface/wire.js';
import type { Login, Me } from '../schemas/user.js';

/** The caller, as GET /auth/me and login answers show them. `permissions` are the user's own, beyond those of the role. */
export const meView = (user: User): Wire<typeof Me> => ({
  id: user.id,
  username: user.username,
  email: user.email,
  role: user.role,
  emailVerified: user.emailVerified,
  permissions: user.permissions,
});

/** Login response, in both spellings: apps read one or the other. */
export const loginView = (user: User, token: Token): Wire<typeof Login> => ({
  access_token: token.text,
  accessToken: token.text,
  token_type: 'Bearer',
  tokenType: 'Bearer',
  expires_in: token.expiresInS,
  expiresIn: token.expiresInS,
  user: meView(user),
});
