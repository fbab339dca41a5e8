// Refresh tokens: each is used once and gives the next one. One that comes a second time was copied: its session ends, whoever came first.
// Only hashes are stored. The next token is an HMAC of the one before, so that a browser whose tabs refresh at the same moment, or whose
// answer was lost, is given the same one again for a moment.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { AppError } from '../model/errors.js';
import { uuidOfHex } from '../model/ids.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import type { Client } from './caller.js';
import type { Token } from './tokens.js';
import { USER_FIELDS, type User } from './users.js';

const TOKEN_BYTES = 32;
/** How long the same token may come again, where it may. */
const REPEAT_MS = 10_000;
/** Used tokens that are kept of a session, to recognise one that comes again. */
const USED_MAX = 100;

export interface RotationRules {
  readonly nowMs: number;
  /** Of access tokens. */
  readonly lifetimeMs: number;
  readonly refreshMs: number;
  readonly secret: Uint8Array;
  readonly isRepeatable: boolean;
}

export interface Rotated {
  readonly user: User;
  readonly sessionId: string;
  readonly refresh: Token | null;
}

export const hashOfToken = (text: string): Buffer => createHash('sha256').update(text).digest();

const successorOf = (text: string, secret: Uint8Array): string =>
  createHmac('sha256', secret).update(`refresh token after ${text}`).digest('base64url');

const store = async (tx: Tx, text: string, sessionKey: number, nowMs: number, refreshMs: number): Promise<Token> => {
  await tx.run('INSERT INTO refresh_token (hash, session_id, created_at, expires_at) VALUES (?, ?, ?, ?)', [
    hashOfToken(text),
    sessionKey,
    nowMs,
    nowMs + refreshMs,
  ]);
  return { text, expiresInS: Math.floor(refreshMs / 1000) };
};

/** The caller reports the change of the session. */
export const firstRefreshToken = (tx: Tx, sessionKey: number, nowMs: number, refreshMs: number): Promise<Token> =>
  store(tx, randomBytes(TOKEN_BYTES).toString('base64url'), sessionKey, nowMs, refreshMs);

const USER = packed<User>(USER_FIELDS);

interface Row {
  readonly usedAt: number | null;
  readonly expiresAt: number;
  readonly sessionKey: number;
  readonly sessionHex: string;
  readonly user: string;
}

const FIND = `SELECT r.used_at AS usedAt, min(r.expires_at, s.expires_at) AS expiresAt, s.id AS sessionKey, hex(s.uuid) AS sessionHex,
    ${USER.expression} AS user
  FROM refresh_token r CROSS JOIN session s ON s.id = r.session_id CROSS JOIN user u ON u.id = s.user_id WHERE r.hash = ?`;

const find = async (from: Reader, text: string, nowMs: number): Promise<Row | undefined> => {
  const [row] = await from.all<Row>(FIND, [hashOfToken(text)]);
  return row !== undefined && row.expiresAt > nowMs ? row : undefined;
};

const FORGET_USED = `DELETE FROM refresh_token WHERE session_id = ?1 AND used_at IS NOT NULL AND hash NOT IN
  (SELECT hash FROM refresh_token WHERE session_id = ?1 AND used_at IS NOT NULL ORDER BY used_at DESC LIMIT ${USED_MAX})`;

/** Marks the token as used, stores the next one, and lets the session live on. */
const advance = async (
  tx: Tx,
  text: string,
  { sessionKey }: Row,
  { nowMs, lifetimeMs, refreshMs, secret }: RotationRules,
  { agent, address }: Client,
): Promise<Token> => {
  await tx.run('UPDATE refresh_token SET used_at = ? WHERE hash = ?', [nowMs, hashOfToken(text)]);
  await tx.run(FORGET_USED, [sessionKey]);
  await tx.run('UPDATE session SET expires_at = ?, agent = ?, address = ? WHERE id = ?', [
    nowMs + Math.max(lifetimeMs, refreshMs),
    agent,
    address,
    sessionKey,
  ]);
  return store(tx, successorOf(text, secret), sessionKey, nowMs, refreshMs);
};

/** The next token again, unless it was used by now. */
const repeated = async (tx: Tx, text: string, { nowMs, secret }: RotationRules): Promise<Token | null> => {
  const next = successorOf(text, secret);
  const row = await find(tx, next, nowMs);
  return row === undefined || row.usedAt !== null
    ? null
    : { text: next, expiresInS: Math.floor((row.expiresAt - nowMs) / 1000) };
};

/** Undefined for a token that is unknown, expired or used before; a used one ends its session. */
const rotateIn = async (tx: Tx, text: string, rules: RotationRules, client: Client): Promise<Rotated | undefined> => {
  const row = await find(tx, text, rules.nowMs);
  if (row === undefined) return undefined;
  const user = USER.read(JSON.parse(row.user) as unknown[]);
  if (!user.active) return undefined;
  const sessionId = uuidOfHex(row.sessionHex);
  if (row.usedAt !== null && rules.isRepeatable && rules.nowMs - row.usedAt <= REPEAT_MS)
    return { user, sessionId, refresh: await repeated(tx, text, rules) };
  tx.report(updated('session', [user.key], ASPECTS.details));
  if (row.usedAt === null) return { user, sessionId, refresh: await advance(tx, text, row, rules, client) };
  await tx.run('DELETE FROM session WHERE id = ?', [row.sessionKey]);
  return undefined;
};

const invalid = (): AppError => new AppError('Unauthorized', 'Invalid refresh token');

export const rotate = async (db: Db, text: string, rules: RotationRules, client: Client): Promise<Rotated> => {
  if ((await find(db, text, rules.nowMs)) === undefined) throw invalid(); // guesses do not wait for their turn to write
  const rotated = await db.write(SYSTEM, 'interactive', (tx) => rotateIn(tx, text, rules, client));
  if (rotated === undefined) throw invalid();
  return rotated;
};
