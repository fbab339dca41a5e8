// Fuzzes the readers of book files and says what it found.
//   npm run fuzz -- (--minutes N | --files N) [--seed S] [--format cbz,cbr,png,…] [--ceiling MB] [--out FOLDER]
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Campaign, campaign, type Plan, type SubjectTally, UNDER_WAY } from './campaign.js';
import { mb } from './memory.js';
import { SUBJECTS } from './seeds.js';

/** Of one format, from when it is warm to its end. */
const GROWTH_MAX_MB = 200;

const USAGE = `--minutes and --ceiling take a number above 0, --files and --seed a whole number, --format some of ${SUBJECTS.join(',')}`;

const planOf = (): Plan => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      files: { type: 'string' },
      seed: { type: 'string', default: '1' },
      format: { type: 'string' },
      ceiling: { type: 'string', default: '512' },
      out: { type: 'string', default: join(tmpdir(), 'longbox-fuzz') },
    },
  });
  const [minutes, seed, ceiling] = [Number(values.minutes), Number(values.seed), Number(values.ceiling)];
  const files = values.files === undefined ? null : Number(values.files);
  const words = values.format?.split(',');
  const subjects = SUBJECTS.filter((subject) => words === undefined || words.includes(subject));
  const isWhole = Number.isSafeInteger(seed) && (files === null || (Number.isSafeInteger(files) && files > 0));
  if (!(minutes > 0) || !(ceiling > 0) || !isWhole || subjects.length < (words?.length ?? 1)) throw new Error(USAGE);
  return { subjects, files, minutes, seed, ceilingBytes: ceiling * 2 ** 20, out: resolve(values.out) };
};

const growthMb = ({ memory }: SubjectTally): number => (memory === null ? 0 : mb(memory.endBytes - memory.warmBytes));

const memoryText = ({ memory }: SubjectTally): string =>
  memory === null ? 'too short to tell' : `${mb(memory.warmBytes)}, then ${mb(memory.endBytes)} MB`;

const row = (tally: SubjectTally): string => {
  const kinds = [...tally.results].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${kind} ${count}`);
  const slowest = `${(tally.slowestMs / 1000).toFixed(1)} s (${tally.slowest})`;
  return `| ${[tally.subject, tally.inputs, tally.pages, slowest, `${mb(tally.peakBytes)} MB`, memoryText(tally), tally.findings, kinds.join(', ')].join(' | ')} |`;
};

/** Prints the table; true when all is well. */
const report = ({ tallies, startBytes, endBytes, heapBytes, threadsEnded, traps }: Campaign, out: string): boolean => {
  console.log(
    '\n| Format | Files | Pages read | Slowest (its number) | Peak | Resident when warm, at the end | Findings | Results |',
  );
  console.log('|---|--:|--:|--:|--:|--:|--:|---|');
  for (const tally of tallies) console.log(row(tally));
  console.log(`\nResident memory: ${mb(startBytes)} MB at the start, ${mb(endBytes)} MB at the end.`);
  console.log(
    `WASM memory at the end: ${mb(heapBytes)} MB. Threads ended: ${threadsEnded}, ${traps} of them after a trap.`,
  );
  const grown = tallies.filter((tally) => growthMb(tally) > GROWTH_MAX_MB).map(({ subject }) => subject);
  if (grown.length > 0) console.log(`Memory grew by more than ${GROWTH_MAX_MB} MB: ${grown.join(', ')}.`);
  const failed = tallies.reduce((sum, one) => sum + one.findings, 0);
  if (failed > 0) console.log(`Inputs that failed, and why: ${out}`);
  return failed === 0 && grown.length === 0;
};

const plan = planOf();
mkdirSync(plan.out, { recursive: true });
const length = plan.files === null ? `${plan.minutes} min` : `${plan.files} files each`;
console.log(`${length} of ${plan.subjects.join(', ')}, seed ${plan.seed}, failures to ${plan.out}`);
const isWell = report(await campaign(plan), plan.out);
rmSync(join(plan.out, UNDER_WAY), { recursive: true, force: true });
process.exit(isWell ? 0 : 1);
