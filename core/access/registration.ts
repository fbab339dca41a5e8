// Accounts that people create for themselves, and links in mails that verify their addresses. With confirmation on, nobody can find out
// whether an address has an account: what is stored and answered is the same either way; only the mail, which goes to the owner,
// differs.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { uuidOfHex } from '../model/ids.js';
import { userNameKey } from '../model/name-key.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { audited, REGISTRATIONS } from './audit.js';
import { type Actor, type Client, SERVER } from './caller.js';
import { issueLink, pruneLinks, refuseLink, useLink } from './mail-links.js';
import { type Letter, takenLetter, verifyLetter } from './mail-texts.js';
import { type FirstUserParts, insertUser, type NewUser } from './new-users.js';
import { postTo, type RegistrationState } from './registration-state.js';
import type { Sessions, SignedIn } from './sessions.js';
import { checkRegistration } from './user-fields.js';
import { isTaken, refuseTaken } from './user-names.js';
import { deleteUserRow } from './user-removal.js';
import { type User, userById } from './users.js';

export interface RegistrationParts extends FirstUserParts, RegistrationState {
  readonly sessions: Sessions;
}

/** Who registered or was verified, and, unless the account still waits, what they are signed in with: an access token alone. */
export interface Registered {
  readonly user: User;
  readonly signedIn: SignedIn | null;
}

interface Account {
  readonly key: number;
  readonly email: string;
  readonly active: number;
  readonly verified: number;
  readonly unconfirmed: number;
}

const COLUMNS = 'id AS key, email, active, email_verified AS verified, unconfirmed';

export const accountOf = async (from: Reader, email: string): Promise<Account | undefined> => {
  const sql = `SELECT ${COLUMNS} FROM user WHERE email_key = ?`;
  return (await from.all<Account>(sql, [userNameKey(email)]))[0];
};

/** RFC 2606: no mail gets there. */
const placeholder = (): string => `unconfirmed-${randomBytes(8).toString('hex')}@registration.invalid`;

/** Sends whoever owns an address the link that verifies it, or, where asked for, word that they have an account. */
const ownersLetter = (parts: RegistrationParts, email: string, isTold: boolean): Promise<Letter | null> => {
  const { clock, mails, registration, db } = parts;
  const times = { nowMs: clock.now(), lifetimeMs: registration.linkLifetimeMs };
  return db.write(SYSTEM, 'interactive', async (tx) => {
    const found = await accountOf(tx, email);
    const isOpen = found?.active === 1;
    if (found === undefined || (!isOpen && found.unconfirmed === 0)) return null;
    if (isTold && isOpen) return takenLetter(found.email);
    if (found.verified === 1) return null;
    const token = await issueLink(tx, found.key, 'verify_email', times);
    return verifyLetter(found.email, { base: mails.linkBase, token, lifetimeMs: times.lifetimeMs });
  });
};

const DETAILS = { role: 'reader', registered: true };

/** Enters in the audit log what became of an account that somebody made for themselves. */
const entered = (
  tx: Tx,
  by: Actor,
  action: 'user.create' | 'user.delete',
  { id, username: name }: Pick<User, 'id' | 'username'>,
  at: number,
): Promise<void> =>
  audited(tx, { at, by, action, target: { kind: 'user', id, name }, ownOf: REGISTRATIONS, details: DETAILS });

/** Deletes those that wait for their confirmation and meet the condition; returns how many. They never signed in, so they have nothing. */
const dropUnconfirmed = async (tx: Tx, condition: string, bind: number, nowMs: number): Promise<number> => {
  const sql = `SELECT id AS key, hex(uuid) AS hex, username FROM user WHERE unconfirmed = 1 ${condition}`;
  const rows = await tx.all<{ key: number; hex: string; username: string }>(sql, [bind]);
  for (const { key, hex, username } of rows) {
    const id = uuidOfHex(hex);
    await deleteUserRow(tx, { key, id });
    await entered(tx, SERVER, 'user.delete', { id, username }, nowMs);
  }
  return rows.length;
};

/** The most accounts that may wait for confirmation. */
const UNCONFIRMED_MAX = 1000;

/** Stores an account that waits for its confirmation; of a taken address, one that nobody can confirm. The oldest beyond the limit goes. */
const storeUnconfirmed = async (
  tx: Tx,
  parts: RegistrationParts,
  { username, email, passwordHash }: Omit<NewUser, 'password'> & { readonly passwordHash: string },
  nowMs: number,
): Promise<{ readonly user: User; readonly token: string | null }> => {
  await refuseTaken(tx, { username });
  const owned = await isTaken(tx, email);
  const address = owned ? placeholder() : email;
  const wanted = { username, email: address, passwordHash, role: 'reader', standing: 'unconfirmed' } as const;
  const user = await insertUser(tx, wanted, nowMs);
  const token = await issueLink(tx, user.key, 'verify_email', { nowMs, lifetimeMs: parts.registration.linkLifetimeMs });
  await dropUnconfirmed(tx, 'ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?', UNCONFIRMED_MAX, nowMs);
  return { user: { ...user, email }, token: owned ? null : token };
};

