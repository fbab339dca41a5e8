// Collections and read lists of the comic-server API, with the queue of what a user wants to read as the first of each; the native API has
// the same ones.
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import * as shapes from '../apps/comic-shapes.js';
import { listOf } from '../apps/strict.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let keeper: Person;
let ann: Person;
let limited: Person;
/** Ids by title of series, and by series and number of books; without hyphens. */
const ids = new Map<string, string>();

const id = (name: string): string => ids.get(name) ?? '';
const compact = (uuid: string): string => uuid.replaceAll('-', '');
const ask = (method: string, path: string, body?: object, who = ann): Promise<Answer> =>
  people.temp.call(method, `/komga/api/v1${path}`, { token: who.token, ...(body === undefined ? {} : { body }) });
const get = async (path: string, who = ann) => {
  const { status, json } = await ask('GET', path, undefined, who);
  assert.is(status, 200, path);
  return json;
};
const namesAt = async (path: string, who = ann): Promise<string[]> =>
  (await get(path, who)).content.map(({ name }: { name: string }) => name);

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  for (const [library, series] of [
    ['one', 'Ants'],
    ['one', 'Bees'],
    ['two', 'Cats'],
  ] as const)
    for (const n of [1, 2]) writeBook(join(temp.shelf, library, series, `${series} ${n}.cbz`), 3, `${series}${n}`);
  for (const name of ['one', 'two']) {
    const body = { name, path: join(temp.shelf, name), scanImmediately: true };
    await people.ask(admin.token, 'POST', '/libraries', { body });
  }
  await until('all is analysed', async () => {
    const { data } = (await people.ask(admin.token, 'GET', '/books?pageSize=50')).json;
    const done = data.length === 6 && data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
    return temp.app.scans.active().length === 0 && done;
  });
  for (const book of (await people.ask(admin.token, 'GET', '/books?pageSize=50')).json.data) {
    ids.set(book.title, compact(book.id));
    ids.set(book.title.split(' ')[0], compact(book.seriesId));
  }
  keeper = await people.join('keeper', 'maintainer');
  ann = await people.join('ann');
  limited = await people.join('limited');
  const libraries = (await people.ask(admin.token, 'GET', '/libraries')).json.data as { id: string; name: string }[];
  const two = libraries.filter(({ name }) => name === 'two').map((one) => one.id);
  await people.ask(admin.token, 'PATCH', `/users/${limited.id}`, { body: { libraryIds: two } });
};

