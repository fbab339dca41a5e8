// KOReader's OPDS browser, as it asks: HEAD before each GET, identity encoding, Basic sent at once, paging by next, search, covers, files
// taken by their extension, and pages numbered from 0. For both versions of OPDS, which it tells apart by the body alone.
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { local } from '../opds/reader.js';
import { HOST, type OpdsShelf, opdsShelf, PAGES, VOLUMES } from '../opds/shelf.js';
import { feedIn, parsedXml } from '../opds/xml.js';

let shelf: OpdsShelf;
let authorization = '';

const HEADERS = {
  host: HOST,
  'accept-encoding': 'identity',
  accept: 'application/opds+json, application/atom+xml;profile=opds-catalog, */*',
};

const ask = (method: 'GET' | 'HEAD', address: string): Promise<Answer> =>
  shelf.temp.call(method, local(address), { headers: { ...HEADERS, authorization } });

/** HEAD decides whether what it has is current: without a date, it asks again. */
const fetched = async (address: string): Promise<Answer> => {
  const head = await ask('HEAD', address);
  assert.equal([head.status, head.header('last-modified')], [200, undefined], address);
  const answer = await ask('GET', address);
  assert.is(answer.status, 200, address);
  assert.is(answer.header('content-encoding'), undefined);
  assert.is(head.header('content-type'), answer.header('content-type'));
  return answer;
};

interface Item {
  readonly title: string;
  /** A feed, for a folder. */
  readonly folder: string | undefined;
  readonly acquisitions: readonly { readonly type: string; readonly href: string }[];
  readonly image: string | undefined;
  readonly stream: { readonly href: string; readonly count: number; readonly lastRead: number } | undefined;
}

interface Listing {
  readonly items: readonly Item[];
  readonly next: string | undefined;
  readonly search: string | undefined;
}

const FOLDERS = new Set(['', 'subsection', 'http://opds-spec.org/subsection', 'http://opds-spec.org/sort/new']);
const IMAGES = new Set(['http://opds-spec.org/image', 'http://opds-spec.org/image/thumbnail']);

/** Its own small reader of Atom: attributes by the end of their names, links by rel and type. */
const atomListing = (text: string): Listing => {
  const feed = feedIn(text);
  const items = feed.entries.map((entry): Item => {
    const folder = entry.links.find(({ rel, type }) => FOLDERS.has(rel) && type.includes('application/atom+xml'));
    const stream = entry.links.find(({ rel }) => rel === 'http://vaemendis.net/opds-pse/stream');
    const attribute = (end: string): number =>
      Number(Object.entries(stream?.attributes ?? {}).find(([name]) => name.endsWith(end))?.[1] ?? 0);
    return {
      title: entry.text('title') ?? '',
      folder: folder?.href,
      acquisitions: entry.links.filter(({ rel }) => rel.startsWith('http://opds-spec.org/acquisition')),
      image: entry.links.find(({ rel }) => IMAGES.has(rel))?.href,
      stream: stream && { href: stream.href, count: attribute(':count'), lastRead: attribute(':lastRead') },
    };
  });
  const next = feed.links.find(({ rel, type }) => rel === 'next' && type.includes('application/atom+xml'));
  const search = feed.links.find(({ type }) => type === 'application/opensearchdescription+xml');
  return { items, next: next?.href, search: search?.href };
};

// biome-ignore lint/suspicious/noExplicitAny: as the app reads it
type Json = any;

const publicationItem = ({ metadata, links, images }: Json): Item => {
  assert.ok(images === undefined || images.length > 0, 'an empty list of images ends its list');
  return {
    title: metadata.title,
    folder: undefined,
    acquisitions: links.filter(({ rel }: Json) => rel.startsWith('http://opds-spec.org/acquisition')),
    image: images?.[0].href,
    stream: undefined,
  };
};

const folderItem = ({ title, href }: Json): Item => {
  assert.ok(title !== undefined && href !== undefined);
  return { title, folder: href, acquisitions: [], image: undefined, stream: undefined };
};

const jsonListing = (text: string): Listing => {
  const { links, navigation = [], publications = [], groups = [] } = JSON.parse(text);
  const first = (rel: string): Json => links.find((one: Json) => one.rel === rel);
  const group = ({ metadata, links: own, navigation: inside }: Json): Item[] =>
    inside === undefined ? [folderItem({ title: metadata.title, href: own[0].href })] : inside.map(folderItem);
  const items = [...navigation.map(folderItem), ...groups.flatMap(group), ...publications.map(publicationItem)];
  return { items, next: first('next')?.href, search: first('search')?.href };
};

