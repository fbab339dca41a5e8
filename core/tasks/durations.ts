// Durations in classes that grow by a fifth: enough for percentiles, and few numbers to store. Pure.

/** Classes per doubling: a percentile is at most a fifth too high. */
const PER_DOUBLING = 4;

/** The class of a duration: 0 holds 0 ms. */
export const classOf = (ms: number): number => (ms <= 0 ? 0 : Math.ceil(PER_DOUBLING * Math.log2(ms + 1)));

/** The longest duration of a class. */
const longestOf = (found: number): number => Math.floor(2 ** (found / PER_DOUBLING)) - 1;

/** How many durations each class holds. */
export type Classes = ReadonlyMap<number, number>;

/** About the duration that this share of them does not exceed; never below the shortest or above the longest. */
export const percentile = (classes: Classes, share: number, minMs: number, maxMs: number): number => {
  const ascending = [...classes].sort(([a], [b]) => a - b);
  const wanted = share * ascending.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [found, count] of ascending) {
    seen += count;
    if (seen >= wanted) return Math.min(maxMs, Math.max(minMs, longestOf(found)));
  }
  return maxMs;
};
