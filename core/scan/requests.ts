// Analyses requested explicitly: of one book, of all books of a series, or of all that failed. The book rows are marked due, and a task
// drains the marked rows, so a restart continues with them. Startup adds what an earlier run left due, and what was blamed on books although
// the server was at fault.
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, type By, keysIn, SYSTEM, updated } from '../store/feed.js';
import type { Asker } from '../store/reader-pool.js';
import { patiently } from '../store/retry-writes.js';
import { isOpenOrEndedSince } from '../tasks/open-since.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskTarget } from '../tasks/task.js';
import { analyseNow, drain } from './analyse.js';
import type { ScanParts } from './context.js';
import { type DueScope, settleDue } from './due-series.js';
import { bytesRead } from './scan-tally.js';
import type { ScanStatus } from './status.js';
import { typeOfFault } from './store-remarks.js';

export const ANALYSIS_LANE = 'analysis';
export const ANALYZE_LIBRARY = 'analyze_library';

/** One book comes before a series, and both before work that nobody waits for. */
const PRIORITIES = { analyze_book: 500, analyze_series: 490, analyze_books: 400 } as const;
type AnalysisType = keyof typeof PRIORITIES;

const SETTLE_SERIES = 'settle_series';
const SETTLE_PRIORITY = 450;

/** Books marked in one transaction. */
const BATCH = 500;
/** Nobody waits longer for an analysis. */
const WAITED_MS = 30_000;
/** A file that took too long is left to the background for this time: requests for it would only occupy threads. */
const LATE_MS = 60_000;
const LATE_MAX = 1000;

const LATE = 'Reading this file takes long. It goes on in the background; try again in a few minutes.';

const INTERNAL = `e.type = '${typeOfFault('Internal')}' AND e.fault = 'Internal'`;
/** Libraries that no scan or removal works on. */
const OUTSIDE = `library_id NOT IN (SELECT library_id FROM scan WHERE status IN ('pending', 'running'))
    AND library_id NOT IN (SELECT id FROM library WHERE removing = 1)`;
/**
 * Both parts walk an index: due books, and remarks by type. In a library being scanned, the scan reads these books. Books that were being
 * read when a process died are left to the next scan, which reads them one at a time and sets the right one aside.
 */
const LEFT = `SELECT id FROM (
    SELECT b.id, b.library_id FROM library l CROSS JOIN book b INDEXED BY book_due ON b.library_id = l.id AND b.attempts = 0
      WHERE b.due = 1 AND b.deleted = 0 AND b.id > ?1
    UNION SELECT b.id, b.library_id FROM book_error e CROSS JOIN book b ON b.id = e.book_id
      WHERE ${INTERNAL} AND e.book_id > ?1 AND b.deleted = 0 AND b.attempts = 0
  ) WHERE ${OUTSIDE} ORDER BY id LIMIT ?2`;

const SERIES_LEFT: DueScope = { where: OUTSIDE, binds: [] };
const ANY_SERIES_LEFT = `SELECT 1 FROM series s INDEXED BY series_due WHERE s.due <> 0 AND ${OUTSIDE} LIMIT 1`;

const dueSeries = async (from: Reader): Promise<unknown> =>
  (await from.all('SELECT count(*) AS due FROM series INDEXED BY series_due WHERE due <> 0'))[0];

const DUE = {
  analyze_book: 'SELECT id FROM book WHERE uuid = ? AND due = 1 AND deleted = 0',
  analyze_series:
    'SELECT b.id FROM series s CROSS JOIN book b ON b.series_id = s.id WHERE s.uuid = ? AND b.due = 1 AND b.deleted = 0',
} as const;

const SERIES = {
  analyze_book: 's.id = (SELECT series_id FROM book WHERE uuid = ?)',
  analyze_series: 's.uuid = ?',
} as const;

/** The books that a task may read. */
const READ: Readonly<Record<AnalysisType, string>> = {
  analyze_book: 'book b WHERE b.uuid = ? AND',
  analyze_series: 'series s CROSS JOIN book b ON b.series_id = s.id WHERE s.uuid = ? AND',
  analyze_books: 'library l CROSS JOIN book b INDEXED BY book_due ON b.library_id = l.id WHERE ? IS NULL AND',
};

/** Changes whenever a book is read or set aside, and when a book has crashed the process. */
const measureOf =
  (type: AnalysisType) =>
  async (from: Reader, target: TaskTarget | null): Promise<unknown> => {
    const [row] = await from.all(
      `SELECT count(*) AS due, coalesce(sum(b.attempts), 0) AS attempts, (SELECT count(*) FROM book_error e WHERE ${INTERNAL}) AS remarks
       FROM ${READ[type]} b.due = 1`,
      [target === null ? null : bytesOfUuid(target.id)],
    );
    return row;
  };

/** The task that was created, and how many books it covers. */
export interface Requested {
  readonly taskId: string;
  readonly count: number;
}

const markDue = (tx: Tx, bookKeys: readonly number[]): Promise<number> => {
  tx.report(updated('book', bookKeys, ASPECTS.details));
  return tx.run('UPDATE book SET due = 1, attempts = 0 WHERE deleted = 0 AND id IN (SELECT value FROM json_each(?))', [
    JSON.stringify(bookKeys),
  ]);
};

/** A row key, and the id that clients use. */
interface Named {
  readonly key: number;
  readonly id: string;
}

export class AnalysisRequests {
  readonly #parts: ScanParts;
  readonly #tasks: TaskRunner;
  /** When books were found to take too long. */
  readonly #late = boundedByCount<number, number>(LATE_MAX);

