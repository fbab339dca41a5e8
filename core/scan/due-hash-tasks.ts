// The hashes that follow a scan of a slow disk: files that were left unhashed so that their books can be read sooner (due-hashes.ts).
import { isSilence } from '../engine/disks.js';
import type { Pool } from '../engine/pool.js';
import { AppError } from '../model/errors.js';
import type { Db } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { patiently } from '../store/retry-writes.js';
import { type HashedBook, hashesDue, storeHashes, type UnhashedBook, unhashedBooks } from './due-hashes.js';
import { type DueKind, type DuePass, isOverloaded } from './due-kind.js';

export const HASH_LANE = 'hashes';
const PRIORITY = 100;
/** Files hashed at the same time by each thread of the background, and stored together. */
const PER_THREAD = 4;

export interface HashParts {
  readonly db: Db;
  readonly pool: Pick<Pool, 'run' | 'backgroundWidth'>;
}

/** It says nothing about the file, which is tried again later. */
const isOfMoment = (thrown: unknown, signal: AbortSignal): boolean =>
  signal.aborted || isSilence(thrown) || isOverloaded(thrown);

/** Null for a file that cannot be read, or has changed: it stays due. Throws what says nothing about the file. */
export const hashOne = async (
  { pool }: HashParts,
  book: UnhashedBook,
  signal: AbortSignal,
): Promise<HashedBook | null> => {
  const { path, root, size, mtimeMs } = book;
  try {
    const { fileHash, koreaderHash } = await pool.run(
      'hash',
      { path, root, state: { sizeBytes: size, mtimeMs } },
      { lane: 'background', signal, subject: path },
    );
    return { ...book, fileHash, koreaderHash };
  } catch (thrown) {
    if (isOfMoment(thrown, signal) || !(thrown instanceof AppError)) throw thrown;
    return null;
  }
};

/** Goes through the books once, so that those that cannot be hashed now are not tried again and again. */
const hashAll = async (parts: HashParts, { libraryKey, signal, onStored }: DuePass): Promise<void> => {
  const width = parts.pool.backgroundWidth * PER_THREAD;
  for (let after = 0; ; ) {
    if (signal.aborted) throw new AppError('Cancelled');
    const books = await unhashedBooks(parts.db, libraryKey, after, width);
    const last = books.at(-1);
    if (last === undefined) return;
    after = last.key;
    const ended = await Promise.allSettled(books.map((book) => hashOne(parts, book, signal)));
    const hashed = ended.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
    await patiently(parts.db, signal, () => parts.db.write(SYSTEM, 'background', (tx) => storeHashes(tx, hashed)));
    const failed = ended.filter((one) => one.status === 'fulfilled' && one.value === null).length;
    onStored({ made: hashed.length, failed });
    const [thrown] = ended.filter((one) => one.status === 'rejected');
    if (thrown !== undefined) throw thrown.reason;
  }
};

export const dueHashes = (parts: HashParts): DueKind => ({
  type: 'hash_due_books',
  lane: HASH_LANE,
  priority: PRIORITY,
  ...hashesDue,
  pass: (pass) => hashAll(parts, pass),
});
