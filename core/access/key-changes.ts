// Creating, changing and revoking API keys. Permissions are checked in the transaction that writes.
import { cleanName } from '../model/clean-name.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import type { Tx } from '../store/db.js';
import { ALL_ASPECTS, updated } from '../store/feed.js';
import { type ApiKey, KEYS_MAX, type KeyParts, keyById, type Owned, withLastUse } from './api-keys.js';
import { type Action, audited } from './audit.js';
import { byOf, type Caller, type KnownActor } from './caller.js';
import { heldBy, refuseBeyondOwner, refuseForeignKey, refuseLonger } from './key-rights.js';
import { hashOfSecret, newKeyText, writtenKey } from './key-text.js';
import { refuseMore, rightsOf } from './rights.js';
import { stillAdministrates, stillSignedIn } from './still-signed-in.js';
import { checkedPermissions } from './user-fields.js';

const NAME_MAX = 100;

const checkedName = (given: string): string => {
  const name = cleanName(given);
  if (name !== '' && name.length <= NAME_MAX) return name;
  const message = `must have 1 to ${NAME_MAX} characters`;
  throw new AppError('BadRequest', `The name ${message}.`, [{ path: 'name', message }]);
};

const entered = (
  tx: Tx,
  by: KnownActor,
  action: Action,
  { id, name, userKey, userId }: ApiKey,
  at: number,
  details: object,
) => {
  const isOwn = userKey === by.caller.user.key;
  const target = { kind: 'api_key', id, name };
  return audited(tx, {
    at,
    by,
    action,
    target,
    ...(isOwn ? { ownOf: userId } : {}),
    details: { ...(isOwn ? {} : { userId }), ...details },
  });
};

export interface NewKey {
  readonly name: string;
  /** Left out: all that the caller has. */
  readonly permissions?: readonly string[] | undefined;
  readonly expiresAt: number | null;
}

const INSERT = `INSERT INTO api_key (uuid, user_id, name, prefix, secret_hash, permissions, expires_at, created_at, updated_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT (prefix) DO NOTHING RETURNING id`;

/** Prefixes are random: a second try is as good as never needed. */
const TRIES = 5;

/** Stores a new key and returns its text, which nobody can find out later. */
const insertKey = async (tx: Tx, id: string, userKey: number, wanted: NewKey, nowMs: number): Promise<string> => {
  const { name, permissions, expiresAt } = wanted;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const text = newKeyText();
    const made = await tx.all(INSERT, [
      bytesOfUuid(id),
      userKey,
      name,
      text.prefix,
      hashOfSecret(text.secret),
      JSON.stringify(permissions),
      expiresAt,
      nowMs,
    ]);
    if (made.length > 0) return writtenKey(text);
  }
  throw new AppError('Internal', 'No free prefix was found for an API key.');
};

export interface MadeKey extends ApiKey {
  /** The whole key, shown this once. */
  readonly text: string;
}

export const createKey = async ({ db, clock }: KeyParts, by: KnownActor, wanted: NewKey): Promise<MadeKey> => {
  const { caller } = by;
  const name = checkedName(wanted.name);
  const permissions = checkedPermissions(wanted.permissions ?? [...caller.permissions]);
  refuseMore(caller, new Set(permissions));
  refuseLonger(caller, wanted.expiresAt);
  const now = clock.now();
  if (wanted.expiresAt !== null && wanted.expiresAt <= now)
    throw new AppError('BadRequest', 'expiresAt has passed: a new key needs a time in the future, or none.', [
      { path: 'expiresAt', message: 'has passed' },
    ]);
  const id = uuidOfHex(newId(now));
  return db.write(byOf(by), 'interactive', async (tx) => {
    await stillSignedIn(tx, caller, now);
    const [{ n } = { n: 0 }] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM api_key WHERE user_id = ?', [
      caller.user.key,
    ]);
    if (n >= KEYS_MAX)
      throw new AppError('Conflict', `You have ${KEYS_MAX} API keys, the most a user may have. Delete one first.`);
    const text = await insertKey(tx, id, caller.user.key, { ...wanted, name, permissions }, now);
    tx.report(updated('api_key', [caller.user.key], ALL_ASPECTS));
    const { key } = await keyById(tx, id);
    await entered(tx, by, 'api_key.create', key, now, { permissions });
    return { ...key, text };
  });
};

