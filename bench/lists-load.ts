// Callers that send one request after the other: each waits for its answer before the next. Records the times of all answers.
import { Agent, request } from 'node:http';
import type { Case, Names } from './lists-cases.js';
import { askProbe } from './probe.js';
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
  /** One for each user; callers cycle through them. */
  readonly tokens: readonly string[];
  readonly names: Names;
}

const AGENT = new Agent({ keepAlive: true, maxSockets: 256 });

/** Before requests that follow a pause: the server may be closing the connections that were idle in it. */
export const closeConnections = (): void => AGENT.destroy();

let asked = 0;

/** Another address each time, so that no answer is one that was kept. */
const isNew = (path: string): string => {
  asked += 1;
  return `${path}${path.includes('?') ? '&' : '?'}turn=${asked}`;
};

/** Milliseconds until the last byte of one answer, which is made for this request. */
export const ask = ({ program, tokens, names }: Served, one: Case, turn: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { method, prefix = '/api/v1', path, body } = one.ask(names, turn);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${tokens[turn % tokens.length]}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const started = performance.now();
    const sent = request(
      { host: '127.0.0.1', port: program.port, path: prefix + isNew(path), method, headers, agent: AGENT },
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

/** `count` answers, requested by that many concurrent callers. */
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

/** The event-loop delay of the program since the last call, as measured by loop-probe.ts inside it. */
export const loopDelay = async ({ program }: Served, file: string): Promise<LoopDelay> =>
  JSON.parse(await askProbe(program.pid, file)) as LoopDelay;
