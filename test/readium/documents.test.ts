// Manifests, positions and parts of real books: valid by the published schemas, in the form that all apps read.
import type { Answer, CallOptions } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { differencesFrom, WEB_PUBLICATION } from '../published-schemas.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

const EPUBS = [
  'alice-no-cover.epub',
  'childrens-literature.epub',
  'comic-fxl-rtl.epub',
  'cover-guide.epub',
  'encoded-hrefs.epub',
  'epub-chapter-missing.epub',
  'epub-href-traversal.epub',
  'epub-opf-xxe.epub',
  'epub2-cover.epub',
  'epub3-minimal-komga.epub',
  'filename-utf8.epub',
  'img.epub',
  'kusamakura-vertical.epub',
  'opf-deep.epub',
  'opf-utf16.epub',
  'regime-arabic-rtl.epub',
  'toc-5000.epub',
  'w3c-cnt-svg-support.epub',
  'w3c-fxl-page-spread-center.epub',
  'w3c-nav-spine-in-spine.epub',
  'w3c-ocf-metainf-inc.epub',
  'w3c-pkg-spine-progression-rtl.epub',
];
const BOOKS = [...EPUBS, 'drm-lcp.epub', 'captain-science-cix.cbz', 'rar4-stored.cbr', 'bad-pages.cbz', 'outline.pdf'];

const BASE = 'https://books.example';
const DIVINA = 'application/divina+json';
const WEBPUB = 'application/webpub+json';

interface Link {
  readonly href: string;
  readonly type: string;
  readonly rel?: string;
  readonly title?: string;
  readonly children?: readonly Link[];
}

let shelf: StockedShelf;

const get = (path: string, headers: CallOptions['headers'] = {}): Promise<Answer> =>
  shelf.api('GET', path, { headers: { host: 'books.example', 'x-forwarded-proto': 'https', ...headers } });

const idOf = async (name: string): Promise<string> => (await shelf.bookOf(name)).id;

const manifestOf = async (name: string, headers: CallOptions['headers'] = {}): Promise<Answer> => {
  const answer = await get(`/books/${await idOf(name)}/manifest`, headers);
  assert.is(answer.status, 200, `${name}: ${answer.bytes.toString().slice(0, 300)}`);
  return answer;
};

const jsonOf = (answer: Answer) => JSON.parse(answer.bytes.toString());

/** The address of a link as a path below the API. */
const below = (href: string): string => {
  assert.ok(href.startsWith(`${BASE}/api/v1/`), href);
  return href.slice(`${BASE}/api/v1`.length).split('#')[0] ?? '';
};

const flat = (links: readonly Link[] = []): readonly Link[] => links.flatMap((link) => [link, ...flat(link.children)]);

/** What the strictest of the apps demand beyond the schema. */
interface Manifest {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [list: string]: unknown;
}

