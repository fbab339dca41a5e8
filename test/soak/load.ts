// Everything that users do and everything that goes wrong, all at the same time: each kind has lanes of its own, and no lane waits for another.
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { writeBook } from '../app.js';
import { type House, OWNER, PAGES } from '../drills/house.js';

export type Random = (below: number) => number;

export interface Turn {
  readonly house: House;
  readonly random: Random;
  /** Which lane of its kind. */
  readonly lane: number;
  /** How many turns the lane had before. */
  readonly n: number;
  /** Ids of books whose pages are worth resizing. */
  readonly large: readonly string[];
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
}

export interface Kind {
  readonly lanes: number;
  /** Of a lane between two turns, on average. */
  readonly pauseMs: number;
  /** Fails on an answer that nobody should get. Resolves to how long it took, where that is not how long it ran. */
  readonly run: (turn: Turn) => Promise<number | undefined>;
}

const ANSWER_MS = 60_000;

const one = (of: readonly string[], random: Random): string => of[random(of.length)] ?? '';

/** Those of a lane alone: two lanes that write the same would not know whose value is the last. */
const own = (of: readonly string[], { lane, random }: Turn, lanes: number): string =>
  one(
    of.filter((_, index) => index % lanes === lane),
    random,
  );

const expects = async (
  { house }: Turn,
  allowed: readonly number[],
  method: string,
  path: string,
  body?: unknown,
): Promise<undefined> => {
  const { status } = await house.ask(method, path, body);
  if (!allowed.includes(status)) throw new Error(`${method} ${path} answered ${status}`);
};

const bytes = async ({ house }: Turn, path: string): Promise<undefined> => {
  const answer = await house.fetch(path, AbortSignal.timeout(ANSWER_MS));
  const { byteLength } = await answer.arrayBuffer();
  if (answer.status !== 200 || byteLength === 0) throw new Error(`GET ${path} answered ${answer.status}`);
};

const wrote = async ({ house }: Turn, name: string, value: string): Promise<undefined> => {
  if (!(await house.write(name, value))) throw new Error(`${name} was not stored`);
};

const scan = async (turn: Turn): Promise<undefined> => {
  const { house, n } = turn;
  const book = join(house.shelf, 'Comes and goes', `Book ${n % 5}.cbz`);
  if (n % 3 === 0) rmSync(book, { force: true });
  else writeBook(book, 3, `${n}`);
  if (n % 7 === 1) writeFileSync(join(house.shelf, 'Comes and goes', 'Damaged.cbz'), `damaged ${n}`);
  const [library] = (await house.ask('GET', '/libraries')).json?.data ?? [];
  return expects(turn, [200, 409], 'POST', `/libraries/${library?.id}/scan?mode=normal`);
};

/** Open for a while; its latency is that of the first piece. It must not end by itself. */
const stream = async ({ house, random, signal }: Turn): Promise<number> => {
  const over = AbortSignal.any([signal, AbortSignal.timeout(5000 + random(20_000))]);
  const began = performance.now();
  let firstMs = Number.NaN;
  try {
    const answer = await house.fetch('/events/stream', over);
    if (answer.status !== 200 || answer.body === null) throw new Error(`a stream was answered with ${answer.status}`);
    for await (const _piece of answer.body) if (Number.isNaN(firstMs)) firstMs = performance.now() - began;
  } catch (thrown) {
    if (over.aborted) return firstMs;
    throw thrown;
  }
  throw new Error('a stream ended by itself');
};

