// How fast a scan analyses books. The walk before the first book says nothing about that, and neither do the first few books.

const ENOUGH_MS = 5000;
const ENOUGH_BOOKS = 20;

export class ScanRate {
  readonly #doneBefore: number;
  #first: { readonly done: number; readonly ms: number } | undefined;

  constructor(doneBefore: number) {
    this.#doneBefore = doneBefore;
  }

  /** Books per second since the first book was done; 0 while too little is known. */
  at(done: number, nowMs: number): number {
    if (done <= this.#doneBefore) return 0;
    this.#first ??= { done, ms: nowMs };
    const books = done - this.#first.done;
    const ms = nowMs - this.#first.ms;
    if (ms <= 0 || (ms < ENOUGH_MS && books < ENOUGH_BOOKS)) return 0;
    return Math.max(0, books) / (ms / 1000);
  }
}
