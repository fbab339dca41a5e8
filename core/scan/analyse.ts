// Analyses due books in the pool and stores the results. Resumable: the attempt is recorded before a file is parsed, so a file that kills
// the process again and again is set aside and never blocks the rest. Failures that are not the file's fault are retried.
import { setTimeout as delay } from 'node:timers/promises';

import { RULES_SQL } from '../catalog/apply-rules.js';
import { BOOK_PATH } from '../catalog/books.js';
import { isSilence } from '../engine/disks.js';
import { AppError, errorOf, faultOf } from '../model/errors.js';
import { type BookFormat, formatOf } from '../model/formats.js';
import { uuidOfHex } from '../model/ids.js';
import type { Bind } from '../store/db.js';
import { type AnalysisRun, settleCover } from './analysed-cover.js';
import type { DueBook, DueFilter, Finished, ScanParts } from './context.js';
import { ofBook, settleDue } from './due-series.js';
import { ALONE, fitting, hasRoom, type Pace, paceOf } from './pace.js';
import { quarantine } from './quarantine.js';
import { ReadSpeed } from './read-speed.js';
import { saveAnalyses } from './save-analyses.js';
import { ATTEMPTS, storeAnalyses } from './store-analysis.js';

const FETCH = 128;
/** Of larger files that are read whole, a slow disk is busy reading, and would be slower if it read more of them at once. */
const WAITING_MAX_BYTES = 8 * 1024 * 1024;

/** Formats of which most is read to list the pages. */
const READ_THROUGH: ReadonlySet<BookFormat | undefined> = new Set(['cbr', 'cbt']);

/** On a slow disk, threads wait for the reads of their book, and hardly use a processor. */
const isWaiting = ({ size, fileHash, fileName }: DueBook, { withCover, leavesHash }: AnalysisRun): boolean =>
  withCover && (size <= WAITING_MAX_BYTES || (leavesHash && fileHash === '' && !READ_THROUGH.has(formatOf(fileName))));
/** A finished book becomes visible within about this time, however slow the others in its batch are. */
const STORED_WITHIN_MS = 500;

const SELECT = `SELECT b.id AS key, lower(hex(b.uuid)) AS id, b.library_id AS libraryKey, b.series_id AS seriesKey, ${BOOK_PATH} AS path, l.root,
  b.file_name AS fileName, f.path AS folderPath, ${RULES_SQL} AS rules, b.file_hash AS fileHash, b.koreader_hash IS NOT NULL AS wasAnalysed, b.revision AS revision, b.attempts AS attempts,
  b.file_size AS size, b.file_mtime AS mtimeMs, b.due, f.sidecars <> '' AS hasSidecars
  FROM book b JOIN library l ON l.id = b.library_id AND l.removing = 0 JOIN folder f ON f.id = b.folder_id`;

const dueBooks = async ({ db }: ScanParts, rest: string, binds: readonly Bind[]): Promise<DueBook[]> => {
  const rows = await db.all<Omit<DueBook, 'isCounted'>>(`${SELECT} ${rest}`, binds);
  return rows.map((row) => ({ ...row, id: uuidOfHex(row.id), isCounted: false }));
};

/** Runs the analysis of one book. Never throws: a failure is part of the result. */
const analyseOne = async (parts: ScanParts, book: DueBook, run: AnalysisRun): Promise<Finished> => {
  const { path, root } = book;
  const { limits } = parts;
  const thumbnail = { ...parts.thumbnail }; // may change until the cover is kept under its key
  const { withCover, isListed, leavesHash: _, ...options } = run;
  const isAlone = isListed && book.hasSidecars === 0;
  try {
    const analysis = await parts.pool.run(
      'analyze',
      { path, root, limits, thumbnail, withCover, isAlone, mustHash: book.fileHash !== '' },
      {
        ...options,
        subject: `book ${book.id}, ${path}`,
        bytes: withCover ? undefined : book.size,
        isWaiting: isWaiting(book, run),
      },
    );
    return {
      book,
      analysis: { ...analysis, ...(await settleCover({ ...parts, thumbnail }, book, analysis)) },
      error: null,
    };
  } catch (thrown) {
    // The pool has logged failures inside a thread. Any other unexpected error is reported here.
    if (!(thrown instanceof AppError))
      parts.onFault(new Error(`The analysis failed (book ${book.id}, ${book.path}).`, { cause: thrown }));
    return { book, analysis: null, error: errorOf(faultOf(thrown)) };
  }
};

