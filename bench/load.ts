// Load on one address with a fixed number of connections: wrk if installed, else a small client of our own.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
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

/** What is asked for, over and over. */
export interface Shots {
  /** One after the other, below the address; none asks for the address itself. */
  readonly paths?: readonly string[];
  readonly body?: string;
  /** Adds a parameter that is another one each time, so that no answer is one that was kept. */
  readonly isNew?: boolean;
}

const pathAt = ({ paths = [], isNew = false }: Shots, url: string, turn: number): string => {
  const path = paths.length === 0 ? new URL(url).pathname + new URL(url).search : (paths[turn % paths.length] ?? '');
  return isNew ? `${path}${path.includes('?') ? '&' : '?'}turn=${turn}` : path;
};

const scriptOf = (shots: Shots, url: string): string => {
  const { paths = [], body, isNew = false } = shots;
  const given = paths.length === 0 ? [pathAt({}, url, 0)] : paths;
  const listed = given.map((path) => JSON.stringify(isNew ? `${path}${path.includes('?') ? '&' : '?'}turn=` : path));
  return `local paths = {${listed.join()}}
local turn = 0
request = function()
  turn = turn + 1
  return wrk.format(${body === undefined ? 'nil' : '"POST"'}, paths[turn % #paths + 1]${isNew ? ' .. turn' : ''}, nil, ${body === undefined ? 'nil' : JSON.stringify(body)})
end`;
};

const wrk = async (
  url: string,
  headers: readonly string[],
  connections: number,
  seconds: number,
  shots: Shots = {},
): Promise<Load> => {
  const script = join(tmpdir(), `longbox-wrk-${process.pid}.lua`);
  const isScripted = Object.keys(shots).length > 0;
  if (isScripted) writeFileSync(script, scriptOf(shots, url));
  const pinned = has('taskset') ? ['taskset', '-c', '1'] : [];
  const [command = 'wrk', ...args] = [
    ...pinned,
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    ...headers.flatMap((header) => ['-H', header]),
    ...(isScripted ? ['-s', script] : []),
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
  shots: Shots = {},
): Promise<Load> => {
  let turn = 0;
  const next = (): string => {
    turn += 1;
    return new URL(pathAt(shots, url, turn), url).href;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const named = Object.fromEntries(headers.map((header) => header.split(': ', 2)));
      const method = shots.body === undefined ? 'GET' : 'POST';
      const sent = request(next(), { agent, headers: named, method }, (reply) => {
        reply.resume();
        reply.once('end', () => {
          times.push(performance.now() - started);
          resolve();
        });
      });
      sent.once('error', reject);
      sent.end(shots.body);
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

export const load = (
  url: string,
  headers: readonly string[],
  connections: number,
  seconds: number,
  shots: Shots = {},
): Promise<Load> => (has('wrk') ? wrk : own)(url, headers, connections, seconds, shots);

/** The same over many paths below an address, one after the other. */
export const loadMany = (
  origin: string,
  paths: readonly string[],
  headers: readonly string[],
  connections: number,
  seconds: number,
): Promise<Load> => (has('wrk') ? wrk : own)(origin, headers, connections, seconds, { paths });

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
