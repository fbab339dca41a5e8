// A small random catalog: as plain arrays for the reference model, and as rows of a database with the real schema.

import fc from 'fast-check';
import type { ListParts } from '../../core/catalog/query/page.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import { listNameKey } from '../../core/model/name-key.js';
import { caseKey } from '../../core/model/search-key.js';
import { sortKey, sortKeyOf } from '../../core/model/sort-key.js';
import type { Db, Tx } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { openTempDb } from '../temp-db.js';

export const WORDS = [
  'Épée',
  'epee',
  'EPEE',
  'Straße',
  '進撃の巨人',
  '進',
  'ガ',
  'が',
  'ｶﾞ',
  '100%',
  'a_b',
  'aXb',
  'İx',
  'Ωmega',
  "O'Neil",
  '"quoted"',
  'The',
  '2',
  '10',
  'ab',
];
export const TERMS = ['Action', 'ACTION!', 'Comédie', '冒険', '50%', 'x_y'];

const phrase = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' '));
const maybe = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arb, { freq: 2, nil: null });
const terms = fc.uniqueArray(fc.constantFrom(...TERMS), { maxLength: 3 });
const few = fc.integer({ min: 0, max: 4 });
const publisher = fc.constantFrom('Édition', 'ÉDITION', 'b');
const language = fc.constantFrom('en', 'JA');
const person = fc.constantFrom('Ann Ö', 'Bo', '鬼頭');

const seriesArb = fc.record({
  library: fc.integer({ min: 1, max: 2 }),
  name: phrase,
  titleSort: maybe(phrase),
  titles: fc.array(phrase, { maxLength: 2 }),
  summary: maybe(phrase),
  publisher: maybe(publisher),
  language: maybe(language),
  status: maybe(fc.constantFrom('ongoing', 'ended')),
  authors: fc.array(person, { maxLength: 2 }),
  year: maybe(few),
  total: maybe(few),
  genres: terms,
  tags: terms,
  sharing: terms,
  /** In a collection. */
  held: fc.boolean(),
  createdAt: few,
  updatedAt: few,
});

const progressArb = fc.record({
  page: fc.integer({ min: 1, max: 2 }),
  completed: fc.boolean(),
  at: few,
});

const bookArb = fc.record({
  series: fc.nat(),
  title: phrase,
  facts: maybe(
    fc.record({
      titleSort: maybe(phrase),
      summary: maybe(phrase),
      bookType: maybe(fc.constantFrom('manga', 'comic')),
      year: maybe(few),
      month: maybe(few),
      publisher: maybe(publisher),
      languageIso: maybe(language),
      authors: fc.array(fc.record({ name: person, role: fc.constantFrom('writer', 'inker', 'author') }), {
        maxLength: 2,
      }),
    }),
  ),
  number: maybe(few),
  format: fc.constantFrom('cbz', 'cbr', 'cbt', 'epub', 'pdf'),
  error: maybe(fc.constant('broken')),
  deleted: fc.boolean(),
  pageCount: few,
  fileSize: few,
  mtime: few,
  createdAt: few,
  genres: terms,
  tags: terms,
  /** In a read list. */
  held: fc.boolean(),
  /** By user. */
  progress: fc.tuple(maybe(progressArb), maybe(progressArb)),
});

export const shelfArb = fc.record({
  series: fc.array(seriesArb, { minLength: 1, maxLength: 12, size: 'max' }),
  books: fc.array(bookArb, { maxLength: 60, size: 'max' }),
});

export type RandomShelf = typeof shelfArb extends fc.Arbitrary<infer T> ? T : never;
export type SeriesModel = RandomShelf['series'][number] & { readonly key: number; readonly id: string };
export type BookModel = Omit<RandomShelf['books'][number], 'series'> & {
  readonly key: number;
  readonly id: string;
  readonly series: SeriesModel;
  readonly fileName: string;
  readonly path: string;
};

export interface Model {
  readonly libraries: readonly string[];
  readonly series: readonly SeriesModel[];
  readonly books: readonly BookModel[];
}

