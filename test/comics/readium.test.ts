// What apps that show text ask the comic-server API: manifests by type, positions, parts, progression with its conflicts.
import type { Answer, CallOptions } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { differencesFrom, WEB_PUBLICATION } from '../published-schemas.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

const TEXT = 'childrens-literature.epub';
const IMAGES = 'comic-fxl-rtl.epub';
const COMIC = 'captain-science-cix.cbz';
const PDF = 'outline.pdf';

let shelf: StockedShelf;
let token: string;
const ids = new Map<string, string>();

const ask = (method: string, name: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  shelf.temp.call(method, `/komga/api/v1/books/${ids.get(name)}/${path}`, {
    token,
    ...options,
    headers: { host: 'books.example', ...options.headers },
  });

const jsonOf = ({ bytes }: Answer) => JSON.parse(bytes.toString());
const typeOf = (answer: Answer) => [answer.status, answer.header('content-type')];

const put = async (name: string, body: unknown): Promise<number> =>
  (await ask('PUT', name, 'progression', { body })).status;

const device = { id: 'reader-1', name: 'Reader' };

const documents = (check: Check): void => {
  check('a manifest is by the type of the book, and 400 in a profile that the book has not', async () => {
    const [divina, webpub] = ['application/divina+json', 'application/webpub+json'];
    assert.equal(typeOf(await ask('GET', COMIC, 'manifest')), [200, divina]);
    assert.equal(typeOf(await ask('GET', COMIC, 'manifest/divina')), [200, divina]);
    assert.equal(typeOf(await ask('GET', TEXT, 'manifest')), [200, webpub]);
    assert.equal(typeOf(await ask('GET', TEXT, 'manifest/epub')), [200, webpub]);
    assert.equal(typeOf(await ask('GET', PDF, 'manifest')), [200, webpub]);
    assert.equal(typeOf(await ask('GET', PDF, 'manifest/pdf')), [200, webpub]);
    assert.equal(typeOf(await ask('GET', PDF, 'manifest/divina')), [200, divina]);
    assert.equal(typeOf(await ask('GET', IMAGES, 'manifest')), [200, webpub]);
    assert.equal(typeOf(await ask('GET', IMAGES, 'manifest/divina')), [200, divina]);
    const headers = { accept: divina };
    assert.equal(typeOf(await ask('GET', IMAGES, 'manifest', { headers })), [200, divina]);
    assert.equal(typeOf(await ask('GET', IMAGES, 'manifest/epub')), [200, webpub]);
    const wrong = [
      [COMIC, 'epub'],
      [COMIC, 'pdf'],
      [TEXT, 'divina'],
      [TEXT, 'pdf'],
      [PDF, 'epub'],
      [TEXT, 'other'],
    ] as const;
    for (const [name, profile] of wrong)
      assert.is((await ask('GET', name, `manifest/${profile}`)).status, 400, `${name} ${profile}`);
  });

  check('addresses begin with that of the server, and name the book as everywhere on this surface', async () => {
    for (const name of [TEXT, IMAGES, COMIC, PDF]) {
      const manifest = jsonOf(await ask('GET', name, 'manifest'));
      assert.equal(differencesFrom(WEB_PUBLICATION, manifest), [], name);
      const book = `http://books.example/komga/api/v1/books/${ids.get(name)}/`;
      for (const { href } of [...manifest.links, ...manifest.readingOrder, ...(manifest.resources ?? [])])
        assert.ok(href.startsWith(book), href);
    }
  });

  check(
    'the reading order of a PDF is its pages, each a PDF with its size; other books have no such pages',
    async () => {
      const images = jsonOf(await ask('GET', PDF, 'manifest/divina')).readingOrder;
      for (const path of ['manifest', 'manifest/pdf']) {
        const { metadata, readingOrder, toc } = jsonOf(await ask('GET', PDF, path));
        const book = `http://books.example/komga/api/v1/books/${ids.get(PDF)}`;
        const pages = images.map(({ width, height }: { width: number; height: number }, index: number) => ({
          href: `${book}/pages/${index + 1}/raw`,
          type: 'application/pdf',
          width,
          height,
        }));
        assert.equal([readingOrder, metadata.numberOfPages], [pages, pages.length]);
        const hrefs = new Set(pages.map(({ href }: { href: string }) => href));
        assert.ok(toc.length > 0 && toc.every(({ href }: { href: string }) => hrefs.has(href)));
      }
      const native = await shelf.api('GET', `/books/${(await shelf.bookOf(PDF)).id}/manifest`);
      assert.is(native.json.readingOrder.length, 1);
      for (const number of [1, images.length]) {
        const page = await ask('GET', PDF, `pages/${number}/raw`);
        assert.equal([...typeOf(page), page.bytes.subarray(0, 5).toString()], [200, 'application/pdf', '%PDF-']);
        const headers = { 'if-none-match': page.header('etag') ?? '' };
        assert.is((await ask('GET', PDF, `pages/${number}/raw`, { headers })).status, 304);
        const again = await ask('GET', PDF, `pages/${number - 1}/raw?zero_based=true`);
        assert.equal([...typeOf(again), again.bytes.equals(page.bytes)], [...typeOf(page), true]);
      }
      for (const number of [0, images.length + 1])
        assert.is((await ask('GET', PDF, `pages/${number}/raw`)).status, 400);
      for (const name of [COMIC, IMAGES]) assert.is((await ask('GET', name, 'pages/1/raw')).status, 400, name);
    },
  );

  check('positions name what the addresses of the manifest end in, and those are served', async () => {
    const { readingOrder } = jsonOf(await ask('GET', TEXT, 'manifest/epub'));
    const list = await ask('GET', TEXT, 'positions');
    assert.equal(typeOf(list), [200, 'application/vnd.readium.position-list+json']);
    const { total, positions } = jsonOf(list);
    assert.is(positions.length, total);
    const named = new Set(positions.map(({ href }: { href: string }) => href));
    assert.equal(
      [...named],
      readingOrder.map(({ href }: { href: string }) => decodeURIComponent(href.split('/resource/')[1] ?? '')),
    );
    for (const href of named) assert.is((await ask('GET', TEXT, `resource/${href}`)).status, 200);
    for (const name of [COMIC, PDF]) assert.is((await ask('GET', name, 'positions')).status, 404);
    assert.is((await ask('GET', COMIC, 'resource/x.html')).status, 404);
    assert.is((await ask('GET', TEXT, 'resource/EPUB/none.xhtml')).status, 404);
  });
};

const progression = (check: Check): void => {
  const now = () => shelf.temp.app.clock.now();
  const at = (ms: number): string => new Date(ms).toISOString();

  check('nothing read is 204; a document comes back as it was sent, its time without a fraction', async () => {
    const empty = await ask('GET', TEXT, 'progression');
    assert.equal([empty.status, empty.bytes.length], [204, 0]);
    const locator = {
      href: 'EPUB/s04.xhtml',
      type: 'application/xhtml+xml',
      locations: { position: 5, totalProgression: 0.03 },
      more: 1,
    };
    assert.is(await put(TEXT, { modified: at(now() - 60_877), device, locator }), 204);
    const answer = await ask('GET', TEXT, 'progression');
    assert.equal(typeOf(answer), [200, 'application/vnd.readium.progression+json']);
    const found = jsonOf(answer);
    assert.match(found.modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal([found.device, found.locator], [device, locator]);
    const book = await shelf.bookOf(TEXT);
    assert.is((await shelf.api('GET', `/books/${book.id}/progress`)).json.currentPage, 5);
  });

  check('an older document is 409 and changes nothing; a bad one is 400', async () => {
    const locator = { href: 'EPUB/s04.xhtml', locations: { position: 9, totalProgression: 0.05 } };
    assert.is(await put(TEXT, { modified: at(now() - 120_000), device, locator }), 409);
    assert.is(jsonOf(await ask('GET', TEXT, 'progression')).locator.locations.position, 5);
    const good = { modified: at(now()), device, locator };
    for (const body of [
      {},
      { ...good, device: undefined },
      { ...good, modified: undefined },
      { ...good, modified: '2026-02-31T00:00:00Z' },
      { ...good, locator: undefined },
      { ...good, device: { id: 'x' } },
      { ...good, locator: { locations: { totalProgression: 1.5 } } },
      'x',
    ])
      assert.is(await put(TEXT, body), 400, JSON.stringify(body));
  });

  check('what is read elsewhere afterwards is the answer', async () => {
    const book = await shelf.bookOf(TEXT);
    assert.is(
      (await shelf.api('PUT', `/books/${book.id}/progress`, { body: { progressPercentage: 0.5 } })).status,
      200,
    );
    const { locator, device: last } = jsonOf(await ask('GET', TEXT, 'progression'));
    const { positions, total } = jsonOf(await ask('GET', TEXT, 'positions'));
    const { locations } = locator;
    assert.is(locations.position, Math.ceil(total / 2));
    assert.equal(positions[locations.position - 1], { href: locator.href, type: locator.type, locations });
    assert.type(last.id, 'string');
    const native = await shelf.api('GET', `/books/${book.id}/progression`);
    assert.equal(native.json.locator, locator);
  });

  check('a document that names only a part and how far it was read sets the progress', async () => {
    const { positions } = jsonOf(await ask('GET', TEXT, 'positions'));
    const wanted = positions.at(40);
    const { locations } = wanted;
    const href = `http://books.example/komga/api/v1/books/${ids.get(TEXT)}/resource/${encodeURI(wanted.href)}#here`;
    const locator = { href, locations: { progression: locations.progression } };
    shelf.temp.advance(2000);
    assert.is(await put(TEXT, { modified: at(now()), device, locator }), 204);
    const book = await shelf.bookOf(TEXT);
    const { json } = await shelf.api('GET', `/books/${book.id}/progress`);
    assert.is(json.currentPage, locations.position);
    assert.equal(jsonOf(await ask('GET', TEXT, 'progression')).locator, locator);
  });

  check('the last position of a text, and of a book of images, completes it', async () => {
    for (const name of [TEXT, IMAGES]) {
      const { positions } = jsonOf(await ask('GET', name, 'positions'));
      shelf.temp.advance(2000);
      assert.is(await put(name, { modified: at(now()), device, locator: positions.at(-1) }), 204);
      const book = await shelf.bookOf(name);
      const { json } = await shelf.api('GET', `/books/${book.id}/progress`);
      assert.equal([json.completed, json.currentPage], [true, book.pageCount], name);
    }
  });

  check('the page of a comic is its position, and its address', async () => {
    const book = await shelf.bookOf(COMIC);
    assert.is((await shelf.api('PUT', `/books/${book.id}/progress`, { body: { currentPage: 2 } })).status, 200);
    const { locator } = jsonOf(await ask('GET', COMIC, 'progression'));
    assert.is(locator.locations.position, 2);
    const { readingOrder } = jsonOf(await ask('GET', COMIC, 'manifest'));
    assert.is(locator.href, readingOrder[1].href);
    shelf.temp.advance(2000);
    assert.is(await put(COMIC, { modified: at(now()), device, locator: { href: readingOrder[0].href } }), 204);
    assert.is((await shelf.api('GET', `/books/${book.id}/progress`)).json.currentPage, 1);
  });
};

block(
  'reading apps on the comic-server API',
  (check) => {
    documents(check);
    progression(check);
  },
  {
    before: async () => {
      shelf = await stockedShelf([TEXT, IMAGES, COMIC, PDF]);
      ({ token } = shelf);
      for (const name of [TEXT, IMAGES, COMIC, PDF]) ids.set(name, (await shelf.bookOf(name)).id.replaceAll('-', ''));
    },
    after: () => shelf.temp.close(),
  },
);
