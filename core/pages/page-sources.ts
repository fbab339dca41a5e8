// Where a job finds the bytes of a page: in its book, or in the spill file of a solid archive.
import { dirname } from 'node:path';
import { AppError } from '../model/errors.js';
import type { Place } from '../model/held-place.js';
import type { FileState, PageEntry } from '../model/jobs.js';
import { faultNumber, METHOD } from '../model/page-table.js';
import type { Spills } from '../store/spills.js';
import type { WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import { isGone } from './ready-books.js';
import { SolidPages, type SolidParts, type SpilledPage } from './solid.js';
import { stateOf } from './version.js';

export interface PageSourcesParts extends SolidParts {
  readonly spills: Spills;
}

/** A page as a job reads it: a file and an entry in it. Its receiver must call `release`. */
export interface PageSource extends Place {
  readonly state: FileState | null;
  readonly page: PageEntry;
  /** The error to report for a failed job: a cache file that disappeared is not a fault of the book. */
  errorOf(thrown: unknown): unknown;
  release(): void;
}

/** The same for several pages. */
export interface PagesSource extends Omit<PageSource, 'page'> {
  readonly pages: readonly PageEntry[];
}

/** The file of a page, for a book that is read in place. */
const bookOf = (file: BookFile): Omit<PageSource, 'page'> => ({
  path: file.path,
  root: file.root,
  state: stateOf(file),
  errorOf: (thrown) => thrown,
  release: () => undefined,
});

const ofBook = (file: BookFile, page: PageEntry): PageSource => ({ ...bookOf(file), page });

export class PageSources {
  readonly #solid: SolidPages;

  constructor({ spills, ...parts }: PageSourcesParts) {
    this.#solid = new SolidPages(parts, spills);
  }

  /** False where a job would have to wait until a whole archive is unpacked. */
  isReady(file: BookFile, entry: PageEntry): boolean {
    return entry.method !== METHOD.solid || this.#solid.has(file, entry);
  }

  /** Where a job finds the page. For a solid archive that is the spill file: no job unpacks everything before the page again. */
  async of(file: BookFile, entry: PageEntry, asker: WaitingAsker): Promise<PageSource> {
    const spilled = entry.method === METHOD.solid ? await this.spilled(file, entry, asker) : undefined;
    if (spilled === undefined) return ofBook(file, entry);
    const { path, offset, release } = spilled;
    return {
      path,
      root: dirname(path),
      state: null,
      page: {
        ...entry,
        method: METHOD.raw,
        address: { in: 'file', offset, headerBytes: 0 },
        packedSize: entry.size,
      },
      errorOf: (thrown) => {
        if (!isGone(thrown)) return thrown;
        this.lost(file, thrown);
        return new AppError('Overloaded', undefined, null, thrown);
      },
      release,
    };
  }

  /** The same for pages that one job reads: from the book, unless all that can be read are in its spill file. */
  async ofAll(file: BookFile, entries: readonly PageEntry[], asker: WaitingAsker): Promise<PagesSource> {
    const inBook = { ...bookOf(file), pages: entries };
    if (!entries.some(({ method }) => method === METHOD.solid)) return inBook;
    const sources: PageSource[] = [];
    const release = (): void => {
      for (const source of sources) source.release();
    };
    try {
      for (const entry of entries) sources.push(await this.#soundly(file, entry, asker));
    } catch (thrown) {
      release();
      throw thrown;
    }
    const sound = sources.filter(({ page }) => page.fault === 0);
    const [first] = sound;
    if (first !== undefined && first.path !== file.path && sound.every(({ path }) => path === first.path))
      return { ...first, pages: sources.map(({ page }) => page), release };
    release();
    return inBook;
  }

  /** A damaged page is marked as such: the job is to pass over it. */
  async #soundly(file: BookFile, entry: PageEntry, asker: WaitingAsker): Promise<PageSource> {
    if (entry.fault !== 0) return ofBook(file, entry);
    try {
      return await this.of(file, entry, asker);
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'CorruptPage')) throw thrown;
      return ofBook(file, { ...entry, fault: faultNumber('damaged') });
    }
  }

  /** A page of a solid archive in its spill file; undefined where there is no room for that file. */
  async spilled(file: BookFile, entry: PageEntry, asker: WaitingAsker): Promise<SpilledPage | undefined> {
    if (file.table === null) throw new AppError('Internal', 'A page was chosen from a book without a page table.');
    return this.#solid.page(file, file.table, entry, asker);
  }

  /** The spill file disappeared from the cache disk: the next request makes it again. */
  lost(file: BookFile, thrown: unknown): void {
    this.#solid.lost(file, thrown);
  }
}
