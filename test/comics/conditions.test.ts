// Every field of conditions of the comic-server API, on books and series of which it is known what they are.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hexOfUuid } from '../../core/model/ids.js';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { formOf, image } from '../form.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, path, { token, ...(body === undefined ? {} : { body }) });

interface Row {
  readonly id: string;
  readonly name: string;
}

const found = async (kind: 'series' | 'books', condition: unknown): Promise<string> => {
  const { status, json, bytes } = await ask('POST', `/komga/api/v1/${kind}/list?size=100`, { condition });
  assert.is(status, 200, `${JSON.stringify(condition)}: ${bytes.toString().slice(0, 300)}`);
  const names = json.content.map(({ name }: Row) => name).sort();
  assert.is(json.totalElements, names.length);
  return names.join();
};

const got = async (path: string): Promise<string> => {
  const { status, json, bytes } = await ask('GET', `/komga/api/v1${path}`);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content
    .map(({ name }: Row) => name)
    .sort()
    .join();
};

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const native = async (path: string, name: string): Promise<string> => {
  const { json } = await ask('GET', `/api/v1${path}?pageSize=100`);
  return json.data.find((one: { title: string }) => one.title === name).id;
};

let ids: Readonly<Record<'alpha' | 'beta' | 'first' | 'manual' | 'automatic' | 'list', string>>;

const lists = async (): Promise<void> => {
  const alpha = await native('/series', 'Alpha');
  const { json: books } = await ask('GET', `/api/v1/series/${alpha}/books`);
  const made = async (path: string, body: unknown): Promise<string> => {
    const { status, json } = await ask('POST', `/api/v1${path}`, body);
    assert.is(status, 201, JSON.stringify(json));
    return json.id;
  };
  const manual = await made('/collections', { name: 'Manual' });
  await ask('POST', `/api/v1/collections/${manual}/series`, { seriesId: alpha });
  const automatic = await made('/collections', {
    name: 'By condition',
    condition: { genre: { operator: 'is', value: 'Comedy' } },
  });
  const list = await made('/readlists', { name: 'List' });
  await ask('POST', `/api/v1/readlists/${list}/books`, { bookId: books[0].id });
  const beta = await native('/books', 'b1');
  ids = { alpha, beta, first: books[0].id, manual, automatic, list };
};

const stock = async (): Promise<void> => {
  const alpha =
    '<Number>1</Number><Writer>Ann Elder</Writer><Penciller>Bo</Penciller><Genre>Noir</Genre><Year>1999</Year><AgeRating>Teen</AgeRating>';
  writeBook(join(temp.shelf, 'Alpha', 'a1.cbz'), 2, 'a1', info(alpha));
  writeBook(join(temp.shelf, 'Alpha', 'a2.cbz'), 2, 'a2', info('<Number>2</Number><Year>2001</Year><Month>3</Month>'));
  const beta = '<Writer>Bo</Writer><Genre>Comedy</Genre><Publisher>Harper &amp; Brothers, Publishers</Publisher>';
  writeBook(join(temp.shelf, 'Beta', 'b1.cbz'), 2, 'b1', info(beta));
  writeBook(join(temp.shelf, 'Beta', 'gone.cbz'), 2, 'gone');
  mkdirSync(join(temp.shelf, 'Other'));
  for (const name of ['four-pages.pdf', 'incomplete-theft.epub', 'comic-fxl-rtl.epub'])
    copyFileSync(fixture(`books/${name}`), join(temp.shelf, 'Other', name));
  writeFileSync(join(temp.shelf, 'Other', 'broken.cbz'), 'no archive');
  writeBook(join(temp.shelf, 'single.cbz'), 2, 'single');
  const { json } = await ask('POST', '/api/v1/libraries', {
    name: 'Shelf',
    path: temp.shelf,
    scanImmediately: true,
    numberStrategy: 'metadata',
  });
  const idle = (): Promise<void> =>
    until('nothing is scanned', async () => (await ask('GET', '/api/v1/scans/active')).json.length === 0);
  await until('all are found', async () => (await ask('GET', '/api/v1/books')).json.total === 9);
  await idle();
  rmSync(join(temp.shelf, 'Beta', 'gone.cbz'));
  await ask('POST', `/api/v1/libraries/${json.id}/scan?mode=normal`);
  await until('one is gone', async () => (await ask('GET', '/api/v1/books')).json.total === 8);
  await idle();
  await lists();
};

