// Upgrades a generated data folder of schema 11 with the current program, and compares its answers with those of the old program: node
// dist/bench/upgrade.js OLD_BUILD FOLDER [BOOKS]. OLD_BUILD is a built checkout of the old version; nothing is written there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { STORED_RULES } from '../core/model/stored-rules.js';
import { databasePath } from '../core/start.js';
import { withConnection } from '../core/store/connection.js';
import { cpuSeconds, peakMb } from './measure.js';
import { startProgram } from './program.js';
import { answersOf, compareAnswers } from './upgrade-answers.js';
import { earlierFolder, oldProgram } from './upgrade-rows.js';

const PROGRAM = fileURLToPath(new URL('../http/longbox.cjs', import.meta.url));
const [build, folder, books = '1000000'] = process.argv.slice(2);
if (build === undefined || folder === undefined) throw new Error('Name the old build and a folder to work in.');

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** Bytes that files occupy on disk; files that vanish meanwhile are ignored. */
const takenBy = (path: string): number => {
  let bytes = 0;
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    bytes += (statSync(join(path, name), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  return bytes;
};

const sizeAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const POLL_MS = 50;

/** Log lines that begin a phase; the next one ends it. */
const PHASES: readonly (readonly [RegExp, string])[] = [
  [/copying the database/, 'copy'],
  [/upgrading the database to (schema \d+)/, ''],
  [/database migrated/, 'opening'],
  [/recomputing after an update/, 'remaking'],
  [/listening on/, 'serving'],
];

const died = async (ended: Promise<unknown[]>): Promise<never> => {
  throw new Error(`the program ended with ${(await ended)[0]}`);
};

const LOOK_MS = 500;

/** Resolves when current rules have made everything stored. */
const allRemade = async (data: string, onRule: (rule: string) => void): Promise<void> => {
  const open = new Map<string, number>(Object.entries(STORED_RULES));
  while (open.size > 0) {
    await sleep(LOOK_MS);
    const rows = await withConnection(databasePath(data), (db) =>
      db.all<{ name: string; number: number }>('SELECT name, number FROM stored_rule').catch(() => []),
    );
    for (const { name, number } of rows) {
      if (open.get(name) !== number) continue;
      open.delete(name);
      onRule(name);
    }
  }
};

interface Peaks {
  folder: number;
  log: number;
}

/** Runs the program on the folder until everything stored is remade. */
const upgrade = async (data: string): Promise<void> => {
  const started = performance.now();
  const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--data', data, '--port', '0', '--host', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { MALLOC_ARENA_MAX: '1', ...process.env, SVC_LOGGING__LEVEL: 'info' },
  });
  const ended = once(child, 'exit');
  const whole: Peaks = { folder: 0, log: 0 };
  let [phase, since, own, used]: [string, number, Peaks, number] = ['start', started, { folder: 0, log: 0 }, 0];
  const timer = setInterval(() => {
    const [taken, log] = [takenBy(data), sizeAt(join(data, 'longbox.db-wal'))];
    for (const peaks of [whole, own])
      Object.assign(peaks, { folder: Math.max(peaks.folder, taken), log: Math.max(peaks.log, log) });
  }, POLL_MS);
  const enter = (next: string): void => {
    const cpu = cpuSeconds(child.pid ?? 0);
    const sizes = own.folder === 0 ? '' : `; log ${megabytes(own.log)}, folder ${megabytes(own.folder)}`;
    say(`  ${phase}: ${seconds(since)}, CPU ${(cpu - used).toFixed(1)} s${sizes}`);
    [phase, since, own, used] = [next, performance.now(), { folder: 0, log: 0 }, cpu];
  };
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      for (const [words, name] of PHASES) {
        const match = words.exec(line);
        if (match !== null) enter(name || (match[1] ?? ''));
      }
      if (line.includes('listening on')) say(`  listening after ${seconds(started)}`);
      if (/ (?:warn|error) /.test(line)) say(`  ${line}`);
    });
  await Promise.race([allRemade(data, (rule) => say(`  ${rule} remade after ${seconds(started)}`)), died(ended)]);
  enter('');
  say(`  everything remade after ${seconds(started)}; memory at most ${peakMb(child.pid ?? 0)} MB`);
  say(`  the folder took at most ${megabytes(whole.folder)}, the log ${megabytes(whole.log)}`);
  clearInterval(timer);
  child.kill('SIGTERM');
  await ended;
};

const source = await earlierFolder(build, join(folder, 'earlier'), Number(books));
say(`${books} books at schema 11: ${megabytes(takenBy(source))}`);
const fresh = (name: string): string => {
  const data = join(folder, name);
  rmSync(data, { recursive: true, force: true });
  cpSync(source, data, { recursive: true });
  return data;
};

const [oldData, newData] = [fresh('old'), fresh('new')];
const old = await (await oldProgram(build)).startProgram(oldData, true);
const oldAnswers = await answersOf(old, oldData);
await old.stop();
rmSync(oldData, { recursive: true });

await upgrade(newData);
say(`afterwards ${megabytes(takenBy(newData))}`);
const now = await startProgram(newData, true);
const { lines, unintended } = compareAnswers(oldAnswers, await answersOf(now, newData));
await now.stop();
rmSync(newData, { recursive: true });
for (const line of lines) say(line);
say(unintended === 0 ? 'nothing else differs' : `${unintended} unintended differences`);
process.exitCode = unintended === 0 ? 0 : 1;
