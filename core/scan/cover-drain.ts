// One pass over the covers that are due in a library: begins a few at a time, makes them with a fixed width, stores which are done.
import { isSilence } from '../engine/disks.js';
import { AppError, type ErrorKind } from '../model/errors.js';
import { uuidOfBytes } from '../model/ids.js';
import type { BookFile } from '../pages/book-files.js';
import { isRefused } from '../pages/failing-pages.js';
import type { Pages } from '../pages/pages.js';
import { isOfDisk } from '../store/connection.js';
import type { Db, Tx } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { patiently } from '../store/retry-writes.js';
import { booksWithCover, COVER, type CoverBook } from './due-covers.js';
import { type DuePass, isOverloaded } from './due-kind.js';
import type { PoolSize } from './pace.js';
import { beginCovers, endCovers, releaseCovers, remarkNoCovers } from './store-covers.js';

/** Covers begun in one transaction. A crash makes all that are begun suspects. */
const BEGUN = 32;
/** Jobs for each thread, so that none waits: small ones go to it several at a time (pool-turns.ts). */
const PER_THREAD = 16;
/** After so many books that cannot be read now, the library is taken to be unreadable, and the pass ends. */
const UNREADABLE_MAX = 64;

export interface CoverDrainParts {
  readonly db: Db;
  readonly pool: PoolSize;
  readonly pages: Pick<Pages, 'makeCover' | 'filesOf'>;
  readonly now: () => number;
  readonly isThere: (book: CoverBook) => boolean;
  /** Why the cache accepts nothing at the moment; null while it does. */
  readonly cacheTrouble: () => string | null;
}

interface EndedCover {
  readonly key: number;
  readonly how: 'made' | 'failed' | 'unpictured' | 'released';
}

/** With what is known of its file, if that was looked up. */
interface ReadyCover extends CoverBook {
  readonly file?: BookFile | undefined;
}

/** Its pages cannot be decoded, or not with the memory there is. */
const PICTURELESS = new Set<ErrorKind>(['CorruptPage', 'EmptyBook', 'LimitExceeded']);

const hasNoPicture = (thrown: unknown): boolean =>
  thrown instanceof AppError && PICTURELESS.has(thrown.kind) && !isRefused(thrown);

/** Nothing that the pages of the book are to blame for: the cover stays due. */
const PASSING = new Set<ErrorKind>(['FileUnreadable', 'FileChanged', 'Cancelled']);

const isPassing = (thrown: unknown): boolean => thrown instanceof AppError && PASSING.has(thrown.kind);

export const refuseDeadCache = (cacheTrouble: () => string | null): void => {
  if (cacheTrouble() !== null)
    throw new AppError('Overloaded', 'The cache cannot store covers at the moment; try again later.');
};

export class CoverDrain {
  readonly #parts: CoverDrainParts;
  readonly #options: DuePass;
  #ready: ReadyCover[] = [];
  #ended: EndedCover[] = [];
  /** Due again when the pass has ended, which else would begin them again and again. */
  readonly #left: EndedCover[] = [];
  #filling: Promise<void> | null = null;
  #isExhausted = false;
  /** What ended the pass: nothing that a book is to blame for. */
  #end: unknown;

  constructor(parts: CoverDrainParts, options: DuePass) {
    this.#parts = parts;
    this.#options = options;
  }

