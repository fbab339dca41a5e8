// The expected answers of lists, computed the simplest way over plain arrays: the reference for the server.
import { stemOf } from '../../core/model/formats.js';
import { sortKey, sortKeyOf } from '../../core/model/sort-key.js';
import type { BookModel, Model, SeriesModel } from './random-shelf.js';

/** A condition as a client writes it. */
// biome-ignore lint/suspicious/noExplicitAny: the oracle reads whatever the generator made
export type Tree = any;

type Value = string | number | boolean | null | readonly string[];
export type ValueOf = (field: string) => Value;

const key = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');

const SENSITIVE = new Set(['path', 'bookType', 'status']);

const textMeets = (value: string, operator: string, wanted: string): boolean => {
  if (operator === 'is' || operator === 'isNot') return value === wanted;
  if (operator === 'contains' || operator === 'doesNotContain') return value.includes(wanted);
  return operator === 'beginsWith' ? value.startsWith(wanted) : value.endsWith(wanted);
};

const NEGATED = new Set(['isNot', 'doesNotContain', 'isNull', 'notIn', 'ne']);

const numberMeets = (value: number, { operator, value: v, min, max, start, end }: Tree): boolean => {
  const other = typeof v === 'string' ? Date.parse(v) : v;
  const low = typeof start === 'string' ? Date.parse(start) : (min ?? Number.NEGATIVE_INFINITY);
  const high = typeof end === 'string' ? Date.parse(end) : (max ?? Number.POSITIVE_INFINITY);
  if (operator === 'between') return value >= low && value <= high;
  if (['eq', 'ne', 'is', 'isNot'].includes(operator)) return value === other;
  if (operator === 'gt' || operator === 'after') return value > other;
  if (operator === 'gte' || operator === 'onOrAfter') return value >= other;
  return operator === 'lt' || operator === 'before' ? value < other : value <= other;
};

const flagMeets = (value: boolean | null, { operator, value: v }: Tree): boolean => {
  const wanted = operator === 'isTrue' || (operator === 'is' ? v : operator === 'isNot' ? !v : false);
  return value === wanted;
};

/** How a value that is not text is written. */
const written = (field: string, value: Value): string =>
  (field === 'dateAdded' ? new Date(value as number).toISOString() : String(value)).toLowerCase();

const NO_TEXT = new Set(['libraryId', 'seriesId', 'hasError', 'inReadList', 'inCollection', 'completion', 'isTracked']);
const isPiece = (field: string, operator: string, value: Value): boolean =>
  (operator === 'contains' || operator === 'beginsWith') && (NO_TEXT.has(field) || typeof value === 'number');

const clauseMeets = (field: string, clause: Tree, value: Value): boolean => {
  const { operator } = clause;
  if (isPiece(field, operator, value))
    return value !== null && textMeets(written(field, value), operator, clause.value.toLowerCase());
  if (NO_TEXT.has(field) && operator.endsWith('Null')) return (value === null) === (operator === 'isNull');
  if (typeof value === 'boolean' || field === 'completion') return flagMeets(value as boolean | null, clause);
  const values = Array.isArray(value) ? value : value === null ? [] : [value];
  const some = (test: (one: Tree) => boolean): boolean => values.some(test) !== NEGATED.has(operator);
  if (operator === 'isNull' || operator === 'isNotNull') return some(() => true);
  if (operator === 'in' || operator === 'notIn') return some((one) => clause.values.includes(one));
  if (typeof values[0] === 'number') return some((one) => numberMeets(one, clause));
  if (typeof clause.value !== 'string') return NEGATED.has(operator);
  const fold = SENSITIVE.has(field) ? (text: string) => text : key;
  const wanted = ['readStatus', 'status', 'format'].includes(field) ? clause.value.toLowerCase() : fold(clause.value);
  return some((one) => textMeets(fold(one), operator, wanted));
};

export const meets = (tree: Tree, value: ValueOf): boolean => {
  if (tree === undefined) return true;
  if (tree.allOf !== undefined) return tree.allOf.every((part: Tree) => meets(part, value));
  if (tree.noneOf !== undefined) return !tree.noneOf.some((part: Tree) => meets(part, value));
  if (tree.anyOf !== undefined) return tree.anyOf.some((part: Tree) => meets(part, value));
  const [field = ''] = Object.keys(tree);
  return clauseMeets(field, tree[field], value(field));
};

const both = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];

const statusOf = (book: BookModel, user: number): string => {
  const progress = book.progress[user - 1] ?? null;
  if (progress?.completed === true) return 'read';
  return (progress?.page ?? 0) >= 1 ? 'in_progress' : 'unread';
};

/** The people credited in a book, in one of these roles or in any. Books whose files are gone have no credits. */
const creditedIn = (book: BookModel, roles?: readonly string[]): readonly string[] =>
  (book.deleted ? [] : (book.facts?.authors ?? []))
    .filter(({ role }) => roles === undefined || roles.includes(role))
    .map(({ name }) => name);

const WRITERS = ['writer', 'author'];

