// Compares this checkout with another built one: suite by suite, alternating between the two. Prints for each line the ratio of the pairs
// with its 95 % interval. Above 1 is worse, whatever the unit.
//   npm run bench:compare -- OTHER [--pairs 10] [--full] [SUITE…]
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Costs, rowsOf, TABLE_HEAD } from './interval.js';
import type { Line } from './measure.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SUITES = ['steps', 'pages', 'resize', 'scan', 'memory', 'lists', 'formats'];

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

/** The first figure of a line as a cost: rates are inverted. Undefined where there is none. */
const costOf = ({ ours }: Line): number | undefined => {
  const [, number, unit] = /^([\d.]+)\s*(.*)$/.exec(ours) ?? [];
  const value = Number(number);
  if (!(value > 0)) return undefined;
  return /\/(?:CPU )?s\b/.test(unit ?? '') ? 1 / value : value;
};

/** Prints the table so far to stderr after each pair: a pair of a suite takes minutes. */
const compareSuite = (other: string, suite: string, pairs: number, full: boolean): string[] => {
  const seen = new Map<string, Costs>();
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
    for (const row of rowsOf(seen.values())) process.stderr.write(`${row}\n`);
  }
  return rowsOf(seen.values());
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
console.log(TABLE_HEAD);
for (const suite of suites.length > 0 ? suites : SUITES)
  for (const row of compareSuite(resolve(other), suite, Number(values.pairs), values.full)) console.log(row);