/** The server or a disk prevented the analysis: it says nothing about the file. */
const isOfMoment = (error: AppError): boolean => error.kind === 'Overloaded' || isSilence(error);

/** Nobody waits any longer, or nobody may wait so long. Nothing is known about the file yet. */
const isUnfinished = (error: AppError): boolean => error.kind === 'Cancelled' || error.kind === 'Timeout';

/** Analyses one book now, while the caller waits. Throws errors that say nothing about the book, which then is left as it was. */
export const analyseNow = async (
  parts: ScanParts,
  bookKey: number,
  run: Pick<AnalysisRun, 'user' | 'signal' | 'deadlineMs'>,
): Promise<Finished | undefined> => {
  const [book] = await dueBooks(parts, 'WHERE b.id = ? AND b.deleted = 0', [bookKey]);
  if (book === undefined) return undefined;
  const whole = { lane: 'interactive', withCover: false, isListed: false, leavesHash: false, ...run } as const;
  const finished = parts.tally.analysed(await analyseOne(parts, book, whole));
  if (finished.error !== null && isUnfinished(finished.error)) throw finished.error;
  await storeAnalyses(parts, [finished]);
  if (finished.error !== null && isOfMoment(finished.error)) throw finished.error;
  await settleDue(parts, ofBook(bookKey), 'interactive');
  return finished;
};

export interface DrainOptions {
  readonly filter: DueFilter;
  readonly signal: AbortSignal;
  /** The folders of the books were just listed: it is known which of them have files that describe books. */
  readonly isListed?: boolean;
  /** Called after a batch was stored. */
  readonly onStored: (finished: readonly Finished[]) => void;
}

/** Waits before retrying books whose analysis the server itself prevented. Books left after the last retry stay due. */
const RETRY_WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 32_000];
const RETRIED_MAX = 10_000;

/** Marks the series of the books as due, but does not settle them. */
export const drain = async (parts: ScanParts, options: DrainOptions): Promise<void> => {
  let kept = await drainOnce(parts, options);
  for (const waitMs of RETRY_WAITS_MS) {
    if (kept.length === 0) break;
    await pause(waitMs, options.signal);
    kept = await drainOnce(parts, { ...options, filter: among(options.filter, kept) });
  }
};

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await delay(ms, undefined, { signal }).catch(() => undefined); // an abort ends it early; the next pass sees it
};

const among = ({ where, binds }: DueFilter, keys: readonly number[]): DueFilter => ({
  where: `${where} AND b.id IN (SELECT value FROM json_each(?))`,
  binds: [...binds, JSON.stringify(keys)],
});

/**
 * Fresh books first, several at a time. Then the suspects (among others when the process died), one at a time, so that the right file is
 * blamed. Those blamed once go last: a server that is killed for other reasons seldom comes to the same one again. Returns the books whose
 * analysis the server prevented.
 */
const drainOnce = async (parts: ScanParts, options: DrainOptions): Promise<readonly number[]> => {
  const kept: number[] = [];
  const noting: DrainOptions = {
    ...options,
    onStored: (finished) => {
      for (const { book, error } of finished)
        if (error?.kind === 'Overloaded' && kept.length < RETRIED_MAX) kept.push(book.key);
      options.onStored(finished);
    },
  };
  // One value, not a range: an index then yields these rows in fetch order.
  const pass = (attempts: number, pace: Pace): Promise<void> =>
    new Drain(parts, noting, `b.attempts = ${attempts}`, pace).run();
  await pass(0, paceOf(parts.pool));
  await quarantine(parts, options.filter);
  await pass(ATTEMPTS.suspected, ALONE);
  await pass(ATTEMPTS.blamed, ALONE);
  await quarantine(parts, options.filter);
  return kept;
};

