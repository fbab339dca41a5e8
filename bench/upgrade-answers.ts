// The answers of the old and the new program to the same requests on the same rows, and how they differ.
import { uuidOfHex } from '../core/model/ids.js';
import { databasePath } from '../core/start.js';
import { withConnection } from '../core/store/connection.js';
import { GROUPS, type Names } from './lists-cases.js';
import type { Running } from './program.js';
import { WITH_JUNK } from './upgrade-rows.js';

interface Ids extends Names {
  readonly collections: readonly string[];
  readonly readLists: readonly string[];
}

const idsIn = (folder: string): Promise<Ids> =>
  withConnection(databasePath(folder), async (db) => {
    const ids = async (sql: string): Promise<string[]> =>
      (await db.all<{ id: string }>(`SELECT hex(uuid) AS id FROM ${sql}`)).map(({ id }) => uuidOfHex(id));
    return {
      library: (await ids('library WHERE id = 1'))[0] ?? '',
      longSeries: (await ids('series WHERE id = 1'))[0] ?? '',
      // The last one has a thumbnail among its pages (upgrade-rows.ts).
      books: [
        ...(await ids('book WHERE deleted = 0 ORDER BY id * 7919 % 100003, id LIMIT 20')),
        ...(await ids(`book WHERE deleted = 0 AND id % ${WITH_JUNK} = 0 AND format = 'cbz' LIMIT 1`)),
      ],
      series: await ids('series WHERE book_count > 0 ORDER BY id * 7919 % 10007, id LIMIT 20'),
      collections: await ids('collection WHERE id % 40 = 1'),
      readLists: await ids('read_list WHERE id % 40 = 1'),
    };
  });

const TURNS = 3;
const BOOK = ['', '/full', '/adjacent', '/pages', '/metadata/locks', '/genres', '/tags', '/readlists', '/progress'];
const SERIES = ['', '/full', '/books', '/metadata', '/metadata/locks', '/alternate-titles', '/collections', '/genres'];
const ALONE = [
  '/auth/me',
  '/libraries',
  '/genres?pageSize=100',
  '/tags?pageSize=500',
  '/collections?pageSize=500',
  '/readlists?pageSize=500',
  '/want-to-read',
  '/progress?pageSize=200',
  '/progress/currently-reading',
  '/books/errors',
  '/series/recently-updated',
];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const get = (path: string): Asked => ({ method: 'GET', path });

const requests = (ids: Ids): readonly Asked[] => {
  const lists = GROUPS.filter(({ id }) => id !== 'progress').flatMap(({ cases }) => cases);
  const asked = [
    ...ALONE.map(get),
    ...lists.flatMap((one) => Array.from({ length: TURNS }, (_, turn) => one.ask(ids, turn))),
    ...ids.books.flatMap((id) => BOOK.map((part) => get(`/books/${id}${part}`))),
    ...ids.series.flatMap((id) => SERIES.map((part) => get(`/series/${id}${part}`))),
    ...ids.collections.flatMap((id) => ['', '/series?pageSize=500'].map((part) => get(`/collections/${id}${part}`))),
    ...ids.readLists.flatMap((id) => ['', '/books?pageSize=500'].map((part) => get(`/readlists/${id}${part}`))),
    ...['', '/books', '/series', '/books/on-deck'].map((part) => get(`/libraries/${ids.library}${part}`)),
    { method: 'POST', path: '/series/list/alphabetical-groups', body: {} },
    get(`/series/${ids.longSeries}/books?pageSize=500`),
  ];
  const byText = new Map(asked.map((one) => [JSON.stringify(one), one]));
  return [...byText.values()];
};

/** The upgraded database has the triggers and counters of a new one, so later writes give the same result. */
const writes = ({ books, series }: Ids): readonly Asked[] => [
  ...books.slice(0, 5).map((id) => ({ method: 'PUT', path: `/books/${id}/progress`, body: { currentPage: 2 } })),
  ...books.slice(5, 10).map((id) => ({ method: 'POST', path: `/books/${id}/read` })),
  ...books.slice(10, 15).map((id) => ({ method: 'POST', path: `/books/${id}/unread` })),
  ...series.slice(0, 3).map((id) => ({ method: 'POST', path: `/series/${id}/read` })),
  ...books.map((id) => ({ method: 'PATCH', path: `/books/${id}/metadata`, body: { summary: 'Changed' } })),
  ...series.map((id) => ({ method: 'PATCH', path: `/series/${id}/metadata`, body: { summary: 'Changed' } })),
];

