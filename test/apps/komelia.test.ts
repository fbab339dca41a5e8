// Komelia and its Kotlin SDK, the strictest reader of all: every key has to be there, no date has a fraction, words come from closed sets.
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PAGES, PERSON, startAppServer, uuidOf, VOLUMES } from './app-server.js';
import {
  author,
  book,
  bookPage,
  collection,
  id as idText,
  library,
  pageOf,
  readList,
  series,
  timestamp,
  user,
} from './comic-shapes.js';
import { watchEvents } from './event-reader.js';
import { anything, filledText, int, listOf, mapOf, matching, number, oneOf, perhaps, record, text } from './strict.js';

let server: AppServer;
/** After the login: cookies, nothing else. */
let app: App;
let login: App;

const NODE = { type: 'AnyOfSeries' };

/** As Set-Cookie lines name them: `name=value` joined for a Cookie header. */
const cookiesOf = (header: string): string =>
  header
    .split('\n')
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');

const session = (check: Check): void => {
  check('the login with Basic gives cookies, and they alone sign in from then on', async () => {
    const { username, password } = PERSON;
    login = server.app('/komga/', { Accept: 'application/json', 'User-Agent': 'Komelia/0.17' });
    const wrong = await login.send('GET', 'api/v2/users/me?remember-me=true', {
      headers: { Authorization: basicOf(username, 'wrong'), 'Cache-Control': 'no-cache' },
    });
    assert.is(wrong.status, 401);
    assert.is(wrong.header('set-cookie'), '');
    const answer = await login.send('GET', 'api/v2/users/me?remember-me=true', {
      headers: { Authorization: basicOf(username, password), 'Cache-Control': 'no-cache' },
    });
    assert.is(answer.status, 200);
    user(answer.json, '');
    assert.is(answer.json.email, username, 'the login that was typed');
    const cookie = cookiesOf(answer.header('set-cookie'));
    assert.not.equal(cookie, '');
    app = login.with({ Cookie: cookie });
    assert.is((await app.send('GET', 'api/v1/libraries')).status, 200);
    assert.is((await login.send('GET', 'api/v1/libraries')).status, 401);
  });
};

const lists = (check: Check): void => {
  check('libraries, one and all', async () => {
    const [first] = await app.read('api/v1/libraries', listOf(library));
    await app.read(`api/v1/libraries/${first.id}`, library);
  });
  for (const [method, path, content] of [
    ['POST', 'books/list?size=20&page=0&unpaged=false&sort=createdDate,desc', book],
    ['POST', 'books/list?size=20&page=0&unpaged=false&sort=readProgress.readDate,descmetadata.numberSort,asc', book],
    ['GET', 'books/ondeck?size=20&page=0&unpaged=false', book],
    ['GET', 'books/latest?size=20&page=0&unpaged=false', book],
    ['GET', 'series/new?oneshot=false&unpaged=false', series],
    ['GET', 'series/updated?oneshot=false&unpaged=false', series],
    ['POST', 'series/list?size=20&page=0&unpaged=false&sort=metadata.titleSort,asc', series],
    ['GET', 'collections?unpaged=false', collection],
    ['GET', 'readlists?unpaged=false', readList],
  ] as const)
    check(`the page of ${method} ${path} has every key`, async () => {
      await app.read(`api/v1/${path}`, pageOf(content), method === 'POST' ? { body: {} } : {});
    });
  check('conditions carry a type that means nothing, and may be nested', async () => {
    const condition = {
      type: 'AllOfSeries',
      allOf: [
        { type: 'genre', genre: { type: 'Is', operator: 'is', value: 'Adventure' } },
        {
          ...NODE,
          anyOf: [
            { type: 'oneShot', oneShot: { operator: 'isFalse' } },
            { title: { operator: 'contains', value: 'zot' } },
          ],
        },
      ],
    };
    const found = await app.read('api/v1/series/list?page=0&size=20', pageOf(series), {
      body: { condition, fullTextSearch: '' },
    });
    assert.is(found.totalElements, 1);
    const none = { allOf: [condition, { seriesStatus: { operator: 'is', value: 'ABANDONED' } }] };
    assert.is((await app.read('api/v1/series/list', pageOf(series), { body: { condition: none } })).totalElements, 0);
  });
  check('empty conditions do not filter; unknown sort keys do not fail', async () => {
    for (const body of [{}, { condition: { allOf: [] } }, { condition: { anyOf: [] } }, { fullTextSearch: '' }]) {
      const found = await app.read('api/v1/series/list?sort=unheardOf,asc', pageOf(series), { body });
      assert.is(found.totalElements, 2, JSON.stringify(body));
    }
  });
  check('values of filters are plain lists of texts', async () => {
    for (const path of [
      'genres',
      'tags',
      'tags/book',
      'tags/series',
      'languages',
      'publishers',
      'age-ratings',
      'series/release-dates',
      'sharing-labels',
      'authors/names',
      'authors/roles',
    ])
      await app.read(`api/v1/${path}`, listOf(text));
    await app.read('api/v2/authors?unpaged=false', pageOf(author));
  });
};

