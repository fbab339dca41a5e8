// Links sent by mail: each for one purpose, account and address, for single use and a limited time. Only the SHA-256 of the token is
// stored; it is looked up through an index, so the time of a comparison reveals nothing about it.
import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../model/errors.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';

export type Purpose = 'verify_email' | 'reset_password';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const ROWS_PER_TRANSACTION = 500;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** A new link ends the one before it. */
const STORE = `INSERT INTO mail_link (hash, user_id, purpose, email_key, created_at, expires_at)
  SELECT ?1, u.id, ?3, u.email_key, ?4, ?5 FROM user u WHERE u.id = ?2
  ON CONFLICT (user_id, purpose) DO UPDATE
  SET hash = excluded.hash, email_key = excluded.email_key, created_at = excluded.created_at, expires_at = excluded.expires_at`;

/** Returns the token, which is not stored. */
export const issueLink = async (
  tx: Tx,
  userKey: number,
  purpose: Purpose,
  { nowMs, lifetimeMs }: { readonly nowMs: number; readonly lifetimeMs: number },
): Promise<string> => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await tx.run(STORE, [hashOf(token), userKey, purpose, nowMs, nowMs + lifetimeMs]);
  tx.report(updated('session', [userKey], ASPECTS.details));
  return token;
};

/** One answer for all of them: whoever guesses learns nothing. */
const invalid = (): AppError =>
  new AppError(
    'BadRequest',
    'This link is not valid: it has expired, was used before or never was one. Ask for a new one.',
    [{ path: 'token', message: 'is not valid' }],
  );

const VALID = `hash = ?1 AND purpose = ?2 AND expires_at > ?3
  AND email_key = (SELECT u.email_key FROM user u WHERE u.id = mail_link.user_id)`;

/** Throws when the link is of no use; uses nothing up. */
export const checkLink = async (from: Reader, token: string, purpose: Purpose, nowMs: number): Promise<void> => {
  if (!TOKEN.test(token)) throw invalid();
  const rows = await from.all(`SELECT 1 FROM mail_link WHERE ${VALID}`, [hashOf(token), purpose, nowMs]);
  if (rows.length === 0) throw invalid();
};

/** Uses a link up; returns the key of its user. */
export const useLink = async (tx: Tx, token: string, purpose: Purpose, nowMs: number): Promise<number> => {
  if (!TOKEN.test(token)) throw invalid();
  const sql = `DELETE FROM mail_link WHERE ${VALID} RETURNING user_id`;
  const [row] = await tx.all<{ user_id: number }>(sql, [hashOf(token), purpose, nowMs]);
  if (row === undefined) throw invalid();
  tx.report(updated('session', [row.user_id], ASPECTS.details));
  return row.user_id;
};

/** Refuses as if there were no such link: the account may not be opened by one. */
export const refuseLink = (): never => {
  throw invalid();
};

export const voidLinks = async (tx: Tx, userKey: number): Promise<void> => {
  await tx.run('DELETE FROM mail_link WHERE user_id = ?', [userKey]);
  tx.report(updated('session', [userKey], ASPECTS.details));
};

/** Deletes links that have expired. */
export const pruneLinks = async (db: Db, nowMs: number): Promise<void> => {
  const sql = `DELETE FROM mail_link WHERE hash IN
    (SELECT hash FROM mail_link WHERE expires_at <= ? LIMIT ${ROWS_PER_TRANSACTION}) RETURNING user_id`;
  for (;;) {
    const gone = await db.write(SYSTEM, 'background', async (tx) => {
      const rows = await tx.all<{ user_id: number }>(sql, [nowMs]);
      tx.report(
        updated(
          'session',
          rows.map(({ user_id }) => user_id),
          ASPECTS.details,
        ),
      );
      return rows.length;
    });
    if (gone < ROWS_PER_TRANSACTION) return;
  }
};
