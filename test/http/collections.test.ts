// Collections and read lists over HTTP: bad input first, then the records, pages, arrays and covers as the contract shows them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
/** Ids by title, of books and series. */
const books = new Map<string, string>();
const series = new Map<string, string>();

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const NOTHING = '01890000-0000-7000-8000-000000000000';

const idOf = (known: ReadonlyMap<string, string>, title: string): string => known.get(title) ?? '';

const dated = (year: number, month: number) => [
  {
    name: 'ComicInfo.xml',
    bytes: Buffer.from(`<?xml version="1.0"?><ComicInfo><Year>${year}</Year><Month>${month}</Month></ComicInfo>`),
  },
];

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  writeBook(join(temp.shelf, 'Ants', 'ant 1.cbz'), 2, 'ant 1', dated(2001, 5));
  writeBook(join(temp.shelf, 'Ants', 'ant 2.cbz'), 3, 'ant 2', dated(1999, 12));
  writeBook(join(temp.shelf, 'Bees', 'bee 1.cbz'), 1, 'bee 1');
  writeBook(join(temp.shelf, 'Cats', 'cat 1.cbz'), 1, 'cat 1', dated(2001, 2));
  writeFileSync(join(temp.shelf, 'Bees', 'bee 1.cbz'), 'not an archive');
  await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf, scanImmediately: true } });
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
  for (const book of (await api('GET', '/books')).json.data) books.set(book.title, book.id);
  for (const one of (await api('GET', '/series')).json.data) series.set(one.title, one.id);
  for (const [title, year] of [
    ['Cats', 1980],
    ['Ants', 1990],
  ] as const)
    await api('PATCH', `/series/${idOf(series, title)}/metadata`, { body: { year } });
};

/** Both kinds, alike but for their words. */
const KINDS = [
  { path: '/collections', members: 'series', many: 'seriesIds', one: 'seriesId', count: 'seriesCount', known: series },
  { path: '/readlists', members: 'books', many: 'bookIds', one: 'bookId', count: 'bookCount', known: books },
] as const;

type Kind = (typeof KINDS)[number];

const make = async (kind: Kind, body: object): Promise<string> => {
  const answer = await api('POST', kind.path, { body });
  assert.is(answer.status, 201, JSON.stringify(answer.json));
  return answer.json.id;
};

const refused = async (method: string, path: string, body: unknown, at: string): Promise<void> => {
  const answer = await api(method, path, { body });
  const paths: string[] = (answer.json.details ?? []).map((one: { path: string }) => one.path);
  assert.equal([answer.status, paths.includes(at)], [400, true], `${JSON.stringify(body).slice(0, 80)}: ${paths}`);
};

const fields: readonly (readonly [body: object, at: string])[] = [
  [{ name: '' }, 'name'],
  [{ name: ' \n ' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ name: 7 }, 'name'],
  [{ name: 'x', ordered: 'yes' }, 'ordered'],
  [{ name: 'x', summary: 7 }, 'summary'],
  [{ name: 'x', summary: 'x'.repeat(100_001) }, 'summary'],
];

const badFields = (check: Check, kind: Kind): void => {
  check(`${kind.path}: invalid fields are 400 at their path, when creating and changing`, async () => {
    const id = await make(kind, { name: 'Kept' });
    await refused('POST', kind.path, {}, 'name');
    for (const [body, at] of fields) {
      await refused('POST', kind.path, body, at);
      await refused('PATCH', `${kind.path}/${id}`, body, at);
    }
    const before = (await api('GET', `${kind.path}/${id}`)).json;
    assert.equal((await api('PATCH', `${kind.path}/${id}`, { body: {} })).json, before);
    assert.equal([before.name, before.summary], ['Kept', null]);
  });
  check(`${kind.path}: a name in use is 409, whatever its case; one's own name is not in use`, async () => {
    const id = await make(kind, { name: 'Taken' });
    const other = await make(kind, { name: 'Other' });
    assert.is((await api('POST', kind.path, { body: { name: ' tAKEN ' } })).status, 409);
    const answer = await api('PATCH', `${kind.path}/${other}`, { body: { name: 'taken' } });
    assert.equal([answer.status, answer.json.error], [409, 'Conflict']);
    assert.is((await api('PATCH', `${kind.path}/${id}`, { body: { name: 'TAKEN' } })).json.name, 'TAKEN');
  });
};

