// The secrets that e-readers sign in with in place of passwords. A device sends the MD5 of one with each request; of that, only a salted
// SHA-256 is stored. It lets a device report and read progress, and do nothing else.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../model/errors.js';
import { effectivePermissions, type Permission } from '../model/permissions.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import type { Caller } from './caller.js';
import type { User } from './users.js';

const PERMITTED: readonly Permission[] = ['ProgressRead', 'ProgressWrite'];
const SALT_BYTES = 16;

/** What a device sends of a secret. */
export const syncKeyOf = (secret: string): string => createHash('md5').update(secret).digest('hex');

const hashOf = (salt: Uint8Array, key: string): Buffer => createHash('sha256').update(salt).update(key).digest();

interface Row {
  readonly salt: Buffer;
  readonly hash: Buffer;
  readonly setAt: number;
}

const rowOf = async (from: Reader, userKey: number): Promise<Row | undefined> => {
  const sql = 'SELECT salt, hash, set_at AS setAt FROM sync_secret WHERE user_id = ?';
  return (await from.all<Row>(sql, [userKey]))[0];
};

/** When it was set; null: there is none. */
export const syncSecretSetAt = async (from: Reader, userKey: number): Promise<number | null> =>
  (await rowOf(from, userKey))?.setAt ?? null;

/** Compared with in place of a secret that is not there, so that both take the same time. */
const NONE = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(32) };

/** A user's stored hash if it fits what a device sends; null is nobody. */
export const fittingHash = async (from: Reader, userKey: number | null, key: string): Promise<string | undefined> => {
  const { salt, hash } = (await rowOf(from, userKey ?? 0)) ?? NONE;
  return timingSafeEqual(hashOf(salt, key), hash) ? hash.toString('hex') : undefined;
};

export const wrongSyncSecret = (): AppError => new AppError('Unauthorized', 'Invalid user name or sync secret');

/** A user's device, with the stored hash that its secret fitted. */
export const callerOfDevice = (user: User, storedHash: string): Caller => {
  if (!user.active) throw new AppError('Unauthorized', 'User account is inactive');
  const held = effectivePermissions(user.role, user.permissions);
  const permissions = new Set(PERMITTED.filter((permission) => held.has(permission)));
  return { user, permissions, via: { kind: 'sync-secret', storedHash } };
};

/** A device that was recognised before; Unauthorized once the secret is another one. */
export const deviceStillKnown = async (from: Reader, user: User, storedHash: string): Promise<Caller> => {
  if ((await rowOf(from, user.key))?.hash.toString('hex') !== storedHash) throw wrongSyncSecret();
  return callerOfDevice(user, storedHash);
};

/** `key`: what devices will send. */
export const storeSyncKey = async (tx: Tx, userKey: number, key: string, nowMs: number): Promise<void> => {
  const salt = randomBytes(SALT_BYTES);
  await tx.run(
    `INSERT INTO sync_secret (user_id, salt, hash, set_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (user_id) DO UPDATE SET salt = excluded.salt, hash = excluded.hash, set_at = excluded.set_at`,
    [userKey, salt, hashOf(salt, key), nowMs],
  );
  tx.report(updated('session', [userKey], ASPECTS.details));
};

/** Returns whether there was one. */
export const deleteSyncSecret = async (tx: Tx, userKey: number): Promise<boolean> => {
  const deleted = await tx.run('DELETE FROM sync_secret WHERE user_id = ?', [userKey]);
  tx.report(updated('session', [userKey], ASPECTS.details));
  return deleted > 0;
};