const signIn = async ({ house }: Turn): Promise<undefined> => {
  const { address } = house.program();
  const ask = (method: string, path: string, token: string, body?: unknown): Promise<Response> =>
    fetch(`${address}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const answer = await ask('POST', '/auth/login', '', OWNER);
  const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
  if (answer.status === 429) return;
  if (token === undefined) throw new Error(`the login answered ${answer.status}`);
  for (const [method, path] of [
    ['GET', '/auth/me'],
    ['POST', '/auth/logout'],
  ] as const) {
    const next = await ask(method, path, token);
    await next.arrayBuffer();
    if (!next.ok) throw new Error(`${method} ${path} answered ${next.status}`);
  }
};

/** A request that is broken off in its middle. */
const cutOff = ({ house }: Turn): Promise<undefined> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(house.program().address).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(undefined));
    socket.write('POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"user', () =>
      socket.destroy(),
    );
  });

/** Made, listed, deleted. */
const backup = async (turn: Turn): Promise<undefined> => {
  const { house, signal } = turn;
  await expects(turn, [202], 'POST', '/admin/backups');
  for (let looks = 0; looks < 300 && !signal.aborted; looks += 1) {
    const files: readonly { id: string; complete: boolean }[] =
      (await house.ask('GET', '/admin/backups')).json?.backups ?? [];
    const whole = files.filter(({ complete }) => complete);
    for (const { id } of whole) await expects(turn, [204], 'DELETE', `/admin/backups/${id}`);
    if (whole.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if (!signal.aborted) throw new Error('a backup was not made in a minute');
};

const kind = (lanes: number, pauseMs: number, run: Kind['run']): Kind => ({ lanes, pauseMs, run });
const WRITERS = 2;

export const LOAD: Readonly<Record<string, Kind>> = {
  page: kind(3, 250, (turn) =>
    bytes(turn, `/books/${one(turn.house.books(), turn.random)}/pages/${1 + turn.random(PAGES)}`),
  ),
  resized: kind(2, 400, (turn) =>
    bytes(
      turn,
      `/books/${one(turn.large, turn.random)}/pages/${1 + turn.random(PAGES)}?width=${[200, 300, 400][turn.random(3)]}`,
    ),
  ),
  // Almost always a width that nobody had: it is computed, and something else is evicted.
  'resized anew': kind(1, 500, (turn) =>
    bytes(
      turn,
      `/books/${one(turn.large, turn.random)}/pages/${1 + turn.random(PAGES)}?width=${150 + turn.random(400)}`,
    ),
  ),
  cover: kind(1, 300, (turn) => bytes(turn, `/books/${one(turn.house.books(), turn.random)}/thumbnail`)),
  list: kind(2, 400, (turn) => expects(turn, [200], 'GET', `/books?page=${1 + turn.random(3)}&pageSize=10`)),
  search: kind(1, 700, (turn) => expects(turn, [200], 'GET', `/series?search=Series%20${turn.random(4)}`)),
  detail: kind(1, 400, (turn) => expects(turn, [200], 'GET', `/books/${one(turn.house.books(), turn.random)}`)),
  stream: kind(6, 500, stream),
  progress: kind(WRITERS, 700, (turn) =>
    wrote(turn, `progress ${own(turn.house.books(), turn, WRITERS)}`, String(1 + turn.random(PAGES))),
  ),
  change: kind(1, 2000, (turn) => wrote(turn, `summary ${one(turn.house.series(), turn.random)}`, `summary ${turn.n}`)),
  scan: kind(1, 4000, scan),
  login: kind(1, 4000, signIn),
  'wrong password': kind(1, 6000, (turn) =>
    expects(turn, [401, 429], 'POST', '/auth/login', { username: 'nobody', password: 'Wrong-secret-1!' }),
  ),
  missing: kind(1, 1500, (turn) =>
    expects(turn, [404], 'GET', `/books/${one(turn.house.books(), turn.random)}/pages/999`),
  ),
  malformed: kind(1, 2000, (turn) => expects(turn, [400], 'GET', '/books?page=none')),
  aborted: kind(2, 700, async ({ house, random, large }) => {
    await house.breakOff(`/books/${one(large, random)}/file`, 1 + random(20));
    return Number.NaN;
  }),
  'cut off': kind(1, 1500, async (turn) => {
    await cutOff(turn);
    return Number.NaN;
  }),
  health: kind(1, 3000, (turn) => expects(turn, [200], 'GET', '/health/details')),
  tasks: kind(1, 3000, (turn) => expects(turn, [200], 'GET', '/tasks?pageSize=20')),
  backup: kind(1, 60_000, backup),
  duplicates: kind(1, 45_000, (turn) => expects(turn, [200, 202], 'POST', '/duplicates/scan')),
};
