// Analyses that somebody asked for by name: one book, or all books of a series. They are marked due first, so that a restart or the next
// scan picks up what is left.
import { bookById } from '../catalog/books.js';
import { seriesById } from '../catalog/series.js';
import type { Db } from '../store/db.js';
import { drain } from './analyse.js';
import type { ScanParts } from './context.js';

export class AnalysisRequests {
  readonly #parts: ScanParts;
  readonly #onFault: (thrown: unknown) => void;
  readonly #abort = new AbortController();
  #last: Promise<void> = Promise.resolve();

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

  async stop(): Promise<void> {
    this.#abort.abort();
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
