// From a book and a page number to bytes. Originals come straight from the file by position; derived images and covers come from the cache
// or from a job. A warm path needs no query and no directory parse.
import { unknownRow } from '../catalog/public-ids.js';
import { seesBook } from '../catalog/visibility.js';
import type { VisibleSeries } from '../catalog/visible-series.js';
import type { Readers } from '../engine/readers.js';
import type { EpubContents } from '../model/epub-contents.js';
import { AppError } from '../model/errors.js';
import { isTooLargePacked } from '../model/large-pages.js';
import type { Insets } from '../model/page-insets.js';
import type { PageTable } from '../model/page-table.js';
import { EVERYTHING } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { Uploads } from '../store/uploads.js';
import type { Asking } from './asker.js';
import { type BookFile, BookFiles } from './book-files.js';
import { Borders } from './borders.js';
import { choose, entryOf, type PageChoice } from './chosen-form.js';
import type { Content } from './content.js';
import { DerivedPages, type DerivedParts } from './derived-pages.js';
import { EpubBooks } from './epub-books.js';
import { type Form, formOf, orOriginal, type PageWish } from './form.js';
import type { OpenFile } from './open-files.js';
import { isUnpacked, Originals, type OriginalsParts } from './originals.js';
import { PageSources, type PageSourcesParts } from './page-sources.js';
import { ReadAhead } from './read-ahead.js';
import { type Analyse, gone, ReadyBooks } from './ready-books.js';
import { Sheets } from './sheets.js';
import { SinglePages } from './single-pages.js';
import { type ImageRequest, type Rooted, type ThumbnailParts, Thumbnails } from './thumbnails.js';
import { TitleCards } from './title-cards.js';
import { pageForm, tagOf } from './version.js';

export interface CoverRequest extends ImageRequest {
  /** Lower-case uuid. */
  readonly bookId: string;
}

export interface PageRequest extends CoverRequest, PageChoice {
  readonly wish: PageWish;
  /** Only the part of the page within its borders. */
  readonly isCropped?: boolean | undefined;
}

export interface PartRequest extends CoverRequest {
  readonly path: string;
}

export interface OpenedBook {
  readonly file: BookFile;
  readonly contents: EpubContents | null;
}

export interface BorderedTable {
  readonly table: PageTable | null;
  /** By the index of the page. */
  readonly insets: readonly Insets[];
}

export interface PagesParts extends OriginalsParts, DerivedParts, ThumbnailParts, PageSourcesParts {
  readonly db: Db;
  readonly tableCacheBytes: number;
  readonly visible: VisibleSeries;
  readonly analyse: Analyse;
  readonly readers: Readers;
  readonly uploadFolder: string;
}

type BookRequest = Pick<CoverRequest, 'bookId' | 'viewer'>;

export class Pages {
  readonly #books: BookFiles;
  readonly #ready: ReadyBooks;
  readonly #visible: VisibleSeries;
  readonly #originals: Originals;
  readonly #derived: DerivedPages;
  readonly #borders: Borders;
  readonly #sheets: Sheets;
  readonly #singles: SinglePages;
  readonly #epubs: EpubBooks;
  readonly #thumbnails: Thumbnails;
  readonly #cards: TitleCards;
  readonly #quality: string;
  readonly #readers: Readers;
  /** Images of uploaded covers. */
  readonly uploads: Uploads;
  readonly #ahead = new ReadAhead();

  constructor(parts: PagesParts) {
    this.#books = new BookFiles(parts.db, parts.tableCacheBytes);
    this.#ready = new ReadyBooks(this.#books, parts);
    this.#visible = parts.visible;
    const sources = new PageSources(parts);
    this.#originals = new Originals(parts, sources);
    this.#derived = new DerivedPages(parts, sources);
    this.#borders = new Borders(parts, sources);
    this.#sheets = new Sheets(parts, sources);
    this.#singles = new SinglePages(parts);
    this.#epubs = new EpubBooks(parts, this.#originals);
    this.#thumbnails = new Thumbnails(parts);
    this.#cards = new TitleCards(parts);
    this.#quality = pageForm(parts.quality);
    this.#readers = parts.readers;
    this.uploads = new Uploads(parts.uploadFolder);
  }

  close(): void {
    this.#originals.close();
  }

