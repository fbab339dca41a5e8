// Books whose pages can be served: found, visible, live and analysed. A book that is not analysed is analysed now, and once more if its file
// has changed.
import { lstat, type Stats } from 'node:fs';
import { unknownRow } from '../catalog/public-ids.js';
import { seesBook } from '../catalog/visibility.js';
import type { VisibleSeries } from '../catalog/visible-series.js';
import { disks } from '../engine/disks.js';
import { SingleFlight } from '../engine/single-flight.js';
import { boundedByCount } from '../model/bounded-map.js';
import { AppError, KINDS } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import { type Asking, askerOf, type WaitingAsker } from './asker.js';
import type { BookFile, BookFiles } from './book-files.js';
import { isOfVersion } from './open-files.js';

/** A worker found no file. */
export const isGone = (thrown: unknown): boolean =>
  thrown instanceof AppError &&
  thrown.kind === 'FileUnreadable' &&
  (thrown.details as { readonly code?: unknown } | null)?.code === 'ENOENT';

const isReady = (file: BookFile): boolean => !file.deleted && file.analyzed && file.table !== null;

export const gone = (): AppError => new AppError('NotFound', 'The file of this book is no longer on disk.');

/** The fault that the analysis found, in its own words. A quarantined book is not worth retrying in a moment. */
const unreadable = ({ analysisKind, analysisError }: BookFile): AppError => {
  const kind = analysisKind === null || KINDS[analysisKind].blame !== 'book' ? 'CorruptArchive' : analysisKind;
  return new AppError(kind, analysisError ?? 'The file of this book cannot be read.');
};

/** Nothing was found out about the file: it could not be opened or read. */
const isUntold = ({ analysisKind }: BookFile): boolean =>
  analysisKind !== null && KINDS[analysisKind].blame === 'book' && KINDS[analysisKind].retry;

/** True when another file is there than the one that is at fault: a copy that was still being written, say, is complete by now. */
const isReplaced = async (file: BookFile): Promise<boolean> => {
  const stat = await disks
    .of(file.root)
    .ask<Stats>((done) => lstat(file.path, done))
    .catch(() => undefined); // nothing better is there
  return stat?.isFile() === true && !isOfVersion(stat, file);
};

/** A book that could not be read is not tried again before this time is over. */
const UNTOLD_MS = 2000;
const UNTOLD_MAX = 1000;

/** Analyses a book for somebody who waits; resolves when the new state of the book is stored. Cancelled when nobody waits any more. */
export type Analyse = (file: BookFile, asker: WaitingAsker) => Promise<unknown>;

export class ReadyBooks {
  readonly #books: BookFiles;
  readonly #analyse: Analyse;
  readonly #visible: VisibleSeries;
  readonly #singleFlight = new SingleFlight();
  /** When books were found untold. */
  readonly #untold = boundedByCount<string, number>(UNTOLD_MAX);

  constructor(books: BookFiles, { analyse, visible }: { readonly analyse: Analyse; readonly visible: VisibleSeries }) {
    this.#books = books;
    this.#analyse = analyse;
    this.#visible = visible;
  }

  /** Refuses a book that the viewer may not see as if it did not exist. */
  async admit(file: BookFile, { scope }: Viewer): Promise<void> {
    if (!(seesBook(scope, file) && (await this.#visible.has(scope, file.seriesKey)))) throw unknownRow('book');
  }

  /** Without a query; undefined when the book is not cached or not ready. */
  now(bookId: string): BookFile | undefined {
    const file = this.#books.remembered(bookId);
    return file !== undefined && isReady(file) ? file : undefined;
  }

  /** Loads the book, and analyses it first if it is not ready. */
  async with<T>(bookId: string, asking: Asking, answer: (file: BookFile) => T | Promise<T>): Promise<T> {
    return this.answer(await this.#ready(await this.#books.load(bookId), asking), asking, answer);
  }

  /** For a ready book. A file that does not match its table is analysed again, once, and the answer comes from the new table. */
  answer<T>(file: BookFile, asking: Asking, answer: (file: BookFile) => T | Promise<T>): T | Promise<T> {
    const found = answer(file);
    if (!(found instanceof Promise)) return found;
    return found.catch(async (thrown: unknown) => {
      if (isGone(thrown)) throw gone();
      if (!(thrown instanceof AppError && thrown.kind === 'FileChanged')) throw thrown;
      return answer(await this.#analysed(file, asking));
    });
  }

  /** After the file turned out to be a different one: what is known about it now, readable or not. */
  async changed(file: BookFile, asking: Asking): Promise<BookFile> {
    await this.#analysed(file, asking).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || KINDS[thrown.kind].blame !== 'book') throw thrown;
    });
    return this.#loadedFor(asking, file.id);
  }

  /** After an analysis: another file may have a rating that hides the book. */
  async #loadedFor({ viewer }: Asking, bookId: string): Promise<BookFile> {
    const now = await this.#books.load(bookId);
    await this.admit(now, viewer);
    return now;
  }

  async #ready(file: BookFile, asking: Asking): Promise<BookFile> {
    if (isReady(file)) return file;
    if (file.deleted) throw gone();
    if (file.analysisError !== null && !(await this.#isWorthTrying(file))) throw unreadable(file);
    return this.#analysed(file, asking);
  }

  async #isWorthTrying(file: BookFile): Promise<boolean> {
    if (!isUntold(file)) return isReplaced(file);
    return performance.now() - (this.#untold.peek(file.id) ?? Number.NEGATIVE_INFINITY) > UNTOLD_MS;
  }

  async #analysed(file: BookFile, asking: Asking): Promise<BookFile> {
    const { user, signal } = askerOf(asking);
    await this.#singleFlight.join(`analyse/${file.id}`, signal, (cancelled) =>
      this.#analyse(file, { user, signal: cancelled }),
    );
    const now = await this.#loadedFor(asking, file.id);
    if (now.deleted) throw gone();
    if (isReady(now)) return now;
    if (isUntold(now)) this.#untold.set(now.id, performance.now());
    throw unreadable(now);
  }
}