const listingAt = async (address: string): Promise<Listing> => {
  const text = (await fetched(address)).bytes.toString();
  return text.trimStart().startsWith('{') ? jsonListing(text) : atomListing(text);
};

/** Until its list is full. */
const allAt = async (address: string): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for (let next: string | undefined = address; next !== undefined; ) {
    const listing: Listing = await listingAt(next);
    items.push(...listing.items);
    next = listing.next;
  }
  return items;
};

const open = async (address: string, ...titles: readonly string[]): Promise<readonly Item[]> => {
  let items = await allAt(address);
  for (const title of titles) {
    const folder = items.find((one) => one.title === title)?.folder;
    assert.ok(folder, `${title} among ${items.map((one) => one.title).join()}`);
    items = await allAt(folder ?? '');
  }
  return items;
};

const KNOWN_TYPES = [
  'application/vnd.comicbook+zip',
  'application/vnd.comicbook-rar',
  'application/epub+zip',
  'application/pdf',
];

const browsing = (check: Check, start: string): void => {
  const root = `http://${HOST}${start}`;
  check(`${start}: from the start to a file, saved under the name that it is sent with`, async () => {
    const [book, ...others] = await open(root, 'All Series', 'Zot');
    assert.is(others.length, VOLUMES - 1);
    const [file] = book?.acquisitions ?? [];
    assert.ok(KNOWN_TYPES.includes(file?.type ?? ''), file?.type);
    assert.ok(file?.href.endsWith('.cbz'), file?.href);
    const head = await ask('HEAD', file?.href ?? '');
    assert.is(/filename="([^"]*)"/.exec(head.header('content-disposition') ?? '')?.[1], 'Zot v01.cbz');
    const { status, bytes } = await ask('GET', file?.href ?? '');
    assert.equal([status, bytes.subarray(0, 2).toString()], [200, 'PK']);
    assert.is((await ask('GET', book?.image ?? '')).header('content-type'), 'image/jpeg');
  });
  check(`${start}: it fills its list page by page`, async () => {
    const items = await allAt(`http://${HOST}${start}/series/${shelf.series.get('Zot')}?pageSize=2`);
    assert.is(items.length, VOLUMES);
  });
};

block(
  'KOReader, OPDS',
  (check) => {
    for (const start of ['/opds/v1.2/catalog', '/opds', '/opds/v2']) browsing(check, start.replace('/catalog', ''));
    check('OPDS 1.2: it searches by the description', async () => {
      const { search } = await listingAt(`http://${HOST}/opds/v1.2/catalog`);
      const { OpenSearchDescription: found } = parsedXml((await fetched(search ?? '')).bytes.toString()) as Json;
      const url = found.Url.find((one: Json) => one['@type'].includes('application/atom+xml'));
      const items = await allAt(url['@template'].replace('{searchTerms}', encodeURIComponent('zot v01')));
      assert.ok(items.some(({ title }) => title === 'Zot v01'));
    });
    check('OPDS 2.0: it cuts the braces off and appends the parameter', async () => {
      const { search } = await listingAt(`http://${HOST}/opds/v2`);
      const bare = (search ?? '').replace(/\{[^}]*\}/, '');
      const items = await allAt(`${bare}?query=${encodeURIComponent('zot')}`);
      assert.equal(
        items.map(({ title }) => title),
        ['Zot', 'Books'],
      );
    });
    check('it streams pages from 0 in the width of its screen, and goes on where it was', async () => {
      await shelf.api('PUT', `/books/${shelf.books[1]}/progress`, { current_page: 3 });
      const stream = (await open(`http://${HOST}/opds/v1.2`, 'Keep Reading'))[0]?.stream;
      assert.equal([stream?.count, stream?.lastRead], [PAGES, 3]);
      assert.not.match(stream?.href ?? '', /\/api|chapterId=|opds\/[^/]*\/image/);
      for (let page = 0; page < PAGES; page += 1) {
        const address = (stream?.href ?? '').replace('{pageNumber}', String(page)).replace('{maxWidth}', '758');
        const { status, header } = await ask('GET', address);
        assert.equal([status, header('content-type')], [200, 'image/png']);
      }
    });
    check('a wrong password is 401, also to HEAD', async () => {
      const wrong = `Basic ${Buffer.from('reader:wrong').toString('base64')}`;
      for (const method of ['HEAD', 'GET'])
        assert.is(
          (await shelf.temp.call(method, '/opds', { headers: { ...HEADERS, authorization: wrong } })).status,
          401,
        );
    });
  },
  {
    before: async () => {
      shelf = await opdsShelf();
      const { key } = (await shelf.api('POST', '/api-keys', { name: 'e-reader' })).json;
      authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
    },
    after: () => shelf.temp.close(),
    deadlineS: 120,
  },
);
