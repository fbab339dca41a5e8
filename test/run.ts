// Runs every *.test.js below this folder (or those whose path contains a given word) and ends with "N passed, N failed". Several files at a
// time, each in a process that takes one after the other.
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FileTally } from './run-files.js';
import { staleParts } from './stale-parts.js';

const RUNNER = fileURLToPath(new URL('./run-files.js', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const words = process.argv.slice(2);

const stale = staleParts();
if (stale !== null) {
  console.error(stale);
  process.exit(1);
}

/**
 * These take longest, so they begin first: none of them is left alone at the end. What is named earlier begins earlier. A long run prints
 * its slowest files.
 */
const LONG = ['attack/', 'system/kill', 'scan/unreadable', 'system/full-disks', 'system/', 'scan/'];
const rankOf = (file: string): number => {
  const rank = LONG.findIndex((start) => file.startsWith(start));
  return rank < 0 ? LONG.length : rank;
};
const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));

const tallies = new Map<string, FileTally>();
const wallS = new Map<string, number>();
const waiting = [...files].reverse();

/** What uvu counts for itself after each file. */
const SUMMARY = /\n\n? {2}Total:[\s\S]*?Duration:.*\n/g;

/** What a process printed while it ran a file, so that two files do not mix. */
const startProcess = (): { readonly child: ChildProcess; readonly printed: () => string } => {
  const child = fork(RUNNER, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += String(chunk);
    });
  return {
    child,
    printed: () => {
      const now = text.replaceAll(SUMMARY, '\n');
      text = '';
      return now;
    },
  };
};

const ended = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });

const diedWith = (file: string, reason: string): FileTally => ({
  passed: 0,
  failed: 0,
  skipped: [],
  seconds: [],
  cpuS: 0,
  faults: [`${file}: its process ended (${reason})`],
});

/** Takes file after file, until none is left; a process that dies costs its file and is replaced. */
const runSome = async (): Promise<void> => {
  while (waiting.length > 0) {
    const { child, printed } = startProcess();
    const end = ended(child);
    let isAlive = true;
    while (isAlive) {
      const file = waiting.pop();
      if (file === undefined) break;
      const tally = new Promise<FileTally>((resolve) => {
        child.once('message', (message) => resolve(message as FileTally));
      });
      const beganMs = performance.now();
      child.send(file);
      const found = await Promise.race([tally, end]);
      process.stdout.write(printed());
      isAlive = typeof found !== 'string';
      tallies.set(file, typeof found === 'string' ? diedWith(file, found) : found);
      wallS.set(file, (wallS.get(file) ?? 0) + (performance.now() - beganMs) / 1000);
    }
    if (isAlive) child.disconnect();
    await end;
    process.stdout.write(printed());
  }
};

/**
 * Half as many again as there are cores: a third of its time a file waits for a disk, a deadline or the end of a process. No test judges
 * closely how long something took, and memory is judged by process, so files that wait for a processor only become slower.
 */
const AT_ONCE = Math.ceil(availableParallelism() * 1.5);
await Promise.all(Array.from({ length: Math.min(files.length, AT_ONCE) }, runSome));

/**
 * With LONGBOX_TEST_AGAIN=1, files that failed run once more, alone: on a machine that others use too, a deadline may pass without any
 * fault. What failed only the first time is said at the end. A process that died, a rejection that nothing handled, and many failures have
 * other causes, and are not tried again.
 */
const AGAIN_MAX = 8;
const hasFailed = (file: string): boolean => {
  const { failed, faults } = tallies.get(file) ?? diedWith(file, 'it was not run');
  return failed + faults.length > 0;
};
const isTriedAgain = (file: string): boolean => hasFailed(file) && tallies.get(file)?.faults.length === 0;
const failedFirst = process.env.LONGBOX_TEST_AGAIN === '1' ? files.filter(isTriedAgain) : [];
const again = failedFirst.length <= AGAIN_MAX ? failedFirst : [];
for (const file of again) {
  console.log(`\nagain, alone: ${file}`);
  waiting.push(file);
  await runSome();
}

/** Files and blocks that take longer are named at the end; files with the work of their processes, which says how much of it was waiting. */
const SLOW_S = { file: 20, block: 10 };
const all = [...tallies.values()];
const slowFiles = [...wallS].filter(([, seconds]) => seconds >= SLOW_S.file).sort(([, a], [, b]) => b - a);
for (const [file, seconds] of slowFiles)
  console.log(`${Math.round(seconds)} s, ${Math.round(tallies.get(file)?.cpuS ?? 0)} s of work: ${file}`);
const slowBlocks = all
  .flatMap(({ seconds }) => seconds)
  .filter(([, seconds]) => seconds >= SLOW_S.block)
  .sort(([, a], [, b]) => b - a);
for (const [block, seconds] of slowBlocks) console.log(`${Math.round(seconds)} s: ${block}`);
const skipped = all.flatMap((tally) => tally.skipped);
for (const { block, fact, reason } of skipped) console.log(`skipped: ${block}: ${fact} (${reason})`);
for (const file of again) if (!hasFailed(file)) console.log(`failed beside other tests, passed alone: ${file}`);
const faults = files.flatMap((file) => tallies.get(file)?.faults ?? [`${file}: was not run`]);
const sum = (count: (tally: FileTally) => number): number => all.reduce((total, one) => total + count(one), 0);
console.log(`${Math.round(sum(({ cpuS }) => cpuS))} s of work, ${AT_ONCE} files at a time`);
const passed = sum((tally) => tally.passed);
if (passed + sum((tally) => tally.failed) === 0) faults.push('no test ran');
for (const fault of faults) console.error(fault);
const failed = sum((tally) => tally.failed) + faults.length;
console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);
