// What legitimate users notice of an attack: a process of readers in the large run, a few requests on fresh connections in the small one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../app.js';
import { type Asked, inWords } from './ask.js';
import type { Scene } from './kind.js';
import { PAGES } from './library.js';
import type { Met } from './readers.js';
import type { Target } from './target.js';

const READERS = fileURLToPath(new URL('./readers.js', import.meta.url));
const COUNT = 8;
const EVERY_MS = 25;
/** Highest acceptable p99 latency for a legitimate reader. */
const P99_MS = 100;

/** Typical requests: original pages, resized pages, covers, lists. */
export const honestPaths = async (target: Target): Promise<readonly string[]> => {
  const books = (await target.books()).filter(({ pageCount }) => pageCount === PAGES);
  const ofBooks = books.flatMap(({ id }) => [
    `/books/${id}/pages/1`,
    `/books/${id}/pages/2`,
    `/books/${id}/pages/3?width=200`,
    `/books/${id}/pages/4`,
    `/books/${id}/thumbnail`,
  ]);
  return ['/books?pageSize=50', '/series?pageSize=50', '/auth/me', ...ofBooks];
};

/** One request after the other, each on its own connection. */
const inTurn = async (target: Target, paths: readonly string[]): Promise<Asked[]> => {
  const answers: Asked[] = [];
  for (const path of paths) answers.push(await target.api(path));
  return answers;
};

const few = async ({ report }: Scene, target: Target, what: string, attack: () => Promise<void>): Promise<void> => {
  const paths = (await honestPaths(target)).slice(0, 8);
  await inTurn(target, paths);
  await attack();
  const answers = await inTurn(target, paths);
  const bad = answers.filter(({ status }) => status !== 200);
  report.judge(
    bad.length === 0,
    `${what}: legitimate readers were served`,
    `${what}: legitimate readers met ${inWords(bad)}`,
  );
};

const many = async ({ report }: Scene, target: Target, what: string, attack: () => Promise<void>): Promise<void> => {
  const paths = (await honestPaths(target)).map((path) => `/api/v1${path}`);
  await inTurn(target, await honestPaths(target));
  const plan = { address: target.program.address, token: target.token, paths, readers: COUNT, everyMs: EVERY_MS };
  const child = spawn(process.execPath, [READERS, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  const ended = once(child, 'close');
  await until('the readers read', () => printed.includes('\n'));
  try {
    await attack();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  const { answers, failures, p50Ms, p99Ms } = JSON.parse(printed.slice(printed.indexOf('\n'))) as Met;
  const words = Object.entries(failures).map(([word, count]) => `${count} × ${word}`);
  const waited = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms over ${answers} requests`;
  (p99Ms < P99_MS ? report.held : report.late).push(`${what}: legitimate readers waited ${waited}`);
  if (words.length > 0) report.losses.push(`${what}: legitimate readers met ${words.join(', ')}`);
};

/** Runs the attack while legitimate users read. */
export const amongReaders = (scene: Scene, target: Target, what: string, attack: () => Promise<void>): Promise<void> =>
  (scene.isLarge ? many : few)(scene, target, what, attack);
