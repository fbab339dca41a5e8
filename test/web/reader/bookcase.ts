// The real program with books whose pages have given sizes, and a reader who is signed in.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { deflateSync } from 'node:zlib';
import { writeZip } from '../../../bench/zip-writer.js';
import { fixture } from '../../../fixtures/index.js';
import { until } from '../../app.js';
import { chunk } from '../../png.js';
import { kill, type Program, startProgram } from '../../system/program.js';
import { type Visit, Visits } from '../browser.js';

export type Side = readonly [width: number, height: number];

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Grey, eight bits a pixel. `lines`: each with its filter before it. */
const png = ([width, height]: Side, lines: Buffer): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8; // bits, of grey
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** One colour, so that it takes hardly any bytes, however large. */
export const picture = (side: Side, grey: number): Buffer => {
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(side[0], grey)]);
  return png(side, Buffer.concat(Array.from({ length: side[1] }, () => line)));
};

/** Noise, which nothing makes smaller. */
const noise = (side: Side): Buffer => {
  const lines = randomBytes((side[0] + 1) * side[1]);
  for (let line = 0; line < side[1]; line += 1) lines[line * (side[0] + 1)] = 0; // no filter
  return png(side, lines);
};

const writeComic = (path: string, sides: readonly Side[], paint: (side: Side, grey: number) => Buffer): void => {
  mkdirSync(dirname(path), { recursive: true });
  const made = new Map<string, Buffer>();
  const items = sides.map((side, page) => {
    const grey = 60 + (page % 8) * 20;
    const key = `${side.join('x')} ${grey}`;
    const bytes = made.get(key) ?? paint(side, grey);
    made.set(key, bytes);
    return { name: `${String(page + 1).padStart(4, '0')}.png`, bytes };
  });
  writeFileSync(path, writeZip(items));
};

const PASSWORD = 'Fog over the harbour 7!';
const JSON_TYPE = { 'content-type': 'application/json' };

interface ListedBook {
  readonly id: string;
  readonly seriesId: string;
  readonly path: string;
}

export interface Bookcase {
  readonly program: Program;
  /** Its own, for more libraries; removed at the end. */
  readonly folder: string;
  /** By the name of its file, without the ending. */
  bookOf(name: string): ListedBook;
  api(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly json: unknown }>;
  /** Stores reader settings for the series of a book, on any device. */
  setting(name: string, value: Readonly<Record<string, unknown>>): Promise<void>;
  /** The page that the server knows, or null. */
  storedPage(bookId: string): Promise<number | null>;
  /** Opens a book in a fresh profile. */
  reading(name: string, use: (visit: Visit) => Promise<void>, options?: Parameters<Visits['at']>[3]): Promise<void>;
  close(): Promise<void>;
}

/** Books of the fixtures, each in a series of its own. */
const copyFixtures = (folder: string, names: readonly string[]): void => {
  for (const name of names) {
    const series = join(folder, parse(name).name);
    mkdirSync(series, { recursive: true });
    copyFileSync(fixture(`books/${name}`), join(series, name));
  }
};

type Sides = Readonly<Record<string, readonly Side[]>>;

export interface More {
  /** Books whose pages take as many bytes as they have pixels. */
  readonly heavy?: Sides;
  /** Names of books of the fixtures. */
  readonly fixtures?: readonly string[];
  /** Settings of the program. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is done before there is an account. */
  readonly beforeSetUp?: (program: Program) => Promise<void>;
}

/** `books`: sizes of pages by path, without the ending. */
export const bookcase = async (books: Sides, more: More = {}): Promise<Bookcase> => {
  const { heavy = {}, fixtures = [], environment = {}, beforeSetUp } = more;
  const folder = mkdtempSync(join(tmpdir(), 'longbox-reader-'));
  mkdirSync(join(folder, 'comics'));
  for (const [path, sides] of Object.entries(books)) writeComic(join(folder, 'comics', `${path}.cbz`), sides, picture);
  for (const [path, sides] of Object.entries(heavy)) writeComic(join(folder, 'comics', `${path}.cbz`), sides, noise);
  copyFixtures(join(folder, 'comics'), fixtures);
  const program = await startProgram([join(folder, 'comics'), '--data', join(folder, 'data')], environment);
  await beforeSetUp?.(program);
  await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
  const account = { username: 'ann', email: 'ann@example.org', password: PASSWORD };
  const setUp = await fetch(`${program.address}/api/v1/setup/initialize`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(account),
  });
  const { access_token: token } = (await setUp.json()) as { access_token: string };
  const api: Bookcase['api'] = async (method, path, body) => {
    const answer = await fetch(`${program.address}/api/v1${path}`, {
      method,
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text) };
  };
  const { data } = (await api('GET', '/books?pageSize=100')).json as { data: readonly ListedBook[] };
  const bookOf = (name: string): ListedBook => {
    const found = data.find(({ path }) => parse(path).name === name);
    if (found === undefined) throw new Error(`there is no book ${name}`);
    return found;
  };
  let visits: Visits | undefined;
  return {
    program,
    folder,
    bookOf,
    api,
    setting: async (name, value) => {
      const { status } = await api('PUT', '/user/reader-profiles', { seriesId: bookOf(name).seriesId, value });
      if (status >= 300) throw new Error(`setting ${name} answered ${status}`);
    },
    storedPage: async (bookId) => {
      const { json } = await api('GET', `/books/${bookId}/progress`);
      return (json as { currentPage: number } | null)?.currentPage ?? null;
    },
    reading: async (name, use, options = {}) => {
      visits ??= new Visits();
      const open = async (visit: Visit): Promise<void> => {
        visit.expects('401'); // the first page asks who is signed in
        const sign = { data: { username: 'ann', password: PASSWORD, cookie: true } };
        await visit.context.request.post(`${program.address}/api/v1/auth/login`, sign);
        await visit.page.goto(`${program.address}/read/${bookOf(name).id}`);
        await visit.page.locator('.leaf.ready').first().waitFor();
        await use(visit);
      };
      await visits.at(program.address, '/sign-in', open, options);
    },
    close: async () => {
      await kill(program);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
