// Analyses that somebody asked for by name: one book, or all books of a series. They are marked due first, so that a restart or the next
// scan picks up what is left. At a start: what an earlier run left due, and what faults of the server were blamed on books for.
import { bookById } from '../catalog/books.js';
import { isKept } from '../catalog/removing.js';
import { seriesById } from '../catalog/series.js';
import type { Db } from '../store/db.js';
import { patiently } from '../store/patience.js';
import { drain } from './analyse.js';
import type { ScanParts } from './context.js';
import { typeOfFault } from './store-remarks.js';

const RESUMED_BATCH = 500;
/** Both parts walk an index: of the books that are due, and of remarks by their type. */
const LEFT = `SELECT id FROM (
    SELECT b.id, b.library_id FROM library l CROSS JOIN book b INDEXED BY book_due ON b.library_id = l.id AND b.attempts = 0
      WHERE b.due = 1 AND b.deleted = 0 AND b.id > ?1
    UNION SELECT b.id, b.library_id FROM book_error e CROSS JOIN book b ON b.id = e.book_id
      WHERE e.type = '${typeOfFault('Internal')}' AND e.fault = 'Internal' AND e.book_id > ?1 AND b.deleted = 0
  ) o WHERE library_id NOT IN (SELECT value FROM json_each(?2)) AND ${isKept('o')} ORDER BY id LIMIT ?3`;

export class AnalysisRequests {
  readonly #parts: ScanParts;
  readonly #onFault: (thrown: unknown) => void;
  readonly #abort = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #resuming: Promise<void> = Promise.resolve();

  constructor(parts: ScanParts, onFault: (thrown: unknown) => void) {
    this.#parts = parts;
    this.#onFault = onFault;
  }

  /** Marks books as due and analyses them in the background, one request after the other; returns how many were marked. */
  async add(bookKeys: readonly number[]): Promise<number> {
    const keys = JSON.stringify(bookKeys);
    const marked = await this.#parts.db.write('interactive', (tx) =>
      tx.run('UPDATE book SET due = 1, attempts = 0 WHERE deleted = 0 AND id IN (SELECT value FROM json_each(?))', [
        keys,
      ]),
    );
    const filter = { where: 'b.id IN (SELECT value FROM json_each(?))', binds: [keys] };
    this.#last = this.#last
      .then(() => drain(this.#parts, { filter, signal: this.#abort.signal, onStored: () => undefined }))
      .catch((thrown: unknown) => {
        if (!this.#abort.signal.aborted) this.#onFault(thrown);
      });
    return marked;
  }

  /**
   * Goes on with what an earlier run left, outside of libraries that are being scanned: books that are due, and books whose analysis failed
   * for a reason that nobody foresaw. Such a reason is seldom the file's; versions up to 0.1.0 noted a full disk as one.
   */
  resume(scanned: readonly number[]): Promise<void> {
    this.#resuming = this.#resume(scanned).catch((thrown: unknown) => {
      if (!this.#abort.signal.aborted) this.#onFault(thrown);
    });
    return this.#resuming;
  }

  async #resume(scanned: readonly number[]): Promise<void> {
    const { signal } = this.#abort;
    for (let from = 0; !signal.aborted; ) {
      const rows = await this.#parts.db.all<{ id: number }>(LEFT, [from, JSON.stringify(scanned), RESUMED_BATCH]);
      const keys = rows.map(({ id }) => id);
      const last = keys.at(-1);
      if (last === undefined) return;
      await patiently(this.#parts.db, signal, () => this.add(keys));
      await this.#last;
      from = last;
    }
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#resuming;
    await this.#last;
  }
}

interface Analyser {
  readonly db: Db;
  readonly analyses: AnalysisRequests;
}

export const analyseBook = async ({ db, analyses }: Analyser, userKey: number, bookId: string): Promise<number> =>
  analyses.add([(await bookById(db, userKey, bookId)).key]);

export const analyseSeries = async ({ db, analyses }: Analyser, userKey: number, seriesId: string): Promise<number> => {
  const series = await seriesById(db, userKey, seriesId);
  const rows = await db.all<{ id: number }>('SELECT id FROM book WHERE series_id = ? AND deleted = 0', [series.key]);
  return analyses.add(rows.map(({ id }) => id));
};
