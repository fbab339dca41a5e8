// Ids in filters of the comic-server API: those of another server, which apps remember, and the want-to-read list, which is a list
// there. And unknown fields of conditions.
import { join } from 'node:path';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, path, { token, ...(body === undefined ? {} : { body }) });

interface Row {
  readonly id: string;
  readonly name: string;
}

const answered = ({ status, json, bytes }: Answer, what: string): readonly (string | Row)[] => {
  assert.is(status, 200, `${what}: ${bytes.toString().slice(0, 300)}`);
  return json.content ?? json;
};

/** Names in alphabetical order, each once. */
const namesIn = (rows: readonly (string | Row)[]): string =>
  [...new Set(rows.map((one) => (typeof one === 'string' ? one : one.name)))].sort().join();

const got = async (path: string): Promise<string> => namesIn(answered(await ask('GET', `/komga/api/v1${path}`), path));
const found = async (kind: 'series' | 'books', condition: unknown): Promise<string> =>
  namesIn(answered(await ask('POST', `/komga/api/v1/${kind}/list`, { condition }), JSON.stringify(condition)));

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

let ids: Readonly<Record<'alpha' | 'b1' | 'manual' | 'automatic', string>>;

const stock = async (): Promise<void> => {
  const alpha = '<Writer>Ann Elder</Writer><Penciller>Bo</Penciller><Genre>Noir</Genre>';
  writeBook(join(temp.shelf, 'Alpha', 'a1.cbz'), 2, 'a1', info(alpha));
  writeBook(join(temp.shelf, 'Alpha', 'a2.cbz'), 2, 'a2');
  writeBook(join(temp.shelf, 'Beta', 'b1.cbz'), 2, 'b1', info('<Writer>Bo</Writer><Genre>Comedy</Genre>'));
  await ask('POST', '/api/v1/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
  await until('all is analysed', async () => {
    const { total } = (await ask('GET', '/api/v1/genres')).json;
    return total === 2 && temp.app.scans.active().length === 0;
  });
  const idOf = async (path: string, title: string): Promise<string> =>
    (await ask('GET', `/api/v1${path}`)).json.data.find((one: { title: string }) => one.title === title).id;
  const made = async (body: unknown): Promise<string> => (await ask('POST', '/api/v1/collections', body)).json.id;
  ids = {
    alpha: await idOf('/series', 'Alpha'),
    b1: await idOf('/books', 'b1'),
    manual: await made({ name: 'Manual' }),
    automatic: await made({ name: 'By condition', condition: { genre: { operator: 'is', value: 'Comedy' } } }),
  };
  await ask('POST', `/api/v1/collections/${ids.manual}/series`, { seriesId: ids.alpha });
};

const is = (value: unknown) => ({ operator: 'is', value });
const isNot = (value: unknown) => ({ operator: 'isNot', value });
const EACH = 'Alpha,Beta';
const WANTED = 'want-to-read';

const foreign = (check: Check): void => {
  check('an id that is no text is refused', async () => {
    for (const value of [1, null, ['x'], 'x'.repeat(1001)])
      assert.is((await ask('POST', '/komga/api/v1/series/list', { condition: { libraryId: is(value) } })).status, 400);
  });
  check('ids of another server match nothing', async () => {
    for (const id of ['nonsense', '0ABC123', WANTED, '00', "'"]) {
      const value = encodeURIComponent(id);
      for (const path of [
        '/series?library_id=',
        '/books?library_id=',
        '/books?series_id=',
        '/books/ondeck?library_id=',
      ])
        assert.is(await got(`${path}${value}`), '', path + id);
      assert.is(await got(`/genres?library_id=${value}`), '');
      assert.is(await found('series', { libraryId: is(id) }), '');
      assert.is(await found('series', { libraryId: isNot(id) }), EACH);
      assert.is(await found('books', { seriesId: is(id) }), '');
    }
    for (const name of ['series_id', 'collection_id', 'readlist_id'])
      assert.is((await ask('GET', `/komga/api/v1/genres?${name}=nonsense`)).status, 404);
  });
  check('nor do those of lists, and beside them known ids count', async () => {
    assert.is(await got('/series?collection_id=nonsense'), '');
    assert.is(await got(`/series?collection_id=nonsense,${ids.manual}`), 'Alpha');
    assert.is(await found('series', { collectionId: is('nonsense') }), '');
    assert.is(await found('books', { readListId: is('nonsense') }), '');
  });
  check('fields that are not known are ignored', async () => {
    for (const unknown of ['titel', 'constructor', '__proto__', 'id'])
      assert.is(await found('series', JSON.parse(`{"${unknown}":{"operator":"is","value":"x"}}`)), EACH, unknown);
    assert.is(await found('series', { titel: is('x'), genre: is('Noir') }), 'Alpha');
    assert.is(await found('books', { anyOf: [{ type: 'x', new: { operator: 'is' }, title: is('b1') }] }), 'b1');
  });
};

const queue = (check: Check): void => {
  const wanted = async (): Promise<unknown> => [
    await found('series', { collectionId: is(WANTED) }),
    await got(`/series?collection_id=${WANTED}`),
    await got(`/genres?collection_id=${WANTED}`),
    await got(`/authors?collection_id=${WANTED}`),
    await found('books', { readListId: is(WANTED) }),
    await got(`/genres?readlist_id=${WANTED}`),
  ];
  check('filters can name the want-to-read list, as it is now', async () => {
    assert.equal(await wanted(), ['', '', '', '', '', '']);
    assert.is(await found('series', { collectionId: isNot(WANTED) }), EACH);
    await ask('POST', '/api/v1/want-to-read', { seriesId: ids.alpha });
    assert.equal(await wanted(), ['Alpha', 'Alpha', 'Noir', 'Ann Elder,Bo', '', '']);
    await ask('POST', '/api/v1/want-to-read', { bookId: ids.b1 });
    assert.equal(await wanted(), ['Alpha', 'Alpha', 'Noir', 'Ann Elder,Bo', 'b1', 'Comedy']);
  });
  check('it can be negated, and be one of several lists', async () => {
    assert.is(await found('series', { collectionId: isNot(WANTED) }), 'Beta');
    assert.is(await found('books', { readListId: isNot(WANTED) }), 'a1,a2');
    assert.is(await got(`/series?collection_id=${WANTED},${ids.automatic}`), EACH);
    assert.is(await found('series', { allOf: [{ collectionId: is(WANTED) }, { genre: is('Comedy') }] }), '');
    const letters = (await ask('GET', `/komga/api/v1/series/alphabetical-groups?collection_id=${WANTED}`)).json;
    assert.equal(
      letters.map(({ count }: { count: number }) => count),
      [1],
    );
  });
  check('what is removed from it, or of another user, is not found', async () => {
    const other = await temp.tokenOf('reader');
    const path = `/komga/api/v1/series?collection_id=${WANTED}`;
    assert.equal((await temp.call('GET', path, { token: other })).json.content, []);
    await ask('DELETE', `/api/v1/want-to-read/series/${ids.alpha}`);
    await ask('DELETE', `/api/v1/want-to-read/books/${ids.b1}`);
    assert.equal(await wanted(), ['', '', '', '', '', '']);
  });
};

block(
  'ids in filters of the comic-server API',
  (check) => {
    for (const part of [foreign, queue]) part(check);
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