  constructor(parts: ScanParts, tasks: TaskRunner) {
    this.#parts = parts;
    this.#tasks = tasks;
    const lane = ANALYSIS_LANE;
    for (const type of ['analyze_book', 'analyze_series'] as const)
      tasks.register(type, { lane, run: (context) => this.#analyseTarget(type, context), measure: measureOf(type) });
    const run = (context: TaskContext): Promise<void> => this.#analyseLeft(context);
    tasks.register('analyze_books', { lane, run, measure: measureOf('analyze_books') });
    const settle = ({ signal }: TaskContext): Promise<void> => settleDue(parts, SERIES_LEFT, 'background', signal);
    tasks.register(SETTLE_SERIES, { lane, run: settle, measure: dueSeries });
  }

  /**
   * Marks books as due and has them analysed in the background. Many are marked in batches; the task comes with the last of them, so it sees
   * all. What a server marked that ended before that, the next start resumes.
   */
  async add(
    by: By,
    type: AnalysisType,
    target: TaskTarget | null,
    bookKeys: readonly number[],
    options: TaskOptions = {},
  ): Promise<Requested> {
    const { db } = this.#parts;
    let [at, before] = [0, 0];
    for (; bookKeys.length - at > BATCH; at += BATCH) {
      const keys = bookKeys.slice(at, at + BATCH);
      before += await db.write(by, 'interactive', (tx) => markDue(tx, keys));
    }
    const requested = await db.write(by, 'interactive', async (tx) => ({
      count: before + (await markDue(tx, bookKeys.slice(at))),
      taskId: await this.#tasks.add(tx, type, target, {}, { priority: PRIORITIES[type], ...options }),
    }));
    this.#tasks.wake();
    return requested;
  }

  /** Analyses a book for somebody who waits. A file that takes too long is read in the background instead. */
  async now({ key, id }: Named, asker: Asker, deadlineMs = WAITED_MS): Promise<void> {
    if (performance.now() - (this.#late.peek(key) ?? Number.NEGATIVE_INFINITY) < LATE_MS)
      throw new AppError('Overloaded', LATE);
    try {
      await analyseNow(this.#parts, key, { ...asker, deadlineMs });
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'Timeout')) throw thrown;
      this.#late.set(key, performance.now());
      await this.add(SYSTEM, 'analyze_book', { kind: 'book', id }, [key]);
      throw new AppError('Overloaded', LATE, null, thrown);
    }
  }

  /**
   * Continues what an earlier run left, outside libraries being scanned: books that are due, and books whose analysis failed with an
   * unexpected error. The file is seldom to blame for those; versions up to 0.1.0 recorded a full disk that way. Also settles series that
   * are due. Undefined if there is nothing to do, or if such a task was quarantined before.
   */
  async resume(): Promise<string | undefined> {
    const { db } = this.#parts;
    const left = [...(await db.all(LEFT, [0, 1])), ...(await db.all(ANY_SERIES_LEFT))];
    return left.length === 0 ? undefined : this.readMarked();
  }

  /** For books that were marked as due somewhere. In libraries being scanned, the scan reads them, or else `scanEnded` does. */
  readMarked(): Promise<string | undefined> {
    return this.#tasks.resume('analyze_books', null, {}, { priority: PRIORITIES.analyze_books });
  }

  /**
   * Called once the end of a scan is stored. An analysis of marked books that was asked for during the scan left those in its library to the
   * scan. It may have been past them, or may have ended before it came to them, so they are read now. Otherwise books that a cancelled or
   * failed scan left stay due, and only the series of the others are settled.
   */
  async scanEnded({ startedAt }: Pick<ScanStatus, 'startedAt'>): Promise<void> {
    const { db } = this.#parts;
    const types = ['analyze_books', ANALYZE_LIBRARY];
    const wasAsked = await Promise.all(types.map((type) => isOpenOrEndedSince(db, type, startedAt)));
    if (wasAsked.includes(true)) await this.resume();
    else if ((await db.all(ANY_SERIES_LEFT)).length > 0)
      await this.#tasks.resume(SETTLE_SERIES, null, {}, { priority: SETTLE_PRIORITY });
  }

  async #analyseTarget(type: keyof typeof DUE, context: TaskContext): Promise<void> {
    const { target } = context;
    if (target === null) return;
    const binds = [bytesOfUuid(target.id)];
    const keys = keysIn(await this.#parts.db.all<{ id: number }>(DUE[type], binds));
    await this.#drain(keys, context, 0, { from: 'series s', where: SERIES[type], binds });
  }

  async #analyseLeft(context: TaskContext): Promise<void> {
    const { db } = this.#parts;
    await settleDue(this.#parts, SERIES_LEFT, 'background', context.signal);
    let done = 0;
    for (let from = 0; !context.signal.aborted; ) {
      const keys = (await db.all<{ id: number }>(LEFT, [from, BATCH])).map(({ id }) => id);
      const last = keys.at(-1);
      if (last === undefined) return;
      await patiently(db, context.signal, () => db.write(SYSTEM, 'background', (tx) => markDue(tx, keys)));
      await this.#drain(keys, context, done, SERIES_LEFT);
      done += keys.length;
      from = last;
    }
  }

  async #drain(keys: readonly number[], context: TaskContext, before: number, series: DueScope): Promise<void> {
    const { signal, progress } = context;
    let done = before;
    const total = before + keys.length;
    try {
      await drain(this.#parts, {
        filter: { where: 'b.id IN (SELECT value FROM json_each(?))', binds: [JSON.stringify(keys)] },
        signal,
        onStored: (finished) => {
          done = Math.min(total, done + finished.length);
          context.read(bytesRead(finished));
          progress(done, total);
        },
      });
    } finally {
      // When the server stops, the next start does this.
      if (!signal.aborted || context.isCancelled()) await settleDue(this.#parts, series, 'background');
    }
  }
}