const badMembers = (check: Check, kind: Kind): void => {
  const { path, members, many, one } = kind;
  check(`${path}: invalid members are 400 at their path, and nothing is added`, async () => {
    const id = await make(kind, { name: 'Members' });
    const [a = '', b = ''] = kind.known.values();
    const at = `${path}/${id}/${members}`;
    await refused('POST', at, {}, many);
    await refused('POST', at, { [many]: 'x' }, many);
    await refused('POST', at, { [many]: [a, 'x'] }, `${many}[1]`);
    await refused('POST', at, { [many]: [a, NOTHING] }, `${many}[1]`);
    await refused('POST', at, { [one]: NOTHING }, one);
    await refused('POST', at, { [one]: 'x' }, one);
    await refused('POST', at, { [many]: Array(10_001).fill(a) }, many);
    assert.equal((await api('GET', at)).json, []);
    await api('POST', at, { body: { [one]: a } });
    await refused('PUT', at, {}, many);
    await refused('PUT', at, { [one]: a }, many);
    await refused('PUT', at, { [many]: [a, b] }, `${many}[1]`);
    await refused('PUT', at, { [many]: [NOTHING, a] }, `${many}[0]`);
    await refused('PUT', at, { [many]: [a, a.toUpperCase()] }, `${many}[1]`);
    for (const query of ['page=one', 'pageSize=5.5']) assert.is((await api('GET', `${at}?${query}`)).status, 400);
    const sort = await api('GET', `${at}?sort=rating`);
    assert.equal([sort.status, sort.json.details[0].path], [400, 'sort']);
    assert.match(sort.json.message, /title, .*position, manual/);
  });
  check(`${path}: readers may read but not change`, async () => {
    const reader = await temp.tokenOf('reader');
    const id = await make(kind, { name: 'Looked at' });
    assert.is((await api('GET', `${path}/${id}/${members}`, { token: reader })).status, 200);
    assert.is((await api('DELETE', `${path}/${id}`, { token: reader })).status, 403);
    const maintainer = await temp.tokenOf('maintainer');
    assert.is((await api('DELETE', `${path}/${id}`, { token: maintainer })).status, 204);
    assert.is((await api('GET', `${path}/${id}`)).status, 404);
  });
};

const FIELDS = {
  '/collections': 'automatic condition createdAt id name ordered seriesCount summary updatedAt',
  '/readlists': 'bookCount createdAt id name ordered summary updatedAt',
} as const;

const records = (check: Check, kind: Kind): void => {
  const { path, members, many, one, count } = kind;
  check(`${path}: the record has every field of the contract and no other`, async () => {
    const { status, json } = await api('POST', path, {
      body: { name: '  A  name ', summary: ' Why. ', ordered: true },
    });
    assert.equal([status, Object.keys(json).sort().join(' ')], [201, FIELDS[path]]);
    assert.equal([json.name, json.summary, json.ordered, json[count]], ['A name', 'Why.', true, 0]);
    const cleared = await api('PATCH', `${path}/${json.id}`, { body: { summary: null, ordered: false } });
    assert.equal([cleared.json.name, cleared.json.summary, cleared.json.ordered], ['A name', null, false]);
    assert.equal((await api('GET', `${path}/${json.id}`)).json, cleared.json);
    assert.is((await make(kind, { name: 'Plain' })).length, 36);
  });
  check(`${path}: members are added once, ordered, removed, and counted; the change is dated`, async () => {
    const id = await make(kind, { name: 'Order', ordered: true });
    const at = `${path}/${id}/${members}`;
    const ids = async (query = ''): Promise<string[]> =>
      (await api('GET', at + query)).json.map((member: { id: string }) => member.id);
    const [a = '', b = '', c = ''] = kind.known.values();
    temp.advance(1000);
    const added = (await api('POST', at, { body: { [many]: [c, a, c.toUpperCase()] } })).json;
    assert.equal([added[count], added.updatedAt > added.createdAt], [2, true]);
    await api('POST', at, { body: { [one]: b } });
    await api('POST', at, { body: { [many]: [a] } });
    assert.equal(await ids(), [c, a, b]);
    assert.is((await api('PUT', at, { body: { [many]: [b] } })).status, 204);
    assert.equal(
      [await ids(), await ids('?sort=manual,desc')],
      [
        [b, c, a],
        [a, c, b],
      ],
    );
    const last = await api('GET', `${at}?page=2&pageSize=2`);
    assert.is(last.json.length, 1);
    assert.match(last.header('link') ?? '', /page=1&pageSize=2>; rel="prev"/);
    assert.not.match(last.header('link') ?? '', /rel="next"/);
    assert.equal([await ids('?sort=manual&direction=desc'), await ids('?pageSize=1')], [[a, c, b], [b]]);
    for (const gone of [c, c, NOTHING]) assert.is((await api('DELETE', `${at}/${gone}`)).status, 204);
    assert.equal([await ids(), (await api('GET', `${path}/${id}`)).json[count]], [[b, a], 2]);
    assert.is((await api('PUT', at, { body: { [many]: [] } })).status, 204);
  });
  check(`${path}: all of them are listed by name as items, paged on request; those of one member too`, async () => {
    const [first = ''] = kind.known.values();
    for (const name of ['zz 10', 'ZZ 9']) {
      const id = await make(kind, { name });
      await api('POST', `${path}/${id}/${members}`, { body: { [one]: first } });
    }
    const { json } = await api('GET', path);
    const names: string[] = json.items.map((list: { name: string }) => list.name);
    assert.equal([names.length, names.slice(-2)], [json.total, ['ZZ 9', 'zz 10']]);
    assert.is((await api('GET', `${path}?pageSize=1&page=2`)).json.items[0].name, names[1]);
    const own = (await api('GET', `/${members}/${first}${path}`)).json;
    assert.equal(own.items.map((list: { name: string }) => list.name).slice(-2), ['ZZ 9', 'zz 10']);
    assert.equal([own.items.at(-1), own.total], [json.items.at(-1), own.items.length]);
  });
};

