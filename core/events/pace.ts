// Rate limit for individual events about the books and series of a library. Beyond it, one library update per window is sent. Pure.

/** Events of one kind about the content of a library, per window: a batch of so many books is reported book by book. */
export const SINGLE_MAX = 1000;
export const WINDOW_MS = 2000;

/** How many events of each type. */
export type Counts = ReadonlyMap<string, number>;

interface Window {
  since: number;
  readonly counts: Map<string, number>;
  /** More has changed than was sent. */
  isOwed: boolean;
  /** The previous window had too many, so none is sent individually. */
  readonly isBusy: boolean;
}

const opened = (since: number, isBusy: boolean): Window => ({ since, counts: new Map(), isOwed: false, isBusy });

const isFull = ({ counts }: Window): boolean => [...counts.values()].some((count) => count > SINGLE_MAX);

/** Stands for changes that nobody counted. */
const TOO_MANY: Counts = new Map([['', SINGLE_MAX + 1]]);

export class Pace {
  readonly #windows = new Map<number, Window>();

  /** Whether this many more events about a library may be sent. If not, a library update is owed. */
  takes(libraryKey: number, counts: Counts, now: number): boolean {
    const old = this.#windows.get(libraryKey);
    const isOver = old === undefined || (!old.isOwed && now - old.since >= WINDOW_MS);
    const window = isOver ? opened(now, false) : old;
    if (isOver) this.#windows.set(libraryKey, window);
    for (const [type, count] of counts) window.counts.set(type, (window.counts.get(type) ?? 0) + count);
    if (window.isBusy || isFull(window)) window.isOwed = true;
    return !window.isOwed;
  }

  /** It is unknown what changed. */
  owe(libraryKey: number, now: number): void {
    this.takes(libraryKey, TOO_MANY, now);
  }

  /** Libraries whose update is due. */
  due(now: number): readonly number[] {
    const due: number[] = [];
    for (const [key, window] of this.#windows) {
      if (now - window.since < WINDOW_MS) continue;
      if (window.isOwed) due.push(key);
      if (window.isOwed) this.#windows.set(key, opened(now, isFull(window)));
      else this.#windows.delete(key);
    }
    return due;
  }

  forget(libraryKey: number): void {
    this.#windows.delete(libraryKey);
  }

  get isIdle(): boolean {
    return this.#windows.size === 0;
  }
}
