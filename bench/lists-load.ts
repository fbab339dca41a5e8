// Callers of one address after the other: each waits for its answer before it asks again. Times of all answers, and what they say.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Case, Names } from './lists-cases.js';
import type { Running } from './program.js';

export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly all: readonly number[];
}

export const timesOf = (values: readonly number[]): Times => {
  const all = [...values].sort((a, b) => a - b);
  const at = (share: number): number => all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), all };
};

export interface Served {
  readonly program: Running;
  /** One for each user; callers take them in turn. */
  readonly tokens: readonly string[];
  readonly names: Names;
}

const AGENT = new Agent({ keepAlive: true, maxSockets: 256 });

/** Milliseconds until the last byte of one answer. */
export const ask = ({ program, tokens, names }: Served, one: Case, turn: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { method, path, body } = one.ask(names, turn);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${tokens[turn % tokens.length]}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const started = performance.now();
    const sent = request(
      { host: '127.0.0.1', port: program.port, path: `/api/v1${path}`, method, headers, agent: AGENT },
      (reply) => {
        reply.resume();
        reply.once('end', () => {
          if ((reply.statusCode ?? 500) >= 300) reject(new Error(`${reply.statusCode} from ${method} ${path}`));
          else resolve(performance.now() - started);
        });
      },
    );
    sent.once('error', reject);
    sent.end(text);
  });

/** `count` answers, by so many callers at once. */
export const measure = async (served: Served, one: Case, callers: number, count: number): Promise<number[]> => {
  const times: number[] = [];
  let turn = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (turn < count) {
        turn += 1;
        times.push(await ask(served, one, turn));
      }
    }),
  );
  return times;
};

export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How late the program's event loop was since the last time this was asked, by loop-probe.ts in it. */
export const loopDelay = async ({ program }: Served, file: string): Promise<LoopDelay> => {
  rmSync(file, { force: true });
  process.kill(program.pid, 'SIGUSR2');
  for (let wait = 0; wait < 500 && !existsSync(file); wait += 1) await new Promise((done) => setTimeout(done, 10));
  return JSON.parse(readFileSync(file, 'utf8')) as LoopDelay;
};
