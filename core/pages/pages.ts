// From a book and a page number to bytes. Originals come straight from the archive by position and are never cached; derived images come
// from the cache, and on a miss from one job that all callers share. No query and no directory parse on a warm path.
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { Flights } from '../engine/flights.js';
import type { Pool } from '../engine/pool.js';
import { AppError, KINDS } from '../model/errors.js';
import type { Limits, PageEntry, PageImage, ThumbnailOptions } from '../model/jobs.js';
import { mediaNumber } from '../model/media.js';
import { METHOD, PAGE_FAULTS, type PageTable } from '../model/page-table.js';
import type { Blobs } from '../store/blobs.js';
import type { Db } from '../store/db.js';
import type { Spills } from '../store/spills.js';
import { type BookFile, BookFiles } from './book-files.js';
import type { Content } from './content.js';
import { type Derived, type Form, formOf, type PageWish } from './form.js';
import type { OpenFile } from './open-files.js';
import { Originals } from './originals.js';
import { StubbornPages } from './stubborn.js';
import { titleCard } from './title-card.js';
import { coverKey, pageKey, versionOf } from './version.js';

export interface Ask {
  /** Lower-case uuid. */
  readonly bookId: string;
  /** True when the client has the content with this tag. */
  readonly has: (tag: string) => boolean;
  readonly signal: () => AbortSignal;
}

export interface PageAsk extends Ask {
  /** 1-based. */
  readonly pageNumber: number;
  readonly wish: PageWish;
}

export interface PagesParts {
  readonly db: Db;
  readonly blobs: Blobs;
  readonly spills: Spills;
  readonly pool: Pool;
  readonly limits: Limits;
  readonly thumbnail: ThumbnailOptions;
  readonly quality: number;
  readonly tableCacheBytes: number;
  readonly openFiles: number;
  /** Analyses a book now; resolves when its new state is stored. */
  readonly analyse: (bookKey: number) => Promise<unknown>;
  readonly onFault: (thrown: unknown) => void;
}

const READ_AHEAD = 3;
const COVER_CANDIDATES = 5;

export class Pages {
  readonly #parts: PagesParts;
  readonly #books: BookFiles;
  readonly #originals: Originals;
  readonly #flights = new Flights();
  readonly #stubborn = new StubbornPages();

  constructor(parts: PagesParts) {
    this.#parts = parts;
    this.#books = new BookFiles(parts.db, parts.tableCacheBytes);
    this.#originals = new Originals(parts);
  }

  forget(bookIds: readonly string[]): void {
    this.#books.forget(bookIds);
  }

  close(): void {
    this.#originals.close();
  }

  /** One page. Answers at once, without a promise, where everything needed is at hand. */
  page(ask: PageAsk): Content | Promise<Content> {
    const file = this.#books.remembered(ask.bookId);
    if (file !== undefined && isReady(file)) {
      const { entry, form } = this.#choose(file, ask);
      const tag = tagOf(file, `${ask.pageNumber}-${form.kind === 'original' ? 'o' : form.name}`);
      if (ask.has(tag)) return { kind: 'current', tag };
      const now =
        form.kind === 'original'
          ? this.#originals.now({ file, pageNumber: ask.pageNumber, entry, tag })
          : this.#derivedNow(file, ask.pageNumber, form, tag);
      if (now !== undefined) return now;
    }
    return this.#withRetry(ask.bookId, (ready) => this.#pageOf(ready, ask));
  }

