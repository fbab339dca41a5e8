// Every row that may tell of books, series or libraries, with the addresses at which it is asked for them. A new row is one of them by
// being in the table.
import { hexOfUuid, isUuid, uuidOfHex } from '../../core/model/ids.js';
import { SERVED } from '../../http/cli/surfaces.js';
import type { Route } from '../../http/surface/route.js';
import { pathOf } from '../../http/surface/surface.js';
import { UNKNOWN_ID } from '../http/row-bodies.js';
import { IS_FULL } from '../kit.js';
import type { Shown } from './guarded-shelf.js';
import { HIDEABLE, NAMES, PARAM } from './named-parts.js';
import { shaped } from './permission-table.js';

/** Ids by the part of a path before them. */
export type Ids = Readonly<Record<string, readonly string[]>>;

export interface ContentRow {
  readonly route: Route;
  readonly path: string;
  /** As in the table of permissions. */
  readonly name: string;
}

/** Ruling out what a person may not see would keep an administrator from administering it: rows by their paths within any surface. */
const RUN_WITHOUT: ReadonlySet<string> = new Set([
  'GET /series/{}/sharing-tags',
  'PUT /series/{}/sharing-tags',
  'POST /series/{}/sharing-tags',
  'DELETE /series/{}/sharing-tags/{}',
  'PUT /libraries/{}',
  'PATCH /libraries/{}',
  'DELETE /libraries/{}',
  'POST /libraries/{}/scan',
  'POST /libraries/{}/scan/cancel',
]);

export const runsWithout = ({ route, path }: ContentRow): boolean =>
  RUN_WITHOUT.has(`${route.method} ${shaped(path).replace(/^.*?\/api\/v\d/, '')}`);

