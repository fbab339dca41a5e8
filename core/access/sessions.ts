// Sessions: each begins with a sign-in and lives as long as its refresh tokens do. Access tokens name one, and end with it.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { effectivePermissions } from '../model/permissions.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { type Caller, type Client, endOf } from './caller.js';
import type { LastUse } from './last-use.js';
import { firstRefreshToken, hashOfToken, rotate } from './refresh-tokens.js';
import { claimsOf, sessionEnded, signToken, type Token, type TokenOptions } from './tokens.js';
import { type Account, activeUser, USER_FIELDS, type User, wrongLogin } from './users.js';

export interface SessionsOptions extends TokenOptions {
  /** How long a refresh token lasts; null: there are none. */
  readonly refreshMs: number | null;
}

export interface SignedIn extends Token {
  /** Null: there is none. Unchanged: the client has it already. */
  readonly refresh: Token | 'unchanged' | null;
}

export interface Session {
  readonly key: number;
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly seenAt: number | null;
  readonly agent: string | null;
  readonly address: string | null;
}

const SESSION = packed<Session>({
  key: { sql: 's.id' },
  id: { sql: 's.uuid', as: 'uuid' },
  createdAt: { sql: 's.created_at' },
  expiresAt: { sql: 's.expires_at' },
  seenAt: { sql: 's.seen_at' },
  agent: { sql: 's.agent' },
  address: { sql: 's.address' },
});
const USER = packed<User>(USER_FIELDS);

const SEEN_LOGIN = 'UPDATE user SET last_login_at = ? WHERE id = ? AND password_hash = ? AND active = 1';

const OF_ID = `SELECT ${USER.expression} AS row, s.expires_at AS until FROM session s CROSS JOIN user u ON u.id = s.user_id WHERE s.uuid = ?`;

const OF_REFRESH = `SELECT hex(s.uuid) AS hex, hex(u.uuid) AS owner FROM refresh_token r CROSS JOIN session s ON s.id = r.session_id
  CROSS JOIN user u ON u.id = s.user_id WHERE r.hash = ? AND r.expires_at > ?`;

const LIST = `SELECT json_group_array(json(row)) FROM (SELECT ${SESSION.expression} AS row FROM session s
  WHERE s.user_id = ? AND s.expires_at > ? ORDER BY coalesce(s.seen_at, s.created_at) DESC, s.id DESC)`;

/** More of one user are those of a program that signs in again and again: the one that was not seen for the longest ends. */
export const SESSIONS_MAX = 1000;
const EVICT = `DELETE FROM session WHERE id IN (SELECT id FROM session WHERE user_id = ?1
  ORDER BY coalesce(seen_at, created_at) DESC, id DESC LIMIT -1 OFFSET ${SESSIONS_MAX})`;

const UNKNOWN: Client = { agent: null, address: null };
const AGENT_MAX = 300;
const ADDRESS_MAX = 64;

const cut = (text: string | null, max: number): string | null => text?.toWellFormed().slice(0, max) ?? null;

/** Whose session it is; throws when it has ended: with the account of this user, if that is why. */
export const ownerOfSession = async (db: Reader, id: string, userId: string, nowMs: number): Promise<Caller> => {
  const [row] = await db.all<{ row: string; until: number }>(OF_ID, [bytesOfUuid(id)]);
  if (row === undefined) await activeUser(db, userId);
  if (row === undefined || row.until <= nowMs) throw sessionEnded();
  const user = USER.read(JSON.parse(row.row) as unknown[]);
  if (!user.active) throw new AppError('Unauthorized', 'User account is inactive');
  const permissions = effectivePermissions(user.role, user.permissions);
  return { user, permissions, via: { kind: 'session', id, expiresAt: row.until } };
};

export interface SessionParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly lastUse: LastUse;
}

export class Sessions {
  readonly #parts: SessionParts;
  readonly #options: SessionsOptions;

