// Fuzzes the readers of book files for as long as told and says what it found.
//   npm run fuzz -- --minutes N [--seed S] [--format cbz|cbr|epub|pdf] [--out FOLDER]
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Campaign, campaign, type FormatTally, mb, type Plan } from './campaign.js';
import { FORMATS } from './seeds.js';

/** Threads load their libraries and the allocator finds its size in this part of a run. */
const WARM_SHARE = 0.25;
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

const row = ({ format, inputs, pages, findings, slowestMs, results }: FormatTally): string => {
  const kinds = [...results].sort(([, a], [, b]) => b - a).map(([kind, count]) => `${kind} ${count}`);
  return `| ${format} | ${inputs} | ${pages} | ${(slowestMs / 1000).toFixed(1)} s | ${findings} | ${kinds.join(', ')} |`;
};

/** Resident memory at the end beside its level after the warm-up. */
const growthMb = ({ memory }: Campaign, { minutes }: Plan): number => {
  const warm = memory.find(({ minute }) => minute >= minutes * WARM_SHARE) ?? memory[0];
  return mb((memory.at(-1)?.rssBytes ?? 0) - (warm?.rssBytes ?? 0));
};

const report = (found: Campaign, plan: Plan): number => {
  console.log('\n| Format | Inputs | Pages read | Slowest | Findings | Results |\n|---|--:|--:|--:|--:|---|');
  for (const tally of found.tallies) console.log(row(tally));
  const rss = found.memory.map(({ rssBytes }) => mb(rssBytes));
  const growth = growthMb(found, plan);
  console.log(
    `\nResident memory: ${rss[0]} MB at start, ${rss.at(-1)} MB at the end, ${growth} MB more than when warm.`,
  );
  console.log(
    `WASM memory at the end: ${mb(found.memory.at(-1)?.heapBytes ?? 0)} MB. Threads ended: ${found.threadsEnded}, ${found.traps} of them after a trap.`,
  );
  if (growth > GROWTH_MAX_MB) console.log(`Memory grew by more than ${GROWTH_MAX_MB} MB.`);
  const findings = found.tallies.reduce((sum, one) => sum + one.findings, 0);
  if (findings > 0) console.log(`Inputs that failed, and why: ${plan.out}`);
  return findings > 0 || growth > GROWTH_MAX_MB ? 1 : 0;
};

const plan = planOf();
mkdirSync(plan.out, { recursive: true });
console.log(`${plan.minutes} min of ${plan.formats.join(', ')}, seed ${plan.seed}, failures to ${plan.out}`);
const code = report(await campaign(plan), plan);
rmSync(join(plan.out, 'under-way'), { recursive: true, force: true });
process.exit(code);
