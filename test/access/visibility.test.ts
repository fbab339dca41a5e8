// Random restrictions of a user against the plain rule: whatever is asked, the answer is that of somebody who sees everything without what
// is hidden, and the next request after a change knows of it.
import fc from 'fast-check';
import type { Answer, CallOptions, TempApp } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { become, guardedShelf, type Shown } from './guarded-shelf.js';
import { checkPlaces } from './list-places.js';
import {
  applyStep,
  booksSeen,
  isLimited,
  maySee,
  noRights,
  type Rights,
  type Rows,
  type Step,
  stepArb,
  storeNoRights,
  storeStep,
} from './random-grants.js';
import { tellStep } from './told-grants.js';

let temp: TempApp;
let free = '';
let limited = '';
let rows: Rows;
let all: readonly Shown[] = [];
let listId = '';
let collections: readonly string[] = [];

const ask = (token: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are read by the fields the contract names
type Json = any;

interface Listed {
  readonly path: string;
  readonly body?: unknown;
  /** The ids of an answer that somebody may see or not, of books, series or libraries. */
  readonly ids: (json: Json) => readonly string[];
  readonly total?: (json: Json) => number;
}

const listed = (json: Json): Json => json.data ?? json.items ?? json;
const idsIn = (json: Json): string[] => listed(json).map((one: { id: string }) => one.id);
const paged = (path: string, body?: unknown): Listed => ({ path, body, ids: idsIn, total: (json) => json.total });
const plain = (path: string, body?: unknown): Listed => ({ path, body, ids: idsIn });
const recordsOf = (json: Json): string[] => (json.progress ?? json).map((one: { bookId: string }) => one.bookId);

const lists = (): readonly Listed[] => [
  paged('/books?pageSize=100'),
  paged('/books?pageSize=100&sort=series,desc'),
  paged('/books?pageSize=100&sort=last_read,desc'),
  paged('/books/list?pageSize=100', { fullTextSearch: '2' }),
  paged('/books/list?pageSize=100', {
    includeDeleted: true,
    condition: { readStatus: { operator: 'isNot', value: 'read' } },
  }),
  paged('/series?pageSize=100&sort=name,desc'),
  paged('/series?pageSize=100&sort=date_read,desc'),
  paged('/series?pageSize=100&genres=Shared'),
  paged('/series/list?pageSize=100', { condition: { title: { operator: 'contains', value: 'e' } } }),
  plain('/series/search', { query: 'ants' }),
  paged('/books/in-progress?pageSize=100'),
  paged('/books/on-deck?pageSize=100'),
  paged('/books/recently-added?pageSize=100'),
  plain('/books/recently-read'),
  plain('/series/in-progress'),
  plain('/series/recently-added'),
  plain('/series/recently-updated'),
  paged('/libraries?pageSize=100'),
  ...collections.map((id) => plain(`/collections/${id}/series`)),
  plain(`/readlists/${listId}/books`),
  { path: '/want-to-read', ids: (json) => (json.items ?? json).map((one: Json) => one.bookId ?? one.seriesId) },
  { path: '/progress', ids: recordsOf, total: (json) => json.total },
  { path: '/progress/currently-reading', ids: recordsOf, total: (json) => json.total },
  {
    path: '/books/errors',
    ids: (json) => json.groups.flatMap((group: Json) => group.books.map(({ book }: Json) => book.id)),
    total: (json) => json.totalBooksWithErrors,
  },
];

const get = async (token: string, { path, body }: Listed): Promise<Json> => {
  const answer = await ask(token, body === undefined ? 'GET' : 'POST', path, body === undefined ? {} : { body });
  assert.is(answer.status, 200, `${path}: ${answer.json?.message}`);
  return answer.json;
};

/** Ids of everything that may be seen. */
const seenIn = (rights: Rights): ReadonlySet<string> => {
  const libraries = all.filter(({ library }) => rights.libraries?.includes(library) ?? true);
  const series = all.filter((one) => maySee(rights, one));
  return new Set([
    ...libraries.map((one) => one.libraryId),
    ...series.flatMap((one) => [one.id, ...booksSeen(rights, one)]),
  ]);
};

const checkLists = async (seen: ReadonlySet<string>): Promise<void> => {
  for (const list of lists()) {
    const everything = list.ids(await get(free, list));
    assert.ok(everything.length > 0, `${list.path} lists nothing`);
    const expected = everything.filter((id) => seen.has(id));
    const json = await get(limited, list);
    assert.equal(list.ids(json), expected, list.path);
    if (list.total !== undefined) assert.is(list.total(json), expected.length, `total of ${list.path}`);
  }
  const books = idsIn(await get(free, plain('/books?pageSize=100'))).filter((id) => seen.has(id));
  const second = await get(limited, plain('/books?pageSize=3&page=2'));
  assert.equal([idsIn(second), second.total], [books.slice(3, 6), books.length], 'a page inside');
};

const checkCounts = async (seen: ReadonlySet<string>): Promise<void> => {
  const series = all.filter(({ id }) => seen.has(id));
  const letters = new Map<string, number>();
  for (const { title } of series) letters.set(title[0] ?? '', (letters.get(title[0] ?? '') ?? 0) + 1);
  const groups = await get(limited, plain('/series/list/alphabetical-groups', {}));
  assert.equal(new Map(groups.map((one: Json) => [one.group.toUpperCase(), one.count])), new Map([...letters].sort()));
  for (const { id, seriesCount, bookCount } of listed(await get(limited, plain('/libraries')))) {
    const own = series.filter(({ libraryId }) => libraryId === id);
    const books = own.flatMap((one) => one.books.filter((book) => seen.has(book))).length;
    assert.equal([seriesCount, bookCount], [own.length, books], 'counts of a library');
    const { seriesFound, booksFound, filesTotal, errors } = await get(limited, plain(`/libraries/${id}/scan-status`));
    assert.equal([seriesFound, booksFound, filesTotal], [own.length, books, books], 'counts of a scan');
    const told = all.filter(({ title }) => errors.join().includes(title));
    assert.equal(
      told.filter((one) => !seen.has(one.id)),
      [],
      'faults of a scan',
    );
  }
  for (const { seriesCount } of listed(await get(limited, plain('/collections'))))
    assert.is(seriesCount, series.length, 'count of a collection');
  const [list] = listed(await get(limited, plain('/readlists')));
  const books = series.flatMap((one) => one.books.filter((book) => seen.has(book))).length;
  assert.is(list.bookCount, books, 'count of a read list');
  for (const { id, bookCount } of listed(await get(limited, plain('/series?pageSize=100')))) {
    const own = series.find((one) => one.id === id)?.books.filter((book) => seen.has(book)) ?? [];
    assert.is(bookCount, own.length, 'count of a series');
  }
  const genres = listed(await get(limited, plain('/genres?pageSize=100')));
  const expected = series.map(({ title }) => [title, 1]);
  if (series.length > 0) expected.push(['Shared', series.length]);
  assert.equal(
    new Map(genres.map((one: Json) => [one.name, one.seriesCount])),
    new Map(expected.sort() as []),
    'genres',
  );
};

const ofBook = (id: string): readonly string[] =>
  [
    '',
    '/full',
    '/pages',
    '/pages/1',
    '/thumbnail',
    '/file',
    '/adjacent',
    '/genres',
    '/read-history',
    '/readlists',
    '/metadata/locks',
  ].map((rest) => `/books/${id}${rest}`);
const ofSeries = (id: string): readonly string[] =>
  ['', '/full', '/books', '/thumbnail', '/metadata', '/alternate-titles', '/tags', '/read-history', '/collections'].map(
    (rest) => `/series/${id}${rest}`,
  );
const ofLibrary = (id: string): readonly string[] =>
  ['', '/books', '/series', '/books/on-deck', '/scan-status'].map((rest) => `/libraries/${id}${rest}`);

/** What is hidden is answered like what does not exist: the same status and the same words. */
const checkOne = async (paths: readonly string[], id: string, isSeen: boolean): Promise<void> => {
  for (const path of paths) {
    const [answer, known] = [await ask(limited, 'GET', path), await ask(free, 'GET', path)];
    if (isSeen) assert.is(answer.status, known.status, path);
    else {
      const unknown = await ask(free, 'GET', path.replace(id, '01890000-0000-7000-8000-000000000000'));
      assert.equal([answer.status, answer.json?.message], [404, unknown.json.message], path);
    }
  }
};

const checkEach = async (seen: ReadonlySet<string>): Promise<void> => {
  for (const libraryId of new Set(all.map((one) => one.libraryId)))
    await checkOne(ofLibrary(libraryId), libraryId, seen.has(libraryId));
  for (const { id, books } of all) {
    await checkOne(ofSeries(id), id, seen.has(id));
    for (const book of books) await checkOne(ofBook(book), book, seen.has(book));
  }
};

/** The first visible member with pages stands for a list; where nothing is visible there is no cover. */
const checkCovers = async (seen: ReadonlySet<string>): Promise<void> => {
  const isEmpty = !all.some(({ id }) => seen.has(id));
  const covers = [...collections.map((id) => `/collections/${id}/thumbnail`), `/readlists/${listId}/thumbnail`];
  for (const path of covers) assert.is((await ask(limited, 'GET', path)).status, isEmpty ? 404 : 200, path);
};

/** The limited user as a reader, who cannot fill lists. */
const asReader = async (body: () => Promise<void>): Promise<void> => {
  await become({ temp, rows }, 'reader');
  await body().finally(() => become({ temp, rows }, 'admin'));
};

/** Lists in which a limited reader sees nothing do not exist for that reader; others are the same for all. */
const checkListsOfReader = async (seen: ReadonlySet<string>, rights: Rights): Promise<void> => {
  const isShown = all.some(({ id }) => seen.has(id)) || !isLimited(rights);
  for (const [path, ids, members] of [
    ['/collections', collections, 'series'],
    ['/readlists', [listId], 'books'],
  ] as const) {
    const { items, total } = await get(limited, plain(path));
    const expected = isShown ? [...ids] : [];
    assert.equal([idsIn(items).sort(), total], [expected.sort(), expected.length], path);
    for (const id of ids) {
      const paths = ['', `/${members}`, '/thumbnail'].map((rest) => `${path}/${id}${rest}`);
      await checkOne(isShown ? paths.slice(0, 2) : paths, id, isShown);
    }
  }
};

const STEPS = IS_FULL ? 6 : 3;
const RUNS = IS_FULL ? 5 : 1;

block(
  'visibility',
  (check) => {
    check('no answer reveals what its viewer may not see', () =>
      fc.assert(
        fc.asyncProperty(fc.array(stepArb, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
          const rights = noRights();
          await storeNoRights(temp.app.db, rows);
          for (const step of steps) {
            applyStep(rights, rows, step);
            await tellStep(temp, free, rows, step);
            const seen = seenIn(rights);
            await checkLists(seen);
            await checkCounts(seen);
            await checkCovers(seen);
            await checkPlaces({ temp, free, limited }, listId, seen);
            await checkEach(seen);
            await asReader(() => checkListsOfReader(seen, rights));
            const faults = temp.faults.map((thrown) => `${thrown} ${thrown instanceof Error ? thrown.stack : ''}`);
            assert.equal(faults, [], faults.join('; '));
          }
        }),
        { numRuns: RUNS, includeErrorInReport: true },
      ),
    );

    check('hidden rows cannot be changed, and look like rows that do not exist', async () => {
      await storeNoRights(temp.app.db, rows);
      const [{ id, books }] = all as readonly [Shown];
      const [book = ''] = books;
      const step: Step = { kind: 'limit', libraries: [], ageLimit: null, showUnrated: true };
      await storeStep(temp.app.db, rows, step);
      for (const [method, path, body] of [
        ['PUT', `/books/${book}/progress`, { current_page: 1 }],
        ['DELETE', `/books/${book}/progress`, undefined],
        ['POST', `/books/${book}/read`, undefined],
        ['PATCH', `/books/${book}/metadata`, { title: 'x' }],
        ['POST', `/books/${book}/tags`, { name: 'x' }],
        ['POST', `/books/${book}/want-to-read`, undefined],
        ['POST', `/books/${book}/analyze`, undefined],
        ['POST', `/books/${book}/retry`, {}],
        ['POST', `/series/${id}/read`, undefined],
        ['POST', `/series/${id}/unread`, undefined],
        ['PATCH', `/series/${id}/metadata`, { title: 'x' }],
        ['DELETE', `/series/${id}/metadata`, undefined],
        ['PUT', `/series/${id}/genres`, { genres: ['x'] }],
        ['POST', `/series/${id}/alternate-titles`, { label: 'x', title: 'x' }],
      ] as const) {
        const answer = await ask(limited, method, path, body === undefined ? {} : { body });
        assert.is(answer.status, 404, `${method} ${path}`);
      }
      const added = await ask(limited, 'POST', `/collections/${collections[0]}/series`, { body: { seriesIds: [id] } });
      assert.is(added.status, 400);
      const moved = await ask(limited, 'PUT', `/collections/${collections[0]}/series`, { body: { seriesIds: [id] } });
      assert.is(moved.status, 400);
      await ask(limited, 'DELETE', `/collections/${collections[0]}/series/${id}`);
      const kept = idsIn((await ask(free, 'GET', `/collections/${collections[0]}/series`)).json);
      assert.ok(kept.includes(id), 'a hidden member stays');
    });
  },
  {
    before: async () => {
      ({ temp, free, limited, rows, all, listId, collections } = await guardedShelf());
    },
    after: () => temp.close(),
    deadlineS: 240,
  },
);
