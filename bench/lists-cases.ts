// The requests sent to the million-book database: one per case, in groups that share a line of the table.
import { BOOK_COLUMN_SORTS, SERIES_COLUMN_SORTS } from '../core/catalog/sorts.js';

/** Ids of existing rows. */
export interface Names {
  readonly library: string;
  /** A series with many books. */
  readonly longSeries: string;
  readonly books: readonly string[];
  readonly series: readonly string[];
}

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Of a surface; that of the API unless told. */
  readonly prefix?: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Case {
  readonly name: string;
  /** `turn` counts the requests, so that each may use a different row. */
  ask(names: Names, turn: number): Asked;
}

const get = (name: string, path: string): Case => ({ name, ask: () => ({ method: 'GET', path }) });
const filter = (of: 'books' | 'series', name: string, condition: unknown): Case => ({
  name: `${of} ${name}`,
  ask: (names) => ({
    method: 'POST',
    path: `/${of}/list`,
    body: { condition: typeof condition === 'function' ? condition(names) : condition },
  }),
});

const bookSorts = [...Object.keys(BOOK_COLUMN_SORTS), 'series', 'last_read'];
const seriesSorts = [...Object.keys(SERIES_COLUMN_SORTS), 'date_read'];

/** Every second sort is descending; for series, the others are. */
const sorted = (page: number, seriesPage: number): readonly Case[] => [
  ...bookSorts.map((sort, at) => {
    const order = at % 2 === 0 ? 'asc' : 'desc';
    return get(`books by ${sort} ${order}, page ${page}`, `/books?sort=${sort}&order=${order}&page=${page}`);
  }),
  ...seriesSorts.map((sort, at) => {
    const order = at % 2 === 0 ? 'desc' : 'asc';
    return get(
      `series by ${sort} ${order}, page ${seriesPage}`,
      `/series?sort=${sort}&order=${order}&page=${seriesPage}`,
    );
  }),
];

const is = (value: string) => ({ operator: 'is', value });
const contains = (value: string) => ({ operator: 'contains', value });
const between = (min: number, max: number) => ({ operator: 'between', min, max });
const after = (value: string) => ({ operator: 'after', value });
const TRUE = { operator: 'isTrue' };

const bookFilters: readonly Case[] = Object.entries<unknown>({
  libraryId: ({ library }: Names) => ({ allOf: [{ libraryId: is(library) }, { format: is('pdf') }] }),
  seriesId: ({ longSeries }: Names) => ({ allOf: [{ seriesId: is(longSeries) }, { format: is('cbz') }] }),
  'genre, a quarter': { genre: is('genre 1') },
  'genre, few': { genre: is('genre 55') },
  'genre isNot': { genre: { operator: 'isNot', value: 'genre 1' } },
  tag: { tag: is('tag 1') },
  'title contains 8': { title: contains('chronicl') },
  'title contains 3': { title: contains('sha') },
  'title contains 2': { title: contains('sh') },
  'title contains 1 CJK': { title: contains('巨') },
  'title beginsWith, a third': { title: { operator: 'beginsWith', value: 'chapter' } },
  titleSort: { titleSort: { operator: 'beginsWith', value: 'dragon' } },
  summary: { summary: contains('dragon') },
  'readStatus unread': { readStatus: is('unread') },
  'readStatus read': { readStatus: is('read') },
  hasError: { hasError: TRUE },
  inReadList: { inReadList: TRUE },
  bookType: { bookType: is('manga') },
  format: { format: is('cbz') },
  path: { path: { operator: 'beginsWith', value: '/shelf/1/folder 12' } },
  pageCount: { pageCount: between(100, 250) },
  dateAdded: { dateAdded: after('2024-01-10T00:00:00Z') },
}).map(([name, condition]) => filter('books', name, condition));

const seriesFilters: readonly Case[] = Object.entries<unknown>({
  libraryId: ({ library }: Names) => ({ allOf: [{ libraryId: is(library) }, { language: is('ja') }] }),
  genre: { genre: is('genre 1') },
  tag: { tag: is('tag 1') },
  name: { name: contains('dra') },
  titleSort: { titleSort: { operator: 'beginsWith', value: 'a' } },
  publisher: { publisher: is('publisher 3') },
  language: { language: is('ja') },
  status: { status: is('ended') },
  year: { year: between(1990, 1999) },
  author: { author: contains('sha') },
  summary: { summary: contains('dragon') },
  path: { path: contains('Dragon') },
  readStatus: { readStatus: is('unread') },
  completion: { completion: TRUE },
  inCollection: { inCollection: TRUE },
  dateAdded: { dateAdded: after('2024-01-10T00:00:00Z') },
}).map(([name, condition]) => filter('series', name, condition));

