// One soak run: the load, samples of what the program holds meanwhile, and the judgement of both.

import { type House, openHouse } from '../drills/house.js';
import { kill } from '../system/program.js';
import { runLanes } from './lanes.js';
import { type Judged, Latencies, PROBE, QUANTILES } from './latency.js';
import { addLargeBooks } from './shelf.js';
import { medianOf, type Sample, type Slope, slopeOf } from './slope.js';
import { VITALS, type Vitals, vitalsOf } from './vitals.js';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface Soaked {
  /** What grows beyond its noise. */
  readonly growing: readonly string[];
  readonly failures: readonly string[];
  readonly lost: readonly string[];
  readonly faults: readonly string[];
  readonly latencies: readonly Judged[];
  readonly vitals: Vitals;
}

const WINDOWS_MAX = 60;
const WINDOW_MIN_MS = 5000;
const SAMPLES_MAX = 12;
/** To look costs the program something too. */
const SAMPLE_MIN_MS = 1000;
/** Small, so that it is full before the second half. Everything else is as it is delivered, but for cheap passwords. */
const ENVIRONMENT = { SVC_CACHE__BUDGET_BYTES: String(16 * 1024 * 1024) };

const inWords = (slope: Slope | undefined, digits: number): string =>
  slope === undefined
    ? 'too few samples'
    : `${slope.perMinute.toFixed(digits)} a minute (${slope.low.toFixed(digits)} to ${slope.high.toFixed(digits)})`;

const windowOf = (samples: readonly Vitals[]): Vitals =>
  Object.fromEntries(
    Object.entries(VITALS).map(([name, { of }]) => [name, of(samples.map((one) => one[name] ?? Number.NaN))]),
  );

const judgeVitals = (windows: readonly { at: number; vitals: Vitals }[], say: SoakOptions['say']): string[] =>
  Object.entries(VITALS).flatMap(([name, { allowed }]) => {
    const series = windows.map(({ at, vitals }): Sample => ({ at, value: vitals[name] ?? Number.NaN }));
    const slope = slopeOf(series, allowed);
    const late = series.slice(Math.floor(series.length / 2)).map(({ value }) => value);
    say(`${name}: ${medianOf(late).toFixed(1)}, slope ${inWords(slope, 4)}`);
    return slope?.isZero === false ? [name] : [];
  });

const judgeLatencies = (judged: readonly Judged[], say: SoakOptions['say']): string[] =>
  judged.flatMap(({ kind, count, p50, p99, slopes }) => {
    const shares = QUANTILES.map((quantile) => `${quantile} slope ${inWords(slopes[quantile], 4)}`).join(', ');
    const times = Number.isNaN(p50) ? '' : `, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${shares}`;
    say(`${kind}: ${count} times${times}`);
    const grown = kind === PROBE ? [] : QUANTILES.filter((quantile) => slopes[quantile]?.isZero === false);
    return grown.map((quantile) => `${quantile} of ${kind}`);
  });

/** Samples until the time is over, in windows. */
const sampled = async (
  { minutes, say }: SoakOptions,
  house: House,
  latencies: Latencies,
  failures: readonly string[],
): Promise<{ at: number; vitals: Vitals }[]> => {
  const windows: { at: number; vitals: Vitals }[] = [];
  const windowMs = Math.max(WINDOW_MIN_MS, (minutes * 60_000) / WINDOWS_MAX);
  const samplesEach = Math.min(SAMPLES_MAX, Math.floor(windowMs / SAMPLE_MIN_MS));
  const began = performance.now();
  let said = 0;
  for (let window = 1; window * windowMs <= minutes * 60_000 + 1; window += 1) {
    const samples: Vitals[] = [];
    for (let sample = 1; sample <= samplesEach; sample += 1) {
      const dueMs = began + windowMs * (window - 1 + sample / samplesEach) - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs)));
      samples.push(await vitalsOf(house));
    }
    const at = (performance.now() - began) / 60_000;
    latencies.endWindow(at);
    windows.push({ at, vitals: windowOf(samples) });
    if (at < said + 1) continue;
    said = Math.floor(at);
    const shown = Object.entries(windowOf(samples)).map(([name, value]) => `${name} ${value.toFixed(1)}`);
    say(`${said} min: ${shown.join(', ')}, ${failures.length} failures`);
  }
  return windows;
};

const endOf = async (house: House): Promise<readonly string[]> => {
  house.program().child.kill('SIGTERM');
  const code = await house.program().ended;
  const faults = await house.faults();
  return code === 0 ? faults : [`the program ended with ${code}`, ...faults];
};

export const soak = async (options: SoakOptions): Promise<Soaked> => {
  const house = await openHouse(ENVIRONMENT);
  const stop = new AbortController();
  try {
    await addLargeBooks(house.shelf);
    await house.open();
    const latencies = new Latencies();
    const { failures, ended } = await runLanes(house, options.seed, latencies, stop.signal);
    const windows = await sampled(options, house, latencies, failures);
    stop.abort();
    await ended;
    const judged = latencies.judge();
    const growing = [...judgeVitals(windows, options.say), ...judgeLatencies(judged, options.say)];
    const lost = await house.lost();
    const faults = await endOf(house);
    return { growing, failures, lost, faults, latencies: judged, vitals: windows.at(-1)?.vitals ?? {} };
  } finally {
    stop.abort();
    const { child } = house.program();
    if (child.exitCode === null && child.signalCode === null) await kill(house.program());
    house.remove();
  }
};
