// Lines about memory: two hundred books of every kind, read by eight clients over HTTP, and one archive of 300 MB.
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { LARGE_RAR_PAGES, MIXED_BOOKS, MIXED_PAGES } from './format-books.js';
import { absolute, IDLE_MAX_MB, IDLE_TARGET, type Line, peakMb, resetPeak, residentMb } from './measure.js';
import { libraryOf, type Running, scan, startProgram } from './program.js';

const CLIENTS = 8;
const MIXED_MAX_MB = 512;
const LARGE_MAX_MB = 64;
/** Threads end soon, so that memory that remains is visible. */
const ENVIRONMENT = { SVC_POOL__IDLE_TIMEOUT_MS: '2000' };
const QUIET_MS = 8000;

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

const fetched = (program: Running, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const url = `http://127.0.0.1:${program.port}/api/v1${path}`;
    get(url, { agent, headers: { authorization: `Bearer ${program.token}` } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`${path} was answered with status ${reply.statusCode}`));
      reply.resume();
      reply.once('end', resolve);
    }).once('error', reject);
  });

/** Each client takes the next remaining item, until none are left. */
const inTurn = async <T>(all: readonly T[], one: (item: T) => Promise<void>): Promise<void> => {
  const left = all.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const item of left) await one(item);
    }),
  );
};

const RESIZED_EVERY = 5;

interface Book {
  readonly id: string;
  readonly path: string;
}

/** Pages of scans are requested at screen size, as readers do; of the others, one in five is requested small. */
const wishOf = ({ path }: Book, page: number): string => {
  if (path.includes('pdf-scan')) return '?height=1200';
  return page % RESIZED_EVERY === 0 ? '?width=700' : '';
};

/** A reader: every page in order. */
const readBook = async (program: Running, book: Book): Promise<void> => {
  for (let page = 1; page <= MIXED_PAGES; page += 1)
    await fetched(program, `/books/${book.id}/pages/${page}${wishOf(book, page)}`);
};

const booksOf = async (program: Running): Promise<Book[]> => (await program.call('GET', '/books?pageSize=500')).data;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Resident {
  readonly scanned: number;
  readonly most: number;
  readonly after: { readonly all: number; readonly own: number };
}

/** Stops the server however the measurement ends: an unexpected error would leave it running. */
const whileRunning = async <T>(
  data: string,
  environment: Record<string, string>,
  body: (program: Running) => Promise<T>,
): Promise<T> => {
  const program = await startProgram(data, false, [], environment);
  try {
    return await body(program);
  } finally {
    await program.stop();
  }
};

/** The library is scanned, then read in full by all clients, then left idle. Megabytes. */
const residentWhile = (folder: string, root: string): Promise<Resident> =>
  whileRunning(join(folder, 'data-formats'), ENVIRONMENT, async (program) => {
    await scan(program, await libraryOf(program, root), 'normal');
    const scanned = peakMb(program.pid);
    resetPeak(program.pid);
    await inTurn(await booksOf(program), (book) => readBook(program, book));
    const most = peakMb(program.pid);
    await pause(QUIET_MS);
    return { scanned, most, after: residentMb(program.pid) };
  });

export const mixedReading = async (folder: string, root: string): Promise<Line[]> => {
  const { scanned, most, after } = await residentWhile(folder, root);
  const work = `${MIXED_BOOKS} books of seven kinds, ${MIXED_BOOKS * MIXED_PAGES} pages, read by ${CLIENTS} clients over HTTP`;
  return [
    absolute(
      'mixed-memory',
      `resident memory, peak: ${work}`,
      `≤ ${MIXED_MAX_MB} MB`,
      `${most} MB (their scan before: ${scanned} MB)`,
      most <= MIXED_MAX_MB,
    ),
    absolute(
      'mixed-memory-after',
      'resident memory, idle, eight seconds after that',
      IDLE_TARGET,
      `${after.all} MB (${after.own} MB without mapped files)`,
      after.own <= IDLE_MAX_MB,
    ),
  ];
};

interface Growth {
  readonly before: number;
  readonly analysed: number;
  readonly read: number;
}

/** Excludes memory that a small archive of the same kind has already caused to be loaded. */
const growthOf = async (program: Running, root: string): Promise<Growth> => {
  await scan(program, await libraryOf(program, join(root, 'small')), 'normal');
  const small = (await booksOf(program))[0]?.id ?? '';
  for (let page = 1; page <= 10; page += 1) await fetched(program, `/books/${small}/pages/${page}`);
  const before = residentMb(program.pid).all;
  resetPeak(program.pid);
  await scan(program, await libraryOf(program, join(root, 'large')), 'normal');
  const analysed = peakMb(program.pid) - before;
  resetPeak(program.pid);
  const large = (await booksOf(program)).find(({ id }) => id !== small)?.id ?? '';
  const pages = Array.from({ length: LARGE_RAR_PAGES }, (_, page) => page + 1);
  await inTurn(pages, (page) => fetched(program, `/books/${large}/pages/${page}`));
  return { before, analysed, read: peakMb(program.pid) - before };
};

export const largeArchive = async (folder: string, root: string): Promise<Line[]> => {
  const { before, analysed, read } = await whileRunning(join(folder, 'data-large'), {}, (program) =>
    growthOf(program, root),
  );
  const grew = Math.max(analysed, read);
  return [
    absolute(
      'large-rar',
      `memory for one stored RAR of 300 MB: analysis, then ${LARGE_RAR_PAGES} pages by ${CLIENTS} clients`,
      `≤ ${LARGE_MAX_MB} MB more than before`,
      `${grew} MB more (analysis ${analysed}, pages ${read}; before ${before} MB)`,
      grew <= LARGE_MAX_MB,
    ),
  ];
};

export const closeClients = (): void => agent.destroy();
