// How fast a scan reads books: over the last half minute, since a share that becomes slow, or wakes up, changes that.

const WINDOW_MS = 30_000;
const EVERY_MS = 1000;
/** Less says nothing. */
const LEAST_MS = 2000;

interface Sample {
  readonly done: number;
  readonly ms: number;
}

export class ScanPace {
  readonly #samples: Sample[] = [];

  /** Books done so far, at a time that only goes forward. */
  add(done: number, ms: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && ms - last.ms < EVERY_MS) return;
    this.#samples.push({ done, ms });
    while ((this.#samples[1]?.ms ?? ms) < ms - WINDOW_MS) this.#samples.shift();
  }

  /** Books per second; 0 while too little is known. */
  at(done: number, ms: number): number {
    const first = this.#samples[0];
    if (first === undefined || ms - first.ms < LEAST_MS) return 0;
    return Math.max(0, done - first.done) / ((ms - first.ms) / 1000);
  }
}
