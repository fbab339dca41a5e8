// Komic (iOS), as its recorded traffic shows it, and the TypeScript SDK, whose objects are closed. Both send Basic with every request.
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PAGES, PERSON, startAppServer, uuidOf, VOLUMES } from './app-server.js';
import { author, book, bookPage, collection, library, pageOf, readList, series, user } from './comic-shapes.js';
import { listOf, text } from './strict.js';

let server: AppServer;
let komic: App;
let sdk: App;

const is = (value: unknown) => ({ operator: 'is', value });

const booksBy = async (condition: unknown, app = komic) =>
  (
    await app.read('/api/v1/books/list?page=0&size=100&sort=metadata.numberSort,asc', pageOf(book), {
      body: { condition },
    })
  ).content;

const zot = async () => {
  const condition = { allOf: [{ anyOf: [{ title: { operator: 'beginsWith', value: 'Zot' } }] }] };
  return (await komic.read('/api/v1/series/list?page=0&size=20', pageOf(series), { body: { condition } })).content[0];
};

const lists = (check: Check): void => {
  check('Komic: the login, libraries and authors', async () => {
    await komic.read('/api/v2/users/me', user);
    await komic.read('/api/v1/libraries', listOf(library));
    const { content } = await komic.read('/api/v2/authors?page=0&size=20', pageOf(author));
    assert.ok(
      content.some(({ name, role }: { name: string; role: string }) => name === 'Ann Author' && role === 'writer'),
    );
  });
  check('Komic: nested groups of reading status, series, library and date', async () => {
    const { id, libraryId } = await zot();
    const unread = { anyOf: [{ readStatus: is('UNREAD') }, { readStatus: is('IN_PROGRESS') }] };
    const from = (dateTime: string) => ({ releaseDate: { dateTime, operator: 'after' } });
    const inLibrary = { allOf: [{ libraryId: is(libraryId) }, { seriesId: is(id) }] };
    assert.is((await booksBy({ allOf: [inLibrary, unread] })).length, VOLUMES);
    assert.is((await booksBy({ allOf: [inLibrary, unread, from('2023-12-31T00:00:00Z')] })).length, VOLUMES);
    assert.is((await booksBy({ allOf: [inLibrary, unread, from('2025-01-01T00:00:00Z')] })).length, 0);
    assert.is((await booksBy({ allOf: [inLibrary, { anyOf: [{ readStatus: is('READ') }] }] })).length, 0);
    const body = { condition: { allOf: [{ libraryId: is(libraryId) }, unread] } };
    assert.is((await komic.read('/api/v1/series/list', pageOf(series), { body })).totalElements, 2);
  });
  check('Komic: covers are bytes at their own address, never a redirect', async () => {
    const { id, libraryId } = await zot();
    const [first] = await booksBy({ seriesId: is(id) });
    await server.listWith('collections', 'Shown', [uuidOf(id)]);
    await server.listWith('readlists', 'Shown', [uuidOf(first.id)]);
    const [sets, orders] = await Promise.all([
      komic.read('/api/v1/collections', pageOf(collection)),
      komic.read('/api/v1/readlists', pageOf(readList)),
    ]);
    const shown = ({ content }: { content: readonly { id: string; name: string }[] }): string =>
      content.find(({ name }) => name === 'Shown')?.id ?? '';
    for (const path of [
      `books/${first.id}`,
      `series/${id}`,
      `libraries/${libraryId}`,
      `collections/${shown(sets)}`,
      `readlists/${shown(orders)}`,
    ])
      await komic.image(`/api/v1/${path}/thumbnail`);
  });
};

const progress = (check: Check): void => {
  check('Komic: a page, and finished without a page', async () => {
    const [, , third] = await booksBy({ seriesId: is((await zot()).id) });
    const path = `/api/v1/books/${third.id}/read-progress`;
    const now = async () => (await komic.read(`/api/v1/books/${third.id}`, book)).readProgress;
    await komic.change('PATCH', path, { completed: false, page: 3 });
    assert.equal([(await now()).page, (await now()).completed], [3, false]);
    await komic.change('PATCH', path, { completed: true });
    assert.equal([(await now()).page, (await now()).completed], [PAGES, true]);
    assert.is((await komic.send('PATCH', path, { body: { completed: false, page: 151 } })).status, 400);
    assert.is((await now()).page, PAGES, 'a page that is none changes nothing');
  });
  check('Komic: a progression whose time has a fraction is stored', async () => {
    const condition = { mediaProfile: is('EPUB') };
    const [{ id }] = await booksBy(condition);
    const { positions } = (await komic.send('GET', `/api/v1/books/${id}/positions`)).json;
    const document = {
      modified: '2026-03-01T08:09:10.123456Z',
      device: { id: 'komic', name: 'Komic' },
      locator: positions[1],
    };
    await komic.change('PUT', `/api/v1/books/${id}/progression`, document);
    const stored = await komic.send('GET', `/api/v1/books/${id}/progression`);
    assert.equal(
      [stored.json.modified, stored.json.locator.locations.position],
      ['2026-03-01T08:09:10Z', positions[1].locations.position],
    );
  });
};

