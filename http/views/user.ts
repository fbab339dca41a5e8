// Users and login answers as the wire shows them.
import type { Token } from '../../core/access/sessions.js';
import type { User } from '../../core/access/users.js';

/** The user inside a login answer. */
export const userView = (user: User) => ({
  id: user.id,
  username: user.username,
  email: user.email,
  role: user.role,
});

/** GET /auth/me. `permissions` are the user's own, beyond those of the role. */
export const meView = (user: User) => ({
  ...userView(user),
  emailVerified: user.emailVerified,
  permissions: user.permissions,
});

/** Login response. */
export const loginView = (user: User, token: Token) => ({
  access_token: token.text,
  token_type: 'Bearer',
  expires_in: token.expiresInS,
  user: userView(user),
});
