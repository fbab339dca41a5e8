// Removing libraries: their scans are stopped and none begins, then their rows go a few hundred books at a time, so that whoever writes
// waits for one small transaction. A removal that was cut short leaves a library with fewer books, which can be scanned or removed again.
import { type Library, libraryById } from '../catalog/libraries.js';
import { reportRemoved } from '../catalog/report-rows.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, keysIn, removed, updated } from '../store/feed.js';
import type { Scans } from './scans.js';

/** Rows a transaction removes; what hangs on them goes with them. */
const ROWS_PER_TRANSACTION = 200;

export interface RemovalParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly scans: Scans;
}

interface Removal {
  readonly key: number;
  readonly folderKey: number;
  readonly seriesKey: number;
  readonly seriesPath: string;
  /** Live books of its series. */
  readonly bookCount: number;
  readonly fileSize: number;
  readonly pageCount: number;
  readonly live: number;
}

/** Series by series, each from its end, so that the numbers of those left stay what a scan would give them. */
const NEXT = `SELECT b.id AS key, b.folder_id AS folderKey, s.id AS seriesKey, s.path AS seriesPath,
    s.book_count AS bookCount, b.file_size AS fileSize, b.page_count AS pageCount, 1 - b.deleted AS live
  FROM series s CROSS JOIN book b ON b.series_id = s.id WHERE s.library_id = ? AND s.path >= ?
  ORDER BY s.path, b.deleted DESC, b.place DESC LIMIT ${ROWS_PER_TRANSACTION}`;

const LISTED = 'IN (SELECT value FROM json_each(?))';

const listOf = (books: readonly Removal[], of: (book: Removal) => number): readonly number[] => [
  ...new Set(books.map(of)),
];

const sumOf = (books: readonly Removal[], of: (book: Removal) => number): number =>
  books.reduce((sum, book) => sum + of(book), 0);

/**
 * A series that is not gone whole: its counters move by what went, whatever it still holds. Its genres and tags stay until it goes: every
 * term that is taken off a series is a change of each of its books.
 */
const shrinkSeries = async (tx: Tx, seriesKey: number, gone: readonly Removal[], nowMs: number): Promise<void> => {
  const live = gone.filter((book) => book.live === 1);
  tx.report(updated('series', [seriesKey], ASPECTS.list | ASPECTS.reading));
  await tx.run(
    'UPDATE series SET updated_at = ?, book_count = book_count - ?, file_size = file_size - ?, page_count = page_count - ? WHERE id = ?',
    [nowMs, live.length, sumOf(live, ({ fileSize }) => fileSize), sumOf(live, ({ pageCount }) => pageCount), seriesKey],
  );
};

/** Removes books, and series that have none left; only the last one can have. */
const removeRows = async (tx: Tx, books: readonly Removal[], nowMs: number): Promise<void> => {
  const series = listOf(books, ({ seriesKey }) => seriesKey);
  const last = series.at(-1) ?? 0;
  const ofLast = books.filter(({ seriesKey }) => seriesKey === last);
  // One by one: a list of keys may be looked for in the whole table, when the last statistics saw a tiny one.
  for (const { key } of books) await tx.run('DELETE FROM book WHERE id = ?', [key]);
  reportRemoved(
    tx,
    'book',
    books.map(({ key }) => key),
  );
  const emptied = series.slice(0, -1);
  await tx.run(`DELETE FROM series WHERE id ${LISTED}`, [JSON.stringify(emptied)]);
  reportRemoved(tx, 'series', emptied);
  const sql = 'DELETE FROM series WHERE id = ? AND NOT EXISTS (SELECT 1 FROM book b WHERE b.series_id = series.id)';
  if ((await tx.run(sql, [last])) === 0) await shrinkSeries(tx, last, ofLast, nowMs);
  else reportRemoved(tx, 'series', [last]);
};

/** Series that are shown no longer: what went was all they had to show. */
const hiddenBy = (books: readonly Removal[]): number => {
  const left = new Map(books.map(({ seriesKey, bookCount }) => [seriesKey, bookCount]));
  for (const { seriesKey, live } of books) left.set(seriesKey, (left.get(seriesKey) ?? 0) - live);
  const shown = new Set(books.filter(({ bookCount }) => bookCount > 0).map(({ seriesKey }) => seriesKey));
  return [...shown].filter((key) => left.get(key) === 0).length;
};

/** Folders lose their digests, so that a scan would meet their books again. */
const removeBooks = async (tx: Tx, { key }: Library, books: readonly Removal[], nowMs: number): Promise<void> => {
  const folders = listOf(books, ({ folderKey }) => folderKey);
  await tx.run(`UPDATE folder SET digest = '' WHERE id ${LISTED}`, [JSON.stringify(folders)]);
  tx.report(updated('folder', folders, ASPECTS.details));
  tx.report(updated('library', [key], ASPECTS.details));
  await removeRows(tx, books, nowMs);
  await tx.run('UPDATE library SET series_count = series_count - ?, book_count = book_count - ? WHERE id = ?', [
    hiddenBy(books),
    sumOf(books, ({ live }) => live),
    key,
  ]);
};

/** What is left without books: series whose books a scan moved elsewhere, folders, at last the library. */
const removeRest = async (db: Db, { key }: Library, goesOn: () => void): Promise<void> => {
  for (const table of ['series', 'folder'] as const) {
    const sql = `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE library_id = ? LIMIT ${ROWS_PER_TRANSACTION}) RETURNING id`;
    const removeSome = async (tx: Tx): Promise<number> => {
      const keys = keysIn(await tx.all<{ id: number }>(sql, [key]));
      if (table === 'series') reportRemoved(tx, 'series', keys);
      else tx.report(removed('folder', keys));
      return keys.length;
    };
    while ((await db.write('background', removeSome)) > 0) goesOn();
  }
  await db.write('background', async (tx) => {
    await tx.run('DELETE FROM library WHERE id = ?', [key]);
    tx.report(removed('library', [key]));
    tx.report(removed('scan', [key]));
  });
};

export class Removals {
  readonly #parts: RemovalParts;
  readonly #running = new Map<string, Promise<void>>();
  #stopping = false;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
  }

  /** Ends when the library is gone; who asks for the same meanwhile waits for the same. Files on disk are never touched. */
  async remove(id: string): Promise<void> {
    const library = await libraryById(this.#parts.db, id);
    const running = this.#running.get(library.id);
    if (running !== undefined) return running;
    const work = this.#parts.scans
      .without(library, () => this.#empty(library))
      .finally(() => this.#running.delete(library.id));
    this.#running.set(library.id, work);
    return work;
  }

  /** Ends all removals between two transactions. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#running.values());
  }

  #goesOn(): void {
    if (this.#stopping)
      throw new AppError('Cancelled', 'The server is stopping; a part of the library is left. Delete it again.');
  }

  async #empty(library: Library): Promise<void> {
    const { db, clock } = this.#parts;
    for (let from = ''; ; ) {
      this.#goesOn();
      const books = await db.write('background', async (tx) => {
        const next = await tx.all<Removal>(NEXT, [library.key, from]);
        if (next.length > 0) await removeBooks(tx, library, next, clock.now());
        return next;
      });
      const last = books.at(-1);
      if (last === undefined) break;
      from = last.seriesPath;
    }
    await removeRest(db, library, () => this.#goesOn());
  }
}