const id = (): string => uuidOfHex(newId(0));

export const modelOf = (shelf: RandomShelf): Model => {
  const libraries = [id(), id()];
  const series = shelf.series.map((one, index) => ({ ...one, key: index + 1, id: id() }));
  const books = shelf.books.map((book, index) => {
    const own = series[book.series % series.length] as SeriesModel;
    const fileName = `${book.title.replaceAll('/', '')} v${index}.${book.format}`;
    const path = `/root${own.library}/f${own.key}/${fileName}`;
    return { ...book, key: index + 1, id: id(), series: own, fileName, path };
  });
  return { libraries, series, books };
};

const each = (tx: Tx, into: string, columns: string, rows: readonly unknown[][]): Promise<number> => {
  const values = columns
    .split(' ')
    .map((name, at) => (name === 'uuid' ? `unhex(j.value ->> ${at})` : `j.value ->> ${at}`));
  return tx.run(
    `INSERT INTO ${into} (${columns.replaceAll(' ', ', ')}) SELECT ${values.join(', ')} FROM json_each(?) j`,
    [JSON.stringify(rows)],
  );
};

const hex = (uuid: string): string => uuid.replaceAll('-', '');

const PROGRESS_COLUMNS =
  'user_id book_id series_id live uuid current_page completed completed_at started_at updated_at';

const progressRow = (
  user: number,
  book: BookModel,
  { page, completed, at }: { readonly page: number; readonly completed: boolean; readonly at: number },
): unknown[] => [
  user,
  book.key,
  book.series.key,
  Number(!book.deleted),
  hex(id()),
  page,
  Number(completed),
  completed ? at : null,
  0,
  at,
];

const COUNTERS = [
  'UPDATE series SET book_count = (SELECT count(*) FROM book WHERE series_id = series.id AND deleted = 0), file_size = id % 3, page_count = id % 2',
  `UPDATE library SET series_count = (SELECT count(*) FROM series WHERE library_id = library.id AND book_count > 0),
     book_count = (SELECT count(*) FROM book WHERE library_id = library.id AND deleted = 0)`,
];

const insertTerms = async (tx: Tx, { series, books }: Model): Promise<void> => {
  for (const kind of ['genre', 'tag'] as const) {
    const rows = TERMS.map((name, at) => [at + 1, hex(id()), name, caseKey(name), 0]);
    await each(tx, kind, 'id uuid name name_key created_at', rows);
    const of = (row: { key: number; genres: string[]; tags: string[] }): unknown[][] =>
      (kind === 'genre' ? row.genres : row.tags).map((name) => [row.key, TERMS.indexOf(name) + 1]);
    await each(tx, `series_${kind}`, `series_id ${kind}_id`, series.flatMap(of));
    await each(tx, `book_${kind}`, `book_id ${kind}_id`, books.flatMap(of));
  }
};

const insertSharing = async (tx: Tx, { series }: Model): Promise<void> => {
  const rows = TERMS.map((name, at) => [at + 1, hex(id()), name, listNameKey(name), 0, 0]);
  await each(tx, 'sharing_tag', 'id uuid name name_key created_at updated_at', rows);
  const links = series.flatMap(({ key, sharing }) => sharing.map((name) => [key, TERMS.indexOf(name) + 1]));
  await each(tx, 'series_sharing_tag', 'series_id sharing_tag_id', links);
};

/** Two lists of each kind, so that a row may be in more than one; deleted and hidden rows stay in them. */
const insertLists = async (tx: Tx, { series, books }: Model): Promise<void> => {
  for (const [kind, member, rows] of [
    ['collection', 'series', series],
    ['read_list', 'book', books],
  ] as const) {
    const lists = [1, 2].map((key) => [key, hex(id()), `l${key}`, `l${key}`, `l${key}`, 0, 0]);
    await each(tx, kind, 'id uuid name name_key name_sort created_at updated_at', lists);
    const held = rows.filter((row) => row.held);
    const links = held.flatMap((row) => [[1, row.key, row.key, 0], ...(row.key % 2 === 0 ? [[2, row.key, 1, 0]] : [])]);
    await each(tx, `${kind}_${member}`, `${kind}_id ${member}_id position added_at`, links);
  }
};