const zot = async () => {
  const body = { condition: { title: { operator: 'beginsWith', value: 'Zot' } } };
  return (await app.read('api/v1/series/list', pageOf(series), { body })).content[0];
};

const booksOf = async (seriesId: string) => {
  const body = { condition: { seriesId: { operator: 'is', value: seriesId } } };
  const path = 'api/v1/books/list?unpaged=true&sort=metadata.numberSort,asc';
  return (await app.read(path, pageOf(book), { body })).content;
};

const details = (check: Check): void => {
  check('a series, its books, the sets that they are in, the neighbours of a book', async () => {
    const { id } = await zot();
    await app.read(`api/v1/series/${id}`, series);
    const found = await booksOf(id);
    assert.is(found.length, VOLUMES);
    await app.read(`api/v1/series/${id}/collections`, listOf(collection));
    await app.read(`api/v1/books/${found[0].id}/readlists`, listOf(readList));
    assert.is((await app.read(`api/v1/books/${found[0].id}/next`, book)).id, found[1].id);
    assert.is((await app.send('GET', `api/v1/books/${found[0].id}/previous`)).status, 404);
    assert.is((await app.send('GET', `api/v1/books/${found.at(-1).id}/next`)).status, 404);
  });
  check('pages have numbers for sizes, and every image loads', async () => {
    const [{ id }] = await booksOf((await zot()).id);
    const pages = await app.read(`api/v1/books/${id}/pages`, listOf(bookPage));
    assert.is(pages.length, PAGES);
    await app.image(`api/v1/books/${id}/pages/1`);
    await app.image(`api/v1/books/${id}/pages/1/thumbnail`);
    await app.image(`api/v1/books/${id}/thumbnail`);
    assert.is((await app.send('GET', `api/v1/books/${id}/pages/0`)).status, 400);
    assert.is((await app.send('GET', `api/v1/books/${id}/pages/${PAGES + 1}`)).status, 400);
    assert.is((await app.send('GET', 'api/v1/books/00000000000000000000000000000000/thumbnail')).status, 404);
  });
};

const progress = (check: Check): void => {
  check('progress of a book by page and whole, taken back, and of a whole series', async () => {
    const { id } = await zot();
    const [first] = await booksOf(id);
    const path = `api/v1/books/${first.id}/read-progress`;
    const now = async () => (await app.read(`api/v1/books/${first.id}`, book)).readProgress;
    for (const body of [{ page: 0 }, { page: PAGES + 1 }, {}])
      assert.is((await app.send('PATCH', path, { body })).status, 400, JSON.stringify(body));
    assert.is(await now(), null);
    await app.change('PATCH', path, { page: 2 });
    assert.equal([(await now()).page, (await now()).completed], [2, false]);
    await app.change('PATCH', path, { completed: true });
    assert.equal([(await now()).page, (await now()).completed], [PAGES, true]);
    await app.change('DELETE', path);
    assert.is(await now(), null);
    await app.change('POST', `api/v1/series/${id}/read-progress`);
    assert.is((await zot()).booksReadCount, VOLUMES);
    await app.change('DELETE', `api/v1/series/${id}/read-progress`);
    assert.is((await zot()).booksUnreadCount, VOLUMES);
  });
  check('events by name: a book that changed, and what was read, with all ids', async () => {
    const [{ id, seriesId, libraryId }] = await booksOf((await zot()).id);
    const events = await watchEvents(app, 'sse/v1/events');
    const changed = await server.admin('PATCH', `/books/${uuidOf(id)}/metadata`, { summary: 'It begins.' });
    assert.is(changed.status, 200, JSON.stringify(changed.json));
    const found = await events.next('BookChanged');
    record({ bookId: idText, seriesId: idText, libraryId: idText })(found, '');
    assert.equal(found, { bookId: id, seriesId, libraryId });
    const me = await app.read('api/v2/users/me', user);
    await app.change('PATCH', `api/v1/books/${id}/read-progress`, { page: 1 });
    assert.equal(await events.next('ReadProgressChanged'), { bookId: id, userId: me.id });
    await app.change('DELETE', `api/v1/books/${id}/read-progress`);
    assert.equal(await events.next('ReadProgressDeleted'), { bookId: id, userId: me.id });
    events.close();
  });
};

