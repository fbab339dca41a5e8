// Compares this checkout with another one that is built beside it: suite by suite, the two in turn, and for each line the ratio of the
// pairs with its 95 % interval. Above 1 is worse, whatever the unit.
//   npm run bench:compare -- OTHER [--pairs 10] [--full] [SUITE…]
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Line } from './measure.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SUITES = ['steps', 'pages', 'resize', 'scan', 'memory', 'lists', 'formats'];

/** Two-sided 95 % quantiles of Student's t by degrees of freedom; beyond the table it is close to the normal one. */
const T95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13];

const linesOf = (root: string, suite: string, full: boolean): readonly Line[] => {
  const folder = join(root, 'bench', 'out');
  mkdirSync(folder, { recursive: true });
  const out = join(folder, `compare-${suite}.json`);
  const args = [join(root, 'dist', 'bench', 'run.js'), '--suite', suite, '--out', out, ...(full ? [] : ['--quick'])];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: String(cpus().length + 4) },
  });
  if (status !== 0) throw new Error(`the suite ${suite} failed in ${root}`);
  return JSON.parse(readFileSync(out, 'utf8')) as Line[];
};

/** The first figure of a line as a cost: rates are turned over. Undefined where there is none. */
const costOf = ({ ours }: Line): number | undefined => {
  const [, number, unit] = /^([\d.]+)\s*(.*)$/.exec(ours) ?? [];
  const value = Number(number);
  if (!(value > 0)) return undefined;
  return /\/(?:CPU )?s\b/.test(unit ?? '') ? 1 / value : value;
};

/** Mean and interval of the logarithms, told as ratios. */
const intervalOf = (
  ratios: readonly number[],
): { readonly middle: number; readonly low: number; readonly high: number } => {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
  const variance = logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, logs.length - 1);
  const reach = (T95[logs.length - 2] ?? 2.05) * Math.sqrt(variance / logs.length);
  return { middle: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
};

interface Seen {
  readonly work: string;
  readonly ours: number[];
  readonly theirs: number[];
}

const rowsOf = (seen: ReadonlyMap<string, Seen>): string[] =>
  [...seen.values()]
    .filter(({ ours, theirs }) => ours.length === theirs.length && ours.length > 1)
    .map(({ work, ours, theirs }) => {
      const { middle, low, high } = intervalOf(ours.map((cost, at) => cost / (theirs[at] ?? Number.NaN)));
      return `| ${work} | ${middle.toFixed(3)} | ${low.toFixed(3)} – ${high.toFixed(3)} | ${ours.length} |`;
    });

/** After each pair stderr has the table so far: a suite takes minutes a pair. */
const compareSuite = (other: string, suite: string, pairs: number, full: boolean): string[] => {
  const seen = new Map<string, Seen>();
  const note = (side: 'ours' | 'theirs', lines: readonly Line[]): void => {
    for (const line of lines) {
      const cost = costOf(line);
      if (cost === undefined) continue;
      const entry = seen.get(line.id) ?? { work: line.work, ours: [], theirs: [] };
      entry[side].push(cost);
      seen.set(line.id, entry);
    }
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    process.stderr.write(`${suite}: pair ${pair + 1} of ${pairs}\n`);
    const [first, second] = pair % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const side of [first, second]) note(side, linesOf(side === 'ours' ? ROOT : other, suite, full));
    for (const row of rowsOf(seen)) process.stderr.write(`${row}\n`);
  }
  return rowsOf(seen);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: 'string', default: '10' }, full: { type: 'boolean', default: false } },
});
const [other, ...suites] = positionals;
const unknown = suites.filter((suite) => !SUITES.includes(suite));
if (other === undefined || unknown.length > 0) {
  console.error(`usage: npm run bench:compare -- OTHER_CHECKOUT [--pairs 10] [--full] [${SUITES.join(' ')}]`);
  process.exit(2);
}
console.log('| Work | Cost, ours to theirs | 95 % interval | Pairs |\n|---|--:|--:|--:|');
for (const suite of suites.length > 0 ? suites : SUITES)
  for (const row of compareSuite(resolve(other), suite, Number(values.pairs), values.full)) console.log(row);
