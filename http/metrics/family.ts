// Measurements as values: a name, what it means, and its samples. Names follow https://prometheus.io/docs/practices/naming/. Pure.
import type { Distribution } from '../../core/model/tally.js';

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  /** Only of histograms, whose samples have names of their own. */
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

const samplesOf = (given: number | readonly Sample[]): readonly Sample[] =>
  typeof given === 'number' ? [{ labels: {}, value: given }] : given;

/** Its name ends in `_total`. */
export const counter = (name: string, help: string, given: number | readonly Sample[]): Family => ({
  name,
  help,
  type: 'counter',
  values: samplesOf(given),
});

export const gauge = (name: string, help: string, given: number | readonly Sample[]): Family => ({
  name,
  help,
  type: 'gauge',
  values: samplesOf(given),
});

export const sample = (value: number, labels: Labels): Sample => ({ labels, value });

/** Counts of values up to each bound, and of all; and their sum. */
export interface Buckets {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** One more than bounds. */
  readonly cumulative: readonly number[];
  readonly sum: number;
}

export const bucketsOf = (distribution: Distribution, labels: Labels): Buckets => ({
  labels,
  bounds: distribution.bounds,
  cumulative: distribution.cumulative(),
  sum: distribution.sum,
});

const ofOne = (name: string, { labels, bounds, cumulative, sum }: Buckets): readonly Sample[] => {
  const count = cumulative.at(-1) ?? 0;
  return [
    ...cumulative.map((value, at) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bounds[at] ?? '+Inf' },
      value,
    })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
};

export const histogram = (name: string, help: string, given: readonly Buckets[]): Family => ({
  name,
  help,
  type: 'histogram',
  values: given.flatMap((one) => ofOne(name, one)),
});
