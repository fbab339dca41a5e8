// Books whose pages can be served: found, live and analysed. A book that is not analysed is analysed now, and once more if its file has
// changed.
import { SingleFlight } from '../engine/single-flight.js';
import { AppError, KINDS } from '../model/errors.js';
import type { BookFile, BookFiles } from './book-files.js';

/** A worker found no file. */
export const isGone = (thrown: unknown): boolean =>
  thrown instanceof AppError &&
  thrown.kind === 'FileUnreadable' &&
  (thrown.details as { readonly code?: unknown } | null)?.code === 'ENOENT';

const isReady = (file: BookFile): boolean => !file.deleted && file.analyzed && file.table !== null;

export const gone = (): AppError => new AppError('NotFound', 'The file of this book is not on disk any more.');

/** The fault that the analysis found, in its own words. A quarantined book is not worth retrying in a moment. */
const unreadable = ({ analysisKind, analysisError }: BookFile): AppError => {
  const kind = analysisKind === null || KINDS[analysisKind].blame !== 'book' ? 'CorruptArchive' : analysisKind;
  return new AppError(kind, analysisError ?? 'The file of this book cannot be read.');
};

export class ReadyBooks {
  readonly #books: BookFiles;
  readonly #analyse: (bookKey: number) => Promise<unknown>;
  readonly #singleFlight = new SingleFlight();

  /** `analyse` resolves when the new state of the book is stored. */
  constructor(books: BookFiles, analyse: (bookKey: number) => Promise<unknown>) {
    this.#books = books;
    this.#analyse = analyse;
  }

  /** Without a query; undefined when the book is not cached or not ready. */
  now(bookId: string): BookFile | undefined {
    const file = this.#books.remembered(bookId);
    return file !== undefined && isReady(file) ? file : undefined;
  }

  /** A file that does not match its table is analysed again, once, and the answer comes from the new table. */
  async with<T>(bookId: string, answer: (file: BookFile) => Promise<T>): Promise<T> {
    const file = await this.#ready(await this.#books.load(bookId));
    try {
      return await answer(file);
    } catch (thrown) {
      if (isGone(thrown)) throw gone();
      if (!(thrown instanceof AppError && thrown.kind === 'FileChanged')) throw thrown;
      return answer(await this.#analysed(file));
    }
  }

  /** After the file turned out to be a different one: what is known about it now, readable or not. */
  async changed(file: BookFile): Promise<BookFile> {
    await this.#analysed(file).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || KINDS[thrown.kind].blame !== 'book') throw thrown;
    });
    return this.#books.load(file.id);
  }

  async #ready(file: BookFile): Promise<BookFile> {
    if (isReady(file)) return file;
    if (file.deleted) throw gone();
    if (file.analysisError !== null) throw unreadable(file);
    return this.#analysed(file);
  }

  async #analysed(file: BookFile): Promise<BookFile> {
    await this.#singleFlight.join(`analyse/${file.id}`, undefined, () => this.#analyse(file.key));
    const now = await this.#books.load(file.id);
    if (now.deleted) throw gone();
    if (!isReady(now)) throw unreadable(now);
    return now;
  }
}
