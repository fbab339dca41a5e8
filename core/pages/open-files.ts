// Open book files: a few kept open between requests, each checked against the version it was opened as. Owns every descriptor;
// a reader holds one with `acquire` and gives it back with `release`.
import { close, fstat, open, read, readSync, stat } from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '../model/errors.js';

const openAsync = promisify(open);
const fstatAsync = promisify(fstat);
const statAsync = promisify(stat);

export interface FileVersion {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface OpenFile {
  readonly fd: number;
  /** Reads into `target` from a position; returns the bytes read, fewer at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** The same without leaving the thread: only for bytes that were read moments ago. */
  readNow(target: Uint8Array, position: number): number;
  /** True when something at this position was read moments ago, so that it lies in memory. Notes that it is read now. */
  touch(position: number): boolean;
  release(): void;
}

interface Kept {
  readonly fd: number;
  readonly version: FileVersion;
  readonly touched: Map<number, number>;
  users: number;
  checkedMs: number;
  usedMs: number;
  dropped: boolean;
}

const RECHECK_MS = 500;
const HOT_MS = 20_000;
const IDLE_MS = 60_000;
const TOUCHED_MAX = 4096;

const unreadable = (thrown: unknown): AppError => {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const why = code === 'ENOENT' ? 'is not on disk any more' : `cannot be read (${code})`;
  return new AppError(code === 'ENOENT' ? 'NotFound' : 'FileUnreadable', `The file of this book ${why}.`, null, thrown);
};

const changed = (): AppError => new AppError('FileChanged');

export class OpenFiles {
  readonly #max: number;
  readonly #kept = new Map<string, Kept>();
  #sweeper: NodeJS.Timeout | null = null;

  constructor(max: number) {
    this.#max = max;
  }

  /** A file that is open already and was checked moments ago; undefined otherwise. Costs no system call. */
  acquireNow(version: FileVersion): OpenFile | undefined {
    const kept = this.#kept.get(version.path);
    const now = performance.now();
    if (kept === undefined || !sameVersion(kept.version, version) || now - kept.checkedMs > RECHECK_MS)
      return undefined;
    return this.#lend(kept, now);
  }

  /** Throws FileChanged when the file is not the one the page table was made from. */
  async acquire(version: FileVersion): Promise<OpenFile> {
    const kept = this.#kept.get(version.path);
    if (kept !== undefined && sameVersion(kept.version, version) && (await this.#stillThere(kept)))
      return this.#lend(kept, performance.now());
    if (kept !== undefined) this.#drop(kept);
    return this.#lend(await this.#open(version), performance.now());
  }

  close(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
    for (const kept of this.#kept.values()) this.#drop(kept);
  }

  async #stillThere(kept: Kept): Promise<boolean> {
    if (performance.now() - kept.checkedMs <= RECHECK_MS) return true;
    const now = await statAsync(kept.version.path).catch((thrown: unknown) => {
      this.#drop(kept);
      throw unreadable(thrown);
    });
    kept.checkedMs = performance.now();
    return now.size === kept.version.size && Math.floor(now.mtimeMs) === kept.version.mtimeMs && !kept.dropped;
  }

  async #open(version: FileVersion): Promise<Kept> {
    const fd = await openAsync(version.path, 'r').catch((thrown: unknown) => {
      throw unreadable(thrown);
    });
    const found = await fstatAsync(fd).catch((thrown: unknown) => {
      close(fd);
      throw unreadable(thrown);
    });
    if (found.size !== version.size || Math.floor(found.mtimeMs) !== version.mtimeMs) {
      close(fd);
      throw changed();
    }
    const other = this.#kept.get(version.path);
    if (other !== undefined) this.#drop(other); // somebody opened it meanwhile
    const now = performance.now();
    const kept: Kept = { fd, version, touched: new Map(), users: 0, checkedMs: now, usedMs: now, dropped: false };
    this.#kept.set(version.path, kept);
    this.#keepWithinBounds();
    return kept;
  }

  #lend(kept: Kept, now: number): OpenFile {
    kept.users += 1;
    kept.usedMs = now;
    this.#kept.delete(kept.version.path);
    if (!kept.dropped) this.#kept.set(kept.version.path, kept);
    let held = true;
    return {
      fd: kept.fd,
      read: (target, position) => readAt(kept.fd, target, position),
      readNow: (target, position) => readSync(kept.fd, target, 0, target.byteLength, position),
      touch: (position) => touch(kept, position),
      release: () => {
        if (!held) return;
        held = false;
        kept.users -= 1;
        if (kept.dropped && kept.users === 0) close(kept.fd);
      },
    };
  }

  #drop(kept: Kept): void {
    if (kept.dropped) return;
    kept.dropped = true;
    if (this.#kept.get(kept.version.path) === kept) this.#kept.delete(kept.version.path);
    if (kept.users === 0) close(kept.fd);
  }

  #keepWithinBounds(): void {
    for (const kept of this.#kept.values()) {
      if (this.#kept.size <= this.#max) break;
      this.#drop(kept);
    }
    if (this.#sweeper !== null) return;
    this.#sweeper = setInterval(() => this.#closeIdle(), IDLE_MS);
    this.#sweeper.unref();
  }

  #closeIdle(): void {
    const limit = performance.now() - IDLE_MS;
    for (const kept of this.#kept.values()) if (kept.users === 0 && kept.usedMs < limit) this.#drop(kept);
    if (this.#kept.size > 0 || this.#sweeper === null) return;
    clearInterval(this.#sweeper);
    this.#sweeper = null;
  }
}

const sameVersion = (a: FileVersion, b: FileVersion): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs;

const readAt = (fd: number, target: Uint8Array, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, target, 0, target.byteLength, position, (error, bytes) =>
      error === null ? resolve(bytes) : reject(unreadable(error)),
    );
  });

const touch = (kept: Kept, position: number): boolean => {
  const now = performance.now();
  const last = kept.touched.get(position);
  if (last === undefined && kept.touched.size >= TOUCHED_MAX) kept.touched.clear();
  kept.touched.set(position, now);
  return last !== undefined && now - last < HOT_MS;
};
