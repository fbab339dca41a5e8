// A request may wait for its turn to write, and a response may be long-lived. Meanwhile the caller's credential may have been revoked or
// lost permissions: it is checked again in the transaction, so that nothing is written on behalf of somebody who no longer has access.
import { AppError } from '../model/errors.js';
import { effectivePermissions } from '../model/permissions.js';
import type { Reader, Tx } from '../store/db.js';
import { ownerOfKeyId } from './api-keys.js';
import { type Caller, endOf } from './caller.js';
import { isAdministrator, notAdministrator } from './rights.js';
import { ownerOfSession } from './sessions.js';
import { deviceStillKnown } from './sync-secrets.js';
import { tokenExpired } from './tokens.js';
import { activeUser, passwordOf } from './users.js';

/** The caller with their current rights; Unauthorized if the credential is no longer valid. */
export const callerNow = async (from: Reader, { user, via }: Caller, nowMs: number): Promise<Caller> => {
  if (via.kind === 'api-key') return ownerOfKeyId(from, via.id, nowMs); // its end may have been changed
  if (endOf(via) <= nowMs) throw tokenExpired();
  if (via.kind === 'session') return { ...(await ownerOfSession(from, via.id, user.id, nowMs)), via };
  const found = await activeUser(from, user.id);
  if (via.kind === 'provider') {
    const known = await from.all('SELECT 1 FROM identity WHERE provider = ? AND subject = ? AND user_id = ?', [
      via.issuer,
      via.subject,
      user.key,
    ]);
    if (known.length === 0) throw new AppError('Unauthorized');
  } else if (via.kind === 'sync-secret') {
    return deviceStillKnown(from, found, via.storedHash);
  } else if ((await passwordOf(from, user.key)) !== via.storedHash)
    throw new AppError('Unauthorized', 'Invalid username or password');
  return { user: found, permissions: effectivePermissions(found.role, found.permissions), via };
};

const refuseLess = ({ permissions }: Caller, now: Caller): void => {
  for (const permission of permissions)
    if (!now.permissions.has(permission))
      throw new AppError('Forbidden', `You have lost a permission since this request was sent: ${permission}`);
};

export const stillSignedIn = async (tx: Tx, caller: Caller, nowMs: number): Promise<void> =>
  refuseLess(caller, await callerNow(tx, caller, nowMs));

export const stillAdministrates = async (tx: Tx, caller: Caller, nowMs: number): Promise<void> => {
  const now = await callerNow(tx, caller, nowMs);
  if (!isAdministrator(now.user)) throw notAdministrator();
  refuseLess(caller, now);
};