  /** The cover thumbnail of a book. */
  cover(ask: Ask): Content | Promise<Content> {
    const file = this.#books.remembered(ask.bookId);
    if (file !== undefined && isReady(file)) {
      const now = this.#coverNow(file, ask);
      if (now !== undefined) return now;
    }
    return this.#withRetry(ask.bookId, (ready) => this.#coverOf(ready, ask)).catch((thrown: unknown) =>
      this.#cardFor(ask, thrown),
    );
  }

  /** A picture beside books, as a cover; undefined when it cannot be had. */
  async picture(ownerId: string, path: string, ask: Omit<Ask, 'bookId'>): Promise<Content | undefined> {
    const stat = await lstat(path).catch(() => undefined);
    if (stat === undefined || !stat.isFile()) return undefined;
    const version = versionOf(0, stat.size, Math.floor(stat.mtimeMs));
    const tag = `${ownerId.slice(-12)}-${version}-p`;
    if (ask.has(tag)) return { kind: 'current', tag };
    const key = coverKey(ownerId, version);
    try {
      const bytes = this.#parts.blobs.get(key) ?? (await this.#thumbnail(key, path, [wholeFile(stat.size)], ask));
      return { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag };
    } catch (thrown) {
      if (thrown instanceof AppError && KINDS[thrown.kind].blame === 'book') return undefined;
      throw thrown;
    }
  }

  #thumbnail(key: string, path: string, pages: readonly PageEntry[], ask: Pick<Ask, 'signal'>): Promise<Uint8Array> {
    const { pool, blobs, thumbnail, limits, onFault } = this.#parts;
    return this.#flights.join(key, ask.signal(), async (cancelled) => {
      const input = { path, pages, thumbnail, limits };
      const { bytes } = await pool.run('cover', input, { lane: 'interactive', signal: cancelled });
      blobs.put(key, bytes).catch(onFault);
      return bytes;
    });
  }

  /** A book that cannot be read, or has no picture, still has a title. */
  async #cardFor(ask: Ask, thrown: unknown): Promise<Content> {
    if (!(thrown instanceof AppError) || KINDS[thrown.kind].blame !== 'book' || KINDS[thrown.kind].retry) throw thrown;
    const file = await this.#books.load(ask.bookId);
    const bytes = titleCard(file.title);
    const tag = tagOf(file, `t${createHash('sha1').update(bytes).digest('hex').slice(0, 12)}`);
    return ask.has(tag) ? { kind: 'current', tag } : { kind: 'bytes', bytes, mediaType: 'image/svg+xml', tag };
  }

  /** The whole file, as it lies on disk. */
  async file(ask: Pick<Ask, 'bookId'>): Promise<{ readonly book: BookFile; readonly open: OpenFile }> {
    const book = await this.#books.load(ask.bookId);
    if (book.deleted) throw gone();
    return { book, open: await this.#originals.open(book) };
  }

  /** The page table of a book as it is now; null while it was never analysed. */
  async table(bookId: string): Promise<PageTable | null> {
    return (await this.#books.load(bookId)).table;
  }

  /** A file that is not what its table says is analysed again, once, and the answer comes from the new table. */
  async #withRetry<T>(bookId: string, answer: (file: BookFile) => Promise<T>): Promise<T> {
    const file = await this.#ready(await this.#books.load(bookId));
    try {
      return await answer(file);
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'FileChanged')) throw thrown;
      return answer(await this.#analysed(file));
    }
  }

  async #ready(file: BookFile): Promise<BookFile> {
    if (file.deleted) throw gone();
    if (file.table !== null && file.analyzed) return file;
    if (file.analysisError !== null) throw unreadable(file);
    return this.#analysed(file);
  }

  async #analysed(file: BookFile): Promise<BookFile> {
    await this.#flights.join(`analyse/${file.id}`, undefined, () => this.#parts.analyse(file.key));
    this.#books.forget([file.id]);
    const now = await this.#books.load(file.id);
    if (now.deleted) throw gone();
    if (now.table === null || !now.analyzed) throw unreadable(now);
    return now;
  }

  #choose(file: BookFile, { pageNumber, wish }: PageAsk): { readonly entry: PageEntry; readonly form: Form } {
    const entry = file.table?.entry(pageNumber - 1);
    if (entry === undefined) throw outOfRange(file.table?.pageCount ?? 0);
    if (entry.fault !== 0) throw new AppError('CorruptPage', PAGE_FAULTS[entry.fault] ?? 'The page cannot be shown.');
    return { entry, form: formOf(entry, wish) };
  }

  async #pageOf(file: BookFile, ask: PageAsk): Promise<Content> {
    const { entry, form } = this.#choose(file, ask);
    const tag = tagOf(file, `${ask.pageNumber}-${form.kind === 'original' ? 'o' : form.name}`);
    if (ask.has(tag)) return { kind: 'current', tag };
    if (form.kind === 'derived') return this.#derived(file, ask, entry, form, tag);
    return this.#originals.get({ file, pageNumber: ask.pageNumber, entry, tag }, ask.signal);
  }

  #derivedNow(file: BookFile, pageNumber: number, form: Derived, tag: string): Content | undefined {
    const bytes = this.#parts.blobs.get(pageKey(file.id, file.version, pageNumber, form.name));
    return bytes === undefined ? undefined : { kind: 'bytes', bytes, mediaType: `image/${form.format}`, tag };
  }

  async #derived(file: BookFile, ask: PageAsk, entry: PageEntry, form: Derived, tag: string): Promise<Content> {
    const kept = this.#derivedNow(file, ask.pageNumber, form, tag);
    if (kept !== undefined) return kept;
    const image = await this.#render(file, ask.pageNumber, entry, form, 'interactive', ask.signal());
    this.#readAhead(file, ask);
    return { kind: 'bytes', bytes: image.bytes, mediaType: `image/${image.format}`, tag };
  }

  #render(
    file: BookFile,
    pageNumber: number,
    page: PageEntry,
    form: Derived,
    lane: 'interactive' | 'background',
    signal: AbortSignal | undefined,
  ): Promise<PageImage> {
    const { pool, blobs, limits, quality, onFault } = this.#parts;
    const key = pageKey(file.id, file.version, pageNumber, form.name);
    this.#stubborn.check(key);
    return this.#flights.join(key, signal, async (cancelled) => {
      const source = await this.#originals.source(file, page, cancelled);
      try {
        const { width, height, format } = form;
        const input = { path: source.path, page: source.page, box: { width, height }, format, quality, limits };
        const image = await pool.run('page', input, { lane, signal: cancelled });
        blobs.put(key, image.bytes).catch(onFault); // the answer does not wait for the cache
        return image;
      } catch (thrown) {
        this.#stubborn.note(key, thrown);
        throw thrown;
      } finally {
        source.release();
      }
    });
  }

  /** Who asked for page n in this form will ask for the next ones: they are made while nobody waits. A full queue is no error here. */
  #readAhead(file: BookFile, ask: PageAsk): void {
    for (let n = ask.pageNumber + 1; n <= ask.pageNumber + READ_AHEAD; n += 1) {
      const entry = file.table?.entry(n - 1);
      if (entry === undefined || entry.fault !== 0) continue;
      const form = formOf(entry, ask.wish);
      if (form.kind === 'original') continue;
      const key = pageKey(file.id, file.version, n, form.name);
      if (this.#flights.has(key) || this.#parts.blobs.get(key) !== undefined) continue;
      this.#render(file, n, entry, form, 'background', undefined).catch(() => undefined);
    }
  }

  #coverNow(file: BookFile, ask: Ask): Content | undefined {
    const tag = tagOf(file, 'c');
    if (ask.has(tag)) return { kind: 'current', tag };
    const bytes = this.#parts.blobs.get(coverKey(file.id, file.version));
    return bytes === undefined ? undefined : { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag };
  }

  async #coverOf(file: BookFile, ask: Ask): Promise<Content> {
    const kept = this.#coverNow(file, ask);
    if (kept !== undefined) return kept;
    const bytes = await this.#thumbnail(coverKey(file.id, file.version), file.path, coverCandidates(file), ask);
    return { kind: 'bytes', bytes, mediaType: 'image/jpeg', tag: tagOf(file, 'c') };
  }
}

