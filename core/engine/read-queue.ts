// Calls that wait for one disk. Reads that begin an answer go before those that continue a long one, so that a page never waits behind
// downloads; now and then the longest go first, so that they make progress too.

const LANES = 3;
/** Up to this size a continued answer counts as a page; beyond it as a file. */
const PAGE_BYTES = 1024 * 1024;
/** One call in this many comes from the last lane that has one. */
const LAST_EVERY = 8;

const laneOf = (sentBytes: number): number => {
  if (sentBytes === 0) return 0;
  return sentBytes <= PAGE_BYTES ? 1 : 2;
};

export class ReadQueue<T> {
  readonly #lanes: readonly T[][] = Array.from({ length: LANES }, () => []);
  #taken = 0;

  get length(): number {
    return this.#lanes.reduce((sum, { length }) => sum + length, 0);
  }

  /** `sentBytes`: how much of the same answer was read before. */
  push(item: T, sentBytes: number): void {
    this.#lanes[laneOf(sentBytes)]?.push(item);
  }

  shift(): T | undefined {
    this.#taken += 1;
    const isLast = this.#taken % LAST_EVERY === 0;
    const lane = isLast
      ? this.#lanes.findLast(({ length }) => length > 0)
      : this.#lanes.find(({ length }) => length > 0);
    return lane?.shift();
  }

  /** Empties the queue. */
  drain(): readonly T[] {
    return this.#lanes.flatMap((lane) => lane.splice(0));
  }
}
