// Everything that users do, at a moderate rate and mixed with what goes wrong: one deed after the other, with pauses.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBook } from '../app.js';
import { type House, PAGES } from '../drills/house.js';

export type Random = (below: number) => number;
type Deed = (house: House, random: Random, n: number) => Promise<void>;

const one = <T>(of: readonly T[], random: Random): T | undefined => of[random(of.length)];

/** Fails on a reply that nobody asked for; 0 is a connection that ended. */
const expects = async (house: House, allowed: readonly number[], method: string, path: string, body?: unknown) => {
  const { status } = await house.ask(method, path, body);
  if (!allowed.includes(status)) throw new Error(`${method} ${path} answered ${status}`);
};

const scan = async (house: House): Promise<void> => {
  const [library] = (await house.ask('GET', '/libraries')).json?.data ?? [];
  await expects(house, [200, 409], 'POST', `/libraries/${library?.id}/scan?mode=normal`);
};

export const DEEDS: Readonly<Record<string, Deed>> = {
  page: (house, random) =>
    expects(house, [200], 'GET', `/books/${one(house.books(), random)}/pages/${1 + random(PAGES)}`),
  list: (house, random) => expects(house, [200], 'GET', `/books?page=${1 + random(3)}&pageSize=10`),
  search: (house, random) => expects(house, [200], 'GET', `/series?search=Series%20${random(4)}`),
  progress: async (house, random) => {
    await house.write(`progress ${one(house.books(), random)}`, String(1 + random(PAGES)));
  },
  change: async (house, random, n) => {
    await house.write(`summary ${one(house.series(), random)}`, `summary ${n}`);
  },
  missing: (house, random) => expects(house, [404], 'GET', `/books/${one(house.books(), random)}/pages/999`),
  'wrong password': (house) =>
    expects(house, [401, 429], 'POST', '/auth/login', { username: 'nobody', password: 'Wrong-secret-1!' }),
  scan: async (house, _random, n) => {
    const book = join(house.shelf, 'Comes and goes', `Book ${n % 5}.cbz`);
    if (n % 3 === 0) rmSync(book, { force: true });
    else writeBook(book, 3, `${n}`);
    if (n % 7 === 0) writeFileSync(join(house.shelf, 'Comes and goes', 'Damaged.cbz'), `damaged ${n}`);
    await scan(house);
  },
  stream: (house) => house.breakOff('/events/stream', 500),
  aborted: (house, random) => house.breakOff(`/books/${one(house.books(), random)}/file`, 1 + random(20)),
};

/** How often each comes in a round. */
export const ROUND: readonly string[] = [
  ...['page', 'page', 'page', 'list', 'page', 'search', 'progress', 'page', 'list', 'missing', 'page', 'change'],
  ...['page', 'stream', 'list', 'aborted', 'page', 'progress', 'search', 'wrong password', 'page', 'scan'],
];
