// Accounts, login answers and sessions as shown on the wire.
import type { Caller } from '../../../core/access/caller.js';
import type { Session, SignedIn } from '../../../core/access/sessions.js';
import type { User } from '../../../core/access/users.js';
import { effectivePermissions } from '../../../core/model/permissions.js';
import type { Wire } from '../../surface/wire.js';
import type { Login, Me, Session as SessionSchema } from '../schemas/user.js';
import { instant } from './time.js';

/** The caller, as GET /auth/me and login answers show them. `permissions` are the user's own, beyond those of the role. */
export const meView = (user: User): Wire<typeof Me> => ({
  id: user.id,
  username: user.username,
  email: user.email,
  role: user.role,
  emailVerified: user.emailVerified,
  permissions: user.permissions,
  effectivePermissions: [...effectivePermissions(user.role, user.permissions)],
});

/** Login response, in both spellings: apps read one or the other. `isKept`: the refresh token is in a cookie, and nowhere else. */
export const loginView = (
  user: User,
  { text, expiresInS, refresh }: SignedIn,
  isKept: boolean,
): Wire<typeof Login> => ({
  access_token: text,
  accessToken: text,
  token_type: 'Bearer',
  tokenType: 'Bearer',
  expires_in: expiresInS,
  expiresIn: expiresInS,
  ...(refresh === null || refresh === 'unchanged' || isKept
    ? {}
    : { refresh_token: refresh.text, refreshToken: refresh.text }),
  user: meView(user),
});

export const sessionView = (session: Session, { via }: Caller): Wire<typeof SessionSchema> => ({
  id: session.id,
  createdAt: instant(session.createdAt),
  lastSeenAt: instant(session.seenAt ?? session.createdAt),
  expiresAt: instant(session.expiresAt),
  userAgent: session.agent,
  address: session.address,
  current: via.kind === 'session' && via.id === session.id,
});
