// Feeds list only books that can be read now, with picture links only where there is a picture, and no address that an app refuses over TLS.
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block, type Check } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';
import { schemaFaults } from './schemas.js';

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
type Json = any;

const READABLE = ['alice-no-cover.epub', 'captain-science-cix.cbz', 'epub2-cover.epub', 'outline.pdf'];
const LOCKED = 'enc-aes256-user.pdf';
const DUE = 'rar4-stored.cbr';
const HOST = 'comics.example';

let shelf: StockedShelf;
let series = '';

const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Json> => {
  const { temp, token } = shelf;
  const answer = await temp.call('GET', `/opds/v2${path}`, { token, headers: { host: HOST, ...headers } });
  assert.is(answer.status, 200, `${path}: ${answer.bytes.toString().slice(0, 300)}`);
  assert.equal(schemaFaults('feed', answer.json), [], path);
  return answer.json;
};

const fileOf = ({ links }: Json): string =>
  decodeURIComponent(links.find(({ rel }: Json) => rel === 'http://opds-spec.org/acquisition').href).replace(
    /.*\//,
    '',
  );

const idOf = async (name: string): Promise<string> => (await shelf.bookOf(name)).id;

/** The files that a feed lists, and how many it says there are. */
const listed = async (path: string): Promise<readonly [readonly string[], number]> => {
  const { publications = [], metadata } = await get(path);
  return [publications.map(fileOf).sort(), metadata.numberOfItems];
};

const lists = (check: Check): void => {
  for (const path of ['/recent', '/books/latest'])
    check(`${path} lists and counts what can be read`, async () =>
      assert.equal(await listed(path), [READABLE, READABLE.length]),
    );
  check('so does a series, page by page and for each read status', async () => {
    assert.equal(await listed(`/series/${series}`), [READABLE, READABLE.length]);
    assert.equal(await listed(`/series/${series}?read=unread`), [READABLE, READABLE.length]);
    const found: string[] = [];
    for (const page of [1, 2]) {
      const [files, total] = await listed(`/series/${series}?page=${page}&pageSize=3`);
      assert.is(total, READABLE.length);
      found.push(...files);
    }
    assert.equal(found.sort(), READABLE);
  });
  check('so does a search', async () => {
    for (const name of [LOCKED, DUE]) {
      const words = name.slice(0, name.lastIndexOf('.'));
      assert.equal(await listed(`/search/books?query=${words}`), [[], 0], name);
    }
    assert.equal(await listed('/search/books?query=outline'), [['outline.pdf'], 1]);
  });
  check('so do read lists and the want-to-read list', async () => {
    const bookIds = await Promise.all([LOCKED, DUE, ...READABLE].map(idOf));
    const { json } = await shelf.api('POST', '/readlists', { body: { name: 'All of them' } });
    await shelf.api('POST', `/readlists/${json.id}/books`, { body: { bookIds } });
    assert.equal(await listed(`/readlists/${json.id}`), [READABLE, READABLE.length]);
    for (const id of bookIds)
      assert.is((await shelf.api('POST', '/want-to-read', { body: { bookId: id } })).status, 201);
    assert.equal(await listed('/want-to-read'), [READABLE, READABLE.length]);
  });
  check('so do the books in progress, and those on deck', async () => {
    await shelf.api('PUT', `/books/${await idOf(DUE)}/progress`, { body: { current_page: 1 } });
    await shelf.api('PUT', `/books/${await idOf('outline.pdf')}/progress`, { body: { current_page: 1 } });
    assert.equal(await listed('/keep-reading'), [['outline.pdf'], 1]);
    await shelf.api('DELETE', `/books/${await idOf(DUE)}/progress`);
    for (const name of READABLE.slice(1)) await shelf.api('POST', `/books/${await idOf(name)}/read`);
    assert.equal(await listed('/ondeck'), [['alice-no-cover.epub'], 1]);
    await shelf.api('POST', `/books/${await idOf('alice-no-cover.epub')}/read`);
    assert.equal(await listed('/ondeck'), [[], 0], 'what is left cannot be read');
  });
  check(
    'on deck, the API and reader apps pass over what is protected, and offer what waits for its analysis',
    async () => {
      const native = await shelf.temp.call('GET', '/api/v1/books/on-deck', { token: shelf.token });
      const app = await shelf.temp.call('GET', '/komga/api/v1/books/ondeck', { token: shelf.token });
      const due = await idOf(DUE);
      assert.equal([native.json.total, native.json.data.map(({ id }: Json) => id)], [1, [due]]);
      assert.equal([app.json.totalElements, app.json.content[0].id], [1, due.replaceAll('-', '')]);
    },
  );
};

