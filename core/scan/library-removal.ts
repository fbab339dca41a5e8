// Removes libraries. The mark takes effect at once: from then on the library and everything in it cannot be found, and its name and path
// are free. A task deletes the rows, a few at a time; it makes way for writers and rests while lists are read. Files on disk are never touched.
import { setTimeout as sleep } from 'node:timers/promises';
import { markRemoving, type RemovingLibrary, removingLibraries } from '../catalog/removal-mark.js';
import { type GoneBook, reportGoneBooks, reportGoneSeries } from '../catalog/report-rows.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, hexOfUuid } from '../model/ids.js';
import { isOfDisk } from '../store/connection.js';
import type { Db, Reader } from '../store/db.js';
import { ASPECTS, type By, internal, keysIn, removed, SYSTEM, updated } from '../store/feed.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskTarget } from '../tasks/task.js';
import type { Scans } from './scans.js';

export const REMOVE_LIBRARY = 'remove_library';
export const REMOVAL_LANE = 'removal';

/** Rows deleted in one transaction while no one waits for its end; dependent rows are deleted with them. */
const ROWS_PER_TRANSACTION = 64;

/** While lists are being read, the task rests this many times as long as its last transaction took. */
const REST = 3;
const READING_MS = 2000;
const REST_MAX_MS = 2000;

/** Waits before a failed removal is retried. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 600_000;

const targetOf = (id: string): TaskTarget => ({ kind: 'library', id });

export interface RemovalParts {
  readonly db: Db;
  readonly scans: Scans;
  readonly tasks: TaskRunner;
  /** Called when the set of libraries being removed changes. */
  readonly onChange: () => void;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
}

export class Removals {
  /** Keys of the libraries being removed. */
  readonly keys = new Set<number>();
  readonly #parts: RemovalParts;
  #retry: NodeJS.Timeout | undefined;
  #waitMs = FIRST_WAIT_MS;
  #isStopped = false;

