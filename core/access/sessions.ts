// Sessions and the tokens that name them. A token is a signed JWT (RFC 7519, HS256); it lives only while its session row does.
// Only importer of jose. Verified tokens are cached for a short time, so that a warm request costs a map look-up.
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';
import { AppError, faultOf } from '../model/errors.js';
import { bytesOfUuid, isUuid, newId, uuidOfHex } from '../model/ids.js';
import { effectivePermissions } from '../model/permissions.js';
import type { Db } from '../store/db.js';
import { ASPECTS, type Kind, type Report, updated } from '../store/feed.js';
import type { Caller } from './caller.js';
import { type User, userById } from './users.js';

export interface Token {
  readonly text: string;
  readonly expiresInS: number;
}

export interface SessionsOptions {
  readonly secret: Uint8Array;
  readonly lifetimeMs: number;
}

interface Remembered {
  readonly caller: Caller;
  readonly untilMs: number;
}

const REMEMBER_MS = 30_000;
const REMEMBERED_MAX = 4096;
/** Our JWTs have about 300 characters; longer ones are not worth a signature check. */
const TOKEN_MAX = 4096;

/** Kinds of changes after which a token may be worth less; their keys are user keys. */
const CONCERNED: ReadonlySet<Kind> = new Set<Kind>(['user', 'session', 'everything']);

const reasonOf = (thrown: unknown): string => {
  if (thrown instanceof errors.JWTExpired) return 'expired';
  if (thrown instanceof errors.JWSSignatureVerificationFailed) return 'bad signature';
  return 'malformed';
};

export class Sessions {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #options: SessionsOptions;
  readonly #remembered = boundedByCount<string, Remembered>(REMEMBERED_MAX);
  /** Incremented whenever entries are dropped: a lookup started before may be outdated. */
  #forgotten = 0;

  constructor(db: Db, clock: Clock, options: SessionsOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#options = options;
    db.feed.listen({
      onBatch: ({ reports }) => {
        for (const report of reports) if (CONCERNED.has(report.kind)) this.#forget(report);
      },
      forget: () => this.#forget({ keys: 'all' }),
    });
  }

  async open(user: User): Promise<Token> {
    const now = this.#clock.now();
    const expiresAt = now + this.#options.lifetimeMs;
    const sessionId = uuidOfHex(newId(now));
    await this.#db.write(user.key, 'interactive', async (tx) => {
      const ended = await tx.all<{ user_id: number }>('DELETE FROM session WHERE expires_at < ? RETURNING user_id', [
        now,
      ]);
      tx.report(updated('session', [user.key, ...ended.map(({ user_id }) => user_id)], ASPECTS.details));
      await tx.run('INSERT INTO session (uuid, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)', [
        bytesOfUuid(sessionId),
        user.key,
        now,
        expiresAt,
      ]);
    });
    const text = await this.#sign(user, sessionId, now);
    return { text, expiresInS: Math.floor(this.#options.lifetimeMs / 1000) };
  }

  /** Verifies a token as for a request, but one of no session, so that the first request finds all of that ready. */
  async rehearse(user: User): Promise<void> {
    const now = this.#clock.now();
    const text = await this.#sign(user, uuidOfHex(newId(now)), now);
    await this.verify(text).catch((thrown: unknown) => {
      if (faultOf(thrown).kind !== 'Unauthorized') throw thrown;
    });
  }

  /** The caller of a recently verified token; undefined when the token has to be verified (again). */
  remembered(token: string): Caller | undefined {
    const known = this.#remembered.get(token);
    return known !== undefined && known.untilMs > this.#clock.now() ? known.caller : undefined;
  }

  async verify(token: string): Promise<Caller> {
    const forgotten = this.#forgotten;
    const sessionId = await this.#sessionOf(token);
    const now = this.#clock.now();
    const [row] = await this.#db.all<{ id: string; expires_at: number }>(
      'SELECT lower(hex(u.uuid)) AS id, s.expires_at FROM session s JOIN user u ON u.id = s.user_id WHERE s.uuid = ?',
      [bytesOfUuid(sessionId)],
    );
    if (row === undefined || row.expires_at <= now)
      throw new AppError('Unauthorized', 'Invalid JWT token: the session has ended');
    const user = await userById(this.#db, row.id);
    if (user === undefined) throw new AppError('Unauthorized', 'User not found');
    if (!user.active) throw new AppError('Unauthorized', 'User account is inactive');
    const caller = {
      user,
      permissions: effectivePermissions(user.role, user.permissions),
      via: { kind: 'session', id: sessionId },
    } as const;
    if (forgotten === this.#forgotten)
      this.#remembered.set(token, { caller, untilMs: Math.min(now + REMEMBER_MS, row.expires_at) });
    return caller;
  }

  /** Ends the session of the caller; one who signed in otherwise has none. */
  async close({ user, via }: Caller): Promise<void> {
    if (via.kind !== 'session') return;
    await this.#db.write(user.key, 'interactive', (tx) => {
      tx.report(updated('session', [user.key], ASPECTS.details));
      return tx.run('DELETE FROM session WHERE uuid = ?', [bytesOfUuid(via.id)]);
    });
  }

  #sign(user: User, sessionId: string, now: number): Promise<string> {
    return new SignJWT({ username: user.username, role: user.role, sid: sessionId })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(user.id)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.floor((now + this.#options.lifetimeMs) / 1000))
      .sign(this.#options.secret);
  }

  /** Drops the tokens of the users that a report names: after a logout, a role change, a disabled account, a password change. */
  #forget({ keys }: Pick<Report, 'keys'>): void {
    this.#forgotten += 1;
    for (const [token, { caller }] of [...this.#remembered.entries()])
      if (keys === 'all' || keys.includes(caller.user.key)) this.#remembered.delete(token);
  }

  async #sessionOf(token: string): Promise<string> {
    if (token.length > TOKEN_MAX) throw new AppError('Unauthorized', 'Invalid JWT token: malformed');
    const verified = await jwtVerify(token, this.#options.secret, {
      algorithms: ['HS256'],
      currentDate: new Date(this.#clock.now()),
    }).catch((thrown: unknown) => {
      throw new AppError('Unauthorized', `Invalid JWT token: ${reasonOf(thrown)}`);
    });
    const sessionId = verified.payload.sid;
    if (typeof sessionId !== 'string' || !isUuid(sessionId))
      throw new AppError('Unauthorized', 'Invalid JWT token: malformed');
    return sessionId;
  }
}
