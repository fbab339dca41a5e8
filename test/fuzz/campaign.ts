// Fuzzing in real threads for a stated time: a thread that crashes or hangs is seen as such, memory is watched, what fails is kept.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openPool } from '../../core/engine/pool.js';
import type { BookFormat } from '../../core/model/formats.js';
import { exercise, type Runs } from './exercise.js';
import { inputsOf, type Recipe, recipes } from './inputs.js';
import { levelsOf, type MemoryLevels, mb, Watch } from './memory.js';

const THREADS = 2;
/** Half of what the program allows by default. */
const JOB_DEADLINE_MS = 60_000;
const BATCH = 64;

export interface Plan {
  readonly formats: readonly BookFormat[];
  readonly minutes: number;
  readonly seed: number;
  readonly out: string;
}

export interface FormatTally {
  readonly format: BookFormat;
  inputs: number;
  pages: number;
  findings: number;
  slowestMs: number;
  readonly results: Map<string, number>;
  memory: MemoryLevels | null;
}

export interface Campaign {
  readonly tallies: readonly FormatTally[];
  readonly startBytes: number;
  readonly endBytes: number;
  /** Memory of WASM modules at the end, of all threads together. */
  readonly heapBytes: number;
  /** Threads that were replaced, whether for their memory, for a hang or a crash. */
  readonly threadsEnded: number;
  /** Those of them whose compiled code was left in the middle. */
  readonly traps: number;
}

/** What all loops share. */
interface State {
  readonly plan: Plan;
  readonly runs: Runs;
  readonly until: number;
  readonly tally: FormatTally;
  readonly recipes: Iterator<{ readonly recipe: Recipe; readonly number: number }>;
  readonly inputOf: ReturnType<typeof inputsOf>;
}

/** The same recipes for the same seed, however many are wanted. */
function* recipesFrom(seed: number): Generator<{ readonly recipe: Recipe; readonly number: number }> {
  for (let batch = 0; ; batch += 1) {
    const made = fc.sample(recipes, { seed: seed + batch, numRuns: BATCH });
    for (const [at, recipe] of made.entries()) yield { recipe, number: batch * BATCH + at };
  }
}

const keep = ({ plan, tally }: State, number: number, bytes: Uint8Array, words: string): void => {
  const name = join(plan.out, `${tally.format}-seed-${plan.seed}-${number}`);
  writeFileSync(`${name}.${tally.format}`, bytes);
  writeFileSync(`${name}.txt`, words);
  console.error(`${tally.format} ${number}: ${words.split('\n')[0]}`);
};

const tryOne = async (state: State, folder: string): Promise<void> => {
  const { tally, plan } = state;
  const { recipe, number } = state.recipes.next().value as { recipe: Recipe; number: number };
  const { name, bytes } = state.inputOf(recipe);
  // A crash of the whole process leaves the file here.
  const path = join(folder, `${number}.${tally.format}`);
  writeFileSync(path, bytes);
  const started = performance.now();
  const { result, pages, findings } = await exercise(state.runs, path);
  tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started);
  tally.inputs += 1;
  tally.pages += pages;
  tally.results.set(result, (tally.results.get(result) ?? 0) + 1);
  tally.findings += findings.length > 0 ? 1 : 0;
  if (findings.length > 0)
    keep(state, number, bytes, [...findings, `seed ${plan.seed}, from ${name}`, JSON.stringify(recipe)].join('\n'));
  rmSync(path);
};

const fuzzFormat = async (plan: Plan, runs: Runs, tally: FormatTally): Promise<void> => {
  const folder = join(plan.out, 'under-way');
  mkdirSync(folder, { recursive: true });
  const until = performance.now() + (plan.minutes * 60_000) / plan.formats.length;
  const state = { plan, runs, until, tally, recipes: recipesFrom(plan.seed), inputOf: inputsOf(tally.format) };
  const loop = async (): Promise<void> => {
    while (performance.now() < state.until) await tryOne(state, folder);
  };
  await Promise.all(Array.from({ length: THREADS }, loop));
};

const emptyTally = (format: BookFormat): FormatTally => ({
  format,
  inputs: 0,
  pages: 0,
  findings: 0,
  slowestMs: 0,
  results: new Map(),
  memory: null,
});

const lineOf = (tallies: readonly FormatTally[], watch: Watch, threads: number): string => {
  const inputs = tallies.map(({ format, inputs: count }) => `${format} ${count}`).join(', ');
  const findings = tallies.reduce((sum, one) => sum + one.findings, 0);
  return `${inputs}; ${findings} findings; ${mb(process.memoryUsage.rss())} MB resident; WASM ${mb(watch.heapBytes)} MB; ${threads} threads`;
};

export const campaign = async (plan: Plan): Promise<Campaign> => {
  let threadsEnded = 0;
  const watch = new Watch();
  const pool = openPool({
    entry: new URL('./entry.js', import.meta.url).href,
    threads: THREADS,
    idleTimeoutMs: 60_000,
    queueInteractive: 64,
    queueBackground: 64,
    jobDeadlineMs: JOB_DEADLINE_MS,
    onThreadEnded: () => {
      threadsEnded += 1;
      watch.forget();
    },
  });
  const tallies = plan.formats.map(emptyTally);
  const startBytes = process.memoryUsage.rss();
  let minute = 0;
  const timer = setInterval(() => {
    minute += 1;
    console.log(`${minute} min: ${lineOf(tallies, watch, pool.load().threads)}`);
  }, 60_000);
  const runs: Runs = (name, input) => pool.run(name, input, { lane: 'interactive' });
  try {
    for (const tally of tallies) {
      const part = watch.samples.length;
      await fuzzFormat(plan, runs, tally);
      tally.memory = levelsOf(watch.samples.slice(part));
    }
    const endBytes = process.memoryUsage.rss();
    return { tallies, startBytes, endBytes, heapBytes: watch.heapBytes, threadsEnded, traps: watch.trapped.size };
  } finally {
    clearInterval(timer);
    watch.close();
    await pool.close();
  }
};
