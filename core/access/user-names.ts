// Names and e-mail addresses of users. People sign in with either, so both share one namespace: no name equals another user's address.
import { AppError } from '../model/errors.js';
import { userNameKey } from '../model/name-key.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { cleanUserName } from './user-fields.js';

export interface Names {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
}

const taken = (sentence: string, path: string): AppError =>
  new AppError('Conflict', sentence, [{ path, message: 'is taken' }]);

/** As the name or the address of anybody but `ownKey`. */
export const isTaken = async (from: Reader, text: string, ownKey = 0): Promise<boolean> => {
  const rows = await from.all('SELECT 1 FROM user WHERE (username_key = ?1 OR email_key = ?1) AND id <> ?2', [
    userNameKey(text),
    ownKey,
  ]);
  return rows.length > 0;
};

/** `ownKey` is the user who may have them. */
export const refuseTaken = async (from: Reader, { username, email }: Names, ownKey = 0): Promise<void> => {
  if (username !== undefined && (await isTaken(from, cleanUserName(username), ownKey)))
    throw taken('Username already exists', 'username');
  if (email !== undefined && (await isTaken(from, email, ownKey))) throw taken('Email already exists', 'email');
};

/** Stores checked names that nobody else has; returns which of them are given. */
export const storeNames = async (
  tx: Tx,
  userKey: number,
  { username, email, emailVerified }: Names & { readonly emailVerified: boolean },
  nowMs: number,
): Promise<readonly string[]> => {
  if (username !== undefined) {
    const name = cleanUserName(username);
    const sql = 'UPDATE user SET username = ?, username_key = ?, updated_at = ? WHERE id = ?';
    await tx.run(sql, [name, userNameKey(name), nowMs, userKey]);
  }
  if (email !== undefined) {
    const key = userNameKey(email);
    // The same address in other letters stays what it was.
    const sql = `UPDATE user SET email = ?1, email_verified = iif(email_key = ?2, email_verified, ?3), email_key = ?2, updated_at = ?4
      WHERE id = ?5`;
    await tx.run(sql, [email, key, Number(emailVerified), nowMs, userKey]);
  }
  const changed = [...(username === undefined ? [] : ['username']), ...(email === undefined ? [] : ['email'])];
  if (changed.length > 0) tx.report(updated('user', [userKey], ASPECTS.details));
  return changed;
};
