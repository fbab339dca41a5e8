// A user's own sync secret: set, seen and removed by its owner, who has signed in.
import { randomInt } from 'node:crypto';
import { AppError } from '../model/errors.js';
import type { Tx } from '../store/db.js';
import { audited } from './audit.js';
import type { KnownActor } from './caller.js';
import { isOwnPassword, type OwnParts, refuseKey } from './own-profile.js';
import { stillSignedIn } from './still-signed-in.js';
import { deleteSyncSecret, storeSyncKey, syncKeyOf, syncSecretSetAt } from './sync-secrets.js';

type Parts = Pick<OwnParts, 'db' | 'clock'>;

/** Letters and digits that are not mistaken for others: it is typed on an e-reader. */
const SIGNS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const SIGNS_PER_GROUP = 4;

const randomGroup = (): string =>
  Array.from({ length: SIGNS_PER_GROUP }, () => SIGNS[randomInt(SIGNS.length)]).join('');

/** 79 bits. */
const randomSecret = (): string => Array.from({ length: GROUPS }, randomGroup).join('-');

const LENGTH = { min: 12, max: 200 };

const refused = (message: string): AppError =>
  new AppError('BadRequest', `The secret ${message}.`, [{ path: 'secret', message }]);

/** Devices store and send an MD5 of it, which is easily cracked, so it must not open the account. */
const checkChosen = async (parts: OwnParts, by: KnownActor, secret: string): Promise<void> => {
  if (secret.length < LENGTH.min || secret.length > LENGTH.max)
    throw refused(`must have ${LENGTH.min} to ${LENGTH.max} characters`);
  if (await isOwnPassword(parts, by, secret)) throw refused('must not be the password of the account');
};

const entered = (tx: Tx, by: KnownActor, isSet: boolean, at: number): Promise<void> => {
  const { id, username: name } = by.caller.user;
  const details = { changed: ['syncSecret'], syncSecret: isSet };
  return audited(tx, { at, by, action: 'user.update', target: { kind: 'user', id, name }, ownOf: id, details });
};

export interface OwnSyncSecret {
  /** Null: there is none. */
  readonly setAt: number | null;
}

export const ownSyncSecret = async ({ db }: Parts, { caller }: KnownActor): Promise<OwnSyncSecret> => ({
  setAt: await syncSecretSetAt(db, caller.user.key),
});

export interface MadeSyncSecret {
  /** Null: the user chose it. A generated one is shown this once. */
  readonly secret: string | null;
  readonly setAt: number;
}

/** In place of the one before, whose devices are signed out. */
export const setOwnSyncSecret = async (
  parts: OwnParts,
  by: KnownActor,
  chosen: string | undefined,
): Promise<MadeSyncSecret> => {
  refuseKey(by);
  if (chosen !== undefined) await checkChosen(parts, by, chosen);
  const { db, clock } = parts;
  const secret = chosen ?? randomSecret();
  const now = clock.now();
  await db.write(by.caller.user.key, 'interactive', async (tx) => {
    await stillSignedIn(tx, by.caller, now);
    await storeSyncKey(tx, by.caller.user.key, syncKeyOf(secret), now);
    await entered(tx, by, true, now);
  });
  return { secret: chosen === undefined ? secret : null, setAt: now };
};

/** Also succeeds when there is none. */
export const removeOwnSyncSecret = async ({ db, clock }: Parts, by: KnownActor): Promise<void> => {
  refuseKey(by);
  const now = clock.now();
  await db.write(by.caller.user.key, 'interactive', async (tx) => {
    await stillSignedIn(tx, by.caller, now);
    if (await deleteSyncSecret(tx, by.caller.user.key)) await entered(tx, by, false, now);
  });
};