export const bookValue =
  (model: Model, book: BookModel, user: number): ValueOf =>
  (field) => {
    const values: Record<string, Value> = {
      libraryId: model.libraries[book.series.library - 1] ?? '',
      seriesId: book.series.id,
      genre: both(book.genres, book.series.genres),
      tag: both(book.tags, book.series.tags),
      title: book.title,
      summary: book.facts?.summary ?? null,
      readStatus: statusOf(book, user),
      hasError: book.error !== null,
      inReadList: book.held,
      author: creditedIn(book),
      writer: creditedIn(book, WRITERS),
      inker: creditedIn(book, ['inker']),
      publisher: book.facts?.publisher ?? book.series.publisher,
      language: book.facts?.languageIso ?? book.series.language,
      year: book.facts?.year ?? null,
      bookType: book.facts?.bookType ?? null,
      format: book.format,
      path: book.path,
      pageCount: book.pageCount,
      dateAdded: book.createdAt,
    };
    return values[field] ?? null;
  };

export const liveOf = (model: Model, series: SeriesModel): readonly BookModel[] =>
  model.books.filter((book) => book.series === series && !book.deleted);

const seriesStatus = (books: readonly BookModel[], user: number): string => {
  const all = books.map((book) => statusOf(book, user));
  if (all.length > 0 && all.every((status) => status === 'read')) return 'read';
  return all.some((status) => status !== 'unread') ? 'in_progress' : 'unread';
};

export const seriesValue =
  (model: Model, series: SeriesModel, user: number): ValueOf =>
  (field) => {
    const live = liveOf(model, series);
    const count = live.length;
    const own = count === 0 ? [] : series.authors;
    const values: Record<string, Value> = {
      libraryId: model.libraries[series.library - 1] ?? '',
      name: series.name,
      title: series.name,
      titleSort: series.titleSort ?? series.name,
      summary: series.summary,
      publisher: series.publisher,
      language: series.language,
      status: series.status,
      genre: series.genres,
      tag: series.tags,
      // The first user is an administrator; to the second, no series has one.
      sharingTag: user === 1 ? series.sharing : [],
      author: both(
        own,
        live.flatMap((book) => creditedIn(book)),
      ),
      writer: both(
        own,
        live.flatMap((book) => creditedIn(book, WRITERS)),
      ),
      inker: live.flatMap((book) => creditedIn(book, ['inker'])),
      readStatus: seriesStatus(live, user),
      path: `f${series.key}`,
      year: series.year,
      completion: series.total === null ? null : count >= series.total,
      dateAdded: series.createdAt,
      isTracked: false,
      inCollection: series.held,
    };
    return values[field] ?? null;
  };

/** Each searched part of a row. */
export const bookTexts = (book: BookModel): readonly string[] => [
  ...[book.title, book.series.name, stemOf(book.fileName), ...book.genres, ...book.tags, book.facts?.publisher ?? ''],
  ...(book.facts?.authors ?? []).map(({ name }) => name),
];

export const seriesTexts = (series: SeriesModel): readonly string[] => [
  ...[series.name, ...series.titles, series.titleSort ?? '', `f${series.key}`, series.publisher ?? ''],
  ...[...series.authors, ...series.genres, ...series.tags],
];

type Cell = string | number | null;

const compareCells = (a: Cell, b: Cell): number => {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
};

/** `nullsLast` only concerns the first cell; the others follow the direction. */
export const ordered = <T>(
  rows: readonly T[],
  cellsOf: (row: T) => readonly Cell[],
  descending: boolean,
  nullsLast: boolean,
): T[] =>
  [...rows].sort((x, y) => {
    const [a, b] = [cellsOf(x), cellsOf(y)];
    if (nullsLast && (a[0] === null) !== (b[0] === null)) return a[0] === null ? 1 : -1;
    for (const [at, cell] of a.entries()) {
      const step = compareCells(cell, b[at] ?? null);
      if (step !== 0) return descending ? -step : step;
    }
    return 0;
  });

const released = (book: BookModel): number | null => {
  const { year = null, month = null } = book.facts ?? {};
  return year === null ? null : year * 10_000 + (month ?? 0) * 100;
};

const nameSort = (series: SeriesModel): string => sortKeyOf(series.titleSort, series.name);

export const bookCells =
  (sort: string, user: number) =>
  (book: BookModel): readonly Cell[] => {
    const ends = [book.series.library, book.key];
    const cells: Record<string, readonly Cell[]> = {
      title: [sortKey(book.title), ...ends],
      number: [book.number, ...ends],
      file_size: [book.fileSize, ...ends],
      filename: [book.fileName, ...ends],
      page_count: [book.pageCount, ...ends],
      created_at: [book.createdAt, ...ends],
      modified_at: [book.mtime, ...ends],
      release_date: [released(book), ...ends],
      series: [nameSort(book.series), book.series.library, book.series.key, book.number, book.key],
      last_read: [book.progress[user - 1]?.at ?? null, book.key],
    };
    return cells[sort] ?? [];
  };

export const seriesCells =
  (sort: string, model: Model) =>
  (series: SeriesModel): readonly Cell[] => {
    const ends = [series.library, series.key];
    const cells: Record<string, readonly Cell[]> = {
      name: [nameSort(series), ...ends],
      date_added: [series.createdAt, ...ends],
      date_updated: [series.updatedAt, ...ends],
      release_date: [series.year, ...ends],
      book_count: [liveOf(model, series).length, ...ends],
      file_size: [series.key % 3, ...ends],
      filename: [`f${series.key}`, ...ends],
      page_count: [series.key % 2, ...ends],
    };
    return cells[sort] ?? [];
  };
