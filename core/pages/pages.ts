// From a book and a page number to bytes. Originals come straight from the file by position; derived images and covers come from the cache or
// from a job. No query and no directory parse on a warm path.
import { AppError } from '../model/errors.js';
import type { Place } from '../model/held-place.js';
import type { PageEntry } from '../model/jobs.js';
import { PAGE_FAULTS, type PageTable } from '../model/page-table.js';
import type { Db } from '../store/db.js';
import { type BookFile, BookFiles } from './book-files.js';
import type { Content } from './content.js';
import { DerivedPages, type DerivedParts } from './derived-pages.js';
import { type Form, formOf, type PageWish } from './form.js';
import type { OpenFile } from './open-files.js';
import { Originals, type OriginalsParts } from './originals.js';
import { gone, ReadyBooks } from './ready-books.js';
import { type Asking, type ThumbnailParts, Thumbnails } from './thumbnails.js';
import { pageForm, tagOf } from './version.js';

export interface Ask extends Asking {
  /** Lower-case uuid. */
  readonly bookId: string;
}

export interface PageAsk extends Ask {
  /** 1-based. */
  readonly pageNumber: number;
  readonly wish: PageWish;
}

export interface PagesParts extends OriginalsParts, DerivedParts, ThumbnailParts {
  readonly db: Db;
  readonly tableCacheBytes: number;
  /** Analyses a book now; resolves when its new state is stored. */
  readonly analyse: (bookKey: number) => Promise<unknown>;
}

interface Chosen {
  readonly entry: PageEntry;
  readonly form: Form;
  readonly tag: string;
}

export class Pages {
  readonly #books: BookFiles;
  readonly #ready: ReadyBooks;
  readonly #originals: Originals;
  readonly #derived: DerivedPages;
  readonly #thumbnails: Thumbnails;
  readonly #quality: string;

  constructor(parts: PagesParts) {
    this.#books = new BookFiles(parts.db, parts.tableCacheBytes);
    this.#ready = new ReadyBooks(this.#books, parts.analyse);
    this.#originals = new Originals(parts);
    this.#derived = new DerivedPages(parts, this.#originals);
    this.#thumbnails = new Thumbnails(parts);
    this.#quality = pageForm(parts.quality);
  }

  forget(bookIds: readonly string[]): void {
    this.#books.forget(bookIds);
  }

  /** After books of many ids are no longer to be served. */
  forgetAll(): void {
    this.#books.forgetAll();
  }

  close(): void {
    this.#originals.close();
  }

  /** One page. Answers at once, without a promise, where everything needed is at hand. */
  page(ask: PageAsk): Content | Promise<Content> {
    const file = this.#ready.now(ask.bookId);
    if (file !== undefined) {
      const { entry, form, tag } = choose(file, ask, this.#quality);
      if (ask.has(tag)) return { kind: 'current', tag };
      const { pageNumber } = ask;
      const now =
        form.kind === 'original'
          ? this.#originals.now({ file, pageNumber, entry, tag })
          : this.#derived.now({ file, pageNumber, entry, form, tag });
      if (now !== undefined) return now;
    }
    return this.#ready.with(ask.bookId, (ready) => this.#pageOf(ready, ask));
  }

  /** The cover thumbnail of a book; a card with its title where there is no picture. */
  cover(ask: Ask): Content | Promise<Content> {
    const file = this.#ready.now(ask.bookId);
    const now = file === undefined ? undefined : this.#thumbnails.now(file, ask);
    if (now !== undefined) return now;
    return this.#ready
      .with(ask.bookId, (ready) => this.#thumbnails.get(ready, ask))
      .catch(async (thrown: unknown) => this.#thumbnails.card(await this.#books.load(ask.bookId), ask, thrown));
  }

  /** A picture beside books, as a cover; undefined when it cannot be had. */
  picture(ownerId: string, place: Place & { readonly root: string }, asking: Asking): Promise<Content | undefined> {
    return this.#thumbnails.picture(ownerId, place, asking);
  }

  /** The whole file, as it lies on disk. */
  async file(ask: Pick<Ask, 'bookId'>): Promise<{ readonly book: BookFile; readonly open: OpenFile }> {
    const book = await this.#books.load(ask.bookId);
    if (book.deleted) throw gone();
    try {
      return { book, open: await this.#originals.open(book) };
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'FileChanged')) throw thrown;
      const now = await this.#ready.changed(book);
      return { book: now, open: await this.#originals.open(now) };
    }
  }

  /** The page table of a book as it is now; null while it was never analysed. */
  async table(bookId: string): Promise<PageTable | null> {
    return (await this.#books.load(bookId)).table;
  }

  async #pageOf(file: BookFile, ask: PageAsk): Promise<Content> {
    const { entry, form, tag } = choose(file, ask, this.#quality);
    if (ask.has(tag)) return { kind: 'current', tag };
    const { pageNumber } = ask;
    return form.kind === 'original'
      ? this.#originals.get({ file, pageNumber, entry, tag }, ask.signal)
      : this.#derived.get({ file, pageNumber, entry, form, tag }, ask.wish, ask.signal);
  }
}

const outOfRange = (pageCount: number): AppError =>
  new AppError('NotFound', pageCount === 0 ? 'This book has no pages.' : `This book has the pages 1 to ${pageCount}.`);

/** The page, the form it is sent in, and the tag of both. */
const choose = (file: BookFile, { pageNumber, wish }: PageAsk, quality: string): Chosen => {
  const entry = file.table?.entry(pageNumber - 1);
  if (entry === undefined) throw outOfRange(file.table?.pageCount ?? 0);
  if (entry.fault !== 0) throw new AppError('CorruptPage', PAGE_FAULTS[entry.fault] ?? 'The page cannot be shown.');
  const form = formOf(entry, wish);
  return { entry, form, tag: tagOf(file, `${pageNumber}-${form.kind === 'original' ? 'o' : form.name + quality}`) };
};