const is = (value: unknown) => ({ operator: 'is', value });
const isNot = (value: unknown) => ({ operator: 'isNot', value });
const flag = (on: boolean) => ({ operator: on ? 'isTrue' : 'isFalse' });
const at = (operator: string, dateTime: string) => ({ operator, dateTime });
const EACH = 'Alpha,Beta,Other,single.cbz';

const series = (check: Check): void => {
  const cases: readonly (readonly [string, () => unknown, string])[] = [
    ['a collection', () => ({ collectionId: is(hexOfUuid(ids.manual)) }), 'Alpha'],
    ['not in it', () => ({ collectionId: isNot(ids.manual) }), 'Beta,Other,single.cbz'],
    ['a collection by condition', () => ({ collectionId: is(ids.automatic) }), 'Beta'],
    ['not in that', () => ({ collectionId: isNot(ids.automatic) }), 'Alpha,Other,single.cbz'],
    ['deleted', () => ({ deleted: flag(true) }), ''],
    ['not deleted', () => ({ deleted: flag(false) }), EACH],
    ['one shots', () => ({ oneShot: flag(true) }), 'single.cbz'],
    ['no one shots', () => ({ oneShot: flag(false) }), 'Alpha,Beta,Other'],
    ['a rating', () => ({ ageRating: is(13) }), 'Alpha'],
    ['a lower rating', () => ({ ageRating: { operator: 'lessThan', value: '18' } }), 'Alpha'],
    ['no rating', () => ({ ageRating: { operator: 'isNull' } }), 'Beta,Other,single.cbz'],
    ['ongoing, or unknown', () => ({ seriesStatus: is('ONGOING') }), EACH],
    ['not ongoing', () => ({ seriesStatus: isNot('ongoing') }), ''],
    ['a writer', () => ({ author: is({ name: 'Ann Elder', role: 'writer' }) }), 'Alpha'],
    ['a writer who draws elsewhere', () => ({ author: is({ name: 'Bo', role: 'writer' }) }), 'Beta'],
    ['a person in any role', () => ({ author: is({ name: 'Bo' }) }), 'Alpha,Beta'],
    ['not by that person', () => ({ author: isNot({ name: 'Bo', role: '' }) }), 'Other,single.cbz'],
    ['a role nobody has', () => ({ author: is({ name: 'Bo', role: 'juggler' }) }), ''],
    [
      'of the year 1999',
      () => ({
        allOf: [
          { releaseDate: at('after', '1998-12-31T23:59:59Z') },
          { releaseDate: at('before', '2000-01-01T00:00:00Z') },
        ],
      }),
      'Alpha',
    ],
    ['of a later year', () => ({ releaseDate: at('after', '1999-12-31T23:59:59Z') }), 'Other'],
    ['of a later day of the same year', () => ({ releaseDate: at('after', '1999-01-01') }), 'Other'],
    ['before the next day', () => ({ releaseDate: at('before', '1999-01-02') }), 'Alpha'],
    ['after a year before 0', () => ({ releaseDate: at('after', '-0973-11-02T00:00:00Z') }), 'Alpha,Other'],
    ['before a year before 0', () => ({ releaseDate: at('before', '-0973-11-02T00:00:00Z') }), ''],
    ['before a year after 9999', () => ({ releaseDate: at('before', '+12026-01-01T00:00:00Z') }), 'Alpha,Other'],
    ['without a date', () => ({ releaseDate: { operator: 'isNull' } }), 'Beta,single.cbz'],
    ['released lately', () => ({ releaseDate: { operator: 'isInTheLast', duration: 'P365D' } }), ''],
    ['not released lately', () => ({ releaseDate: { operator: 'isNotInTheLast', duration: 'PT48H' } }), EACH],
    ['released ever', () => ({ releaseDate: { operator: 'isInTheLast', duration: 'P999999999D' } }), 'Alpha,Other'],
  ];
  for (const [what, condition, expected] of cases)
    check(`series: ${what}`, async () => assert.is(await found('series', condition()), expected));
};

