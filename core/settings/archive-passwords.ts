// Shares the passwords of archives with the threads, and has locked books read again when an administrator adds a password.
import { newSharedPasswords, passwordsIn, sharePasswords } from '../model/archive-passwords.js';
import type { Db } from '../store/db.js';
import { type By, SYSTEM } from '../store/feed.js';
import type { Settings } from './settings.js';

const KEY = 'archive.passwords';

export const sharedPasswordsOf = (settings: Settings): SharedArrayBuffer => {
  const shared = newSharedPasswords();
  const share = (): void => sharePasswords(shared, settings.value(KEY));
  share();
  settings.onChange(share);
  return shared;
};

interface RetryParts {
  readonly db: Pick<Db, 'all'>;
  readonly settings: Settings;
  readonly analyses: {
    add(by: By, type: 'analyze_books', target: null, keys: readonly number[]): Promise<unknown>;
  };
  readonly onFault: (thrown: unknown) => void;
}

/** Which pages of a zip archive are encrypted is only in its page table, so all with pages that cannot be shown are read again. */
const LOCKED = `SELECT DISTINCT b.id FROM book_error e JOIN book b ON b.id = e.book_id
  WHERE e.type IN ('parser', 'page_extraction') AND (e.fault = 'EncryptedArchive' OR e.type = 'page_extraction') AND b.deleted = 0 AND b.format = 'cbz'`;

const retry = async ({ db, analyses }: RetryParts): Promise<void> => {
  const keys = (await db.all<{ id: number }>(LOCKED)).map(({ id }) => id);
  if (keys.length > 0) await analyses.add(SYSTEM, 'analyze_books', null, keys);
};

export const retryLockedBooks = (parts: RetryParts): void => {
  let before = parts.settings.value(KEY);
  parts.settings.onChange(() => {
    const now = parts.settings.value(KEY);
    const known = new Set(passwordsIn(before));
    before = now;
    if (passwordsIn(now).some((password) => !known.has(password))) retry(parts).catch(parts.onFault);
  });
};
