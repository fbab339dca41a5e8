// Lists of books and series as screens show them. A row answers one of two shapes, depending on `full`, which is never asked for here.
import {
  type Book,
  type BookDetail,
  type BookPage,
  booksGet,
  booksInProgress,
  booksOnDeck,
  booksRecentlyAdded,
  type Library,
  type LibraryPage,
  librariesList,
  wantedList,
} from './api.js';

const SHELF_SIZE = 24;

export interface Want {
  readonly signal: AbortSignal;
}

export const inProgress = async (opts: Want): Promise<readonly Book[]> =>
  ((await booksInProgress({ pageSize: SHELF_SIZE }, opts)) as BookPage).data;

export const onDeck = async (opts: Want): Promise<readonly Book[]> =>
  ((await booksOnDeck({ pageSize: SHELF_SIZE }, opts)) as BookPage).data;

export const recentlyAdded = async (opts: Want): Promise<readonly Book[]> =>
  ((await booksRecentlyAdded({ pageSize: SHELF_SIZE }, opts)) as BookPage).data;

export const allLibraries = async (opts: Want): Promise<readonly Library[]> =>
  ((await librariesList({ pageSize: 500 }, opts)) as LibraryPage).data;

export const wanted = (opts: Want) => wantedList({ sort: 'newest' }, opts);

export const bookOf = async (id: string, opts: Want): Promise<BookDetail> =>
  (await booksGet({ id }, opts)) as BookDetail;