const checkForApps = (name: string, manifest: Manifest): void => {
  const { metadata } = manifest;
  for (const [key, value] of Object.entries(metadata)) {
    assert.ok(value !== null && value !== '', `${name}: ${key} is empty`);
    if (Array.isArray(value))
      assert.ok(value.length > 0 && value.every((one) => typeof one === 'string'), `${name}: ${key}`);
  }
  assert.match(String(metadata.modified), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  if (metadata.published !== undefined) assert.match(String(metadata.published), /^\d{4}-\d\d-\d\d$/);
  for (const list of Object.values(manifest)) if (Array.isArray(list)) assert.ok((list as unknown[]).length > 0, name);
  const links = flat(Object.values(manifest).filter(Array.isArray).flat() as Link[]);
  for (const { rel, href } of links) {
    assert.ok(rel === undefined || typeof rel === 'string');
    assert.ok(href.startsWith(`${BASE}/api/v1/books/`), `${name}: ${href}`);
  }
};

const manifests = (check: Check): void => {
  check('every manifest is valid, and in the form that all apps read', async () => {
    for (const name of BOOKS.filter((one) => one !== 'drm-lcp.epub')) {
      const answer = await manifestOf(name);
      const manifest = jsonOf(answer);
      assert.equal(differencesFrom(WEB_PUBLICATION, manifest), [], name);
      checkForApps(name, manifest);
      const self = manifest.links.find((link: Link) => link.rel === 'self');
      assert.is(self.type, answer.header('content-type'));
    }
  });

  check('a schema refuses what it should: a null, and an empty list of links without type', () => {
    const broken = { metadata: { title: 'T', publisher: null }, readingOrder: [{ href: 'a' }] };
    assert.ok(differencesFrom(WEB_PUBLICATION, broken).length > 1);
  });

  check('every part that the manifest of an EPUB names is there, with the type it names', async () => {
    for (const name of EPUBS) {
      const manifest = jsonOf(await manifestOf(name, { accept: WEBPUB }));
      for (const { href, type } of [...manifest.readingOrder, ...(manifest.resources ?? [])] as Link[]) {
        const answer = await get(below(href));
        assert.is(answer.status, 200, `${name}: ${href}`);
        assert.is(answer.header('content-type'), type, href);
      }
      for (const { href } of [...flat(manifest.toc), ...flat(manifest.landmarks), ...flat(manifest.pageList)].slice(
        0,
        20,
      ))
        assert.is((await get(below(href))).status, 200, `${name}: ${href}`);
    }
  });

  check('a comic has its pages with their sizes, and its direction', async () => {
    const manifest = jsonOf(await manifestOf('captain-science-cix.cbz'));
    const { pageCount } = await shelf.bookOf('captain-science-cix.cbz');
    assert.is(manifest['@context'], 'https://readium.org/webpub-manifest/context.jsonld');
    assert.is(manifest.metadata.conformsTo, 'https://readium.org/webpub-manifest/profiles/divina');
    const { readingDirection } = await shelf.bookOf('captain-science-cix.cbz');
    assert.is(manifest.metadata.readingProgression, readingDirection);
    assert.is(manifest.metadata.numberOfPages, pageCount);
    assert.is(manifest.readingOrder.length, pageCount);
    for (const { href, type, width, height } of manifest.readingOrder) {
      assert.ok(width > 0 && height > 0);
      assert.is((await get(below(href))).header('content-type'), type);
    }
    assert.ok(manifest.metadata.author.length > 0 && manifest.metadata.publisher.length === 1);
  });

  check('a webtoon scrolls', async () => {
    const { json } = await get('/series');
    const path = `/series/${json.data[0].id}/metadata`;
    const before = json.data[0].readingDirection ?? null;
    assert.is((await shelf.api('PATCH', path, { body: { readingDirection: 'webtoon' } })).status, 200);
    const { metadata } = jsonOf(await manifestOf('captain-science-cix.cbz'));
    await shelf.api('PATCH', path, { body: { readingDirection: before } });
    assert.equal([metadata.layout, metadata.readingProgression], ['scrolled', undefined]);
  });

  check('an EPUB of images is a comic, and an EPUB for those who read only that', async () => {
    const comic = await manifestOf('comic-fxl-rtl.epub');
    assert.is(comic.header('content-type'), DIVINA);
    assert.is(comic.header('vary')?.includes('Accept'), true);
    assert.is(
      (await manifestOf('comic-fxl-rtl.epub', { accept: `${DIVINA}, ${WEBPUB}` })).header('content-type'),
      DIVINA,
    );
    const epub = await manifestOf('comic-fxl-rtl.epub', { accept: WEBPUB });
    assert.is(epub.header('content-type'), WEBPUB);
    const { metadata } = jsonOf(epub);
    assert.equal([metadata.layout, metadata.readingProgression], ['fixed', 'rtl']);
  });

  check('a PDF is one file, or its pages as images; its bookmarks name pages', async () => {
    const pdf = await manifestOf('outline.pdf');
    const { readingOrder, toc } = jsonOf(pdf);
    assert.equal([pdf.header('content-type'), readingOrder.length], [WEBPUB, 1]);
    assert.is(readingOrder[0].type, 'application/pdf');
    assert.match(toc[0].href, /\/file#page=\d+$/);
    const divina = await manifestOf('outline.pdf', { accept: DIVINA });
    const { pageCount } = await shelf.bookOf('outline.pdf');
    assert.equal([divina.header('content-type'), jsonOf(divina).readingOrder.length], [DIVINA, pageCount]);
    assert.match(jsonOf(divina).toc[0].href, /\/pages\/\d+$/);
  });

  check('headings that lead nowhere lead to what is below them', async () => {
    const { toc, landmarks } = jsonOf(await manifestOf('childrens-literature.epub'));
    assert.ok(toc.some(({ children = [] }: Link) => children.length > 0));
    assert.ok(landmarks.length > 0);
  });

  check('who has the manifest is told so', async () => {
    const first = await manifestOf('img.epub');
    const id = await idOf('img.epub');
    const again = await get(`/books/${id}/manifest`, { 'if-none-match': first.header('etag') ?? '' });
    assert.equal([again.status, again.bytes.length], [304, 0]);
    assert.is(first.header('cache-control'), 'private, no-cache');
  });

  check('a protected book has no manifest', async () => {
    const answer = await get(`/books/${await idOf('drm-lcp.epub')}/manifest`);
    assert.equal([answer.status, answer.json.error], [422, 'EncryptedArchive']);
  });
};

const positions = (check: Check): void => {
  check('a text has one position for each kilobyte, in order, and the last is the end of the book', async () => {
    const name = 'childrens-literature.epub';
    const manifest = jsonOf(await manifestOf(name));
    const answer = await get(`/books/${await idOf(name)}/positions`);
    assert.is(answer.header('content-type'), 'application/vnd.readium.position-list+json');
    const list = jsonOf(answer);
    const { pageCount } = await shelf.bookOf(name);
    assert.equal([list.total, list.positions.length], [pageCount, pageCount]);
    assert.equal(
      list.positions.map((one: { locations: { position: number } }) => one.locations.position),
      Array.from({ length: pageCount }, (_, index) => index + 1),
    );
    assert.is(list.positions.at(-1).locations.totalProgression, 1);
    const hrefs = new Set<string>(list.positions.map(({ href }: Link) => href));
    assert.is(hrefs.size, manifest.readingOrder.length);
    const sizes = await Promise.all(
      [...hrefs].map(async (href) => (await get(`/books/${await idOf(name)}/resource/${href}`)).bytes.length),
    );
    const expected = sizes.map((size) => Math.max(1, Math.ceil(size / 1024)));
    assert.is(
      expected.reduce((sum, one) => sum + one, 0),
      list.total,
    );
  });

  check('addresses of positions are those of the manifest, also where names have signs of addresses', async () => {
    const name = 'encoded-hrefs.epub';
    const { readingOrder } = jsonOf(await manifestOf(name));
    const { positions: list } = jsonOf(await get(`/books/${await idOf(name)}/positions`));
    const root = `${BASE}/api/v1/books/${await idOf(name)}/resource/`;
    assert.equal(
      [...new Set(list.map(({ href }: Link) => root + href))],
      readingOrder.map(({ href }: Link) => href),
    );
    assert.ok(
      list.some(({ href }: Link) => href.includes('%')),
      'one of them is encoded',
    );
  });

  check('fixed pages have one position each', async () => {
    const { total, positions: list } = jsonOf(
      await get(`/books/${await idOf('w3c-fxl-page-spread-center.epub')}/positions`),
    );
    assert.equal([total, list.length], [4, 4]);
  });

  check('a comic has no positions', async () => {
    const answer = await get(`/books/${await idOf('captain-science-cix.cbz')}/positions`);
    assert.equal([answer.status, answer.json.error], [400, 'BadRequest']);
  });
};

const parts = (check: Check): void => {
  check('a part is sent in a sandbox, is not sniffed, and is asked for again with its tag', async () => {
    const { readingOrder } = jsonOf(await manifestOf('img.epub'));
    const path = below(readingOrder[0].href);
    const first = await get(path);
    const policy = first.header('content-security-policy') ?? '';
    assert.match(policy, /(?:^|; )sandbox(?:;|$)/);
    assert.match(policy, /script-src 'none'/);
    assert.is(first.header('x-content-type-options'), 'nosniff');
    assert.is(first.header('cache-control'), 'private, no-cache');
    const again = await get(path, { 'if-none-match': first.header('etag') ?? '' });
    assert.equal([again.status, again.bytes.length], [304, 0]);
    assert.ok((await get(path)).bytes.equals(first.bytes), 'the same when it is known where it lies');
  });

  check('names are decoded once, and nothing but an entry of the archive is found', async () => {
    const id = await idOf('encoded-hrefs.epub');
    const outside = [
      '..%2f..%2fetc%2fpasswd',
      '%2e%2e/%2e%2e/etc/passwd',
      '%2fetc%2fpasswd',
      'OEBPS',
      'OEBPS/',
      'a%00b',
      'x'.repeat(4000),
    ];
    for (const path of outside) assert.is((await get(`/books/${id}/resource/${path}`)).status, 404, path);
    assert.is((await get(`/books/${id}/resource/${'x'.repeat(4097)}`)).status, 400);
    assert.is((await get(`/books/${id}/resource/%zz`)).status, 400);
  });

  check('a comic has no parts', async () => {
    const answer = await get(`/books/${await idOf('captain-science-cix.cbz')}/resource/1.jpg`);
    assert.equal([answer.status, answer.json.error], [404, 'NotFound']);
  });
};

block(
  'documents of the Readium kind',
  (check) => {
    manifests(check);
    positions(check);
    parts(check);
  },
  {
    before: async () => {
      shelf = await stockedShelf(BOOKS, [{ key: 'http.trusted_proxies', text: '127.0.0.1' }]);
    },
    after: () => shelf.temp.close(),
  },
);