const books = (check: Check): void => {
  const READ = 'a1,a2,b1,comic-fxl-rtl,four-pages,incomplete-theft,single';
  const cases: readonly (readonly [string, () => unknown, string])[] = [
    ['a read list', () => ({ readListId: is(hexOfUuid(ids.list)) }), 'a1'],
    ['deleted', () => ({ deleted: flag(true) }), 'gone'],
    [
      'not deleted',
      () => ({ deleted: flag(false) }),
      `a1,a2,b1,broken,comic-fxl-rtl,four-pages,incomplete-theft,single`,
    ],
    ['one shots', () => ({ oneShot: flag(true) }), 'single'],
    ['ready', () => ({ mediaStatus: is('READY') }), READ],
    ['not ready', () => ({ mediaStatus: isNot('READY') }), 'broken'],
    [
      'of a format that cannot be read, or damaged',
      () => ({ anyOf: [{ mediaStatus: is('UNSUPPORTED') }, { mediaStatus: is('ERROR') }] }),
      'broken',
    ],
    ['not analysed', () => ({ anyOf: [{ mediaStatus: is('UNKNOWN') }, { mediaStatus: is('OUTDATED') }] }), ''],
    ['EPUB, with text or images', () => ({ mediaProfile: is('EPUB') }), 'comic-fxl-rtl,incomplete-theft'],
    ['documents', () => ({ mediaProfile: is('PDF') }), 'four-pages'],
    ['pictures', () => ({ mediaProfile: is('DIVINA') }), 'a1,a2,b1,broken,single'],
    ['a number', () => ({ numberSort: is(2) }), 'a2,comic-fxl-rtl'],
    ['greater numbers', () => ({ numberSort: { operator: 'greaterThan', value: 1 } }), 'a2,comic-fxl-rtl'],
    ['a writer', () => ({ author: is({ name: 'Bo', role: 'writer' }) }), 'b1'],
    ['somebody of a role', () => ({ author: is({ role: 'penciller' }) }), 'a1'],
    ['after a day', () => ({ releaseDate: at('after', '2001-02-28') }), 'a2,incomplete-theft'],
    ['before a day that is known by its year', () => ({ releaseDate: at('before', '1999-01-01T00:00:00Z') }), ''],
    ['before the next day', () => ({ releaseDate: at('before', '1999-01-02T00:00:00Z') }), 'a1'],
    [
      'several keys at once',
      () => ({ seriesId: is(ids.alpha), deleted: flag(false), mediaStatus: is('READY') }),
      'a1,a2',
    ],
  ];
  for (const [what, condition, expected] of cases)
    check(`books: ${what}`, async () => assert.is(await found('books', condition()), expected));
};

const addresses = (check: Check): void => {
  const cases: readonly (readonly [string, string])[] = [
    ['/series?author=Ann%20Elder,writer', 'Alpha'],
    ['/series?author=Bo,writer&author=Bo,penciller', 'Alpha,Beta'],
    ['/series?status=ONGOING,ENDED', EACH],
    ['/series?status=ENDED', ''],
    ['/series?oneshot=true', 'single.cbz'],
    ['/series?release_year=1999,2004', 'Alpha'],
    ['/series?age_rating=None', 'Beta,Other,single.cbz'],
    ['/books?media_status=ERROR,UNSUPPORTED', 'broken'],
    ['/books?deleted=true', 'gone'],
    ['/books?author=Bo,writer', 'b1'],
    ['/series?publisher=Harper%20%26%20Brothers%2C%20Publishers', 'Beta'],
    ['/series?publisher=House,Harper%20%26%20Brothers', ''],
  ];
  for (const [path, expected] of cases) check(path, async () => assert.is(await got(path), expected));
  check('/series?collection_id', async () => assert.is(await got(`/series?collection_id=${ids.manual}`), 'Alpha'));
  check('the years of series, and the lists that something is in', async () => {
    assert.equal((await ask('GET', '/komga/api/v1/series/release-dates')).json, ['2021', '1999']);
    const collections = (await ask('GET', `/komga/api/v1/series/${ids.alpha}/collections`)).json;
    assert.equal([collections.length, collections[0]?.seriesIds], [1, [hexOfUuid(ids.alpha)]]);
    const readLists = (await ask('GET', `/komga/api/v1/books/${ids.first}/readlists`)).json;
    assert.equal([readLists.length, readLists[0]?.bookIds, readLists[0]?.summary], [1, [hexOfUuid(ids.first)], '']);
  });
};

