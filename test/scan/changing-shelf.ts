// A library whose files people change in every way: pages that can be told apart, progress of a reader, scans in between.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import { type Answer, PIXEL, type TempApp, tempApp, until } from '../app.js';
import { assert } from '../kit.js';
import { chunk } from '../png.js';

/** IHDR ends there. */
const AFTER_HEADER = 33;

/** The same image for the same words, and another size for another length of them. */
export const picture = (words: string): Buffer =>
  Buffer.concat([
    PIXEL.subarray(0, AFTER_HEADER),
    chunk('tEXt', Buffer.from(`Comment\0${words.padEnd(200, '.')}`, 'latin1')),
    PIXEL.subarray(AFTER_HEADER),
  ]);

/** Page `n` of a work, whatever the entry is called. */
export const pageOf = (work: string, n: number): Buffer => picture(`${work} ${n}`.padEnd(200 + n, '-'));

export const paged = (work: string, count: number): ZipItem[] =>
  Array.from({ length: count }, (_, at) => ({ name: `p${at + 1}.png`, bytes: pageOf(work, at + 1) }));

export const comicInfo = (title: string): ZipItem => ({
  name: 'ComicInfo.xml',
  bytes: Buffer.from(`<?xml version="1.0"?><ComicInfo><Title>${title}</Title></ComicInfo>`),
});

export interface BookRow {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly pageCount: number;
  readonly seriesId: string;
}

export interface ChangingShelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  path(...parts: readonly string[]): string;
  write(path: string, items: readonly ZipItem[]): void;
  put(path: string, bytes: Uint8Array): void;
  /** A complete scan. */
  scan(query?: string): Promise<void>;
  books(): Promise<readonly BookRow[]>;
  /** By the end of its path; it must be there. */
  book(path: string): Promise<BookRow>;
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  read(id: string, page: number): Promise<void>;
  progress(id: string): Promise<{ readonly currentPage: number; readonly completed: boolean } | undefined>;
}

export const withChangingShelf = async (use: (shelf: ChangingShelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    mkdirSync(temp.shelf, { recursive: true });
    const api: ChangingShelf['api'] = (method, path, body) =>
      temp.call(method, `/api/v1${path}`, { token, ...(body !== undefined && { body }) });
    const { id } = (await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf })).json;
    const path: ChangingShelf['path'] = (...parts) => join(temp.shelf, ...parts);
    const put: ChangingShelf['put'] = (name, bytes) => {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), bytes);
    };
    const books: ChangingShelf['books'] = async () => (await api('GET', '/books?pageSize=500')).json.data;
    await use({
      temp,
      libraryId: id,
      path,
      put,
      write: (name, items) => put(name, writeZip(items)),
      scan: async (query = '') => {
        temp.advance(1000);
        assert.is((await api('POST', `/libraries/${id}/scan${query}`)).status, 200);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
      },
      books,
      book: async (name) => {
        const found = (await books()).find((row) => row.path.endsWith(`/${name}`));
        assert.ok(found !== undefined, `${name} is a book`);
        return found as BookRow;
      },
      api,
      read: async (book, page) => {
        temp.advance(2000);
        const { status } = await api('PUT', `/books/${book}/progress`, { current_page: page });
        assert.is(status, 200);
      },
      progress: async (book) => {
        const { status, json } = await api('GET', `/books/${book}/progress`);
        return status === 200 ? json : undefined;
      },
    });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};
