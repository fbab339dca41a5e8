// The engine in this process, without a socket: scans a folder and reads its pages as a client would receive them.

import { readSync } from 'node:fs';
import { basename } from 'node:path';
import type { PageEntry } from '../core/model/jobs.js';
import { unrestricted } from '../core/model/viewer.js';
import type { Content } from '../core/pages/content.js';
import type { App } from '../core/start.js';
import { tempApp, until } from '../test/app.js';

const READER = unrestricted(1);

const SCAN_DEADLINE_MS = 300_000;

export interface Scanned {
  readonly app: App;
  /** Book id by file name. */
  idOf(file: string): string;
  entryOf(file: string, page: number): Promise<PageEntry>;
  /** Bytes of an original page (1-based), read into memory; without a promise where the page path needs none. */
  read(bookId: string, page: number): number | Promise<number>;
  close(): Promise<void>;
}

const buffer = Buffer.allocUnsafeSlow(4 * 1024 * 1024);
const { signal } = new AbortController();
const neither = (): boolean => false;
const waiting = (): AbortSignal => signal;

/** A back-end sends bytes as they are, and part of a file by reading it. */
const taken = (content: Content): number => {
  if (content.kind === 'bytes') return content.bytes.length;
  if (content.kind === 'lent') return content.read()?.length ?? 0;
  if (content.kind === 'current') throw new Error('a page was answered without bytes');
  const read = readSync(content.fd, buffer, 0, content.length, content.offset);
  content.release();
  return read;
};

export const scanned = async (root: string): Promise<Scanned> => {
  const temp = await tempApp({ engine: { inspection: undefined } });
  const { app } = temp;
  const token = await temp.tokenOf('admin');
  await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Bench', path: root, scanImmediately: true } });
  await until('the scan ends', () => app.scans.active().length === 0, SCAN_DEADLINE_MS);
  const { json } = await temp.call('GET', '/api/v1/books?pageSize=500', { token });
  const ids = new Map<string, string>(
    json.data.map((book: { id: string; path: string }) => [basename(book.path), book.id]),
  );
  const idOf = (file: string): string => {
    const id = ids.get(file);
    if (id === undefined) throw new Error(`${file} was not found by the scan`);
    return id;
  };
  return {
    app,
    idOf,
    entryOf: async (file, page) => {
      const entry = (await app.pages.table({ viewer: READER, bookId: idOf(file) }))?.entry(page - 1);
      if (entry === undefined) throw new Error(`${file} has no page ${page}`);
      return entry;
    },
    read: (bookId, pageNumber) => {
      const content = app.pages.page({ viewer: READER, bookId, pageNumber, wish: {}, has: neither, signal: waiting });
      return content instanceof Promise ? content.then(taken) : taken(content);
    },
    close: () => temp.close(),
  };
};
