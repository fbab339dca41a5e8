// Every operator of every field of conditions, compared with what the rows themselves show. The server's own list of the operators of a field
// must be the one that is compared here. (What fields mean: conditions.test.ts.)
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { BOOKS, SERIES } from '../../http/comics/conditions/fields.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;
type Kind = 'series' | 'books';

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/komga/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const answered = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const { status, json, bytes } = await ask(method, path, body);
  assert.ok(status < 300, `${method} ${path} ${JSON.stringify(body)}: ${bytes.toString().slice(0, 300)}`);
  return json;
};

const listed = async (kind: Kind, condition: unknown): Promise<readonly Json[]> =>
  (await answered('POST', `/${kind}/list?size=100`, { condition })).content;

const namesOf = (rows: readonly Json[]): string =>
  rows
    .map(({ name }) => name)
    .sort()
    .join();

const rows: Record<Kind, readonly Json[]> = { series: [], books: [] };
const lists: Record<'collections' | 'readlists', readonly Json[]> = { collections: [], readlists: [] };

const idOf = (kind: Kind, wanted: string): string => rows[kind].find(({ name }) => name === wanted).id;

const READ_PROGRESS: Readonly<Record<string, unknown>> = { 'Ants 1': { completed: true }, 'Bees 1': { page: 1 } };

const SERIES_EDITS: Readonly<Record<string, unknown>> = {
  Ants: { status: 'ENDED', genres: ['Noir', 'Crime'], publisher: 'House', ageRating: 12, totalBookCount: 2 },
  Bees: { status: 'HIATUS', genres: ['Crime'], language: 'de', ageRating: 18, tags: ['fog'], totalBookCount: 9 },
  Cats: { titleSort: 'Zebra Cats', publisher: 'Big House', language: 'en', sharingLabels: ['kids', 'club'] },
  Dogs: { status: 'ABANDONED', sharingLabels: ['club'], tags: ['fog', 'Rain'] },
};

const BOOK_EDITS: Readonly<Record<string, unknown>> = {
  'Ants 1': { title: 'Fog Over Ants', releaseDate: '1999-05-06', tags: ['own', 'fog'] },
  'Ants 2': { title: 'Ants and Fog', numberSort: 7.5, releaseDate: '1999-01-01' },
  'Bees 1': { releaseDate: '2025-12-31', authors: [{ name: 'Ann Elder', role: 'writer' }] },
  'Cats 1': { authors: [{ name: 'Ann Elder', role: 'penciller' }, { name: 'Bo', role: 'writer' }] }, // biome-ignore format: one line each
};

const BOOK_COUNT = 8;

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  const at = (...parts: string[]) => join(temp.shelf, ...parts);
  for (const name of ['Ants 1', 'Ants 2', 'Bees 1', 'Cats 1'])
    writeBook(at('one', name.slice(0, 4), `${name}.cbz`), name.length % 2 === 0 ? 3 : 2, name);
  writeBook(at('two', 'Dogs', 'Dogs 1.cbz'), 2, 'd');
  mkdirSync(at('two', 'Elks'));
  writeFileSync(at('two', 'Elks', 'Elks 1.cbz'), 'no archive');
  copyFileSync(fixture('books/four-pages.pdf'), at('two', 'Elks', 'Elks 2.pdf'));
  copyFileSync(fixture('books/incomplete-theft.epub'), at('two', 'Foxes.epub'));
  for (const name of ['one', 'two']) {
    const body = { name, path: at(name), scanImmediately: true, bookStrategy: 'filename' };
    assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
  }
  await until('all is analysed', async () => {
    rows.books = await listed('books', {});
    return rows.books.length === BOOK_COUNT && rows.books.every(({ media }) => media.status !== 'UNKNOWN');
  });
  await until('nothing is scanned', async () => temp.app.scans.active().length === 0);
  rows.series = await listed('series', {});
  for (const [name, edit] of Object.entries(SERIES_EDITS))
    await answered('PATCH', `/series/${idOf('series', name)}/metadata`, edit);
  for (const [name, edit] of Object.entries(BOOK_EDITS))
    await answered('PATCH', `/books/${idOf('books', name)}/metadata`, edit);
  for (const [name, progress] of Object.entries(READ_PROGRESS))
    await answered('PATCH', `/books/${idOf('books', name)}/read-progress`, progress);
  const [ants, dogs] = [idOf('series', 'Ants'), idOf('series', 'Dogs')];
  await answered('POST', '/collections', { name: 'Two', seriesIds: [ants, dogs] });
  await answered('POST', '/readlists', { name: 'Two', bookIds: [idOf('books', 'Ants 1'), idOf('books', 'Dogs 1')] });
  for (const kind of ['series', 'books'] as const) rows[kind] = await listed(kind, {});
  for (const kind of ['collections', 'readlists'] as const) lists[kind] = (await answered('GET', `/${kind}`)).content;
};