const closedObjects = (check: Check): void => {
  check('SDK: no object has a field that its schema lacks', async () => {
    await sdk.read('/api/v1/libraries', listOf(library));
    for (const path of ['series', 'series/new', 'series/updated', 'series/latest'])
      await sdk.read(`/api/v1/${path}`, pageOf(series));
    for (const path of ['books', 'books/latest', 'books/ondeck']) await sdk.read(`/api/v1/${path}`, pageOf(book));
    for (const path of ['genres', 'tags', 'languages', 'publishers', 'age-ratings', 'sharing-labels'])
      await sdk.read(`/api/v1/${path}`, listOf(text));
    await sdk.read('/api/v1/authors', listOf(author));
    await sdk.read('/api/v2/authors', pageOf(author));
  });
  check('SDK: details, with a slash at the end or without', async () => {
    const { id } = await zot();
    await sdk.read(`/api/v1/series/${id}`, series);
    await sdk.read(`/api/v1/series/${id}/`, series);
    const [first] = await booksBy({ seriesId: is(id) }, sdk);
    await sdk.read(`/api/v1/books/${first.id}`, book);
    await sdk.read(`/api/v1/books/${first.id}/pages`, listOf(bookPage));
  });
  check('SDK: sort is repeated, and keys that are not known do not count', async () => {
    const numbers = async (query: string): Promise<readonly number[]> => {
      const path = `/api/v1/series/${(await zot()).id}/books?size=3&${query}`;
      const { content } = await sdk.read(path, pageOf(book));
      return content.map(({ metadata }: { metadata: { numberSort: number } }) => metadata.numberSort);
    };
    assert.equal(await numbers('sort=metadata.numberSort,desc&sort=createdDate,asc'), [
      VOLUMES,
      VOLUMES - 1,
      VOLUMES - 2,
    ]);
    assert.equal(await numbers('sort=unheard.of,desc&sort=metadata.numberSort,asc'), [1, 2, 3]);
  });
  check('SDK: everything on one page, as it is reported', async () => {
    const all = await sdk.read('/api/v1/books?unpaged=true', pageOf(book));
    assert.equal(
      [all.content.length, all.number, all.first, all.last, all.totalPages, all.pageable.paged, all.pageable.unpaged],
      [VOLUMES + 5, 0, true, true, 1, true, false],
    );
  });
  check('SDK: what is refused has all five fields of an error; an unknown path is JSON, too', async () => {
    const { id } = await zot();
    const [first] = await booksBy({ seriesId: is(id) }, sdk);
    for (const [status, path] of [
      [404, '/api/v1/books/0123456789abcdef0123456789abcdef'],
      [400, `/api/v1/books/${first.id}/pages/${PAGES + 1}`],
      [404, '/api/v1/no/such/path'],
      [404, '/api/v1/books/NOPE'],
    ] as const) {
      const answer = await sdk.send('GET', path);
      assert.is(answer.status, status, path);
      const { timestamp: at, status: told, error, message, path: where } = answer.json;
      assert.equal(
        [typeof at, told, typeof error, typeof message, where],
        ['string', status, 'string', 'string', `/komga${path}`],
      );
    }
  });
};

block(
  'Komic and the TypeScript SDK',
  (check) => {
    lists(check);
    progress(check);
    closedObjects(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      const signedIn = { Authorization: basicOf(PERSON.username, PERSON.password) };
      komic = server.app('/komga', { ...signedIn, Accept: 'application/json', 'User-Agent': 'Komic/7 (iOS)' });
      sdk = server.app('/komga', { ...signedIn, Accept: '*/*', 'User-Agent': 'node' });
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
