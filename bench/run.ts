// The bench: runs every suite in its own process and prints a table, with every figure next to its limit from the same run.
//   npm run bench -- [--quick] [--strict] [--results] [--json FILE | --from FILE] [SUITE…]
// --results keeps the run in bench/RESULTS.md; --from takes the runs of a --json file instead of measuring.
// tinybench is imported only by bench/steps.bench.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Line, round, type Suite } from './measure.js';
import { keep, keptRuns, type Run, table, worsened } from './results.js';

const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  steps: async () => (await import('./steps.bench.js')).steps,
  pages: async () => (await import('./pages.bench.js')).pages,
  resize: async () => (await import('./resize.bench.js')).resize,
  cached: async () => (await import('./cached.bench.js')).cached,
  turning: async () => (await import('./turning.bench.js')).turning,
  readers: async () => (await import('./readers.bench.js')).readers,
  scan: async () => (await import('./scan.bench.js')).scans,
  memory: async () => (await import('./memory.bench.js')).memory,
  idle: async () => (await import('./idle.bench.js')).idle,
  lists: async () => (await import('./lists.bench.js')).lists,
  asked: async () => (await import('./asked.bench.js')).asked,
  unread: async () => (await import('./unread.bench.js')).unread,
  surfaces: async () => (await import('./surfaces.bench.js')).surfaces,
  client: async () => (await import('./client.bench.js')).client,
  formats: async () => (await import('./formats.bench.js')).formats,
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KEPT = join(ROOT, 'bench');
const FOLDER = process.env.LONGBOX_BENCH_DIR ?? join(ROOT, 'bench', 'out');

const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;

const git = (...args: readonly string[]): string =>
  spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? '';

/** What a measurement depends on; the results of the suites before this one are not part of it. */
const MEASURED = [
  'core',
  'http',
  'workers',
  'bench',
  'package-lock.json',
  ':!bench/results.json',
  ':!bench/RESULTS.md',
];

const commit = (): string => {
  const changes = git('status', '--porcelain', '--', ...MEASURED);
  return `${git('rev-parse', '--short', 'HEAD') || 'unknown'}${changes === '' ? '' : ' with changes'}`;
};

/** Runs one suite in this process; its lines go to a file. */
const runSuite = async (name: string, quick: boolean, out: string): Promise<void> => {
  const suite = await SUITES[name]?.();
  if (suite === undefined) throw new Error(`there is no suite ${name}; there are ${Object.keys(SUITES).join(', ')}`);
  writeFileSync(out, JSON.stringify(await suite({ quick, folder: FOLDER })));
};

const measured = (suite: string, quick: boolean): Run => {
  const out = join(FOLDER, `${suite}.result.json`);
  rmSync(out, { force: true });
  process.stderr.write(`suite ${suite}\n`);
  const load = round(loadavg()[0] ?? Number.NaN, 1);
  const args = [fileURLToPath(import.meta.url), '--suite', suite, '--out', out, ...(quick ? ['--quick'] : [])];
  const { status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: String(cpus().length + 10) },
  });
  if (status !== 0 || !existsSync(out)) throw new Error(`the suite ${suite} failed`);
  const lines = JSON.parse(readFileSync(out, 'utf8')) as Line[];
  const date = new Date().toISOString().slice(0, 10);
  return { suite, date, machine: machine(), commit: commit(), load, quick, lines };
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    results: { type: 'boolean', default: false },
    json: { type: 'string' },
    from: { type: 'string' },
    suite: { type: 'string' },
    out: { type: 'string', default: '' },
  },
});

/** Measured one after the other, or read from a file. */
function* runsOf(names: readonly string[]): Generator<Run> {
  if (values.from === undefined) for (const name of names) yield measured(name, values.quick);
  else
    for (const run of JSON.parse(readFileSync(values.from, 'utf8')) as Run[]) if (names.includes(run.suite)) yield run;
}

mkdirSync(FOLDER, { recursive: true });
if (values.suite !== undefined) {
  await runSuite(values.suite, values.quick, values.out);
  process.exit(0);
}
const suites = Object.keys(SUITES);
const runs: Run[] = [];
for (const run of runsOf(positionals.length > 0 ? positionals : suites)) {
  runs.push(run);
  console.log(`${run.suite}, ${run.date}, ${run.commit}, ${run.machine}\n\n${table(run.lines)}\n`);
  const worse = worsened(keptRuns(KEPT), run);
  for (const line of worse) console.log(`worse than the kept run: ${line}`);
  if (values.strict && worse.length > 0) process.exitCode = 1;
  if (values.results) keep(KEPT, run, suites);
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(runs, null, 2));