  /** One page. Returns at once, without a promise, when everything needed is available. */
  page(request: PageRequest): Content | Promise<Content> {
    this.#readers.note();
    return this.#answer(request, (file) =>
      request.isCropped === true ? this.#croppedOf(file, request) : this.#pageOf(file, request),
    );
  }

  /** When the file of a book was changed; undefined unless one of its pages was requested just now. */
  readonly modifiedMs = (bookId: string): number | undefined => this.#books.remembered(bookId)?.mtimeMs;

  /** One page of a PDF, as a PDF of its own. */
  single(request: CoverRequest & PageChoice): Content | Promise<Content> {
    this.#readers.note();
    return this.#answer(request, (file) =>
      this.#singles.get(file, entryOf(file, request), request.pageNumber, request),
    );
  }

  /** Some pages of a book, small, on one sheet; sheets are counted from 1. */
  sheet(request: CoverRequest & { readonly sheet: number }): Content | Promise<Content> {
    return this.#answer(request, (file) => this.#sheets.get(file, request.sheet, request));
  }

  /** A file inside an EPUB, by its path in the archive. */
  part(request: PartRequest): Content | Promise<Content> {
    this.#readers.note();
    return this.#answer(request, (file) => this.#epubs.part(file, request.path, request));
  }

  /** An analysed book, and what it contains if it is an EPUB. */
  async opened(request: BookRequest & Asking): Promise<OpenedBook> {
    await this.#admit(request);
    return this.#ready.with(request.bookId, request, async (file) => ({
      file,
      contents: file.format === 'epub' ? (await this.#epubs.open(file, request)).contents : null,
    }));
  }

  /** The cover thumbnail of a book: the uploaded one, else one of its first pages; a title card where there is no picture. */
  cover(request: CoverRequest): Content | Promise<Content> {
    const isOfPages = request.isFromFile === true || this.#now(request)?.cover === null;
    return isOfPages ? this.#coverOfPages(request) : this.#coverOf(request);
  }

  async #coverOf(request: CoverRequest): Promise<Content> {
    await this.#admit(request);
    const { cover, deleted } = await this.#books.load(request.bookId);
    const uploaded = cover === null || deleted ? undefined : await this.uploaded(cover, request);
    return uploaded ?? this.#coverOfPages(request);
  }

  #coverOfPages(request: CoverRequest): Content | Promise<Content> {
    const content = this.#answer(request, (file) => this.#thumbnails.get(file, request));
    if (!(content instanceof Promise)) return content;
    return content.catch(async (thrown: unknown) =>
      this.#cards.of(await this.#books.load(request.bookId), request, thrown),
    );
  }

  /** Makes the cover of a book for the cache, where nobody waits for it; anew even if it is there. Throws when the book has none. */
  async makeCover(bookId: string, signal: AbortSignal, file?: BookFile): Promise<void> {
    await this.#thumbnails.make(file ?? (await this.#books.glance(bookId)), signal);
  }

  /** What making the covers of these books begins with, for whoever makes many. */
  filesOf(bookIds: readonly string[]): Promise<ReadonlyMap<string, BookFile>> {
    return this.#books.glanceAll(bookIds);
  }

  /** A picture next to the books, as a cover; undefined when it is not available. */
  picture(ownerId: string, place: Rooted, request: ImageRequest): Promise<Content | undefined> {
    return this.#thumbnails.picture(ownerId, place, request);
  }

  /** The thumbnail of an uploaded cover; undefined when its image is not there. */
  uploaded(coverId: string, request: ImageRequest): Promise<Content | undefined> {
    const { folder } = this.uploads;
    return this.#thumbnails.picture(coverId, { root: folder, path: this.uploads.pathOf(coverId) }, request);
  }

  /** The whole file, as it is on disk. */
  async file(request: BookRequest & Asking): Promise<{ readonly book: BookFile; readonly open: OpenFile }> {
    await this.#admit(request);
    const book = await this.#books.load(request.bookId);
    if (book.deleted) throw gone();
    try {
      return { book, open: await this.#originals.open(book) };
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'FileChanged')) throw thrown;
      const now = await this.#ready.changed(book, request);
      return { book: now, open: await this.#originals.open(now) };
    }
  }

  /** The page table of a book as it is now; null if it was never analysed. */
  async table(request: BookRequest): Promise<PageTable | null> {
    await this.#admit(request);
    return (await this.#books.load(request.bookId)).table;
  }

  /** The page table of a book that can be read, and where the borders of its pages end. */
  async bordered(request: BookRequest & Asking): Promise<BorderedTable> {
    await this.#admit(request);
    return this.#ready.with(request.bookId, request, async (file) => ({
      table: file.table,
      insets: await this.#borders.ofBook(file, request),
    }));
  }

  /** The page table of a book that can be read; it is analysed now if it was not before. */
  async readyTable(request: BookRequest & Asking): Promise<PageTable | null> {
    await this.#admit(request);
    return this.#ready.with(request.bookId, request, ({ table }) => table);
  }

  /** Without a query; undefined when the book is not cached, or not yet known to be visible. */
  #now({ bookId, viewer }: BookRequest): BookFile | undefined {
    const file = this.#ready.now(bookId);
    if (file === undefined) return undefined;
    const isVisible = this.#visible.now(viewer.scope, file.seriesKey);
    if (isVisible === false || !seesBook(viewer.scope, file)) throw unknownRow('book');
    return isVisible === true ? file : undefined;
  }

  /** Runs before anything is done for a viewer: a hidden book is not analysed either. */
  async #admit({ bookId, viewer }: BookRequest): Promise<void> {
    if (viewer.scope !== EVERYTHING) await this.#ready.admit(await this.#books.load(bookId), viewer);
  }

  /** From a book that is ready and visible. Without a promise when the book and its content are cached. */
  #answer(request: CoverRequest, answer: (file: BookFile) => Content | Promise<Content>): Content | Promise<Content> {
    const file = this.#now(request);
    if (file !== undefined) return this.#ready.answer(file, request, answer);
    return this.#admit(request).then(() => this.#ready.with(request.bookId, request, answer));
  }

  #croppedOf(file: BookFile, request: PageRequest): Content | Promise<Content> {
    const index = request.pageNumber - 1;
    if (file.table?.entry(index)?.fault !== 0) return this.#pageOf(file, request); // tells why there is none
    const within = (insets: Insets) => this.#pageOf(file, { ...request, wish: { ...request.wish, insets } });
    const found = this.#borders.ofPage(file, index, request);
    return found instanceof Promise ? found.then(within) : within(found);
  }

  #pageOf(file: BookFile, request: PageRequest): Content | Promise<Content> {
    const chosen = choose(file, request, this.#quality);
    const { entry, form, tag } = chosen;
    if (request.has(tag)) return { kind: 'current', tag };
    const { pageNumber } = request;
    if (form.kind === 'original' && !isUnpacked(entry))
      return this.#originals.get({ file, pageNumber, entry, tag }, request);
    const content =
      form.kind === 'original'
        ? this.#originals.get({ file, pageNumber, entry, tag }, request)
        : this.#derived.get({ file, pageNumber, entry, form, tag }, request);
    if (!(content instanceof Promise)) {
      this.#readAhead(file, request, form);
      return content;
    }
    content.then(() => this.#readAhead(file, request, form)).catch(() => undefined); // its caller sees the failure
    if (form.kind === 'original' || form.isOptional !== true) return content;
    return orOriginal(content, () =>
      this.#originals.get({ file, pageNumber, entry, tag: tagOf(file, `${pageNumber}-o`) }, request),
    );
  }

  /** A page that takes a job is followed by others: they are made before the reader turns to them, in the form that was requested. */
  #readAhead(file: BookFile, { pageNumber, wish }: PageRequest, form: Form): void {
    if (wish.insets !== undefined) return; // each page has borders of its own
    const reader = `${file.id}/${file.version}/${form.kind === 'original' ? '' : form.name}`;
    for (const next of this.#ahead.after(reader, pageNumber, file.table?.pageCount ?? 0))
      this.#makeAhead(file, next, wish);
  }

  #makeAhead(file: BookFile, pageNumber: number, wish: PageWish): void {
    const entry = file.table?.entry(pageNumber - 1);
    if (entry === undefined || entry.fault !== 0 || isTooLargePacked(entry)) return;
    const form = formOf(entry, wish);
    if (form.kind === 'original') this.#originals.makeAhead({ file, pageNumber, entry });
    else this.#derived.makeAhead({ file, pageNumber, entry, form });
  }
}