/** Those of `b1`, of which there is none at first. */
const posters = (check: Check): void => {
  const of = (type: string | null, selected: boolean | null) => ({ poster: is({ type, selected }) });
  const found3 = async (): Promise<readonly string[]> =>
    Promise.all([
      found('books', of('USER_UPLOADED', null)),
      found('books', of('USER_UPLOADED', true)),
      found('books', of('USER_UPLOADED', false)),
    ]);
  const uploads = (): string => `/komga/api/v1/books/${hexOfUuid(ids.beta)}/thumbnails`;
  const upload = async (selected: boolean): Promise<string> => {
    const body = await formOf({ selected: String(selected), file: image('png-palette-alpha.png') });
    const { status, json } = await temp.call('POST', uploads(), { token, body });
    assert.is(status, 200);
    return json.id;
  };
  check('books: posters of the files and uploaded ones, selected or not, follow each change', async () => {
    assert.equal(await found3(), ['', '', '']);
    const every = await found('books', {});
    const first = await upload(false);
    assert.equal(await found3(), ['b1', '', 'b1']);
    assert.is(await found('books', of('GENERATED', true)), every);
    assert.is(await found('books', of(null, false)), 'b1');
    await ask('PUT', `${uploads()}/${first}/selected`);
    assert.equal(await found3(), ['b1', 'b1', '']);
    assert.is(await found('books', of('GENERATED', false)), 'b1');
    assert.is(await found('books', { poster: isNot({ type: 'GENERATED', selected: true }) }), 'b1');
    assert.is(
      await found('books', { poster: isNot({ type: 'USER_UPLOADED' }) }),
      await found('books', of('GENERATED', true)),
    );
    const second = await upload(true);
    assert.equal(await found3(), ['b1', 'b1', 'b1']);
    for (const id of [first, second]) await ask('DELETE', `${uploads()}/${id}`);
    assert.equal(await found3(), ['', '', '']);
    assert.equal([await found('books', of('SIDECAR', null)), await found('books', of('GENERATED', null))], ['', every]);
  });
};

const bounds = (check: Check): void => {
  check('a condition that is too deep, too long or searches too much is refused', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? {} : { allOf: [nested(levels - 1)] });
    const many = (count: number, one: unknown) => ({ anyOf: Array.from({ length: count }, () => one) });
    for (const condition of [
      nested(17),
      many(501, { tag: is('x') }),
      many(21, { title: { operator: 'contains', value: 'x' } }),
      { numberSort: is('many') },
      { releaseDate: at('after', 'soon') },
      { releaseDate: { operator: 'isInTheLast', duration: '7 days' } },
      { author: is('Bo') },
      { mediaStatus: is('BAD') },
      { poster: is('GENERATED') },
      { poster: is({ type: 'PAINTED' }) },
      { poster: is({ selected: 'yes' }) },
      { poster: { operator: 'contains', value: {} } },
    ])
      assert.is((await ask('POST', '/komga/api/v1/books/list', { condition })).status, 400);
  });
};

block(
  'conditions of the comic-server API',
  (check) => {
    for (const part of [series, books, addresses, posters, bounds]) part(check);
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      await stock();
    },
    after: () => temp.close(),
    deadlineS: 180,
  },
);