/** The caller may have lost the role while the request waited. */
const mayStill = async (
  tx: Tx,
  caller: Caller,
  ownerKey: number,
  deed: Parameters<typeof refuseForeignKey>[2],
  nowMs: number,
): Promise<void> => {
  refuseForeignKey(caller, ownerKey, deed);
  if (ownerKey === caller.user.key) await stillSignedIn(tx, caller, nowMs);
  else await stillAdministrates(tx, caller, nowMs);
};

/** Absent means unchanged. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
  /** Null: it never expires. */
  readonly expiresAt?: number | null | undefined;
  readonly active?: boolean | undefined;
}

/** Names of the fields that differ. */
const differing = (old: ApiKey, next: ApiKey): readonly string[] =>
  (['name', 'permissions', 'expiresAt', 'active'] as const).filter(
    (field) => String(old[field]) !== String(next[field]),
  );

/** Any key may be disabled: that grants nothing to anybody. */
const isOnlyStopped = (old: ApiKey, next: ApiKey): boolean =>
  !next.active && differing(old, next).every((field) => field === 'active');

/** The key as it will be, if the caller may make it so: whatever is changed, it must not be worth more than the caller is. */
const changed = (caller: Caller, { key, owner }: Owned, change: KeyChange): ApiKey => {
  const rights = rightsOf(owner);
  const given = change.permissions === undefined ? undefined : checkedPermissions(change.permissions);
  if (given !== undefined) {
    refuseMore(caller, new Set(given));
    refuseBeyondOwner(rights, given);
  }
  const permissions = given ?? key.permissions;
  const active = change.active ?? key.active;
  const expiresAt = change.expiresAt === undefined ? key.expiresAt : change.expiresAt;
  const name = change.name === undefined ? key.name : checkedName(change.name);
  const next = { ...key, name, permissions, expiresAt, active };
  if (isOnlyStopped(key, next)) return next;
  refuseMore(caller, heldBy(rights, permissions));
  refuseLonger(caller, expiresAt);
  return next;
};

/** Returns the key as now stored. */
export const changeKey = async (
  { db, clock, lastUse }: KeyParts,
  by: KnownActor,
  id: string,
  change: KeyChange,
): Promise<ApiKey> => {
  const now = clock.now();
  return db.write(byOf(by), 'interactive', async (tx) => {
    const found = await keyById(tx, id);
    await mayStill(tx, by.caller, found.key.userKey, 'change', now);
    const next = changed(by.caller, found, change);
    const fields = differing(found.key, next);
    if (fields.length === 0) return withLastUse(lastUse, found.key);
    await tx.run(
      'UPDATE api_key SET name = ?, permissions = ?, expires_at = ?, active = ?, updated_at = ? WHERE uuid = ?',
      [next.name, JSON.stringify(next.permissions), next.expiresAt, Number(next.active), now, bytesOfUuid(id)],
    );
    tx.report(updated('api_key', [next.userKey], ALL_ASPECTS));
    await entered(tx, by, 'api_key.update', next, now, { changed: fields });
    return withLastUse(lastUse, { ...next, updatedAt: now });
  });
};

/** Revokes a key, from the next request on. */
export const removeKey = async ({ db, clock }: KeyParts, by: KnownActor, id: string): Promise<void> => {
  const now = clock.now();
  await db.write(byOf(by), 'interactive', async (tx) => {
    const { key } = await keyById(tx, id);
    await mayStill(tx, by.caller, key.userKey, 'delete', now);
    await tx.run('DELETE FROM api_key WHERE uuid = ?', [bytesOfUuid(id)]);
    tx.report(updated('api_key', [key.userKey], ALL_ASPECTS));
    await entered(tx, by, 'api_key.delete', key, now, {});
  });
};
