// Fuzzes the readers of book files for as long as told and says what it found.
//   npm run fuzz -- --minutes N [--seed S] [--format cbz|cbr|epub|pdf] [--out FOLDER]
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Campaign, campaign, type FormatTally, type Plan } from './campaign.js';
import { mb } from './memory.js';
import { FORMATS } from './seeds.js';

/** Of one format, from when it is warm to its end. */
const GROWTH_MAX_MB = 200;

const planOf = (): Plan => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      format: { type: 'string' },
      out: { type: 'string', default: join(tmpdir(), 'longbox-fuzz') },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed);
  const formats = FORMATS.filter((format) => values.format === undefined || format === values.format);
  if (!(minutes > 0) || !Number.isSafeInteger(seed) || formats.length === 0)
    throw new Error(`--minutes takes a number above 0, --seed a whole number, --format one of ${FORMATS.join(', ')}`);
  return { formats, minutes, seed, out: resolve(values.out) };
};

const growthMb = ({ memory }: FormatTally): number => (memory === null ? 0 : mb(memory.endBytes - memory.warmBytes));

const memoryText = ({ memory }: FormatTally): string =>
  memory === null ? 'too short to tell' : `${mb(memory.warmBytes)}, then ${mb(memory.endBytes)} MB`;

const row = (tally: FormatTally): string => {
  const kinds = [...tally.results].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${kind} ${count}`);
  const slowest = `${(tally.slowestMs / 1000).toFixed(1)} s`;
  return `| ${[tally.format, tally.inputs, tally.pages, slowest, memoryText(tally), tally.findings, kinds.join(', ')].join(' | ')} |`;
};

/** Prints the table; true when all is well. */
const report = ({ tallies, startBytes, endBytes, heapBytes, threadsEnded, traps }: Campaign, out: string): boolean => {
  console.log('\n| Format | Inputs | Pages read | Slowest | Resident when warm, at the end | Findings | Results |');
  console.log('|---|--:|--:|--:|--:|--:|---|');
  for (const tally of tallies) console.log(row(tally));
  console.log(`\nResident memory: ${mb(startBytes)} MB at the start, ${mb(endBytes)} MB at the end.`);
  console.log(
    `WASM memory at the end: ${mb(heapBytes)} MB. Threads ended: ${threadsEnded}, ${traps} of them after a trap.`,
  );
  const grown = tallies.filter((tally) => growthMb(tally) > GROWTH_MAX_MB).map(({ format }) => format);
  if (grown.length > 0) console.log(`Memory grew by more than ${GROWTH_MAX_MB} MB: ${grown.join(', ')}.`);
  const failed = tallies.reduce((sum, one) => sum + one.findings, 0);
  if (failed > 0) console.log(`Inputs that failed, and why: ${out}`);
  return failed === 0 && grown.length === 0;
};

const plan = planOf();
mkdirSync(plan.out, { recursive: true });
console.log(`${plan.minutes} min of ${plan.formats.join(', ')}, seed ${plan.seed}, failures to ${plan.out}`);
const isWell = report(await campaign(plan), plan.out);
rmSync(join(plan.out, 'under-way'), { recursive: true, force: true });
process.exit(isWell ? 0 : 1);
