// Runs the test files whose names it is sent, one after the other, and tells after each how it went. Started by run.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type { Skipped } from './kit.js';

/** How one file went. */
export interface FileTally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skipped[];
  readonly seconds: readonly (readonly [block: string, seconds: number])[];
  /** Work of this process and of those it started. */
  readonly cpuS: number;
  /** What no single test failed by: a file that does not load, a rejection that nothing handled. */
  readonly faults: readonly string[];
}

/** uvu starts by itself unless told that someone else will; its queue then needs its first group. */
const emptyQueue = (): void => void Object.assign(globalThis, { UVU_DEFER: 1, UVU_QUEUE: [[null]] });
emptyQueue();
const { runAll, tally } = await import('./kit.js');
const { missed } = await import('./feed-check.js');
const { leaks, programs, watchFetch } = await import('./secret-watch.js');
watchFetch();

// Random tests try the same things each time, so that a run that fails fails again; another seed tries others.
fc.configureGlobal({ seed: Number(process.env.LONGBOX_TEST_SEED ?? 20261121) });

const here = fileURLToPath(new URL('.', import.meta.url));
const words = (thrown: unknown): string => String(thrown instanceof Error ? thrown.stack : thrown);

let faults: string[] = [];
for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (thrown: unknown) => faults.push(`${event}: nothing handled ${words(thrown)}`));

/** CPU seconds of this process and of the processes it started, once they have ended; those only on Linux. */
const cpuS = (): number => {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== 'linux') return own;
  // Fields 16 and 17, in ticks of 10 ms; the second field ends with the last bracket.
  const [childUser, childSystem] = (readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1) ?? '')
    .split(' ')
    .slice(13);
  return own + (Number(childUser) + Number(childSystem)) / 100;
};

/** For programs that a test told to end, and did not wait for. */
const ENDING_MS = 20_000;

const programsEnded = async (): Promise<readonly string[]> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ENDING_MS);
  });
  await Promise.race([Promise.allSettled(programs), late]);
  clearTimeout(timer);
  const running = programs.size;
  programs.clear();
  return running === 0 ? [] : [`${running} programs that it started are still running`];
};

const runFile = async (file: string): Promise<FileTally> => {
  faults = [];
  const cpuBefore = cpuS();
  Object.assign(tally, { blocks: 0, passed: 0, failed: 0, skipped: [], seconds: new Map() });
  emptyQueue();
  try {
    await import(pathToFileURL(join(here, file)).href);
    if (tally.blocks === 0) faults.push(`${file}: registers no block`);
  } catch (thrown) {
    faults.push(`${file}: does not load: ${words(thrown)}`);
  }
  await runAll();
  faults.push(...(await programsEnded()).map((fault) => `${file}: ${fault}`));
  // Rejections are reported after the turn they happen in.
  await new Promise((resolve) => setImmediate(resolve));
  faults.push(...missed.splice(0), ...leaks.splice(0).map((leak) => `${file}: ${leak}`));
  const { passed, failed, skipped, seconds } = tally;
  return { passed, failed, skipped, seconds: [...seconds], cpuS: cpuS() - cpuBefore, faults };
};

process.on('message', (file: string) => {
  void runFile(file).then((found) => process.send?.(found));
});
process.on('disconnect', () => process.exit(0));
