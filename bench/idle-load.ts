// The load before the rest: pages at many sizes, covers, lists in every order, searches, and clients that follow events.
import { BOOK_COLUMN_SORTS, SERIES_COLUMN_SORTS } from '../core/catalog/sorts.js';
import type { Running } from './program.js';

const CLIENTS = 8;
const STREAMS = 20;
const BOOKS = 150;
const PAGES = 6;
const SIZES = ['', '?width=320', '?width=700', '?height=1200', '?width=1000&format=webp'];
const WORDS = ['book', 'series 00012', 'mixed', 'page', 'bok 012'];

type Get = (path: string) => Promise<void>;

const getter =
  ({ port, token }: Running): Get =>
  async (path) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (reply.status !== 200) throw new Error(`${path} was answered with status ${reply.status}`);
    await reply.arrayBuffer();
  };

/** Each client takes the next remaining path, until none are left. */
const inTurn = async (paths: Iterable<string>, get: Get): Promise<void> => {
  const left = paths[Symbol.iterator]();
  const rest = { [Symbol.iterator]: () => left };
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const path of rest) await get(path);
    }),
  );
};

interface Book {
  readonly id: string;
  readonly pageCount: number;
}

function* pagesOf(books: readonly Book[]): Generator<string> {
  for (const [at, { id, pageCount }] of books.entries()) {
    yield `/books/${id}/thumbnail`;
    for (let page = 1; page <= Math.min(PAGES, pageCount); page += 1)
      yield `/books/${id}/pages/${page}${SIZES[(at + page) % SIZES.length]}`;
  }
}

function* lists(): Generator<string> {
  for (const page of [1, 2, 9]) {
    for (const sort of Object.keys(BOOK_COLUMN_SORTS)) yield `/books?pageSize=200&sort=${sort}&page=${page}`;
    for (const sort of Object.keys(SERIES_COLUMN_SORTS)) yield `/series?pageSize=200&sort=${sort}&page=${page}`;
    for (const word of WORDS)
      for (const of of ['books', 'series']) yield `/${of}?search=${encodeURIComponent(word)}&page=${page}`;
  }
}

/** Opens clients that read events and nothing else; returns what closes them. */
export const openStreams = async ({ port, token }: Running): Promise<() => void> => {
  const stop = new AbortController();
  const open = async (): Promise<void> => {
    const { body } = await fetch(`http://127.0.0.1:${port}/api/v1/events/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
    const reading = async (): Promise<void> => {
      for await (const _ of body ?? []);
    };
    reading().catch(() => undefined); // ends with the signal
  };
  await Promise.all(Array.from({ length: STREAMS }, open));
  return () => stop.abort();
};

/** The books of every format come first by title, in this order. */
export const readEverything = async (program: Running): Promise<void> => {
  const get = getter(program);
  const some: Book[] = (await program.call('GET', `/books?pageSize=${BOOKS}&sort=title&order=desc`)).data;
  await inTurn(pagesOf(some), get);
  await inTurn(lists(), get);
};
