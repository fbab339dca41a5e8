// The bench: runs every suite in its own process and prints a table, with every figure next to its limit from the same run.
//   npm run bench -- [--quick] [--strict] [--json FILE] [--update-baseline] [SUITE…]
// tinybench is imported only by bench/steps.bench.ts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Line, Suite } from './measure.js';

const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  steps: async () => (await import('./steps.bench.js')).steps,
  pages: async () => (await import('./pages.bench.js')).pages,
  resize: async () => (await import('./resize.bench.js')).resize,
  cached: async () => (await import('./cached.bench.js')).cached,
  turning: async () => (await import('./turning.bench.js')).turning,
  readers: async () => (await import('./readers.bench.js')).readers,
  scan: async () => (await import('./scan.bench.js')).scans,
  memory: async () => (await import('./memory.bench.js')).memory,
  lists: async () => (await import('./lists.bench.js')).lists,
  asked: async () => (await import('./asked.bench.js')).asked,
  unread: async () => (await import('./unread.bench.js')).unread,
  formats: async () => (await import('./formats.bench.js')).formats,
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BASELINE = join(ROOT, 'bench', 'baseline.json');
const FOLDER = process.env.LONGBOX_BENCH_DIR ?? join(ROOT, 'bench', 'out');
/** A ratio that is worse than the accepted one by more than this share fails a strict run. */
const WORSE = 0.25;

interface Report {
  readonly date: string;
  readonly machine: string;
  readonly quick: boolean;
  readonly lines: readonly Line[];
}

const machine = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;

const targetText = ({ target, limit }: Line): string =>
  target === null ? limit : `${target.kind === 'min' ? '≥' : '≤'} ${target.value}`;
const metText = ({ met }: Line): string => (met === null ? '–' : met ? 'yes' : '**no**');

const table = ({ lines }: Report): string =>
  [
    '| Work | Baseline | Ours | Baseline result | Ratio | Target | Met |',
    '|---|---|--:|--:|--:|--:|---|',
    ...lines.map(
      (line) =>
        `| ${line.work} | ${line.target === null ? '–' : line.limit} | ${line.ours} | ${line.bare} | ${line.ratio ?? ''} | ${targetText(line)} | ${metText(line)}${line.note === '' ? '' : ` (${line.note})`} |`,
    ),
  ].join('\n');

/** Lines whose ratio moved the wrong way by more than a quarter. */
const worsened = (report: Report, baseline: Report): string[] =>
  report.lines.flatMap((line) => {
    const before = baseline.lines.find(({ id }) => id === line.id)?.ratio;
    if (before === undefined || before === null || line.ratio === null || line.target === null) return [];
    const change = line.target.kind === 'min' ? before / line.ratio - 1 : line.ratio / before - 1;
    return change > WORSE ? [`${line.id}: ${before} -> ${line.ratio}`] : [];
  });

/** Runs one suite in this process; its lines go to a file. */
const runSuite = async (name: string, quick: boolean, out: string): Promise<void> => {
  const suite = await SUITES[name]?.();
  if (suite === undefined) throw new Error(`there is no suite ${name}; there are ${Object.keys(SUITES).join(', ')}`);
  writeFileSync(out, JSON.stringify(await suite({ quick, folder: FOLDER })));
};

const spawnSuite = (name: string, quick: boolean): readonly Line[] => {
  const out = join(FOLDER, `${name}.result.json`);
  rmSync(out, { force: true });
  process.stderr.write(`suite ${name}\n`);
  const args = [fileURLToPath(import.meta.url), '--suite', name, '--out', out, ...(quick ? ['--quick'] : [])];
  const { status } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: String(cpus().length + 10) },
  });
  if (status !== 0 || !existsSync(out)) throw new Error(`the suite ${name} failed`);
  return JSON.parse(readFileSync(out, 'utf8')) as Line[];
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    json: { type: 'string' },
    'update-baseline': { type: 'boolean', default: false },
    suite: { type: 'string' },
    out: { type: 'string', default: '' },
  },
});

mkdirSync(FOLDER, { recursive: true });
if (values.suite !== undefined) {
  await runSuite(values.suite, values.quick, values.out);
  process.exit(0);
}
const names = positionals.length > 0 ? positionals : Object.keys(SUITES);
const lines = names.flatMap((name) => spawnSuite(name, values.quick));
const report: Report = { date: new Date().toISOString().slice(0, 10), machine: machine(), quick: values.quick, lines };
console.log(`${report.date}, ${report.machine}\n\n${table(report)}`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report, null, 2));
if (values['update-baseline']) writeFileSync(BASELINE, `${JSON.stringify(report, null, 2)}\n`);
const worse = existsSync(BASELINE) ? worsened(report, JSON.parse(readFileSync(BASELINE, 'utf8')) as Report) : [];
for (const line of worse) console.log(`worse than the baseline: ${line}`);
if (values.strict && worse.length > 0) process.exitCode = 1;