const readAgain = ({ books, series }: Ids): readonly Asked[] => [
  ...['/books/on-deck', '/books/in-progress', '/books/recently-read', '/series/in-progress', '/progress'].map(get),
  ...books.flatMap((id) => ['/full', '/progress', '/metadata/locks'].map((part) => get(`/books/${id}${part}`))),
  ...series.flatMap((id) => ['/full', '/metadata/locks'].map((part) => get(`/series/${id}${part}`))),
  { method: 'POST', path: '/books/list', body: { fullTextSearch: 'changed' } },
];

const AFTER = 'after writes: ';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Answers = ReadonlyMap<string, unknown>;

/** Keyed by the text of the request. */
export const answersOf = async (program: Pick<Running, 'call'>, folder: string): Promise<Answers> => {
  const answers = new Map<string, unknown>();
  const ask = async (asked: readonly Asked[], prefix: string): Promise<void> => {
    for (const { method, path, body } of asked) {
      const text = `${prefix}${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
      answers.set(text, await program.call(method, path, body));
    }
  };
  const ids = await idsIn(folder);
  await ask(requests(ids), '');
  for (const { method, path, body } of writes(ids)) {
    const answer = await program.call(method, path, body);
    if (isObject(answer) && 'error' in answer) throw new Error(`${method} ${path} was refused: ${answer.error}`);
  }
  await ask(readAgain(ids), AFTER);
  return answers;
};

interface Difference {
  /** Field names; list positions are left out. */
  readonly field: string;
  readonly old: unknown;
  readonly fresh: unknown;
}

const idOf = (row: unknown): unknown => (isObject(row) ? (row.pageNumber ?? row.bookId ?? row.id ?? row) : row);

/** Rows are compared by id, so one moved row is one difference, and the rows after it are not counted. */
const ofLists = (field: string, old: readonly unknown[], fresh: readonly unknown[]): Difference[] => {
  const [was, is] = [old.map(idOf), fresh.map(idOf)].map((ids) => ids.map((id) => JSON.stringify(id)));
  const found: Difference[] =
    was?.join() === is?.join() ? [] : [{ field: `${field}[] (which and in which order)`, old: was, fresh: is }];
  const byId = new Map(fresh.map((row) => [JSON.stringify(idOf(row)), row]));
  for (const row of old) {
    const same = byId.get(JSON.stringify(idOf(row)));
    if (same !== undefined) found.push(...differencesOf(`${field}[]`, row, same));
  }
  return found;
};

const differencesOf = (field: string, old: unknown, fresh: unknown): Difference[] => {
  if (Array.isArray(old) && Array.isArray(fresh)) return ofLists(field, old, fresh);
  if (isObject(old) && isObject(fresh)) {
    const names = new Set([...Object.keys(old), ...Object.keys(fresh)]);
    return [...names].flatMap((name) => differencesOf(`${field}.${name}`, old[name], fresh[name]));
  }
  // Current answers leave out fields without a value.
  return JSON.stringify(old ?? null) === JSON.stringify(fresh ?? null) ? [] : [{ field, old, fresh }];
};

const rowsOf = (answer: unknown): readonly unknown[] | undefined => {
  const rows = isObject(answer) ? (answer.data ?? answer.items) : answer;
  return Array.isArray(rows) ? rows : undefined;
};

/** The same rows, without the envelope of the newer API. */
const asOf = (old: unknown, fresh: unknown): readonly [old: unknown, fresh: unknown] => {
  if (isObject(old) && isObject(fresh) && 'book' in fresh && !('book' in old)) {
    const { book, ...others } = fresh;
    return [old, isObject(book) ? { ...book, ...others } : book];
  }
  const [was, is] = [rowsOf(old), rowsOf(fresh)];
  const isReshaped =
    was !== undefined && is !== undefined && Object.keys(old ?? {}).join() !== Object.keys(fresh ?? {}).join();
  return isReshaped ? [was, is] : [old, fresh];
};

/** An intended difference. */
interface Intended {
  readonly request: RegExp;
  readonly field: RegExp;
  readonly when?: (old: unknown, fresh: unknown) => boolean;
  readonly why: string;
}

const ANY = /./;
const ROWS = /^(?:\.data)?\[\] \(which/;
const wasNone = (old: unknown): boolean => (old ?? null) === null;
const by =
  (most: number) =>
  (old: unknown, fresh: unknown): boolean =>
    typeof old === 'number' && typeof fresh === 'number' && Math.abs(old - fresh) <= most;
/** Generated books with a thumbnail among their pages have one each. */
const THUMBNAILS = 'NAS thumbnails are not pages';

const INTENDED: readonly Intended[] = [
  { request: new RegExp(`^${AFTER}`), field: /(?:At|\.id)$/, why: 'times and new ids of what both programs wrote' },
  {
    request: ANY,
    field: /\btitleSort$/,
    when: wasNone,
    why: 'a series is sorted by its title where nothing else is known',
  },
  { request: ANY, field: /\bvolumesOwned$/, when: wasNone, why: 'no volume is owned when none is known' },
  {
    request: ANY,
    field: /\b(?:volume|chapter|localMaxChapter|localMaxVolume)$/,
    why: 'volume and chapter come from the file',
  },
  { request: ANY, field: /\b(?:pageCount|currentPage)$/, when: by(1), why: THUMBNAILS },
  { request: ANY, field: /\bprogressPercentage$/, when: by(0.05), why: `${THUMBNAILS}: progress in a book` },
  { request: ANY, field: /\bupdatedAt$/, why: `${THUMBNAILS}: when a book changed` },
  { request: /sort=page_count|"pageCount"/, field: ROWS, why: `${THUMBNAILS}: order by pages` },
  {
    request: /"pageCount"/,
    field: /^\.(?:total|totalPages|links\.\w+)$/,
    why: `${THUMBNAILS}: books with that many pages`,
  },
  { request: /\/pages$/, field: /^/, why: `${THUMBNAILS}: pages of a book` },
  {
    request: /sort=last_read/,
    field: /^\.(?:total|links|data\[\] \()/,
    why: 'unread books follow read ones',
  },
  { request: /GET \/series\//, field: /^\.readCount$/, why: 'a series was read as often as its least-read book' },
  { request: /GET \/books\//, field: /^\.metadata$/, when: wasNone, why: 'an analysed book has metadata' },
  { request: /alphabetical-groups/, field: ANY, why: 'letters of series follow their sort order' },
];

const SHOWN = 200;
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

/** Lines about the differences: first the intended ones, counted by reason; then every other field of every request, with one example. */
export const compareAnswers = (
  old: Answers,
  fresh: Answers,
): { readonly lines: readonly string[]; readonly unintended: number } => {
  const meant = new Map<string, number>();
  const lines: string[] = [];
  for (const [request, answer] of old) {
    const byField = new Map<string, Difference[]>();
    for (const one of differencesOf('', ...asOf(answer, fresh.get(request)))) {
      const intended = INTENDED.find(
        ({ request: of, field, when }) =>
          of.test(request) && field.test(one.field) && (when === undefined || when(one.old, one.fresh)),
      );
      if (intended !== undefined) meant.set(intended.why, (meant.get(intended.why) ?? 0) + 1);
      else byField.set(one.field, [...(byField.get(one.field) ?? []), one]);
    }
    for (const [field, [first, ...others]] of byField)
      lines.push(
        `${request}\n    ${field}, ${others.length + 1} times: ${shown(first?.old)} is now ${shown(first?.fresh)}`,
      );
  }
  for (const [request, answer] of old)
    if (isObject(answer) && 'error' in answer) lines.push(`${request}\n    the old program refused: ${shown(answer)}`);
  const intended = [...meant].map(([why, count]) => `intended difference, ${count} times: ${why}`);
  return { lines: [`${old.size} requests compared`, ...intended, ...lines], unintended: lines.length };
};
