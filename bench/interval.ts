// Evaluates pairs of costs: the mean ratio and its 95 % interval.

/** Two-sided 95 % quantiles of Student's t by degrees of freedom; beyond the table it is close to the normal distribution. */
const T95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13];

export interface Interval {
  readonly middle: number;
  readonly low: number;
  readonly high: number;
}

/** Mean and interval of the logarithms, as ratios. */
const intervalOf = (ratios: readonly number[]): Interval => {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const variance = logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, logs.length - 1);
  const reach = (T95[logs.length - 2] ?? 2.05) * Math.sqrt(variance / logs.length);
  return { middle: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
};

/** The costs of one line, pair by pair. */
export interface Costs {
  readonly work: string;
  readonly ours: number[];
  readonly theirs: number[];
}

export const TABLE_HEAD = '| Work | Cost, ours to theirs | 95 % interval | Pairs |\n|---|--:|--:|--:|';

/** Table rows of the lines that have at least two pairs. */
export const rowsOf = (lines: Iterable<Costs>): string[] =>
  [...lines]
    .filter(({ ours, theirs }) => ours.length === theirs.length && ours.length > 1)
    .map(({ work, ours, theirs }) => {
      const { middle, low, high } = intervalOf(ours.map((cost, at) => cost / (theirs[at] ?? Number.NaN)));
      return `| ${work} | ${middle.toFixed(3)} | ${low.toFixed(3)} – ${high.toFixed(3)} | ${ours.length} |`;
    });