  constructor(parts: SessionParts, options: SessionsOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** After a password was found right: opens a session if it still is. `isBrief` as for `openIn`. */
  signIn({ user, passwordHash }: Account, client: Client, isBrief = false): Promise<SignedIn> {
    return this.#parts.db.write(user.key, 'interactive', async (tx) => {
      const now = this.#parts.clock.now();
      if ((await tx.run(SEEN_LOGIN, [now, user.key, passwordHash])) === 0) throw wrongLogin();
      tx.report({ ...updated('user', [user.key], ASPECTS.details), userKey: user.key });
      return this.openIn(tx, user, client, isBrief);
    });
  }

  open(user: User, client: Client = UNKNOWN): Promise<SignedIn> {
    return this.#parts.db.write(user.key, 'interactive', (tx) => this.openIn(tx, user, client));
  }

  /** The same as part of another transaction. `isBrief`: without a refresh token, for as long as the access token lasts. */
  async openIn(tx: Tx, user: User, { agent, address }: Client, isBrief = false): Promise<SignedIn> {
    const now = this.#parts.clock.now();
    const { lifetimeMs, secret } = this.#options;
    const refreshMs = isBrief ? null : this.#options.refreshMs;
    const id = uuidOfHex(newId(now));
    tx.report(updated('session', [user.key], ASPECTS.details));
    const [made] = await tx.all<{ id: number }>(
      'INSERT INTO session (uuid, user_id, created_at, expires_at, seen_at, agent, address) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',
      [
        bytesOfUuid(id),
        user.key,
        now,
        now + Math.max(lifetimeMs, refreshMs ?? 0),
        now,
        cut(agent, AGENT_MAX),
        cut(address, ADDRESS_MAX),
      ],
    );
    await tx.run(EVICT, [user.key]);
    const refresh =
      refreshMs === null ? null : await firstRefreshToken(tx, { key: made?.id ?? 0, id }, now, { secret, refreshMs });
    return { ...(await signToken(this.#options, user, id, now)), refresh };
  }

  /**
   * Exchanges a refresh token for a new pair. `isRepeatable`: the browser sent it as a cookie, which its tabs share, so the same token may
   * come again for a moment.
   */
  async refresh(text: string, client: Client, isRepeatable: boolean): Promise<SignedIn & { readonly user: User }> {
    const { db, clock, lastUse } = this.#parts;
    const { lifetimeMs, refreshMs, secret } = this.#options;
    if (refreshMs === null) throw new AppError('Unauthorized', 'Refresh tokens are not enabled');
    const now = clock.now();
    const { agent, address } = client;
    const rules = { nowMs: now, lifetimeMs, refreshMs, secret, isRepeatable };
    const shown = { agent: cut(agent, AGENT_MAX), address: cut(address, ADDRESS_MAX) };
    const { user, sessionId, refresh } = await rotate(db, text, rules, shown);
    lastUse.note({ kind: 'session', id: sessionId }, now);
    return { user, ...(await signToken(this.#options, user, sessionId, now)), refresh };
  }

  /** Verifies a token as for a request, but one of no session, so that the first request finds all of that ready. */
  async rehearse(user: User): Promise<void> {
    const now = this.#parts.clock.now();
    const { text } = await signToken(this.#options, user, uuidOfHex(newId(now)), now);
    await this.find(text).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError && thrown.kind === 'Unauthorized')) throw thrown;
    });
  }

  /** Whose token it is. */
  async find(text: string): Promise<Caller> {
    const { db, clock } = this.#parts;
    const { sessionId, userId, untilMs } = await claimsOf(this.#options, text, clock.now());
    const caller = await ownerOfSession(db, sessionId, userId, clock.now());
    const expiresAt = Math.min(untilMs, endOf(caller.via));
    return { ...caller, via: { kind: 'session', id: sessionId, expiresAt } };
  }

  /** Whose refresh token it is, for ending its session: nothing is used up. */
  async ownerOfRefreshToken(text: string): Promise<Caller> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    const [row] = await db.all<{ hex: string; owner: string }>(OF_REFRESH, [hashOfToken(text), now]);
    if (row === undefined) throw new AppError('Unauthorized', 'Invalid refresh token');
    return ownerOfSession(db, uuidOfHex(row.hex), uuidOfHex(row.owner), now);
  }

  /** Those of a user, the most recently seen first. */
  async list(userKey: number): Promise<readonly Session[]> {
    const { db, clock, lastUse } = this.#parts;
    const rows = (await db.json<unknown[][]>(LIST, [userKey, clock.now()])).map(SESSION.read);
    return rows
      .map((one) => ({ ...one, seenAt: lastUse.of('session', one.id, one.seenAt) }))
      .sort((a, b) => (b.seenAt ?? b.createdAt) - (a.seenAt ?? a.createdAt));
  }

  /** Ends a session of a user; throws when they have none of that id. */
  async end(userKey: number, id: string): Promise<void> {
    const ended = await this.#parts.db.write(userKey, 'interactive', (tx) => {
      tx.report(updated('session', [userKey], ASPECTS.details));
      return tx.run('DELETE FROM session WHERE uuid = ? AND user_id = ?', [bytesOfUuid(id), userKey]);
    });
    if (ended === 0) throw new AppError('NotFound', 'You have no session with this id.');
  }

  /** Ends the session of the caller, if they have one, and that of a refresh token of theirs. */
  async close({ user, via }: Caller, refreshToken: string | null): Promise<void> {
    if (via.kind !== 'session' && refreshToken === null) return;
    await this.#parts.db.write(user.key, 'interactive', (tx) => {
      tx.report(updated('session', [user.key], ASPECTS.details));
      return tx.run(
        `DELETE FROM session WHERE user_id = ?1 AND (uuid = ?2 OR id IN (SELECT session_id FROM refresh_token WHERE hash = ?3))`,
        [
          user.key,
          via.kind === 'session' ? bytesOfUuid(via.id) : null,
          refreshToken === null ? null : hashOfToken(refreshToken),
        ],
      );
    });
  }
}

const ROWS_PER_TRANSACTION = 500;

/** Those that have ended by themselves. */
const EXPIRED = `DELETE FROM session WHERE id IN (SELECT id FROM session WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ${ROWS_PER_TRANSACTION})
  RETURNING user_id`;

/**
 * Deletes sessions that have expired, with their refresh tokens. A token that expires before its session stays until then: one that is not
 * stored counts as a copy, and would end the session.
 */
export const pruneSessions = async (db: Db, nowMs: number): Promise<void> => {
  for (let gone = ROWS_PER_TRANSACTION; gone === ROWS_PER_TRANSACTION; )
    gone = await db.write(SYSTEM, 'background', async (tx) => {
      const rows = await tx.all<{ user_id: number }>(EXPIRED, [nowMs]);
      tx.report(updated('session', [...new Set(rows.map(({ user_id }) => user_id))], ASPECTS.details));
      return rows.length;
    });
};
