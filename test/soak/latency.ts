// How long each kind of request takes, window by window, and next to it a probe: a bare server asked in the same way, which waits for the
// same processors. What is judged is the ratio of the two, so that other work on the machine is no growth.
import { type Sample, type Slope, slopeOf } from './slope.js';

export const PROBE = 'probe';
/** With fewer in a window its median says little, and its 99th percentile nothing. */
const FEWEST = { p50: 5, p99: 100 } as const;
/** Growth per minute as a share: over half an hour by 15 and 60 %. */
const ALLOWED = { p50: 0.005, p99: 0.02 } as const;

export type Quantile = keyof typeof FEWEST;
export const QUANTILES: readonly Quantile[] = ['p50', 'p99'];
const SHARE = { p50: 0.5, p99: 0.99 } as const;

interface Window {
  readonly at: number;
  readonly values: ReadonlyMap<string, Readonly<Record<Quantile, number>>>;
}

const quantileOf = (times: readonly number[], quantile: Quantile): number => {
  if (times.length < FEWEST[quantile]) return Number.NaN;
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * SHARE[quantile]))] ?? Number.NaN;
};

export interface Judged {
  readonly kind: string;
  readonly count: number;
  /** Of all windows, in milliseconds: the median. */
  readonly p50: number;
  readonly p99: number;
  /** Growth per minute as a share of the median; undefined where there was too little to say. */
  readonly slopes: Readonly<Record<Quantile, Slope | undefined>>;
}

const middle = (values: readonly number[]): number => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export class Latencies {
  #now = new Map<string, number[]>();
  readonly #counts = new Map<string, number>();
  readonly #windows: Window[] = [];

  note(kind: string, ms: number): void {
    const times = this.#now.get(kind) ?? [];
    this.#now.set(kind, times);
    times.push(ms);
    this.#counts.set(kind, this.count(kind) + 1);
  }

  count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  endWindow(at: number): void {
    const values = new Map(
      [...this.#now].map(([kind, times]) => [kind, { p50: quantileOf(times, 'p50'), p99: quantileOf(times, 'p99') }]),
    );
    this.#windows.push({ at, values });
    this.#now = new Map();
  }

  judge(): readonly Judged[] {
    return [...this.#counts.keys()].map((kind) => ({
      kind,
      count: this.count(kind),
      p50: middle(this.#of(kind, 'p50')),
      p99: middle(this.#of(kind, 'p99')),
      slopes: { p50: this.#slope(kind, 'p50'), p99: this.#slope(kind, 'p99') },
    }));
  }

  #of(kind: string, quantile: Quantile): number[] {
    return this.#windows.map(({ values }) => values.get(kind)?.[quantile] ?? Number.NaN);
  }

  #slope(kind: string, quantile: Quantile): Slope | undefined {
    const probes = this.#of(PROBE, quantile);
    const ratios = this.#of(kind, quantile).map((value, index) =>
      kind === PROBE ? value : value / (probes[index] ?? Number.NaN),
    );
    const usual = middle(ratios);
    const samples = this.#windows
      .map(({ at }, index): Sample => ({ at, value: (ratios[index] ?? Number.NaN) / usual }))
      .filter(({ value }) => Number.isFinite(value));
    return slopeOf(samples, ALLOWED[quantile]);
  }
}
