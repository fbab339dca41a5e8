// Runs every *.test.js below this folder (or those whose path contains a given word) and ends with "N passed, N failed".
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';

// uvu starts by itself unless told that someone else will; its queue then needs its first group.
Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: [[null]] });
const { runAll, tally } = await import('./kit.js');

// Random tests try the same things each time, so that a run that fails fails again; another seed tries others.
fc.configureGlobal({ seed: Number(process.env.LONGBOX_TEST_SEED ?? 20261121) });

const here = fileURLToPath(new URL('.', import.meta.url));
const words = process.argv.slice(2);
const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();

/** Blocks that take longer are named at the end. */
const SLOW_S = 10;
const faults: string[] = [];
for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (thrown: unknown) =>
    faults.push(`${event}: nothing handled ${thrown instanceof Error ? thrown.stack : String(thrown)}`),
  );
for (const file of files) {
  const before = tally.blocks;
  try {
    await import(pathToFileURL(join(here, file)).href);
    if (tally.blocks === before) faults.push(`${file}: registers no block`);
  } catch (thrown) {
    faults.push(`${file}: does not load: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  }
}

await runAll();
// Rejections are reported after the turn they happen in.
await new Promise((resolve) => setImmediate(resolve));

const slowest = [...tally.seconds].filter(([, seconds]) => seconds >= SLOW_S).sort(([, a], [, b]) => b - a);
for (const [block, seconds] of slowest) console.log(`${Math.round(seconds)} s: ${block}`);
for (const { block, fact, reason } of tally.skipped) console.log(`skipped: ${block}: ${fact} (${reason})`);
for (const fault of faults) console.error(fault);
if (tally.passed + tally.failed === 0) faults.push('no test ran');
const failed = tally.failed + faults.length;
console.log(
  `${tally.passed} passed, ${failed} failed${tally.skipped.length > 0 ? `, ${tally.skipped.length} skipped` : ''}`,
);
process.exit(failed === 0 ? 0 : 1);