const pictures = (check: Check): void => {
  check('every book has a link to its cover, and each leads to one', async () => {
    const { publications } = await get(`/series/${series}`);
    assert.equal(publications.map(fileOf).sort(), READABLE);
    for (const { images } of publications) {
      const { pathname } = new URL(images[0].href);
      const picture = await shelf.temp.call('GET', pathname, { token: shelf.token });
      assert.equal([picture.status, picture.header('content-type')], [200, 'image/jpeg']);
    }
  });
  check('the comic-server API has a cover of every book too', async () => {
    for (const name of ['alice-no-cover.epub', LOCKED, 'epub2-cover.epub']) {
      const path = `/komga/api/v1/books/${await idOf(name)}/thumbnail`;
      const answer = await shelf.temp.call('GET', path, { token: shelf.token });
      assert.equal([answer.status, answer.header('content-type')], [200, 'image/jpeg'], name);
    }
  });
};

const addresses = (check: Check): void => {
  check('behind a proxy that is not trusted, no address begins with http, and only there', async () => {
    for (const forged of [{ 'x-forwarded-proto': 'https' }, { forwarded: 'proto=https' }]) {
      for (const path of ['', '/series', '/recent', `/series/${series}`])
        assert.not.match(JSON.stringify(await get(path, forged)), /"href":"http:/, path);
      assert.match(JSON.stringify(await get('/series')), new RegExp(`"href":"http://${HOST}/opds/v2/`), 'others');
    }
    const { bytes, header } = await shelf.temp.call('GET', '/opds/v1.2/catalog', {
      headers: { host: HOST, 'x-forwarded-proto': 'https' },
    });
    assert.not.match(`${bytes} ${header('link')}`, /http:\/\/comics/);
  });
};

const positions = (check: Check): void => {
  check(
    'the position of a publication is a document of its type, in whole seconds, and not in the future',
    async () => {
      const { publications } = await get(`/series/${series}`);
      const book = publications.find((one: Json) => fileOf(one) === 'epub2-cover.epub');
      const link = book.links.find(({ rel }: Json) => rel.endsWith('/progression'));
      const { pathname } = new URL(link.href);
      const ask = (method: string, body?: object) =>
        shelf.temp.call(method, pathname, { token: shelf.token, ...(body === undefined ? {} : { body }) });
      const at = (modified: string) => ({
        modified,
        device: { id: 'urn:x:1', name: 'Reader' },
        locator: { href: 'a.xhtml', type: 'text/html', locations: { totalProgression: 0.5 } },
      });
      const now = shelf.temp.app.clock.now();
      assert.is((await ask('PUT', at(new Date(now + 3_600_000).toISOString()))).status, 204);
      const answer = await ask('GET');
      assert.equal([answer.status, answer.header('content-type')], [200, link.type]);
      const { modified } = JSON.parse(answer.bytes.toString());
      assert.match(modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(Date.parse(modified) <= shelf.temp.app.clock.now(), modified);
      assert.is((await ask('PUT', at('2001-01-01T00:00:00.123Z'))).status, 409);
      await shelf.api('DELETE', `/books/${await idOf('epub2-cover.epub')}/progress`);
    },
  );
};

block(
  'what catalogues offer can be had',
  (check) => {
    addresses(check);
    pictures(check);
    positions(check);
    lists(check);
  },
  {
    before: async () => {
      shelf = await stockedShelf([...READABLE, LOCKED, DUE]);
      const { temp, api } = shelf;
      series = (await api('GET', '/series')).json.data[0].id;
      await temp.app.db.write(SYSTEM, 'background', async (tx) => {
        await tx.run('UPDATE book SET analyzed = 0, due = 1 WHERE file_name = ?', [DUE]);
        tx.report(updated('book', 'all', ASPECTS.content));
      });
    },
    after: () => shelf.temp.close(),
  },
);
