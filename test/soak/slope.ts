// Whether a figure grows: a straight line through its later half, with a confidence interval that is wide where it fluctuates.

export interface Sample {
  /** In minutes. */
  readonly at: number;
  readonly value: number;
}

export interface Slope {
  /** Per minute. */
  readonly perMinute: number;
  /** Half of the 95 % confidence interval. */
  readonly within: number;
  readonly isZero: boolean;
}

/** Student's t for 95 %, by degrees of freedom; beyond the table it hardly changes. */
const T95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
const tOf = (freedom: number): number => T95[freedom - 1] ?? 1.96 + 2.6 / freedom;
const FEWEST = 4;

/** Least squares over the second half. Growth below `allowed` per minute counts as none. Undefined for too few samples. */
export const slopeOf = (samples: readonly Sample[], allowed = 0): Slope | undefined => {
  const late = samples.slice(Math.floor(samples.length / 2));
  if (late.length < FEWEST) return undefined;
  const mean = (of: (one: Sample) => number): number => late.reduce((sum, one) => sum + of(one), 0) / late.length;
  const [at, value] = [mean((one) => one.at), mean((one) => one.value)];
  const spread = late.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  if (spread === 0) return undefined;
  const perMinute = late.reduce((sum, one) => sum + (one.at - at) * (one.value - value), 0) / spread;
  const left = late.reduce((sum, one) => sum + (one.value - value - perMinute * (one.at - at)) ** 2, 0);
  const freedom = late.length - 2;
  const within = tOf(freedom) * Math.sqrt(left / freedom / spread);
  // Shrinking is no leak.
  return { perMinute, within, isZero: perMinute <= within + allowed };
};