const isWithin = async (work: Promise<void>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** One pass over the due books in id order: fetch, mark, analyse with a fixed width, store in batches. */
class Drain {
  readonly #parts: ScanParts;
  readonly #options: DrainOptions;
  readonly #condition: string;
  readonly #pace: Pace;
  readonly #fetched: DueBook[] = [];
  readonly #ready: DueBook[] = [];
  #running = 0;
  #runningBytes = 0;
  #onFinished: () => void = () => undefined;
  readonly #speed = new ReadSpeed();
  #finished: Finished[] = [];
  /** When the first of them finished. */
  #finishedMs = 0;
  #lastKey = 0;
  #exhausted = false;

  constructor(parts: ScanParts, options: DrainOptions, condition: string, pace: Pace) {
    this.#parts = parts;
    this.#options = options;
    this.#condition = condition;
    this.#pace = pace;
  }

  /** Whatever ends it, the books that were begun are stored first if they can be. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    await this.#begin().catch((thrown: unknown) => failures.push(thrown));
    await this.#finish().catch((thrown: unknown) => failures.push(thrown));
    if (failures.length > 0) throw failures[0];
    if (this.#options.signal.aborted) throw new AppError('Cancelled');
  }

  async #begin(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      if (this.#ready.length === 0) await this.#markNext();
      const book = this.#ready.shift();
      if (book === undefined) return;
      this.#start(book);
      while (!hasRoom(this.#pace.running, this.#running, this.#runningBytes)) await this.#waitForOne();
    }
  }

  async #finish(): Promise<void> {
    while (this.#running > 0) await this.#waitForOne();
    await this.#store(this.#ready.splice(0));
  }

  #start(book: DueBook): void {
    const { signal, isListed = false } = this.#options;
    const { isSlow, leavesHash } = this.#speed;
    const run = { lane: 'background', signal, isListed, withCover: isSlow, leavesHash } as const;
    this.#running += 1;
    this.#runningBytes += book.size;
    void analyseOne(this.#parts, book, run).then((finished) => {
      if (finished.analysis !== null) this.#speed.note(finished.analysis);
      if (this.#finished.length === 0) this.#finishedMs = performance.now();
      this.#finished.push(this.#parts.tally.analysed(finished));
      this.#running -= 1;
      this.#runningBytes -= book.size;
      this.#onFinished();
    });
  }

  /** Waits for one book to finish. Books already finished do not wait long: they are stored in the meantime. */
  async #waitForOne(): Promise<void> {
    const one = new Promise<void>((resolve) => {
      this.#onFinished = resolve;
    });
    const leftMs = STORED_WITHIN_MS - (performance.now() - this.#finishedMs);
    if (this.#finished.length > 0 && !(await isWithin(one, leftMs))) await this.#store([]);
    await one;
  }

  async #fetch(): Promise<void> {
    const { where, binds } = this.#options.filter;
    const rows = await dueBooks(
      this.#parts,
      `WHERE b.due = 1 AND b.deleted = 0 AND b.id > ? AND ${this.#condition} AND ${where} ORDER BY b.id LIMIT ${FETCH}`,
      [this.#lastKey, ...binds],
    );
    this.#lastKey = rows.at(-1)?.key ?? this.#lastKey;
    this.#exhausted = rows.length < FETCH;
    this.#fetched.push(...rows);
  }

  /** One transaction stores the finished books and marks the next ones. */
  async #markNext(): Promise<void> {
    if (this.#fetched.length === 0 && !this.#exhausted) await this.#fetch();
    const next = this.#fetched.splice(0, fitting(this.#pace.marked, this.#fetched));
    const finished = this.#finished;
    this.#finished = [];
    if (next.length === 0 && finished.length === 0) return;
    await saveAnalyses(this.#parts, this.#options.signal, finished, { mark: next.map((book) => book.key) });
    if (finished.length > 0) this.#options.onStored(finished);
    this.#ready.push(...next.map((book) => ({ ...book, isCounted: true })));
  }

  /** At the end of a pass: stores the rest, and unmarks books that were never started. */
  async #store(unstarted: readonly DueBook[]): Promise<void> {
    const finished = this.#finished;
    this.#finished = [];
    if (unstarted.length === 0 && finished.length === 0) return;
    await saveAnalyses(this.#parts, this.#options.signal, finished, { unmark: unstarted.map((book) => book.key) });
    if (finished.length > 0) this.#options.onStored(finished);
  }
}
