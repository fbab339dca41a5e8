// The account of somebody whom a provider has signed in: one already linked, one with the same address, or a new one. Role and groups are
// updated from the provider in the same transaction.
import { randomBytes } from 'node:crypto';
import { audited } from '../access/audit.js';
import type { Actor } from '../access/caller.js';
import { insertUser } from '../access/new-users.js';
import { NO_PASSWORD } from '../access/passwords.js';
import { hasOtherAdministrator } from '../access/rights.js';
import { isTaken } from '../access/user-names.js';
import { hasUsers, type User, userById } from '../access/users.js';
import { AppError } from '../model/errors.js';
import { uuidOfHex } from '../model/ids.js';
import { userNameKey } from '../model/name-key.js';
import type { Role } from '../model/permissions.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import type { Person } from './claims.js';
import { followGroups } from './memberships.js';
import type { SignOnOptions } from './options.js';
import { Refused } from './refusals.js';

export interface SignedOn {
  /** The name of the provider in the settings. */
  readonly provider: string;
  /** Together with the issuer, this identifies the person, whatever else changes. */
  readonly issuer: string;
  readonly subject: string;
  readonly person: Person;
  readonly role: Role | undefined;
}

interface Act {
  readonly at: number;
  readonly by: Actor;
}

type Rules = Pick<SignOnOptions, 'createsUsers' | 'defaultRole' | 'linksByEmail'>;

export interface Account {
  readonly user: User;
  readonly isNew: boolean;
}

const targetOf = ({ id, username }: User) => ({ kind: 'user', id, name: username });

const userBy = async (tx: Reader, sql: string, binds: readonly string[]): Promise<User | undefined> => {
  const [row] = await tx.all<{ hex: string }>(sql, [...binds]);
  return row === undefined ? undefined : userById(tx, uuidOfHex(row.hex));
};

const LINKED = `SELECT hex(u.uuid) AS hex FROM identity i CROSS JOIN user u ON u.id = i.user_id WHERE i.provider = ? AND i.subject = ?`;

export const linkedUser = (tx: Reader, issuer: string, subject: string): Promise<User | undefined> =>
  userBy(tx, LINKED, [issuer, subject]);

const link = async (tx: Tx, { key }: User, { issuer, subject }: SignedOn, nowMs: number): Promise<void> => {
  const sql = 'INSERT INTO identity (provider, subject, user_id, created_at, seen_at) VALUES (?1, ?2, ?3, ?4, ?4)';
  await tx.run(sql, [issuer, subject, key, nowMs]);
  tx.report(updated('session', [key], ASPECTS.details));
};

const VERIFIED = 'SELECT hex(uuid) AS hex FROM user WHERE email_key = ?1 AND email_verified = 1';

/**
 * Both sides must have verified the address: otherwise somebody could get into another person's account, or draw them into theirs. Letters that
 * only look alike make a different mailbox: SQLite's lower() changes ASCII alone.
 */
const userOfAddress = ({ person }: SignedOn, tx: Tx): Promise<User | undefined> | undefined =>
  person.email !== null && person.emailVerified
    ? userBy(tx, `${VERIFIED} AND lower(email) = lower(?2)`, [userNameKey(person.email), person.email])
    : undefined;

const TRIES = 20;

const freeName = async (tx: Tx, wanted: string): Promise<string> => {
  const base = wanted === '' ? 'user' : wanted;
  for (let n = 1; n <= TRIES; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!(await isTaken(tx, name))) return name;
  }
  return `${base}-${randomBytes(6).toString('hex')}`;
};

/** `.invalid` is reserved (RFC 2606): no mail gets there. */
const placeholder = (): string => `${randomBytes(8).toString('hex')}@sign-on.invalid`;

/**
 * An unverified address must not reveal whether somebody here has it. A verified one is refused only where another account has verified it too:
 * somebody who merely entered it does not keep its owner out.
 */
const addressFor = async (tx: Tx, { email, emailVerified }: Person): Promise<string> => {
  if (email === null) return placeholder();
  if (!(await isTaken(tx, email))) return email;
  const holder = emailVerified ? await userBy(tx, VERIFIED, [userNameKey(email)]) : undefined;
  if (holder !== undefined) throw new Refused('email-taken');
  return placeholder();
};

const create = async (tx: Tx, told: SignedOn, { defaultRole }: Rules, { at, by }: Act): Promise<User> => {
  const { person, provider, role = defaultRole } = told;
  const email = await addressFor(tx, person);
  const standing = person.emailVerified && email === person.email ? 'verified' : 'unverified';
  const username = await freeName(tx, person.username);
  const user = await insertUser(tx, { username, email, passwordHash: NO_PASSWORD, role, standing }, at);
  await link(tx, user, told, at);
  const details = { role, provider };
  await audited(tx, { at, by, action: 'user.create', target: targetOf(user), ownOf: user.id, details });
  return user;
};

const find = async (tx: Tx, told: SignedOn, rules: Rules, act: Act): Promise<Account> => {
  const known = await linkedUser(tx, told.issuer, told.subject);
  if (known !== undefined) return { user: known, isNew: false };
  const same = rules.linksByEmail ? await userOfAddress(told, tx) : undefined;
  if (same !== undefined) {
    await link(tx, same, told, act.at);
    const { provider } = told;
    const target = targetOf(same);
    await audited(tx, { ...act, action: 'user.link', target, ownOf: same.id, details: { provider } });
    return { user: same, isNew: false };
  }
  if (!rules.createsUsers) throw new Refused('no-account');
  return { user: await create(tx, told, rules, act), isNew: true };
};

/** Sets the role that a mapping gives. The last active administrator is not demoted. */
const followRole = async (tx: Tx, user: User, { role, provider }: SignedOn, { at, by }: Act): Promise<void> => {
  if (role === undefined || role === user.role) return;
  if (user.role === 'admin' && !(await hasOtherAdministrator(tx, user.key))) return;
  await tx.run('UPDATE user SET role = ?, updated_at = ? WHERE id = ?', [role, at, user.key]);
  tx.report(updated('user', [user.key], ASPECTS.details));
  const details = { changed: ['role'], role, provider };
  await audited(tx, { at, by, action: 'user.update', target: targetOf(user), ownOf: user.id, details });
};

/** Throws Refused, in which case nothing has changed. */
export const accountOf = async (tx: Tx, told: SignedOn, rules: Rules, act: Act): Promise<Account> => {
  // The first account is the administrator's, and is created by the set-up alone.
  if (!(await hasUsers(tx))) throw new Refused('not-set-up');
  const { user, isNew } = await find(tx, told, rules, act);
  if (!user.active) throw new Refused('inactive');
  await tx.run('UPDATE identity SET seen_at = ? WHERE provider = ? AND subject = ?', [
    act.at,
    told.issuer,
    told.subject,
  ]);
  tx.report(updated('session', [user.key], ASPECTS.details));
  await tx.run('UPDATE user SET last_login_at = ? WHERE id = ?', [act.at, user.key]);
  tx.report({ ...updated('user', [user.key], ASPECTS.details), userKey: user.key });
  await followRole(tx, user, told, act);
  await followGroups(tx, user, told, act);
  const now = await userById(tx, user.id);
  if (now === undefined) throw new AppError('Internal', 'A user vanished while they signed in.');
  return { user: now, isNew };
};