const writing = (check: Check): void => {
  check('a list with unknown members, without a name or under a taken one is not made', async () => {
    const unknown = '01890000000070008000000000000000';
    const bad: readonly (readonly [object, number])[] = [
      [{}, 400],
      [{ name: '' }, 400],
      [{ name: 'Lost', seriesIds: [unknown] }, 400],
      [{ name: 'Lost', seriesIds: ['x'] }, 400],
    ];
    for (const [body, status] of bad) assert.is((await ask('POST', '/collections', body, keeper)).status, status);
    assert.is((await ask('POST', '/collections', { name: 'Mine' })).status, 403);
    assert.equal(await namesAt('/collections', keeper), ['Want to Read']);
  });
  check('a collection is made, changed as a whole and deleted, and the native API has it', async () => {
    const body = { name: 'Insects', ordered: true, seriesIds: [id('Bees'), id('Ants')] };
    const { status, json } = await ask('POST', '/collections', body, keeper);
    assert.is(status, 200);
    shapes.collection(json, '');
    assert.equal([json.name, json.ordered, json.seriesIds, json.filtered], ['Insects', true, body.seriesIds, false]);
    assert.is((await ask('POST', '/collections', body, keeper)).status, 409);
    const native = (await people.ask(keeper.token, 'GET', '/collections')).json.items;
    assert.equal(
      native.map((one: { id: string; seriesCount?: number }) => compact(one.id)),
      [json.id],
    );
    const changed = await ask(
      'PATCH',
      `/collections/${json.id}`,
      { name: 'All', seriesIds: [id('Cats'), id('Bees')] },
      keeper,
    );
    assert.equal([changed.status, changed.bytes.length], [204, 0]);
    const now = await get(`/collections/${json.id}`);
    assert.equal([now.name, now.seriesIds], ['All', [id('Cats'), id('Bees')]]);
    assert.equal(await namesAt(`/collections/${json.id}/series`), ['Cats', 'Bees']);
    assert.equal(await namesAt(`/collections/${json.id}/series?size=1&page=1`), ['Bees']);
    assert.equal(await namesAt(`/collections/${json.id}/series?sort=metadata.titleSort,asc`), ['Bees', 'Cats']);
    assert.equal(await namesAt(`/collections/${json.id}/series?search=cat&deleted=false`), ['Cats']);
    assert.equal(
      (await get(`/series/${id('Cats')}/collections`)).map((one: { id: string }) => one.id),
      [json.id],
    );
    assert.is((await ask('GET', `/collections/${json.id}/thumbnail`)).status, 200);
    assert.equal((await get(`/collections/${json.id}`, limited)).seriesIds, [id('Cats')]);
    assert.is((await ask('DELETE', `/collections/${json.id}`, undefined, keeper)).status, 204);
    assert.is((await ask('GET', `/collections/${json.id}`)).status, 404);
  });
  check('what is hidden from whoever replaces the members is kept', async () => {
    const body = { name: 'Kept', ordered: true, seriesIds: [id('Ants'), id('Cats')] };
    const { json } = await ask('POST', '/collections', body, keeper);
    await people.ask(people.admin.token, 'PATCH', `/users/${limited.id}`, {
      body: { permissions: ['CollectionsWrite'] },
    });
    assert.is((await ask('PATCH', `/collections/${json.id}`, { seriesIds: [] }, limited)).status, 204);
    assert.equal((await get(`/collections/${json.id}`)).seriesIds, [id('Ants')]);
    await ask('DELETE', `/collections/${json.id}`, undefined, keeper);
  });
};

const readLists = (check: Check): void => {
  check('a read list has its books, its neighbours and its tracker', async () => {
    const body = {
      name: 'Crossover',
      summary: 'In turn',
      ordered: true,
      bookIds: [id('Cats 1'), id('Ants 2'), id('Bees 1')],
    };
    const { json } = await ask('POST', '/readlists', body, keeper);
    shapes.readList(json, '');
    assert.equal([json.summary, json.bookIds], ['In turn', body.bookIds]);
    const titles = (await get(`/readlists/${json.id}/books?unpaged=true`)).content.map(
      ({ metadata }: { metadata: { title: string } }) => metadata.title,
    );
    assert.equal(titles, ['Cats 1', 'Ants 2', 'Bees 1']);
    const beside = (book: string, word: string): Promise<Answer> =>
      ask('GET', `/readlists/${json.id}/books/${id(book)}/${word}`);
    assert.is((await beside('Cats 1', 'next')).json.id, id('Ants 2'));
    assert.is((await beside('Ants 2', 'previous')).json.id, id('Cats 1'));
    for (const [book, word] of [
      ['Cats 1', 'previous'],
      ['Bees 1', 'next'],
      ['Bees 2', 'next'],
    ] as const)
      assert.is((await beside(book, word)).status, 404);
    const track = `/readlists/${json.id}/read-progress/tachiyomi`;
    assert.is((await ask('PUT', track, { lastBookRead: 2 })).status, 204);
    const counts = await get(track);
    assert.equal([counts.booksCount, counts.booksReadCount, counts.lastReadContinuousIndex], [3, 2, 2]);
    assert.equal(
      (await get(`/books/${id('Ants 2')}/readlists`)).map((one: { name: string }) => one.name),
      ['Crossover'],
    );
    assert.equal(await namesAt('/readlists?search=cross'), ['Crossover']);
  });
};

