// Makes the passwords of archives known to the threads, and books due that none opened before, when an administrator changes them.
import { newSharedPasswords, sharePasswords } from '../model/archive-passwords.js';
import type { Db } from '../store/db.js';
import type { Settings } from './settings.js';

export const sharedPasswordsOf = (settings: Settings): SharedArrayBuffer => {
  const shared = newSharedPasswords();
  const share = (): void => sharePasswords(shared, settings.value('archive.passwords'));
  share();
  settings.onChange(share);
  return shared;
};

interface RetryParts {
  readonly db: Pick<Db, 'all'>;
  readonly settings: Settings;
  readonly analyses: {
    add(user: number, type: 'analyze_books', target: null, keys: readonly number[]): Promise<unknown>;
  };
  readonly onFault: (thrown: unknown) => void;
}

const retry = async ({ db, analyses }: RetryParts): Promise<void> => {
  const rows = await db.all<{ id: number }>(
    "SELECT DISTINCT book_id AS id FROM book_error JOIN book ON book.id = book_id WHERE fault = 'EncryptedArchive' AND deleted = 0",
  );
  if (rows.length > 0)
    await analyses.add(
      0,
      'analyze_books',
      null,
      rows.map(({ id }) => id),
    );
};

export const retryEncrypted = (parts: RetryParts): void => {
  let before = parts.settings.value('archive.passwords');
  parts.settings.onChange(() => {
    const now = parts.settings.value('archive.passwords');
    if (now === before) return;
    before = now;
    retry(parts).catch(parts.onFault);
  });
};
