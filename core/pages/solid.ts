// Pages of solid archives: the first request starts a single pass that unpacks that page and all that follow into a spill file; from then
// on a page is a range of that file. A page is sent as soon as the pass has written it.
import type { Pool } from '../engine/pool.js';
import { AppError } from '../model/errors.js';
import type { Limits, PageEntry, SpillPage } from '../model/jobs.js';
import { inArchive } from '../model/page-address.js';
import { METHOD, type PageTable } from '../model/page-table.js';
import type { Spill, Spills } from '../store/spills.js';
import type { WaitingAsker } from './asker.js';
import type { BookFile } from './book-files.js';
import type { FailingPages } from './failing-pages.js';
import { archiveKey, stateOf } from './version.js';

/** One pass: what it writes and how far it has come. */
interface Pass {
  readonly pages: readonly SpillPage[];
  readonly states: Uint8Array;
  readonly done: Promise<void>;
  readonly stop: AbortController;
  failure: unknown;
  isDone: boolean;
  waiting: number;
  /** Set while nobody waits. */
  idle: NodeJS.Timeout | undefined;
}

const WRITTEN = 1;
const DAMAGED = 2;
/** How often a waiting page is checked for; a page of a solid archive takes longer than this to unpack. */
const POLL_MS = 4;
/** A pass for which nobody has waited this long is stopped. A reader who turns pages keeps it going. */
const IDLE_MS = 30_000;

/** A page in the spill file. Its receiver must call `release`. */
export interface SpilledPage extends Spill {
  readonly offset: number;
}

const damaged = (): AppError =>
  new AppError('CorruptPage', 'The page is damaged: its compressed data does not match its checksum.');

const keyOf = (file: BookFile): string => `${file.id}/${file.version}`;

const sizeOf = (pages: readonly SpillPage[]): number => pages.reduce((sum, { size }) => sum + size, 0);

const isOfDisk = (thrown: unknown): boolean =>
  thrown instanceof AppError && (thrown.kind === 'StorageFull' || thrown.kind === 'StorageFailed');

const stateOfPage = ({ pass, at }: { readonly pass: Pass; readonly at: number }): number =>
  Atomics.load(pass.states, at);

const wait = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, POLL_MS);
  });

export interface SolidParts {
  readonly pool: Pool;
  readonly limits: Limits;
  readonly failing: FailingPages;
}

export class SolidPages {
  readonly #parts: SolidParts;
  readonly #spills: Spills;
  readonly #idleMs: number;
  readonly #passes = new Map<string, Pass>();

  constructor(parts: SolidParts, spills: Spills, idleMs = IDLE_MS) {
    this.#parts = parts;
    this.#spills = spills;
    this.#idleMs = idleMs;
  }

  /** True when the page is in the spill file: nobody has to wait for the pass that unpacks it. */
  has(file: BookFile, entry: PageEntry): boolean {
    const key = keyOf(file);
    const found = this.#at(key, entry);
    return found !== undefined && stateOfPage(found) === WRITTEN && this.#spills.has(key);
  }

  /** The page at its position in the spill file, as soon as it is written; undefined when the disk has no room for that file. */
  async page(
    file: BookFile,
    table: PageTable,
    entry: PageEntry,
    asker: WaitingAsker,
  ): Promise<SpilledPage | undefined> {
    const { signal } = asker;
    const key = keyOf(file);
    try {
      const known = this.#known(key, entry);
      if (known !== undefined) return await this.#written(...known, signal);
      const pages = this.#layout(table, entry);
      if (!(await this.#spills.hasRoom(sizeOf(pages)))) return undefined;
      // Another caller may have started the same pass meanwhile.
      return await this.#written(...(this.#known(key, entry) ?? this.#start(key, file, pages, entry, asker)), signal);
    } catch (thrown) {
      if (!isOfDisk(thrown)) throw thrown;
      this.#spills.fail(thrown);
      return undefined;
    }
  }

  /** The spill file has disappeared from the cache disk: the next request makes it again. */
  lost(file: BookFile, thrown: unknown): void {
    this.#spills.drop(keyOf(file));
    this.#spills.fail(thrown);
  }

  #known(key: string, entry: PageEntry): [{ pass: Pass; at: number }, Spill] | undefined {
    const found = this.#at(key, entry);
    const spill = found === undefined ? undefined : this.#spills.use(key);
    return found === undefined || spill === undefined ? undefined : [found, spill];
  }

  /** Waits until the page is written, damaged, or given up. */
  async #written(found: { pass: Pass; at: number }, spill: Spill, signal: AbortSignal): Promise<SpilledPage> {
    const { pass, at } = found;
    this.#enter(pass);
    try {
      for (;;) {
        if (signal.aborted) throw new AppError('Cancelled');
        const state = stateOfPage(found);
        if (state === WRITTEN) return { ...spill, offset: pass.pages[at]?.offset ?? 0 };
        if (state === DAMAGED) throw damaged();
        if (pass.isDone) throw pass.failure ?? damaged();
        await wait();
      }
    } catch (thrown) {
      spill.release();
      throw thrown;
    } finally {
      this.#leave(pass);
    }
  }