const queue = (check: Check): void => {
  check('the queue is the first list of both kinds, counts in totals, and follows the native one', async () => {
    for (const body of [{ seriesId: id('Bees') }, { seriesId: id('Ants') }, { bookId: id('Cats 2') }])
      await people.ask(ann.token, 'POST', '/want-to-read', {
        body: Object.fromEntries(
          Object.entries(body).map(([key, text]) => [key, text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')]),
        ),
      });
    const first = (await get('/collections')).content[0];
    shapes.collection(first, '');
    assert.equal([first.id, first.name, first.ordered], ['want-to-read', 'Want to Read', true]);
    assert.equal(first.seriesIds, [id('Bees'), id('Ants')]);
    const page = await get('/readlists?size=1&page=0');
    assert.is(page.content[0].summary, 'The books that you want to read, in your order.');
    assert.equal([page.content[0].bookIds, page.totalElements], [[id('Cats 2')], 2]);
    assert.equal(await namesAt('/readlists?size=1&page=1'), ['Crossover']);
    assert.equal(await namesAt('/collections/want-to-read/series'), ['Bees', 'Ants']);
    assert.is((await get('/readlists/want-to-read/books')).content[0].id, id('Cats 2'));
    assert.is((await ask('GET', '/collections/want-to-read/thumbnail')).status, 200);
    assert.is((await ask('GET', '/readlists/want-to-read/thumbnail')).status, 200);
  });
  check('the empty queue of somebody else is there, without a cover, and nobody changes it as a list', async () => {
    assert.equal((await get('/collections/want-to-read', keeper)).seriesIds, []);
    assert.equal((await get('/collections/want-to-read/series', keeper)).content, []);
    assert.is((await ask('GET', '/collections/want-to-read/thumbnail', undefined, keeper)).status, 404);
    assert.is((await ask('PATCH', '/collections/want-to-read', { name: 'x' }, keeper)).status, 400);
    assert.is((await ask('DELETE', '/readlists/want-to-read', undefined, keeper)).status, 400);
  });
  check('lists and the queue are found by words of their names in any order, across signs, like all else', async () => {
    for (const name of ['Spider-Man and Friends', 'Chapter 007']) {
      assert.is((await ask('POST', '/collections', { name, seriesIds: [id('Bees')] }, keeper)).status, 200);
      assert.is((await ask('POST', '/readlists', { name, bookIds: [id('Bees 1')] }, keeper)).status, 200);
    }
    for (const [search, names] of [
      ['spiderman', ['Spider-Man and Friends']],
      ['spider-man', ['Spider-Man and Friends']],
      ['friends spider', ['Spider-Man and Friends']],
      ['chapter 7', ['Chapter 007']],
      ['read want', ['Want to Read']],
      ['want-to-read', ['Want to Read']],
      ['spiderwoman', []],
    ] as const)
      for (const path of ['collections', 'readlists'])
        assert.equal(await namesAt(`/${path}?search=${encodeURIComponent(search)}`), [...names], `${path} ${search}`);
    assert.equal(await namesAt('/collections?search='), ['Want to Read', 'Chapter 007', 'Spider-Man and Friends']);
    const page = await get('/collections?search=%25&size=1&page=1');
    assert.equal([page.content[0].name, page.totalElements], ['Chapter 007', 3]);
  });
  check('every list has the shape that strict clients read', async () => {
    shapes.pageOf(shapes.collection)(await get('/collections?unpaged=true'), '');
    shapes.pageOf(shapes.readList)(await get('/readlists?unpaged=true'), '');
    listOf(shapes.readList)(await get(`/books/${id('Ants 2')}/readlists`), '');
  });
};

block(
  'collections of the comic-server API',
  (check) => {
    writing(check);
    readLists(check);
    queue(check);
  },
  { before: stock, after: () => people.temp.close() },
);
