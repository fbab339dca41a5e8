// Fuzzing in real threads, for a time or a number of files: a thread that crashes or hangs is seen as such, memory is watched, what fails is kept.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openPool } from '../../core/engine/pool.js';
import { exercise, type Runs } from './exercise.js';
import { type MadeFile, MadeFiles } from './made-files.js';
import { forgetPeak, levelsOf, type MemoryLevels, mb, peakBytes, Watch, watchCeiling } from './memory.js';
import { formatOf, type Subject } from './seeds.js';

/** Below the folder of a run: what is being read, which is what remains when the process dies. */
export const UNDER_WAY = 'under-way';
const THREADS = 2;
/** Half of what the program allows by default. */
const JOB_DEADLINE_MS = 60_000;
/** What takes longer is kept, so that somebody looks why. */
const SLOW_MS = 5_000;

export interface Plan {
  readonly subjects: readonly Subject[];
  /** Of each subject, or null: for `minutes` of all together. */
  readonly files: number | null;
  readonly minutes: number;
  /** The process ends when more memory is resident, and keeps what it was reading. */
  readonly ceilingBytes: number;
  readonly seed: number;
  readonly out: string;
}

export interface SubjectTally {
  readonly subject: Subject;
  inputs: number;
  pages: number;
  findings: number;
  slowestMs: number;
  /** Its number, by which the run with the same seed makes it again. */
  slowest: number;
  peakBytes: number;
  readonly results: Map<string, number>;
  memory: MemoryLevels | null;
}

export interface Campaign {
  readonly tallies: readonly SubjectTally[];
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
  readonly wantsMore: () => boolean;
  readonly tally: SubjectTally;
  readonly files: MadeFiles;
}

const keep = ({ plan, tally }: State, { number, path, from, recipe }: MadeFile, findings: readonly string[]): void => {
  const name = join(plan.out, `${tally.subject}-seed-${plan.seed}-${number}`);
  copyFileSync(path, `${name}.${formatOf(tally.subject)}`);
  writeFileSync(`${name}.txt`, [...findings, `seed ${plan.seed}, from ${from}`, recipe].join('\n'));
  console.error(`${tally.subject} ${number}: ${findings[0]?.split('\n')[0]}`);
};

const tryOne = async (state: State): Promise<void> => {
  const { tally, plan } = state;
  // A crash of the whole process leaves the file behind.
  const made = await state.files.next();
  const { number, path } = made;
  const started = performance.now();
  const { result, pages, findings } = await exercise(state.runs, path);
  const elapsedMs = performance.now() - started;
  if (elapsedMs > tally.slowestMs) Object.assign(tally, { slowestMs: elapsedMs, slowest: number });
  if (elapsedMs > SLOW_MS) copyFileSync(path, join(plan.out, `slow-${basename(path)}`));
  tally.peakBytes = Math.max(tally.peakBytes, peakBytes());
  tally.inputs += 1;
  tally.pages += pages;
  tally.results.set(result, (tally.results.get(result) ?? 0) + 1);
  tally.findings += findings.length > 0 ? 1 : 0;
  if (findings.length > 0) keep(state, made, findings);
  rmSync(path);
};

const fuzzSubject = async (plan: Plan, runs: Runs, tally: SubjectTally): Promise<void> => {
  const folder = join(plan.out, UNDER_WAY);
  mkdirSync(folder, { recursive: true });
  const until = performance.now() + (plan.minutes * 60_000) / plan.subjects.length;
  let begun = 0;
  const wantsMore = (): boolean => {
    begun += 1;
    return plan.files === null ? performance.now() < until : begun <= plan.files;
  };
  const state = { plan, runs, wantsMore, tally, files: new MadeFiles(tally.subject, plan.seed, folder) };
  const loop = async (): Promise<void> => {
    while (state.wantsMore()) await tryOne(state);
  };
  forgetPeak();
  try {
    await Promise.all(Array.from({ length: THREADS }, loop));
  } finally {
    state.files.close();
  }
};

const emptyTally = (subject: Subject): SubjectTally => ({
  subject,
  inputs: 0,
  pages: 0,
  findings: 0,
  slowestMs: 0,
  slowest: 0,
  peakBytes: 0,
  results: new Map(),
  memory: null,
});

const lineOf = (tallies: readonly SubjectTally[], watch: Watch, threads: number): string => {
  const inputs = tallies.flatMap(({ subject, inputs: count }) => (count === 0 ? [] : `${subject} ${count}`)).join(', ');
  const findings = tallies.reduce((sum, one) => sum + one.findings, 0);
  return `${inputs}; ${findings} findings; ${mb(process.memoryUsage.rss())} MB resident; WASM ${mb(watch.heapBytes)} MB; ${threads} threads`;
};

/** Ends the process: a thread in the middle of an allocation cannot be told to stop. */
const endAboveCeiling = ({ out, ceilingBytes }: Plan): void => {
  const files = readdirSync(join(out, UNDER_WAY));
  for (const file of files) copyFileSync(join(out, UNDER_WAY, file), join(out, `memory-${file}`));
  console.error(
    `More than ${mb(ceilingBytes)} MB of memory while reading ${files.map((file) => join(out, `memory-${file}`)).join(' and ')}`,
  );
  process.exit(1);
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
  const tallies = plan.subjects.map(emptyTally);
  const startBytes = process.memoryUsage.rss();
  let minute = 0;
  const timer = setInterval(() => {
    minute += 1;
    console.log(`${minute} min: ${lineOf(tallies, watch, pool.load().threads)}`);
  }, 60_000);
  const ceiling = watchCeiling(plan.ceilingBytes, () => endAboveCeiling(plan));
  const runs: Runs = (name, input) => pool.run(name, input, { lane: 'interactive' });
  try {
    for (const tally of tallies) {
      const part = watch.samples.length;
      await fuzzSubject(plan, runs, tally);
      tally.memory = levelsOf(watch.samples.slice(part));
    }
    const endBytes = process.memoryUsage.rss();
    return { tallies, startBytes, endBytes, heapBytes: watch.heapBytes, threadsEnded, traps: watch.trapped.size };
  } finally {
    clearInterval(timer);
    ceiling.close();
    watch.close();
    await pool.close();
  }
};