/** What a row has in a field: several values, one or none. */
type Values = (row: Json) => readonly Json[];
/** The parts of a clause other than its operator, for each row's values and some that no row has. */
type Operand = Readonly<Record<string, unknown>>;
type Passes = (values: readonly Json[], operand: Json) => boolean;

interface Family {
  readonly operators: Readonly<Record<string, Passes>>;
  /** Operators without a value get an empty one. */
  readonly operands: (operator: string, shown: readonly Json[]) => readonly Operand[];
}

const opposite =
  (passes: Passes): Passes =>
  (...given) =>
    !passes(...given);

const some =
  (test: (value: Json, wanted: Json) => boolean): Passes =>
  (values, { value }) =>
    values.some((one) => test(one, value));

const low = (text: unknown): string => String(text).toLowerCase();

const equalsValue = some((one, wanted) => low(one) === low(wanted));
const containing = some((one, wanted) => low(one).includes(low(wanted)));
const beginning = some((one, wanted) => low(one).startsWith(low(wanted)));
const ending = some((one, wanted) => low(one).endsWith(low(wanted)));
const present: Passes = (values) => values.length > 0;

const EQUALITY = { is: equalsValue, isNot: opposite(equalsValue) };
const PRESENCE = { isNull: opposite(present), isNotNull: present };

const valuesOf = (operator: string, values: readonly unknown[]): readonly Operand[] =>
  operator in PRESENCE ? [{}] : values.map((value) => ({ value }));

const WORDS: Family = {
  operators: EQUALITY,
  operands: (operator, shown) => valuesOf(operator, [...shown, ...shown.map(low)]),
};

const IDS: Family = {
  operators: EQUALITY,
  operands: (operator, shown) => valuesOf(operator, [...shown, 'f'.repeat(32)]),
};

const EQUAL: Family = {
  operators: { ...EQUALITY, ...PRESENCE },
  operands: (operator, shown) => valuesOf(operator, [...shown, ...shown.map((one) => one.toUpperCase()), 'nobody']),
};

const TEXT: Family = {
  operators: {
    ...EQUALITY,
    contains: containing,
    doesNotContain: opposite(containing),
    beginsWith: beginning,
    doesNotBeginWith: opposite(beginning),
    endsWith: ending,
    doesNotEndWith: opposite(ending),
  },
  operands: (operator, shown) => {
    const parts = shown.flatMap((text) => [text, text.slice(0, 3), text.slice(-2), text.slice(1, -1)]);
    return valuesOf(operator, [...parts, ...parts.map((one) => one.toUpperCase()), 'nobody']);
  },
};

const NUMBER: Family = {
  operators: {
    ...EQUALITY,
    greaterThan: some((one, wanted) => one > wanted),
    lessThan: some((one, wanted) => one < wanted),
    ...PRESENCE,
  },
  operands: (operator, shown) => valuesOf(operator, [...shown, ...shown.map((one) => one + 0.5), -1]),
};

const DAY_MS = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const inTheLast: Passes = (values, { duration }) => {
  const days = Number(duration.slice(1, -1));
  return values.some((day) => day > dayOf(temp.app.clock.now() - days * DAY_MS));
};

const DAY: Family = {
  operators: {
    after: (values, { dateTime }) => values.some((day) => day > dateTime.slice(0, 10)),
    before: (values, { dateTime }) => values.some((day) => day < dateTime.slice(0, 10)),
    isInTheLast: inTheLast,
    isNotInTheLast: opposite(inTheLast),
    ...PRESENCE,
  },
  operands: (operator, shown) => {
    if (operator in PRESENCE) return [{}];
    if (operator.endsWith('InTheLast')) return [1, 100, 1000, 9000, 99_999].map((days) => ({ duration: `P${days}D` }));
    const around = shown.flatMap((day) => [-1, 0, 1].map((days) => dayOf(Date.parse(day) + days * DAY_MS)));
    return around.map((day) => ({ dateTime: `${day}T00:00:00Z` }));
  },
};

const FLAG: Family = {
  operators: { isTrue: (values) => values[0] === true, isFalse: (values) => values[0] === false },
  operands: () => [{}],
};

const matchesCredit: Passes = (values, { value: { name, role } }) =>
  values.some((one) => (name === undefined || one.name === name) && (role === undefined || one.role === role));

const CREDIT: Family = {
  operators: { is: matchesCredit, isNot: opposite(matchesCredit) },
  operands: (operator, shown) =>
    valuesOf(operator, [
      ...shown.flatMap(({ name, role }) => [{ name, role }, { name }, { role }]),
      { name: 'Bo', role: 'penciller' },
    ]),
};

type Fields = Readonly<Record<string, readonly [Family, Values]>>;

const one = (value: unknown): readonly unknown[] =>
  value === null || value === undefined || value === '' ? [] : [value];

