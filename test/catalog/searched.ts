// A catalog of few titles, and what a search finds in it.

import { listBooks } from '../../core/catalog/list-books.js';
import { listSeries } from '../../core/catalog/list-series.js';
import { unrestricted } from '../../core/model/viewer.js';
import { fill, modelOf, type RandomShelf, type Shelved, withCatalog } from './random-shelf.js';

export const SERIES: RandomShelf['series'][number] = {
  library: 1,
  name: 'Shelf',
  titleSort: null,
  titles: [],
  summary: null,
  publisher: null,
  language: null,
  status: null,
  authors: [],
  year: null,
  total: null,
  genres: [],
  tags: [],
  sharing: [],
  held: false,
  createdAt: 0,
  updatedAt: 0,
};

export const BOOK: RandomShelf['books'][number] = {
  series: 0,
  title: '',
  facts: null,
  number: null,
  format: 'cbz',
  error: null,
  deleted: false,
  pageCount: 1,
  fileSize: 1,
  mtime: 0,
  createdAt: 0,
  genres: [],
  tags: [],
  held: false,
  progress: [null, null],
};

export const WINDOW = { page: 1, pageSize: 50 };
export const ORDER = { sort: 'relevance', descending: false } as const;

export const titles = async (parts: Shelved, fullTextSearch: string): Promise<string[]> =>
  (await listBooks(parts, unrestricted(1), { fullTextSearch, order: ORDER, window: WINDOW })).items.map(
    ({ title }) => title,
  );

export const names = async (parts: Shelved, fullTextSearch: string): Promise<string[]> =>
  (await listSeries(parts, unrestricted(1), { fullTextSearch, order: ORDER, window: WINDOW })).items.map(
    ({ name }) => name,
  );

export const withTitles = (list: readonly string[], use: (parts: Shelved) => Promise<void>): Promise<void> =>
  withCatalog(async (parts) => {
    const books = list.map((title) => ({ ...BOOK, title }));
    await fill(parts.db, modelOf({ series: [{ ...SERIES, authors: ['Ann Ö', '鬼頭'], tags: ['冒険'] }], books }));
    await use(parts);
  });