const sorts = (check: Check): void => {
  const titlesOf = async (at: string): Promise<string[]> =>
    (await api('GET', at)).json.map((member: { title: string }) => member.title);
  check(
    'series of an unordered collection are sorted by title; by year, unknown ones are last either way',
    async () => {
      const at = `/collections/${await make(KINDS[0], { name: 'Sorted' })}/series`;
      await api('POST', at, { body: { seriesId: idOf(series, 'Cats') } });
      temp.advance(1000);
      await api('POST', at, { body: { seriesIds: [idOf(series, 'Bees'), idOf(series, 'Ants')] } });
      assert.equal(await titlesOf(at), ['Ants', 'Bees', 'Cats']);
      assert.equal(await titlesOf(`${at}?order=desc`), ['Cats', 'Bees', 'Ants']);
      assert.equal(await titlesOf(`${at}?sort=added,desc`), ['Ants', 'Bees', 'Cats']);
      assert.equal(await titlesOf(`${at}?sort=position`), ['Cats', 'Bees', 'Ants']);
      assert.equal(await titlesOf(`${at}?sort=year`), ['Cats', 'Ants', 'Bees']);
      assert.equal(await titlesOf(`${at}?sort=year,desc`), ['Ants', 'Cats', 'Bees']);
    },
  );
  check('books of an unordered read list are sorted by release date, unknown ones last either way', async () => {
    const id = await make(KINDS[1], { name: 'Dated', ordered: false });
    const at = `/readlists/${id}/books`;
    await api('POST', at, { body: { bookIds: [...books.values()] } });
    assert.equal(await titlesOf(at), ['ant 2', 'cat 1', 'ant 1', 'bee 1']);
    assert.equal(await titlesOf(`${at}?sort=release_date,desc`), ['ant 1', 'cat 1', 'ant 2', 'bee 1']);
    assert.equal(await titlesOf(`${at}?sort=title,desc`), ['cat 1', 'bee 1', 'ant 2', 'ant 1']);
  });
  check('members are shown as in any other list', async () => {
    const lists = (await api('GET', '/readlists')).json.items;
    const { id } = lists.find((list: { name: string }) => list.name === 'Dated');
    const [book] = (await api('GET', `/readlists/${id}/books`)).json;
    const all = (await api('GET', '/books')).json.data;
    assert.equal(
      book,
      all.find((one: { id: string }) => one.id === book.id),
    );
  });
};

const covers = (check: Check): void => {
  check('the cover is that of the first member that has one, and 404 when none has', async () => {
    const list = await make(KINDS[1], { name: 'Covered' });
    const collection = await make(KINDS[0], { name: 'Covered', ordered: true });
    const own = [`/readlists/${list}`, `/collections/${collection}`];
    for (const at of own) assert.is((await api('GET', `${at}/thumbnail`)).status, 404);
    await api('POST', `/readlists/${list}/books`, { body: { bookId: idOf(books, 'bee 1') } });
    await api('POST', `/collections/${collection}/series`, { body: { seriesId: idOf(series, 'Bees') } });
    for (const at of own) assert.is((await api('GET', `${at}/thumbnail`)).status, 404);
    await api('POST', `/readlists/${list}/books`, { body: { bookIds: [idOf(books, 'cat 1'), idOf(books, 'ant 1')] } });
    const both = { seriesIds: [idOf(series, 'Cats'), idOf(series, 'Ants')] };
    await api('POST', `/collections/${collection}/series`, { body: both });
    const wanted = await api('GET', `/books/${idOf(books, 'cat 1')}/thumbnail`);
    for (const at of own) {
      const cover = await api('GET', `${at}/thumbnail`);
      assert.equal([cover.status, cover.header('content-type')], [200, 'image/jpeg']);
      assert.is(cover.header('etag'), wanted.header('etag'));
      const again = await api('GET', `${at}/thumbnail`, { headers: { 'if-none-match': cover.header('etag') ?? '' } });
      assert.is(again.status, 304);
    }
  });
  check('no answer was a server error', () => assert.equal(temp.faults, []));
};

block(
  'collections and read lists over HTTP',
  (check) => {
    for (const kind of KINDS) for (const part of [badFields, badMembers]) part(check, kind);
    for (const kind of KINDS) records(check, kind);
    for (const part of [sorts, covers]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