/** Rows that say to which libraries a person is limited. */
export const tellsLibraries = ({ path }: ContentRow): boolean =>
  /^\/api\/v1\/(?:users|admin\/audit)|^\/komga\/api\/v2\/users(?:$|\/\{)/.test(path);

const isRead = ({ method, access }: Route): boolean => {
  if (method === 'GET') return true;
  const needs = typeof access === 'string' ? [access] : access;
  return method === 'POST' && needs.every((need) => need.endsWith('Read'));
};

const EACH: readonly ContentRow[] = SERVED.flatMap((surface) =>
  surface.rows
    .filter(({ access }) => access !== 'public')
    .map((route) => {
      const path = pathOf(surface, route);
      return { route, path, name: `${route.method} ${shaped(path)}` };
    }),
);

const isFirst = ({ route }: ContentRow, at: number): boolean => EACH.findIndex((row) => row.route === route) === at;

/** A row that several surfaces serve is asked for at one of its addresses, in a full run at each. */
const ROWS = IS_FULL ? EACH : EACH.filter(isFirst);

/** It tells nothing, and ends the session with which all others are asked. */
const endsSession = ({ path }: ContentRow): boolean => path.endsWith('/logout');

export const GETS = ROWS.filter((row) => row.route.method === 'GET' && !endsSession(row));
export const FILTERS = ROWS.filter(({ route }) => route.method !== 'GET' && isRead(route));
export const WRITES = ROWS.filter(({ route }) => !isRead(route));

interface Address {
  readonly path: string;
  /** What may be hidden from somebody; null where the row names no such thing. */
  readonly id: string | null;
}

/**
 * The addresses of a row: one for each thing that may be hidden, the last that it names. Throws where nothing is known that it could name:
 * whoever adds the row has to say it.
 */
export const addressesOf = ({ path, name }: ContentRow, given: Ids): readonly Address[] => {
  const ids = { ...NAMES, ...given };
  const parts = [...path.matchAll(PARAM)].map(([, part = '']) => part);
  const varied = parts.findLastIndex((part) => HIDEABLE.has(part));
  const unknown = parts.filter((part) => ids[part] === undefined);
  if (unknown.length > 0) throw new Error(`${name}: what does it name after ${unknown.join()}?`);
  const filled = (chosen: string | null): string => {
    let at = -1;
    return path.replace(PARAM, (_, part: string) => {
      at += 1;
      return `${part}/${at === varied && chosen !== null ? chosen : (ids[part]?.[0] ?? UNKNOWN_ID)}`;
    });
  };
  if (varied < 0) return [{ path: filled(null), id: null }];
  return (ids[parts[varied] ?? ''] ?? []).map((id) => ({ path: filled(id), id }));
};

/** A word, and an id also as surfaces without hyphens write it. */
export const spellingsOf = (word: string | undefined): readonly string[] => {
  if (word === undefined) return [];
  return isUuid(word) ? [word, hexOfUuid(word)] : [word];
};

interface Listed {
  readonly bookId?: string;
  readonly seriesId?: string;
  readonly id: string;
}

/** What an entry of a list is about; a book that names its series is about itself. */
export const idOf = (entry: Listed | string | null): string => {
  if (entry === null || typeof entry !== 'object') return '';
  const isBook = 'seriesTitle' in entry;
  const id = entry.bookId ?? (isBook ? undefined : entry.seriesId) ?? entry.id;
  return /^[0-9a-f]{32}$/.test(id) ? uuidOfHex(id) : id;
};

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  (schema as { properties?: Record<string, unknown> }).properties ?? {};

/** Queries of a row that ask for one series, its library or a word that only it has. */
export const queriesFor = ({ route }: ContentRow, { id, libraryId, title }: Shown, ofLibrary: boolean): string[] =>
  Object.keys(propertiesOf(route.query)).flatMap((field) => {
    if (/^series_?id$/i.test(field)) return [`${field}=${id}`];
    if (/^library_?id$/i.test(field)) return ofLibrary ? [`${field}=${libraryId}`] : [];
    return /^(?:genres?|tags?|q|query|search)$/.test(field) ? [`${field}=${title}`] : [];
  });

export const pageSizeOf = ({ route }: ContentRow): string => {
  const name = ['pageSize', 'size'].find((one) => Object.hasOwn(propertiesOf(route.query), one));
  return name === undefined ? '' : `?${name}=100`;
};

const is = (value: string) => ({ operator: 'is', value });
const contains = (value: string) => ({ operator: 'contains', value });

/** Bodies of the rows that filter, asking for one series; each row of them has to be here. */
export const FILTER_BODIES: Readonly<
  Record<string, (one: Pick<Shown, 'id' | 'libraryId' | 'title'>, ofLibrary: boolean) => readonly object[]>
> = {
  'books.filter': ({ id, libraryId, title }, ofLibrary) => [
    { condition: { seriesId: is(id) } },
    { condition: { title: contains(title) } },
    { condition: { path: contains(title) } },
    { condition: { genre: is(title) } },
    { fullTextSearch: title },
    { includeDeleted: true, condition: { tag: is(title) } },
    ...(ofLibrary ? [{ condition: { libraryId: is(libraryId) } }] : []),
  ],
  'series.filter': ({ libraryId, title }, ofLibrary) => [
    { condition: { name: is(title) } },
    { condition: { genre: is(title) } },
    { condition: { tag: is(title) } },
    { fullTextSearch: title },
    ...(ofLibrary ? [{ condition: { libraryId: is(libraryId) } }] : []),
  ],
  'series.search': ({ libraryId, title }, ofLibrary) => [
    { query: title },
    ...(ofLibrary ? [{ query: 'e', libraryId }] : []),
  ],
  'comics.series.filter': ({ libraryId, title }, ofLibrary) => [
    { condition: { title: is(title) } },
    { condition: { anyOf: [{ genre: is(title) }, { tag: is(title) }] } },
    { fullTextSearch: title },
    ...(ofLibrary ? [{ condition: { libraryId: is(libraryId) } }] : []),
  ],
  'comics.series.filter.letters': ({ libraryId, title }, ofLibrary) => [
    { condition: { title: is(title) } },
    { condition: { anyOf: [{ genre: is(title) }, { tag: is(title) }] } },
    ...(ofLibrary ? [{ condition: { libraryId: is(libraryId) } }] : []),
  ],
  'comics.books.filter': ({ id, libraryId, title }, ofLibrary) => [
    { condition: { seriesId: is(id) } },
    { condition: { title: contains(title) } },
    { condition: { tag: is(title) } },
    { fullTextSearch: title },
    ...(ofLibrary ? [{ condition: { libraryId: is(libraryId) } }] : []),
  ],
  'series.letters': ({ libraryId, title }, ofLibrary) => [
    { condition: { name: is(title) } },
    { fullTextSearch: title },
    ...(ofLibrary ? [{ condition: { libraryId: is(libraryId) } }] : []),
  ],
};

/** Tasks about what is hidden. */
export const taskBodies = ({ id, books: [book = ''] }: Shown): readonly unknown[] =>
  [
    { type: 'analyze_series', seriesId: id },
    { type: 'generate_thumbnails', seriesId: id },
    { type: 'analyze_book', bookId: book },
  ].map((taskType) => ({ taskType }));

/** Bodies beside those of the rows: other spellings, and what is seen with what is not. */
export const moreBodies = (row: ContentRow, one: Shown, seen: Shown | undefined, ids: Ids): readonly unknown[] => {
  const [book = ''] = one.books;
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    'wanted.add': [{ bookId: book }, { seriesId: one.id }],
    'wanted.bulk': [{ bookIds: [book] }, { seriesIds: [one.id] }],
    'wanted.order': [{ entryIds: [ids[`wanted ${one.id}`]?.[0]] }],
    'collections.series.add': [{ seriesId: one.id }, ...(seen === undefined ? [] : [{ seriesIds: [seen.id, one.id] }])],
    'readlists.books.add': [{ bookId: book }, ...(seen === undefined ? [] : [{ bookIds: [seen.books[0], book] }])],
    'books.retry-all': [{ libraryId: one.libraryId }],
    'tasks.create': taskBodies(one),
    'books.bulk-read': [{ bookIds: [book] }],
    'books.bulk-unread': [{ bookIds: [book] }],
    'series.bulk-read': [{ seriesIds: [one.id] }],
    'series.bulk-unread': [{ seriesIds: [one.id] }],
    'profiles.put': [{ seriesId: one.id, value: 1 }],
  };
  return lists[row.route.id] ?? [];
};