const registerUnconfirmed = async (parts: RegistrationParts, by: Actor, wanted: NewUser): Promise<User> => {
  const { db, clock, passwords, mails, registration } = parts;
  const { username, email } = wanted;
  await refuseTaken(db, { username });
  const passwordHash = await passwords.hash(wanted.password);
  const now = clock.now();
  const { user, token } = await db.write(SYSTEM, 'interactive', async (tx) => {
    const stored = await storeUnconfirmed(tx, parts, { username, email, passwordHash }, now);
    await entered(tx, by, 'user.create', stored.user, now);
    return stored;
  });
  const { linkLifetimeMs: lifetimeMs } = registration;
  postTo(parts, email, () =>
    token === null
      ? ownersLetter(parts, email, true)
      : Promise.resolve(verifyLetter(email, { base: mails.linkBase, token, lifetimeMs })),
  );
  return user;
};

const registerAtOnce = async (
  { db, clock, passwords, sessions }: RegistrationParts,
  by: Actor,
  wanted: NewUser,
  client: Client,
): Promise<Registered> => {
  const { username, email } = wanted;
  await refuseTaken(db, { username, email });
  const passwordHash = await passwords.hash(wanted.password);
  const now = clock.now();
  return db.write(SYSTEM, 'interactive', async (tx) => {
    await refuseTaken(tx, { username, email });
    const user = await insertUser(tx, { username, email, passwordHash, role: 'reader', standing: 'unverified' }, now);
    await entered(tx, by, 'user.create', user, now);
    return { user, signedIn: await sessions.openIn(tx, user, client, true) };
  });
};

/** An account that may sign in at once, unless it has to be confirmed. */
export const register = async (
  parts: RegistrationParts,
  by: Actor,
  wanted: NewUser,
  client: Client,
): Promise<Registered> => {
  const { isConfirmed } = parts.registration;
  if (!parts.isRegistrationOpen())
    throw new AppError('Forbidden', 'Registration is off: an administrator can create an account for you.');
  checkRegistration(wanted, isConfirmed);
  parts.mailRates.takeFrom(by.address ?? '');
  if (!isConfirmed) return registerAtOnce(parts, by, wanted, client);
  return { user: await registerUnconfirmed(parts, by, wanted), signedIn: null };
};

/** Opens the account that a link was sent for, and signs in, in one transaction: the account may be disabled right after it. */
export const verifyEmail = (
  { db, clock, sessions }: RegistrationParts,
  by: Actor,
  token: string,
  client: Client,
): Promise<Registered & { readonly signedIn: SignedIn }> => {
  const now = clock.now();
  return db.write(SYSTEM, 'interactive', async (tx) => {
    const key = await useLink(tx, token, 'verify_email', now);
    const sql = `UPDATE user SET email_verified = 1, active = 1, unconfirmed = 0, last_login_at = ?1, updated_at = ?1
      WHERE id = ?2 AND (active = 1 OR unconfirmed = 1) RETURNING hex(uuid) AS hex`;
    const [row] = await tx.all<{ hex: string }>(sql, [now, key]);
    if (row === undefined) return refuseLink();
    tx.report(updated('user', [key], ASPECTS.details));
    const user = await userById(tx, uuidOfHex(row.hex));
    if (user === undefined) return refuseLink();
    const target = { kind: 'user', id: user.id, name: user.username };
    await audited(tx, {
      at: now,
      by,
      action: 'user.update',
      target,
      ownOf: user.id,
      details: { changed: ['emailVerified'] },
    });
    return { user, signedIn: await sessions.openIn(tx, user, client, true) };
  });
};

export const resendVerification = (parts: RegistrationParts, email: string, address: string): void => {
  parts.mailRates.takeFrom(address);
  postTo(parts, email, () => ownersLetter(parts, email, false));
};

/** How long an account may wait for confirmation. */
export const UNCONFIRMED_MS = 7 * 24 * 3_600_000;
const ROWS_PER_TRANSACTION = 100;

/** Deletes accounts that nobody has confirmed. */
const pruneUnconfirmed = async (db: Db, now: number): Promise<void> => {
  const old = `AND created_at < ? ORDER BY created_at LIMIT ${ROWS_PER_TRANSACTION}`;
  for (;;) {
    const gone = await db.write(SYSTEM, 'background', (tx) => dropUnconfirmed(tx, old, now - UNCONFIRMED_MS, now));
    if (gone < ROWS_PER_TRANSACTION) return;
  }
};

/** Deletes what nobody came back for. */
export const pruneRegistration = async (db: Db, clock: Clock): Promise<void> => {
  await pruneLinks(db, clock.now());
  await pruneUnconfirmed(db, clock.now());
};