  #enter(pass: Pass): void {
    pass.waiting += 1;
    clearTimeout(pass.idle);
  }

  #leave(pass: Pass): void {
    pass.waiting -= 1;
    if (pass.waiting > 0 || pass.isDone) return;
    pass.idle = setTimeout(() => pass.stop.abort(), this.#idleMs);
  }

  /** The position of a page in the pass made for the book; undefined when that pass does not cover it or failed before it. */
  #at(key: string, entry: PageEntry): { pass: Pass; at: number } | undefined {
    const pass = this.#passes.get(key);
    const at = pass?.pages.findIndex(({ index }) => index === inArchive(entry).entry) ?? -1;
    if (pass === undefined || at < 0) return undefined;
    const isLost = (pass.isDone || pass.stop.signal.aborted) && stateOfPage({ pass, at }) === 0;
    return isLost ? undefined : { pass, at };
  }

  #start(
    key: string,
    file: BookFile,
    pages: readonly SpillPage[],
    entry: PageEntry,
    { user }: WaitingAsker,
  ): [{ pass: Pass; at: number }, Spill] {
    const states = new SharedArrayBuffer(pages.length);
    const spill = this.#spills.make(key, sizeOf(pages));
    const { path, root } = file;
    const { pool, limits, failing } = this.#parts;
    const input = { path, root, state: stateOf(file), target: spill.path, pages, states, limits };
    const stop = new AbortController();
    const pass: Pass = {
      pages,
      stop,
      waiting: 0,
      idle: undefined,
      states: new Uint8Array(states),
      failure: null,
      isDone: false,
      done: failing
        .run(archiveKey(file.id, file.version), (journalKey) =>
          pool.run('spill', { ...input, journalKey }, { lane: 'interactive', user, signal: stop.signal }),
        )
        .catch((thrown: unknown) => {
          pass.failure = thrown;
        })
        .then(() => {
          pass.isDone = true;
          clearTimeout(pass.idle);
          writer?.release();
          if (isOfDisk(pass.failure)) this.#spills.drop(key); // its part of the file is of no use on a full disk
        }),
    };
    const writer = this.#spills.use(key);
    this.#passes.set(key, pass);
    this.#forgetDropped();
    return [
      {
        pass,
        at: Math.max(
          0,
          pages.findIndex(({ index }) => index === inArchive(entry).entry),
        ),
      },
      spill,
    ];
  }

  /** All packed pages in archive order if the budget allows it; otherwise the requested one and those after it, up to the budget. */
  #layout(table: PageTable, asked: PageEntry): SpillPage[] {
    const packed: { index: number; size: number }[] = [];
    for (let at = 0; at < table.pageCount; at += 1) {
      const entry = table.entry(at);
      if (entry?.method === METHOD.solid && entry.fault === 0)
        packed.push({ index: inArchive(entry).entry, size: entry.size });
    }
    packed.sort((a, b) => a.index - b.index);
    const total = packed.reduce((sum, { size }) => sum + size, 0);
    const pages: SpillPage[] = [];
    let offset = 0;
    for (const { index, size } of packed) {
      if (total > this.#spills.budgetBytes && index < inArchive(asked).entry) continue;
      if (offset + size > this.#spills.budgetBytes && pages.length > 0) break;
      pages.push({ index, size, offset });
      offset += size;
    }
    return pages;
  }

  /** Passes whose file is gone are useless. */
  #forgetDropped(): void {
    for (const key of [...this.#passes.keys()]) if (!this.#spills.has(key)) this.#passes.delete(key);
  }
}
