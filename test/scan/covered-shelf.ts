// A library whose covers are due: what the tests of due covers look at, and a gate for the jobs that make them.
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { RunOptions } from '../../core/engine/pool.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert } from '../kit.js';

/** Books on that library. */
export const BOOKS = 6;

export interface CoverJob {
  readonly path: string;
  readonly lane: RunOptions['lane'];
  /** Set after another job failed. */
  readonly error?: unknown;
}

export interface CoveredShelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  /** Cover jobs that were asked for, in order. */
  readonly jobs: CoverJob[];
  api(method: string, path: string): Promise<Answer>;
  /** Runs a scan to its end; the covers may follow later. */
  scan(query?: string): Promise<void>;
  /** Covers that are due or begun. */
  left(): Promise<number>;
  /** The state of each book's cover, by file name. */
  states(): Promise<Record<string, number>>;
  status(): Promise<Record<string, unknown>>;
  idOf(name: string): Promise<string>;
  /** Tasks that make due covers, the newest first. */
  tasks(): Promise<readonly { readonly id: string; readonly state: string; readonly error: string | null }[]>;
}

export interface ShelfOptions {
  readonly folder?: string;
  /** Resolves when this cover job may start; throws in its place. */
  readonly gate?: (job: CoverJob) => Promise<void> | void;
}

export const bookPath = (temp: TempApp, n: number): string => join(temp.shelf, 'Series', `Book ${n}.cbz`);

const untilAborted = async (work: Promise<void> | void, signal: AbortSignal | undefined): Promise<void> => {
  let stop = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  if (signal === undefined) return work;
  if (signal.aborted) return;
  setMaxListeners(0, signal);
  signal.addEventListener('abort', stop);
  await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
};

const gated = ({ app: { pool } }: TempApp, jobs: CoverJob[], gate: NonNullable<ShelfOptions['gate']>): void => {
  const { run } = pool;
  pool.run = async (name, input, options) => {
    if (name === 'cover') {
      const job = { path: 'path' in input ? input.path : '', lane: options.lane };
      jobs.push(job);
      await untilAborted(gate(job), options.signal);
    }
    return run.call(pool, name, input, options) as never;
  };
};

/** With the data of an earlier engine, nothing is added. */
export const coveredShelf = async (books: number, options: ShelfOptions = {}): Promise<CoveredShelf> => {
  const temp = await tempApp(options.folder === undefined ? {} : { folder: options.folder });
  const jobs: CoverJob[] = [];
  gated(temp, jobs, options.gate ?? (() => undefined));
  const token = await temp.tokenOf('admin');
  const api = (method: string, path: string): Promise<Answer> => temp.call(method, `/api/v1${path}`, { token });
  const [known] = (await api('GET', '/libraries')).json.data;
  for (let n = 1; known === undefined && n <= books; n += 1) writeBook(bookPath(temp, n), 2, `book ${n}`);
  const body = { name: 'Shelf', path: temp.shelf };
  const { id } = known ?? (await temp.call('POST', '/api/v1/libraries', { token, body })).json;
  const rows = <T>(sql: string): Promise<T[]> => temp.app.db.all<T>(sql);
  return {
    temp,
    libraryId: id,
    jobs,
    api,
    scan: async (query = '') => {
      await api('POST', `/libraries/${id}/scan${query}`);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
    },
    left: async () => (await rows('SELECT 1 FROM book WHERE cover_due <> 0 AND deleted = 0')).length,
    states: async () => {
      const found = await rows<{ name: string; due: number }>('SELECT file_name AS name, cover_due AS due FROM book');
      return Object.fromEntries(found.map(({ name, due }) => [name, due]));
    },
    status: async () => (await api('GET', `/libraries/${id}/scan-status`)).json,
    idOf: async (name) => {
      const { data } = (await api('GET', '/books?pageSize=500')).json;
      return data.find((book: { path: string }) => book.path.endsWith(`/${name}`)).id;
    },
    tasks: () =>
      rows(
        `SELECT lower(hex(uuid)) AS id, state, error FROM task WHERE type = 'generate_due_thumbnails' ORDER BY id DESC`,
      ),
  };
};

/** Something that opens once. */
export const door = (): { open(): void; readonly opened: Promise<void> } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
};

/** On the library that every such test begins with. What the server could not handle fails the test. */
export const onShelf = async (
  body: (shelf: CoveredShelf) => Promise<void>,
  options: ShelfOptions = {},
): Promise<void> => {
  const shelf = await coveredShelf(BOOKS, options);
  try {
    await body(shelf);
    assert.equal(shelf.temp.faults, []);
  } finally {
    await shelf.temp.close();
  }
};

export const allMade = (shelf: CoveredShelf): Promise<void> =>
  until('all covers are made', async () => (await shelf.left()) === 0);
