// Load on one address with a fixed number of connections: wrk if installed, else a small client of our own.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has } from './measure.js';

export interface Load {
  readonly perSecond: number;
  /** 99th percentile of the request time, in milliseconds. */
  readonly p99Ms: number;
}

const output = (command: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
    });
    child.once('error', reject);
    child.once('exit', () => resolve(text));
  });

const MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

/** Asks for one path after the other. */
const scriptOf = (paths: readonly string[]): string =>
  `local paths = {${paths.map((path) => JSON.stringify(path)).join()}}
local at = 0
request = function() at = at % #paths + 1 return wrk.format(nil, paths[at]) end`;

const wrk = async (
  url: string,
  headers: readonly string[],
  connections: number,
  seconds: number,
  paths: readonly string[] = [],
): Promise<Load> => {
  const script = join(tmpdir(), `longbox-wrk-${process.pid}.lua`);
  if (paths.length > 0) writeFileSync(script, scriptOf(paths));
  const pinned = has('taskset') ? ['taskset', '-c', '1'] : [];
  const [command = 'wrk', ...args] = [
    ...pinned,
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...headers.flatMap((header) => ['-H', header]),
    ...(paths.length > 0 ? ['-s', script] : []),
    url,
  ];
  const text = await output(command, args);
  const [, amount = 'NaN', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1];
  if (failed !== undefined) throw new Error(`${failed} failed answers from ${url}`);
  return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]), p99Ms: Number(amount) * (MS[unit] ?? 1) };
};

const own = async (
  url: string,
  headers: readonly string[],
  connections: number,
  seconds: number,
  paths: readonly string[] = [],
): Promise<Load> => {
  let at = 0;
  const next = (): string => {
    at += 1;
    return paths.length === 0 ? url : url + paths[at % paths.length];
  };
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const named = Object.fromEntries(headers.map((header) => header.split(': ', 2)));
      get(next(), { agent, headers: named }, (reply) => {
        reply.resume();
        reply.once('end', () => {
          times.push(performance.now() - started);
          resolve();
        });
      }).once('error', reject);
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) await one();
    }),
  );
  agent.destroy();
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
};

export const load = (url: string, headers: readonly string[], connections: number, seconds: number): Promise<Load> =>
  (has('wrk') ? wrk : own)(url, headers, connections, seconds);

/** The same over many paths below an address, one after the other. */
export const loadMany = (
  origin: string,
  paths: readonly string[],
  headers: readonly string[],
  connections: number,
  seconds: number,
): Promise<Load> => (has('wrk') ? wrk : own)(origin, headers, connections, seconds, paths);

/**
 * Readers who turn pages at a steady pace, however fast the answers are. Returns the 99th percentile of their waiting time, in
 * milliseconds.
 */
export const pacedP99 = async (
  url: string,
  token: string,
  readers: number,
  everyMs: number,
  seconds: number,
): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: readers * 4 });
  const times: number[] = [];
  const turn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
        reply.resume();
        reply.once('end', () => {
          times.push(performance.now() - started);
          resolve();
        });
      }).once('error', reject);
    });
  const pending: Promise<void>[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    for (let reader = 0; reader < readers; reader += 1) pending.push(turn());
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all(pending);
  agent.destroy();
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
};
