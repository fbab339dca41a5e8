// Measurements that cost next to nothing where they are made: numbers in typed arrays, read when somebody asks for them. Pure.

/** Counts how often values fell below each of some bounds, and their sum. The last count has no bound. */
export class Distribution {
  readonly bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** Ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  note(value: number): void {
    const at = placeIn(this.bounds, value);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  /** How many values were at most each bound, and then of all. */
  cumulative(): readonly number[] {
    return cumulated(this.#counts);
  }
}

/** The first bound that a value does not exceed; the number of bounds when it exceeds all. */
export const placeIn = (bounds: readonly number[], value: number): number => {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
  return at;
};

export const cumulated = (counts: Iterable<number>): readonly number[] => {
  let total = 0;
  return Array.from(counts, (count) => {
    total += count;
    return total;
  });
};