const link = record({ href: filledText, type: filledText, properties: perhaps(mapOf(mapOf(anything))) });
const manifest = record({
  metadata: record({
    title: filledText,
    author: perhaps(listOf(text)),
    publisher: perhaps(listOf(text)),
    subject: perhaps(listOf(text)),
    conformsTo: perhaps(text),
    modified: perhaps(timestamp),
    readingProgression: perhaps(oneOf('rtl', 'ltr', 'ttb', 'btt', 'auto')),
    belongsTo: perhaps(record({ series: perhaps(listOf(record({ name: text, position: perhaps(number) }))) })),
  }),
  links: listOf(record({ href: filledText, rel: perhaps(text) })),
  readingOrder: listOf(link),
  resources: perhaps(listOf(link)),
});
const locator = record({
  href: filledText,
  type: filledText,
  locations: record({ position: int, progression: number, totalProgression: number }),
});

const epub = (check: Check): void => {
  check('an EPUB: manifest, positions, parts and progression', async () => {
    const { content } = await app.read('api/v1/books/list', pageOf(book), {
      body: { fullTextSearch: 'Incomplete Theft' },
    });
    const [{ id, media }] = content;
    assert.equal([media.mediaProfile, media.mediaType], ['EPUB', 'application/epub+zip']);
    const found = await app.read(`api/v1/books/${id}/manifest`, manifest);
    const prefix = `${server.program.address}/komga/api/v1/books/${id}/resource/`;
    for (const { href } of found.readingOrder) {
      matching(new RegExp(`^${prefix.replaceAll('.', '\\.')}`))(href, '');
      assert.is((await app.send('GET', href, { headers: { Accept: '*/*' } })).status, 200, href);
    }
    const { total, positions } = await app.read(
      `api/v1/books/${id}/positions`,
      record({ total: int, positions: listOf(locator) }),
    );
    assert.is(positions.length, total);
    const path = `api/v1/books/${id}/progression`;
    assert.is((await app.send('GET', path)).status, 204, 'none yet');
    const place = positions[Math.floor(total / 2)];
    const progression = { modified: '2026-01-02T03:04:05Z', device: { id: 'd1', name: 'Komelia' }, locator: place };
    await app.change('PUT', path, progression);
    const stored = await app.read(
      path,
      record({ modified: timestamp, device: record({ id: text, name: text }), locator }),
    );
    assert.is(stored.locator.locations.position, place.locations.position);
    assert.is(
      (await app.send('PUT', path, { body: { ...progression, modified: '2020-01-02T03:04:05Z' } })).status,
      409,
    );
    assert.is((await app.send('PUT', path, { body: { modified: 'x' } })).status, 400);
  });
};

const end = (check: Check): void => {
  check('logout ends the session of the cookie', async () => {
    const answer = await app.send('POST', 'api/logout');
    assert.ok([200, 204].includes(answer.status), String(answer.status));
    assert.is((await app.send('GET', 'api/v1/libraries')).status, 401);
  });
};

block(
  'Komelia',
  (check) => {
    session(check);
    lists(check);
    details(check);
    progress(check);
    epub(check);
    end(check);
  },
  {
    before: async () => {
      server = await startAppServer();
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
