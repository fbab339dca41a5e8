// Legitimate requests: one connection each, from any loopback address, with a deadline. A fault is an answer with status 0.

import { type Agent, request } from 'node:http';
import { PATIENCE } from '../kit.js';

export interface Asked {
  /** 0: no answer. */
  readonly status: number;
  readonly bytes: Buffer;
  readonly ms: number;
  readonly header: (name: string) => string;
  /** Why there was no answer; '' when there was one. */
  readonly fault: string;
}

export interface AskOptions {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Source address of the connection. */
  readonly from?: string;
  readonly deadlineMs?: number;
  /** Reuses connections; without it each request opens its own. */
  readonly agent?: Agent;
}

const DEADLINE_MS = 15_000 * PATIENCE;

const headersOf = ({ token, body, headers = {} }: AskOptions): Record<string, string> => ({
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...headers,
});

export const ask = (url: string, options: AskOptions = {}): Promise<Asked> =>
  new Promise((resolve) => {
    const started = performance.now();
    const { method = 'GET', body, from = '127.0.0.1', deadlineMs = DEADLINE_MS, agent = false } = options;
    const chunks: Buffer[] = [];
    const done = (status: number, fault: string, header: Asked['header'] = () => ''): void => {
      clearTimeout(timer);
      resolve({ status, fault, header, bytes: Buffer.concat(chunks), ms: performance.now() - started });
    };
    const asked = request(url, { method, agent, localAddress: from, headers: headersOf(options) }, (reply) => {
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('error', (error) => done(0, error.message));
      reply.once('end', () => done(reply.statusCode ?? 0, '', (name) => String(reply.headers[name] ?? '')));
    });
    const timer = setTimeout(() => asked.destroy(new Error(`no answer in ${deadlineMs} ms`)), deadlineMs);
    asked.once('error', (error) => done(0, error.message));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });

// biome-ignore lint/suspicious/noExplicitAny: an attack names the fields it expects
export const jsonOf = ({ bytes }: Asked): any => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return {}; // no JSON has none of the fields either
  }
};

/** Failures by message and count: `3 × 503, 1 × socket hang up`. */
export const inWords = (answers: readonly Asked[]): string => {
  const counts = new Map<string, number>();
  for (const { status, fault } of answers) {
    const words = status === 0 ? fault : String(status);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => `${count} × ${words}`).join(', ');
};
