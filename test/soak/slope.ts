// Whether a figure grows: a straight line through its later half. The median of the slopes between all pairs of samples (Theil and Sen), with
// Kendall's confidence interval: a few samples that somebody else's work on the machine disturbed do not move it.

export interface Sample {
  /** In minutes. */
  readonly at: number;
  readonly value: number;
}

export interface Slope {
  /** Per minute. */
  readonly perMinute: number;
  /** The 99 % confidence interval. */
  readonly low: number;
  readonly high: number;
  readonly isZero: boolean;
}

/** Two-sided quantile of the normal distribution for 99 %. */
const Z99 = 2.576;
/** With fewer even a straight line could be chance. */
const FEWEST = 8;

const slopesOf = (samples: readonly Sample[]): number[] => {
  const slopes: number[] = [];
  for (const [index, one] of samples.entries())
    for (const other of samples.slice(index + 1))
      if (other.at !== one.at) slopes.push((other.value - one.value) / (other.at - one.at));
  return slopes.sort((a, b) => a - b);
};

export const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
};

/** Growth below `allowed` per minute counts as none, and so does shrinking. Undefined for too few samples. */
export const slopeOf = (samples: readonly Sample[], allowed = 0): Slope | undefined => {
  const late = samples.slice(Math.floor(samples.length / 2));
  const slopes = slopesOf(late);
  if (late.length < FEWEST || slopes.length === 0) return undefined;
  const count = late.length;
  const reach = Z99 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const low = slopes[Math.floor((slopes.length - reach) / 2)] ?? Number.NEGATIVE_INFINITY;
  const high = slopes[Math.ceil((slopes.length + reach) / 2)] ?? Number.POSITIVE_INFINITY;
  return { perMinute: medianOf(slopes), low, high, isZero: low <= allowed };
};