const listsWith = (kind: keyof typeof lists, members: string, { id }: Json): readonly unknown[] =>
  lists[kind].filter((list) => list[members].includes(id)).map((list) => list.id);

const readState = ({ booksCount, booksReadCount, booksUnreadCount }: Json): string => {
  if (booksReadCount === booksCount) return 'READ';
  return booksUnreadCount === booksCount ? 'UNREAD' : 'IN_PROGRESS';
};

const FIELDS: Readonly<Record<Kind, Fields>> = {
  series: {
    libraryId: [IDS, (row) => [row.libraryId]],
    collectionId: [IDS, (row) => listsWith('collections', 'seriesIds', row)],
    deleted: [FLAG, (row) => [row.deleted]],
    complete: [
      FLAG,
      ({ booksCount, metadata: { totalBookCount } }) =>
        totalBookCount === null ? [] : [booksCount === totalBookCount],
    ],
    oneShot: [FLAG, (row) => [row.oneshot]],
    title: [TEXT, (row) => [row.metadata.title]],
    titleSort: [TEXT, (row) => [row.metadata.titleSort]],
    releaseDate: [DAY, (row) => one(row.booksMetadata.releaseDate)],
    publisher: [EQUAL, (row) => one(row.metadata.publisher)],
    language: [EQUAL, (row) => one(row.metadata.language)],
    genre: [EQUAL, (row) => row.metadata.genres],
    tag: [EQUAL, (row) => [...row.metadata.tags, ...row.booksMetadata.tags]],
    sharingLabel: [EQUAL, (row) => row.metadata.sharingLabels],
    ageRating: [NUMBER, (row) => one(row.metadata.ageRating)],
    author: [CREDIT, (row) => row.booksMetadata.authors],
    readStatus: [WORDS, (row) => [readState(row)]],
    seriesStatus: [WORDS, (row) => [row.metadata.status]],
  },
  books: {
    libraryId: [IDS, (row) => [row.libraryId]],
    seriesId: [IDS, (row) => [row.seriesId]],
    readListId: [IDS, (row) => listsWith('readlists', 'bookIds', row)],
    deleted: [FLAG, (row) => [row.deleted]],
    oneShot: [FLAG, (row) => [row.oneshot]],
    title: [TEXT, (row) => [row.metadata.title]],
    releaseDate: [DAY, (row) => one(row.metadata.releaseDate)],
    numberSort: [NUMBER, (row) => [row.metadata.numberSort]],
    tag: [EQUAL, (row) => row.metadata.tags],
    author: [CREDIT, (row) => row.metadata.authors],
    readStatus: [
      WORDS,
      ({ readProgress }) => [readProgress === null ? 'UNREAD' : readProgress.completed ? 'READ' : 'IN_PROGRESS'],
    ],
    mediaStatus: [WORDS, (row) => [row.media.status]],
    mediaProfile: [WORDS, (row) => [row.media.mediaProfile]],
  },
};

/** Fields that rows do not contain in full: covers are listed at addresses of their own. */
const ELSEWHERE = ['poster'];

const operatorsOf = async (kind: Kind, field: string, operand: Operand): Promise<readonly string[]> => {
  const { status, json } = await ask('POST', `/${kind}/list`, { condition: { [field]: { operator: '', ...operand } } });
  assert.is(status, 400, field);
  return /must be one of ([^.]*)\./.exec(json.message)?.[1]?.split(', ') ?? [];
};

const compare = async (kind: Kind, field: string, [{ operators, operands }, values]: Fields[string]): Promise<void> => {
  const shown = [...new Map(rows[kind].flatMap(values).map((value) => [JSON.stringify(value), value])).values()];
  const [first = {}] = operands('is', shown);
  assert.equal([...(await operatorsOf(kind, field, first))].sort(), Object.keys(operators).sort(), field);
  for (const [operator, passes] of Object.entries(operators))
    for (const operand of operands(operator, shown)) {
      const expected = rows[kind].filter((row) => passes(values(row), operand));
      const condition = { [field]: { operator, ...operand } };
      assert.is(namesOf(await listed(kind, condition)), namesOf(expected), JSON.stringify(condition));
    }
};

block(
  'operators of conditions of the comic-server API',
  (check: Check) => {
    check('each field is compared', () => {
      assert.equal(Object.keys(FIELDS.series).sort(), Object.keys(SERIES).sort());
      assert.equal([...Object.keys(FIELDS.books), ...ELSEWHERE].sort(), Object.keys(BOOKS).sort());
    });
    for (const kind of ['series', 'books'] as const)
      for (const [field, how] of Object.entries(FIELDS[kind]))
        check(`${kind}: ${field}, with each of its operators`, () => compare(kind, field, how));
  },
  { before: stock, after: () => temp.close(), deadlineS: 240 },
);