/** An image file as the one page of itself. */
const wholeFile = (size: number): PageEntry => ({
  offset: 0,
  lead: 0,
  packedSize: size,
  size,
  method: METHOD.raw,
  media: mediaNumber('jpeg'),
  width: 0,
  height: 0,
  fault: 0,
});

const isReady = (file: BookFile): boolean => !file.deleted && file.analyzed && file.table !== null;

const gone = (): AppError => new AppError('NotFound', 'The file of this book is not on disk any more.');

/** What the analysis found, in its own words. */
const unreadable = ({ analysisKind, analysisError }: BookFile): AppError =>
  new AppError(analysisKind ?? 'CorruptArchive', analysisError ?? 'The file of this book cannot be read.');

const outOfRange = (pageCount: number): AppError =>
  new AppError('NotFound', pageCount === 0 ? 'This book has no pages.' : `This book has the pages 1 to ${pageCount}.`);

/** Strong: other content, page or form means another tag. Two books never share one. */
const tagOf = (file: BookFile, part: string): string => `${file.id.slice(-12)}-${file.version}-${part}`;

const coverCandidates = (file: BookFile): PageEntry[] => {
  const found: PageEntry[] = [];
  for (let index = 0; index < (file.table?.pageCount ?? 0) && found.length < COVER_CANDIDATES; index += 1) {
    const entry = file.table?.entry(index);
    if (entry !== undefined && entry.fault === 0) found.push(entry);
  }
  if (found.length === 0) throw new AppError('EmptyBook', 'This book has no page that could be its cover.');
  return found;
};
