// How books look that may be editions of others: made once per version of a file, and no more than a bounded number by one search.
import { BOOK_PATH } from '../../catalog/books.js';
import { reportDuplicates } from '../../catalog/duplicates/store.js';
import { isSilence } from '../../engine/disks.js';
import type { Pool } from '../../engine/pool.js';
import { AppError, KINDS } from '../../model/errors.js';
import { uuidOfBytes } from '../../model/ids.js';
import type { Limits, PageEntry } from '../../model/jobs.js';
import { LOOK_PAGES_MIN, LOOK_PLACES } from '../../model/looks.js';
import { PageTable } from '../../model/page-table.js';
import { remadePageTable } from '../../model/stored-pages.js';
import { STORED_RULES } from '../../model/stored-rules.js';
import type { FailingPages } from '../../pages/failing-pages.js';
import { lookKey, versionOf } from '../../pages/version.js';
import type { Db } from '../../store/db.js';
import { SYSTEM } from '../../store/feed.js';
import { isOverloaded } from '../due-kind.js';
import type { SearchStep } from './search-step.js';

export interface LookParts {
  readonly db: Db;
  readonly pool: Pick<Pool, 'run' | 'backgroundWidth'>;
  readonly limits: Limits;
  readonly failing: FailingPages;
}

/** Looks made by one search; the next one goes on. */
const LOOKS_MAX = 20_000;
/** Row keys that one read goes through. */
const WINDOW = 2000;
/** Books that cannot be read are named in the result of the task, up to so many. */
const NAMED_MAX = 50;

export interface LooksMade {
  readonly made: number;
  readonly failures: number;
  readonly failedBooks: readonly string[];
  /** Whether books were left to the next search. */
  readonly isMore: boolean;
}

interface DueBook {
  readonly key: number;
  readonly uuid: Buffer;
  readonly path: string;
  readonly root: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly revision: number;
}

/** Books with as many pages as another, different file, whose look is not known as they are now. */
export const BOOKS_TO_LOOK_AT = `SELECT b.id AS key, b.uuid, ${BOOK_PATH} AS path, l.root, b.file_size AS size,
    b.file_mtime AS mtimeMs, b.revision
  FROM book b JOIN library l ON l.id = b.library_id AND l.removing = 0 JOIN folder f ON f.id = b.folder_id
    LEFT JOIN book_look k ON k.book_id = b.id AND k.revision = b.revision AND k.file_size = b.file_size AND k.file_mtime = b.file_mtime
  WHERE b.id > ? AND b.id <= ? AND b.deleted = 0 AND b.analyzed = 1 AND b.due = 0 AND b.page_count >= ${LOOK_PAGES_MIN}
    AND k.book_id IS NULL
    AND EXISTS (SELECT 1 FROM book o INDEXED BY book_by_pages
                WHERE o.deleted = 0 AND o.page_count = b.page_count AND o.id <> b.id AND o.file_hash <> b.file_hash)
  ORDER BY b.id`;

interface Look {
  readonly book: DueBook;
  /** Null: its pages cannot be compared. */
  readonly look: Uint8Array | null;
  readonly isDamaged: boolean;
}

const pagesOf = async ({ db }: LookParts, { key }: DueBook): Promise<readonly PageEntry[]> => {
  const [row] = await db.all<{ table: Buffer; rule: number; pageCount: number }>(
    `SELECT p.page_table AS "table", p.rule, b.page_count AS pageCount FROM book_pages p JOIN book b ON b.id = p.book_id
     WHERE p.book_id = ?`,
    [key],
  );
  if (row === undefined) return [];
  const table = new PageTable(row.rule === STORED_RULES.pages ? row.table : remadePageTable(row.table));
  if (table.pageCount !== row.pageCount) return []; // text that flows has no pages to compare
  return LOOK_PLACES.flatMap((place) => table.entry(Math.floor(place * table.pageCount)) ?? []);
};

/** Undefined for what says nothing about the book, which the next search tries again. */
const lookAt = async (parts: LookParts, book: DueBook, { signal }: SearchStep): Promise<Look | undefined> => {
  const { path, root, size, mtimeMs } = book;
  const pages = await pagesOf(parts, book);
  if (pages.length < LOOK_PLACES.length) return { book, look: null, isDamaged: false };
  if (pages.some(({ fault }) => fault !== 0)) return { book, look: null, isDamaged: true };
  const input = { path, root, state: { sizeBytes: size, mtimeMs }, pages, limits: parts.limits };
  try {
    const version = versionOf(book.revision, size, mtimeMs);
    const { look } = await parts.failing.run(lookKey(uuidOfBytes(book.uuid), version), (journalKey) =>
      parts.pool.run('look', { ...input, journalKey }, { lane: 'background', signal, subject: path }),
    );
    return { book, look, isDamaged: false };
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof AppError)) throw thrown;
    if (isSilence(thrown) || isOverloaded(thrown)) return undefined;
    const isOfBook = KINDS[thrown.kind].blame === 'book' && !KINDS[thrown.kind].retry;
    const isFatal = thrown.kind === 'WorkerCrashed' || thrown.kind === 'Timeout';
    return isOfBook || isFatal ? { book, look: null, isDamaged: true } : undefined;
  }
};

const store = (db: Db, looks: readonly Look[]): Promise<unknown> =>
  db.write(SYSTEM, 'background', async (tx) => {
    reportDuplicates(tx);
    for (const { book, look } of looks)
      await tx.run(
        `INSERT OR REPLACE INTO book_look (book_id, revision, file_size, file_mtime, look)
         SELECT id, ?2, ?3, ?4, ?5 FROM book WHERE id = ?1`,
        [book.key, book.revision, book.size, book.mtimeMs, look === null ? null : Buffer.from(look)],
      );
  });

export const makeLooks = async (parts: LookParts, step: SearchStep, max: number = LOOKS_MAX): Promise<LooksMade> => {
  const { db, pool } = parts;
  const [{ last } = { last: null }] = await db.all<{ last: number | null }>('SELECT max(id) AS last FROM book', []);
  const width = Math.max(1, pool.backgroundWidth) * 2;
  const failed: string[] = [];
  let made = 0;
  let failures = 0;
  for (let from = 0; from < (last ?? 0); from += WINDOW) {
    step.check();
    const books = await db.all<DueBook>(BOOKS_TO_LOOK_AT, [from, from + WINDOW]);
    for (let at = 0; at < books.length; at += width) {
      if (made + failures >= max) return { made, failures, failedBooks: failed, isMore: true };
      step.check();
      const some = books.slice(at, at + width);
      const looks = await Promise.all(some.map((book) => lookAt(parts, book, step)));
      const known = looks.filter((look) => look !== undefined);
      if (known.length > 0) await store(db, known);
      for (const { book, isDamaged } of known) {
        if (isDamaged && failed.length < NAMED_MAX) failed.push(uuidOfBytes(book.uuid));
        if (isDamaged) failures += 1;
        else made += 1;
      }
      failures += some.length - known.length;
      for (const _ of some) step.bookRead();
    }
  }
  return { made, failures, failedBooks: failed, isMore: false };
};