const trees: readonly Case[] = [
  filter('books', 'library, genre and unread', ({ library }: Names) => ({
    allOf: [{ libraryId: is(library) }, { genre: is('genre 1') }, { readStatus: is('unread') }],
  })),
  filter('books', 'any of three, one negated', {
    anyOf: [{ tag: is('tag 3') }, { format: is('epub') }, { genre: { operator: 'isNot', value: 'genre 2' } }],
  }),
  filter('books', 'three levels', {
    allOf: [
      { anyOf: [{ genre: is('genre 3') }, { allOf: [{ tag: is('tag 2') }, { pageCount: between(50, 200) }] }] },
      { anyOf: [{ readStatus: is('read') }, { title: contains('dragon') }, { format: is('pdf') }] },
    ],
  }),
];

const search = (name: string, fullTextSearch: string, of: 'books' | 'series' = 'books'): Case => ({
  name: `${of}, ${name}`,
  ask: () => ({ method: 'POST', path: `/${of}/list`, body: { fullTextSearch } }),
});

const searches: readonly Case[] = [
  search('Latin word', 'dragon'),
  search('two words', 'dragon chronicles'),
  search('accent', 'épée'),
  search('one CJK character', '巨'),
  search('two CJK characters', '巨人'),
  search('no hit', 'zzzzz'),
  search('a word of every third book', 'chapter'),
  search('one letter', 'd'),
  search('Latin word', 'dragon', 'series'),
  search('one CJK character', '巨', 'series'),
];

/** What is looked up among the distinct words first, and other ways to write what titles have. */
const nearSearches: readonly Case[] = [
  search('inside a word, few books', 'ragon'),
  search('inside a word, many books', 'gon'),
  search('a typing error', 'dargon'),
  search('a typing error at the beginning of a word', 'cronicl'),
  search('two words with an error each', 'dargon cronicles'),
  search('two words in one piece', 'dragonchronicles'),
  search('a number', '12'),
  search('a number with zeros', '0012'),
  search('a publisher and a genre', 'publisher 3 genre 1'),
  search('a publisher', 'publisher 3', 'series'),
  search('an ISBN', '978-0-306-40615-7'),
  search('inside a word', 'ragon', 'series'),
  get('everything by a word', '/search?q=dragon'),
  get('everything by one letter', '/search?q=d'),
];

const pick = (list: readonly string[], turn: number): string => list[(turn * 7) % list.length] ?? '';

const derived: readonly Case[] = [
  get('on deck', '/books/on-deck'),
  get('in progress', '/books/in-progress'),
  get('recently added', '/books/recently-added'),
  get('recently read', '/books/recently-read'),
  get('series in progress', '/series/in-progress'),
  { name: 'series detail', ask: ({ series }, turn) => ({ method: 'GET', path: `/series/${pick(series, turn)}` }) },
  { name: 'book detail', ask: ({ books }, turn) => ({ method: 'GET', path: `/books/${pick(books, turn)}` }) },
  { name: 'adjacent', ask: ({ books }, turn) => ({ method: 'GET', path: `/books/${pick(books, turn)}/adjacent` }) },
];

const progress: readonly Case[] = [
  {
    name: 'progress write',
    ask: ({ books }, turn) => ({
      method: 'PUT',
      path: `/books/${pick(books, turn)}/progress`,
      body: { currentPage: 1 + (turn % 19) },
    }),
  },
];

export interface Group {
  readonly id: string;
  readonly work: string;
  readonly cases: readonly Case[];
  /** For the 99th percentile with one caller, in milliseconds. */
  readonly targetMs: number;
  /** Whether the statements of an answer can be repeated without the program. */
  readonly bare: boolean;
}

export const GROUPS: readonly Group[] = [
  { id: 'first-pages', work: 'first page, each sort', cases: sorted(1, 1), targetMs: 10, bare: true },
  { id: 'pages-100', work: '100th page, each sort', cases: sorted(100, 100), targetMs: 50, bare: true },
  {
    id: 'pages-10000',
    work: '10,000th page of books, 800th of series, each sort',
    cases: sorted(10_000, 800),
    targetMs: 50,
    bare: true,
  },
  { id: 'book-filters', work: 'books, each filter field', cases: bookFilters, targetMs: 50, bare: true },
  { id: 'series-filters', work: 'series, each filter field', cases: seriesFilters, targetMs: 50, bare: true },
  { id: 'trees', work: 'three nested conditions', cases: trees, targetMs: 50, bare: true },
  { id: 'searches', work: 'search', cases: searches, targetMs: 50, bare: true },
  {
    id: 'near-searches',
    work: 'search inside words, with typing errors, by other facts, of everything',
    cases: nearSearches,
    targetMs: 100,
    bare: true,
  },
  { id: 'derived', work: 'on deck, in progress, recent, details', cases: derived, targetMs: 50, bare: true },
  { id: 'progress', work: 'progress write', cases: progress, targetMs: 20, bare: false },
];