  constructor(parts: RemovalParts) {
    this.#parts = parts;
    parts.tasks.register(REMOVE_LIBRARY, {
      lane: REMOVAL_LANE,
      run: (context) =>
        this.#run(context).catch((thrown: unknown) => {
          if (!isOfDisk(thrown) && !context.signal.aborted) this.#retryLater();
          throw thrown;
        }),
      measure: rowsLeft,
      cannotCancel: 'The removal of a library cannot be cancelled: the library is already hidden.',
    });
  }

  /** Runs before anything is listed: libraries that an earlier process marked stay hidden. */
  async load(): Promise<void> {
    for (const { key } of await removingLibraries(this.#parts.db)) this.keys.add(key);
    this.#parts.onChange();
  }

  /** Creates tasks for libraries whose removal failed. Called once the tasks of an earlier process are taken over. */
  async resume(): Promise<void> {
    const { db, tasks, onFault } = this.#parts;
    try {
      for (const { id } of await removingLibraries(db)) await tasks.resume(REMOVE_LIBRARY, targetOf(id));
    } catch (thrown) {
      if (isOfDisk(thrown)) throw thrown;
      if (!this.#isStopped) onFault(thrown);
      this.#retryLater();
    }
  }

  /** Resolves when the library can no longer be found. Its scan ends at once: the task may have to wait for other removals. */
  async remove(id: string, by: By): Promise<void> {
    const { db, scans, tasks, onChange, onFault } = this.#parts;
    const key = await db.write(by, 'interactive', async (tx) => {
      const marked = await markRemoving(tx, id);
      await tasks.add(tx, REMOVE_LIBRARY, targetOf(id));
      return marked;
    });
    this.keys.add(key);
    onChange();
    tasks.wake();
    scans.halt(key).catch((thrown: unknown) => {
      if (!isOfDisk(thrown)) onFault(thrown); // the task tries again
    });
  }

  async #run(context: TaskContext): Promise<void> {
    const { db, scans, onChange } = this.#parts;
    const library = (await removingLibraries(db)).find(({ id }) => id === context.target?.id);
    if (library === undefined) return; // an earlier start finished it
    await scans.halt(library.key);
    await empty(db, library, context);
    this.#waitMs = FIRST_WAIT_MS;
    this.keys.delete(library.key);
    onChange();
  }

  /** Nobody can see the library any more, or remove it again, so a failed removal is retried until it succeeds. */
  #retryLater(): void {
    if (this.#isStopped || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.resume().catch(() => this.#retryLater());
    }, this.#waitMs);
    this.#retry.unref();
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  /** Call this before the task runner stops. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#retry);
  }
}

/** Ends early when `signal` is aborted. */
const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.min(ms, REST_MAX_MS), undefined, { signal }).catch(() => undefined);

const rowsLeft = async (from: Reader, target: TaskTarget | null): Promise<unknown> => {
  const counts = ['book', 'series', 'folder'].map(
    (table) => `(SELECT count(*) FROM ${table} WHERE library_id = library.id) AS ${table}`,
  );
  const sql = `SELECT ${counts.join()} FROM library WHERE uuid = ?`;
  return (await from.all(sql, [target === null ? null : bytesOfUuid(target.id)]))[0];
};

/** Books first, so that nothing depends on a series or folder when its turn comes. The library itself is last. */
const empty = async (db: Db, { key, id }: RemovingLibrary, { signal, progress }: TaskContext): Promise<void> => {
  const [row] = await db.all<{ n: number }>('SELECT count(*) AS n FROM book WHERE library_id = ?', [key]);
  const total = row?.n ?? 0;
  let gone = 0;
  for (const table of ['book', 'series', 'folder'] as const) {
    for (let count = 1; count > 0; ) {
      if (signal.aborted) throw new AppError('Cancelled');
      const started = performance.now();
      count = await removeSome(db, table, key);
      if (table === 'book') gone += count;
      progress(gone, Math.max(gone, total));
      if (db.quietMs() < READING_MS) await rest(REST * (performance.now() - started), signal);
    }
  }
  await db.write(SYSTEM, 'background', async (tx) => {
    await tx.run('DELETE FROM library WHERE id = ?', [key]);
    tx.report(removed('library', [{ id: key, hex: hexOfUuid(id) }]));
    tx.report(internal('scan', 'removed', [key]));
    tx.report(updated('reader_profile', 'all', ASPECTS.details));
    tx.report(updated('restriction', 'all', ASPECTS.details)); // the library leaves the lists of libraries that users may see
  });
};

/** A folder has no uuid; a series is its own series. */
const ROWS = {
  book: 'id, hex(uuid) AS hex, series_id AS series, never_readable AS neverReadable',
  series: 'id, hex(uuid) AS hex, id AS series, 0 AS neverReadable',
  folder: `id, '' AS hex, 0 AS series, 0 AS neverReadable`,
};

const removeSome = (db: Db, table: 'book' | 'series' | 'folder', libraryKey: number): Promise<number> =>
  db.write(SYSTEM, 'background', async (tx) => {
    const left = await tx.all<GoneBook>(
      `SELECT ${ROWS[table]} FROM ${table} WHERE library_id = ? LIMIT ${ROWS_PER_TRANSACTION}`,
      [libraryKey],
    );
    if (left.length === 0) return 0;
    const rows: GoneBook[] = [];
    // One by one: for a list of keys SQLite may search the whole table, if its statistics date from a tiny one.
    for (const row of left) {
      await tx.run(`DELETE FROM ${table} WHERE id = ?`, [row.id]);
      rows.push(row);
      if (tx.isAwaited()) break;
    }
    if (table === 'folder') tx.report(internal('folder', 'removed', keysIn(rows)));
    if (table === 'series') reportGoneSeries(tx, libraryKey, rows);
    if (table === 'book') reportGoneBooks(tx, libraryKey, rows);
    // The reading counts of a series include its books.
    if (table === 'book') tx.report(updated('series', [...new Set(rows.map(({ series }) => series))], ASPECTS.reading));
    return rows.length;
  });
