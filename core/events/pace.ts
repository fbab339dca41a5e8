// Rate limit for individual events about the books and series of a library. Beyond it, one library update a second is sent. Pure.

/** Individual events about the content of a library, per window. */
export const SINGLE_MAX = 200;
export const WINDOW_MS = 1000;

interface Window {
  since: number;
  count: number;
  /** More has changed than was sent. */
  isOwed: boolean;
  /** The previous window had too many, so none is sent individually. */
  readonly isBusy: boolean;
}

export class Pace {
  readonly #windows = new Map<number, Window>();

  /** Whether this many more events about a library may be sent. If not, a library update is owed. */
  takes(libraryKey: number, count: number, now: number): boolean {
    const old = this.#windows.get(libraryKey);
    const isOver = old === undefined || (!old.isOwed && now - old.since >= WINDOW_MS);
    const window = isOver ? { since: now, count: 0, isOwed: false, isBusy: false } : old;
    if (isOver) this.#windows.set(libraryKey, window);
    window.count += count;
    if (window.isBusy || window.count > SINGLE_MAX) window.isOwed = true;
    return !window.isOwed;
  }

  /** It is unknown what changed. */
  owe(libraryKey: number, now: number): void {
    this.takes(libraryKey, SINGLE_MAX + 1, now);
  }

  /** Libraries whose update is due. */
  due(now: number): readonly number[] {
    const due: number[] = [];
    for (const [key, { since, count, isOwed }] of this.#windows) {
      if (now - since < WINDOW_MS) continue;
      if (isOwed) due.push(key);
      if (isOwed) this.#windows.set(key, { since: now, count: 0, isOwed: false, isBusy: count > SINGLE_MAX });
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
