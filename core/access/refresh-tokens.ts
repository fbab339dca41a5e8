// Refresh tokens: each is used once and exchanged for the next. If one is used twice, it was copied, and its session ends, whoever came
// first. Only hashes are stored. A token contains the id of its session and a MAC, so that one of ours is recognised even when it is no
// longer stored. Each token is derived from the one before, so that a browser whose tabs refresh at the same moment, or whose answer was
// lost, can get the same one again for a few seconds.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, uuidOfHex } from '../model/ids.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import type { Client } from './caller.js';
import type { Token } from './tokens.js';
import { USER_FIELDS, type User } from './users.js';

/** A token is the id of its session, a random part, and a MAC over both. */
const PART_BYTES = 16;
const TOKEN = /^[\w-]{64}$/;
/** How long a token may be used again, where that is allowed at all. */
const REPEAT_MS = 10_000;
/** Used tokens kept for each session, to recognise one that is used again in that time. */
const USED_MAX = 20;

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
  /** Unchanged: the client has it already. */
  readonly refresh: Token | 'unchanged';
}

export const hashOfToken = (text: string): Buffer => createHash('sha256').update(text).digest();

const codeOf = (secret: Uint8Array, purpose: string, bytes: Uint8Array | string): Buffer =>
  createHmac('sha256', secret).update(`refresh token ${purpose} `).update(bytes).digest().subarray(0, PART_BYTES);

const tokenOf = (secret: Uint8Array, session: Uint8Array, random: Uint8Array): string => {
  const body = Buffer.concat([session, random]);
  return Buffer.concat([body, codeOf(secret, 'of', body)]).toString('base64url');
};

/** The id of the session for which we made this token; undefined when we made no such token. */
const sessionIn = (secret: Uint8Array, text: string): Buffer | undefined => {
  if (!TOKEN.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const isOurs = timingSafeEqual(
    codeOf(secret, 'of', bytes.subarray(0, 2 * PART_BYTES)),
    bytes.subarray(2 * PART_BYTES),
  );
  return isOurs ? bytes.subarray(0, PART_BYTES) : undefined;
};

const successorOf = (session: Uint8Array, text: string, secret: Uint8Array): string =>
  tokenOf(secret, session, codeOf(secret, 'after', text));

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
export const firstRefreshToken = (
  tx: Tx,
  session: { readonly key: number; readonly id: string },
  nowMs: number,
  { secret, refreshMs }: Pick<RotationRules, 'secret' | 'refreshMs'>,
): Promise<Token> =>
  store(tx, tokenOf(secret, bytesOfUuid(session.id), randomBytes(PART_BYTES)), session.key, nowMs, refreshMs);

const USER = packed<User>(USER_FIELDS);

interface Row {
  readonly usedAt: number | null;
  /** Null: the token is not stored, or not any more. */
  readonly expiresAt: number | null;
  readonly sessionKey: number;
  readonly user: string;
}

const FIND = `SELECT r.used_at AS usedAt, r.expires_at AS expiresAt, s.id AS sessionKey, ${USER.expression} AS user
  FROM session s CROSS JOIN user u ON u.id = s.user_id LEFT JOIN refresh_token r ON r.hash = ?2 AND r.session_id = s.id
  WHERE s.uuid = ?1 AND s.expires_at > ?3`;

/** A token and its session; undefined when that has ended. */
const find = async (from: Reader, session: Uint8Array, text: string, nowMs: number): Promise<Row | undefined> =>
  (await from.all<Row>(FIND, [session, hashOfToken(text), nowMs]))[0];

const FORGET_USED = `DELETE FROM refresh_token WHERE session_id = ?1 AND used_at IS NOT NULL AND hash NOT IN
  (SELECT hash FROM refresh_token WHERE session_id = ?1 AND used_at IS NOT NULL ORDER BY used_at DESC LIMIT ${USED_MAX})`;

/** What comes with a request to refresh. */
interface Offer {
  readonly text: string;
  /** The id of the session that the token names. */
  readonly session: Uint8Array;
  readonly client: Client;
}

/** Marks the token as used, stores the next one, and lets the session live on. */
const advance = async (
  tx: Tx,
  { text, session, client }: Offer,
  { sessionKey }: Row,
  { nowMs, lifetimeMs, refreshMs, secret }: RotationRules,
): Promise<Token> => {
  await tx.run('UPDATE refresh_token SET used_at = ? WHERE hash = ?', [nowMs, hashOfToken(text)]);
  await tx.run(FORGET_USED, [sessionKey]);
  await tx.run('UPDATE session SET expires_at = ?, agent = ?, address = ? WHERE id = ?', [
    nowMs + Math.max(lifetimeMs, refreshMs),
    client.agent,
    client.address,
    sessionKey,
  ]);
  return store(tx, successorOf(session, text, secret), sessionKey, nowMs, refreshMs);
};

/** The next token again, unless it was used by now. */
const repeated = async (
  tx: Tx,
  { text, session }: Offer,
  { nowMs, secret }: RotationRules,
): Promise<Token | 'unchanged'> => {
  const next = successorOf(session, text, secret);
  const row = await find(tx, session, next, nowMs);
  return row === undefined || row.usedAt !== null || row.expiresAt === null || row.expiresAt <= nowMs
    ? 'unchanged'
    : { text: next, expiresInS: Math.floor((row.expiresAt - nowMs) / 1000) };
};

/** Undefined for a token whose session has ended, that has expired or was used before; a used one ends its session. */
const rotateIn = async (tx: Tx, offer: Offer, rules: RotationRules): Promise<Rotated | undefined> => {
  const { nowMs, isRepeatable } = rules;
  const row = await find(tx, offer.session, offer.text, nowMs);
  if (row === undefined) return undefined;
  const user = USER.read(JSON.parse(row.user) as unknown[]);
  if (!user.active) return undefined;
  const sessionId = uuidOfHex(Buffer.from(offer.session).toString('hex'));
  const { usedAt, expiresAt } = row;
  if (usedAt !== null && isRepeatable && nowMs - usedAt <= REPEAT_MS)
    return { user, sessionId, refresh: await repeated(tx, offer, rules) };
  if (usedAt === null && expiresAt !== null && expiresAt <= nowMs) return undefined;
  tx.report(updated('session', [user.key], ASPECTS.details));
  if (usedAt === null && expiresAt !== null) return { user, sessionId, refresh: await advance(tx, offer, row, rules) };
  await tx.run('DELETE FROM session WHERE id = ?', [row.sessionKey]);
  return undefined;
};

const invalid = (): AppError => new AppError('Unauthorized', 'Invalid refresh token');

export const rotate = async (db: Db, text: string, rules: RotationRules, client: Client): Promise<Rotated> => {
  const session = sessionIn(rules.secret, text);
  if (session === undefined) throw invalid(); // guesses do not wait for their turn to write
  const rotated = await db.write(SYSTEM, 'interactive', (tx) => rotateIn(tx, { text, session, client }, rules));
  if (rotated === undefined) throw invalid();
  return rotated;
};