  /** The first error that says nothing about a book ends it; what was not made is due again. */
  async run(): Promise<void> {
    await this.#suspects();
    const { backgroundWidth, backgroundShare } = this.#parts.pool;
    const width = Math.min(backgroundWidth * PER_THREAD, backgroundShare);
    const works = await Promise.allSettled(Array.from({ length: width }, () => this.#work()));
    this.#ended.push(...this.#left, ...this.#ready.splice(0).map(({ key }) => ({ key, how: 'released' }) as const));
    await this.#save(async () => undefined);
    for (const work of works) if (work.status === 'rejected') this.#end ??= work.reason;
    this.#throwEnd();
  }

  get #isEnded(): boolean {
    return this.#options.signal.aborted || this.#end !== undefined;
  }

  #throwEnd(): void {
    if (this.#options.signal.aborted) throw new AppError('Cancelled');
    if (this.#end !== undefined) throw this.#end;
  }

  /** What a crashed process had begun, one at a time. The mark goes first: a second crash costs this book its turn, and no other one. */
  async #suspects(): Promise<void> {
    const { db } = this.#parts;
    for (;;) {
      const [book] = await booksWithCover(db, this.#options.libraryKey, COVER.begun, 1);
      if (book === undefined) return;
      await this.#save((tx) => endCovers(tx, [book.key]));
      await this.#make(book);
      await this.#save(async () => undefined);
      this.#throwEnd();
    }
  }

  async #work(): Promise<void> {
    for (let book = await this.#take(); book !== undefined; book = await this.#take()) await this.#make(book);
  }

  async #take(): Promise<ReadyCover | undefined> {
    while (this.#ready.length === 0 && !this.#isExhausted && !this.#isEnded) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = null;
      });
      await this.#filling;
    }
    return this.#isEnded ? undefined : this.#ready.shift();
  }

  /** One transaction stores what is done and begins the next. */
  async #fill(): Promise<void> {
    this.#ready = await this.#save(async (tx) => {
      const books = await booksWithCover(tx, this.#options.libraryKey, COVER.due, BEGUN);
      await beginCovers(
        tx,
        books.map(({ key }) => key),
      );
      return books;
    });
    this.#isExhausted = this.#ready.length === 0;
    await this.#lookUp();
  }

  /** In one query; one that is not found is looked up again when it is made. */
  async #lookUp(): Promise<void> {
    if (this.#isExhausted) return;
    const files = await this.#parts.pages.filesOf(this.#ready.map(({ uuid }) => uuidOfBytes(uuid)));
    this.#ready = this.#ready.map((book) => ({ ...book, file: files.get(uuidOfBytes(book.uuid)) }));
  }

  async #make(book: ReadyCover): Promise<void> {
    const { isThere, cacheTrouble } = this.#parts;
    const { signal } = this.#options;
    try {
      if (!isThere(book)) {
        refuseDeadCache(cacheTrouble);
        await this.#makeFrom(book);
        refuseDeadCache(cacheTrouble); // it may not have been stored
      }
      this.#ended.push({ key: book.key, how: 'made' });
    } catch (thrown) {
      if (signal.aborted || isSilence(thrown) || isOverloaded(thrown) || isOfDisk(thrown)) {
        this.#ended.push({ key: book.key, how: 'released' });
        this.#end ??= thrown;
        return;
      }
      if (isPassing(thrown)) {
        this.#left.push({ key: book.key, how: 'released' });
        if (this.#left.length >= UNREADABLE_MAX) this.#end ??= thrown;
        return;
      }
      // It is tried again when somebody looks at it.
      this.#ended.push({ key: book.key, how: hasNoPicture(thrown) ? 'unpictured' : 'failed' });
    }
  }

  /** A file that has moved since it was looked up is looked up again. */
  async #makeFrom({ uuid, file }: ReadyCover): Promise<void> {
    const { pages } = this.#parts;
    const { signal } = this.#options;
    const id = uuidOfBytes(uuid);
    await pages.makeCover(id, signal, file).catch(async (thrown: unknown) => {
      if (file === undefined || signal.aborted || isSilence(thrown) || !isPassing(thrown)) throw thrown;
      const now = (await pages.filesOf([id])).get(id);
      if (now === undefined || now.path === file.path) throw thrown;
      await pages.makeCover(id, signal, now);
    });
  }

  /** Stores in one transaction how covers ended, and what `body` writes. Covers that end meanwhile wait for the next one. */
  async #save<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const { db, now } = this.#parts;
    const ended = [...this.#ended];
    const keysOf = (...hows: readonly EndedCover['how'][]): number[] =>
      ended.filter(({ how }) => hows.includes(how)).map(({ key }) => key);
    const value = await patiently(db, this.#options.signal, () =>
      db.write(SYSTEM, 'background', async (tx) => {
        await remarkNoCovers(tx, keysOf('unpictured'), now());
        await endCovers(tx, keysOf('made', 'failed', 'unpictured'));
        await releaseCovers(tx, keysOf('released'));
        return body(tx);
      }),
    );
    this.#ended.splice(0, ended.length);
    this.#options.onStored({ made: keysOf('made').length, failed: keysOf('failed', 'unpictured').length });
    return value;
  }
}