const SERIES_COLUMNS =
  'id uuid library_id path name name_sort title_sort summary publisher language status year total_volume_count authors created_at updated_at';
const BOOK_COLUMNS =
  'id uuid library_id series_id folder_id file_name file_size file_mtime format title title_sort number page_count analysis_error deleted created_at updated_at';

const insertAll = async (tx: Tx, model: Model): Promise<void> => {
  const { libraries, series, books } = model;
  const place = libraries.map((uuid, at) => [at + 1, hex(uuid), `L${at}`, `l${at}`, `/root${at + 1}`, 0, 0]);
  await each(tx, 'library', 'id uuid name name_sort root created_at updated_at', place);
  const users = [1, 2].map((key) => [key, hex(id()), `u${key}`, `u${key}`, `u${key}`, `u${key}`, '', 'reader', 0, 0]);
  await each(
    tx,
    'user',
    'id uuid username username_key email email_key password_hash role created_at updated_at',
    users,
  );
  const authors = (names: readonly string[]): string => JSON.stringify(names.map((name) => ({ name, role: 'writer' })));
  const seriesRows = series.map((s) => {
    const names = [s.name, sortKeyOf(s.titleSort, s.name), s.titleSort, s.summary, s.publisher, s.language, s.status];
    return [
      s.key,
      hex(s.id),
      s.library,
      `f${s.key}`,
      ...names,
      s.year,
      s.total,
      authors(s.authors),
      s.createdAt,
      s.updatedAt,
    ];
  });
  await each(tx, 'series', SERIES_COLUMNS, seriesRows);
  const titles = series.flatMap((s) => s.titles.map((title) => [hex(id()), s.key, 'other', title, 0, 0]));
  await each(tx, 'series_title', 'uuid series_id label title created_at updated_at', titles);
  await each(
    tx,
    'folder',
    'id library_id path',
    series.map((s) => [s.key, s.library, `f${s.key}`]),
  );
  const bookRows = books.map((b) => {
    const file = [b.fileName, b.fileSize, b.mtime, b.format, b.title, sortKey(b.title), b.number, b.pageCount];
    return [
      b.key,
      hex(b.id),
      b.series.library,
      b.series.key,
      b.series.key,
      ...file,
      b.error,
      Number(b.deleted),
      b.createdAt,
      0,
    ];
  });
  await each(tx, 'book', BOOK_COLUMNS, bookRows);
  const facts = books.filter((b) => b.facts !== null).map((b) => [b.key, hex(id()), JSON.stringify(b.facts), 0, 0]);
  await each(tx, 'book_metadata', 'book_id uuid facts created_at updated_at', facts);
  await insertTerms(tx, model);
  await insertSharing(tx, model);
  await insertLists(tx, model);
  const read = books.flatMap((b) => b.progress.flatMap((p, at) => (p === null ? [] : [progressRow(at + 1, b, p)])));
  await each(tx, 'read_progress', PROGRESS_COLUMNS, read);
  for (const sql of COUNTERS) await tx.run(sql);
};

export type Shelved = ListParts;

/** A database with the real schema in a folder of its own, which is always removed afterwards. */
export const withCatalog = async (use: (parts: Shelved) => Promise<void>): Promise<void> => {
  const { db, close } = await openTempDb('lists');
  try {
    await use({ db, sets: new SetCache(db) });
  } finally {
    await close();
  }
};

/** Empties the catalog and fills it from another shelf. */
export const fill = (db: Db, model: Model): Promise<void> =>
  db.write(SYSTEM, 'interactive', async (tx) => {
    for (const table of ['library', 'user', 'genre', 'tag', 'sharing_tag', 'collection', 'read_list'])
      await tx.run(`DELETE FROM ${table}`);
    await insertAll(tx, model);
  });
