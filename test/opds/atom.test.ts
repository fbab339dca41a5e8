// OPDS 1.2: every feed that the start leads to, what entries say, paging, search, addresses, signing in.
import { assert, block, type Check } from '../kit.js';
import { feedFrom, local } from './reader.js';
import { HOST, ODD, type OpdsShelf, opdsShelf, VOLUMES } from './shelf.js';
import { type FeedElement, parsedXml } from './xml.js';

const PREFIXES = ['/opds/v1.2', '/opds'] as const;
const ATOM = 'application/atom+xml;profile=opds-catalog';

let shelf: OpdsShelf;

const feedAt = (path: string): Promise<FeedElement> => feedFrom(shelf, path);

const FOLLOWED = new Set([
  'subsection',
  'http://opds-spec.org/sort/new',
  'next',
  'previous',
  'first',
  'last',
  'up',
  'start',
]);

/** All feeds that can be reached, by their paths. */
const crawl = async (start: string): Promise<ReadonlyMap<string, FeedElement>> => {
  const found = new Map<string, FeedElement>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const feed = await feedAt(path);
    found.set(path, feed);
    for (const { rel, href } of [feed, ...feed.entries].flatMap(({ links }) => links))
      if (FOLLOWED.has(rel) || rel.endsWith('/facet')) open.push(local(href));
  }
  return found;
};

const zot = (): string => `/opds/v1.2/series/${shelf.series.get('Zot')}`;

const tree = (check: Check): void => {
  for (const prefix of PREFIXES)
    check(`${prefix}: all that its feeds lead to are feeds with what Atom and OPDS require`, async () => {
      const feeds = await crawl(prefix);
      assert.ok(feeds.size > 40, `${feeds.size} feeds`);
      for (const [path, feed] of feeds) {
        for (const name of ['id', 'title', 'updated']) assert.ok(feed.text(name), `${path} has ${name}`);
        assert.is(feed.parts.author.length, 1, path);
        assert.ok(local(feed.link('self').href).startsWith(prefix), path);
        assert.is(local(feed.link('start').href), `${prefix}/catalog`);
        assert.is(feed.link('search').type, 'application/opensearchdescription+xml');
        const ids = feed.entries.map((entry) => entry.text('id'));
        assert.is(new Set(ids).size, ids.length, `${path} names each entry once`);
        for (const entry of feed.entries) {
          for (const name of ['id', 'title', 'updated']) assert.ok(entry.text(name), `an entry of ${path} has ${name}`);
          assert.match(entry.text('updated') ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
          for (const { href } of entry.links) assert.ok(local(href).startsWith(prefix), href);
        }
      }
    });
  check('nothing in a feed is a comment, a CDATA section or an instruction', async () => {
    for (const path of ['/opds/v1.2', zot(), '/opds/v1.2/recent']) {
      const text = (await shelf.get(path)).bytes.toString();
      assert.not.match(text.slice(40), /<!|<\?/);
    }
  });
  check('feeds are not dated, and Accept does not change their format', async () => {
    for (const path of ['/opds', '/opds/v1.2/keep-reading', zot()]) {
      const answer = await shelf.get(path, { headers: { accept: 'application/opds+json, */*' } });
      assert.is(answer.header('last-modified'), undefined, path);
      assert.match(answer.header('content-type') ?? '', 'application/atom+xml');
    }
  });
  check('names of the recorded servers lead somewhere', async () => {
    const names =
      'catalog ondeck keep-reading series series/latest books/latest libraries collections readlists publishers recent';
    for (const name of names.split(' ')) await feedAt(`/opds/v1.2/${name}`);
  });
};

const entries = (check: Check): void => {
  check('a series lists its books in order, with all that is known of each', async () => {
    const feed = await feedAt(zot());
    assert.equal(
      feed.entries.map((entry) => entry.text('id')),
      shelf.books.map((id) => `urn:uuid:${id}`),
    );
    const [entry] = feed.entries;
    assert.is(entry?.text('title'), 'Zot v01');
    assert.equal(entry?.parts.author, [{ name: 'Ann Author' }], 'one author, the main one');
    assert.equal(
      entry?.parts.contributor.map(({ name }: { name: string }) => name),
      ['Cy Second', 'Bo Pencil'],
    );
    assert.equal(
      ['dc:language', 'dc:publisher', 'dc:issued', 'summary'].map((name) => entry?.text(name)),
      ['en', 'House &amp; Sons', '2024-02-29', 'Goes on, part 1.'].map((text) => text.replace('&amp;', '&')),
    );
    assert.equal(
      entry?.parts.category.map((one: Record<string, string>) => one['@term']),
      ['Adventure', 'Drama', 'robots'],
    );
    assert.is(entry?.parts.content['@type'], 'html');
    assert.is(entry?.text('content'), 'Goes <x>on</x>, part 1.');
  });
  check('a book outside its series is named with it', async () => {
    const [entry] = (await feedAt('/opds/v1.2/search/books?q=part')).entries;
    assert.match(entry?.text('title') ?? '', /^Zot/);
    assert.ok(entry?.link('alternate').type.startsWith('application/atom+xml;type=entry'));
    const { entry: alone } = parsedXml((await shelf.get(local(entry?.link('alternate').href ?? ''))).bytes.toString());
    assert.ok(alone);
  });
  check('special characters of names arrive as they are', async () => {
    const title = `a\u0001b <i> & "q" 'x' ]]> \ud800 tab\t😀`;
    await shelf.api('PATCH', `/books/${shelf.books[6]}/metadata`, { title });
    const feed = await feedAt(zot());
    assert.match(feed.entries[6]?.text('title') ?? '', /^ab <i> & "q" 'x' \]\]> \ufffd+ tab 😀$/);
    await shelf.api('PATCH', `/books/${shelf.books[6]}/metadata/locks`, { title: false });
    const series = (await feedAt('/opds/v1.2/series')).entries.map((entry) => entry.text('title'));
    assert.ok(series.includes(ODD), series.join());
  });
  check('each file is offered under its real extension, with a type that apps know', async () => {
    const feed = await feedAt(`/opds/v1.2/series/${shelf.series.get(ODD)}`);
    const links = feed.entries.map((entry) => entry.link('http://opds-spec.org/acquisition'));
    const byExtension = new Map(links.map(({ type, href }) => [href.slice(href.lastIndexOf('.') + 1), type]));
    assert.equal([...byExtension].sort(), [
      ['cbr', 'application/vnd.comicbook-rar'],
      ['cbz', 'application/vnd.comicbook+zip'],
      ['epub', 'application/epub+zip'],
      ['pdf', 'application/pdf'],
    ]);
    for (const { href, type, attributes } of links) {
      const file = await shelf.get(local(href));
      assert.equal([file.status, file.header('content-type')], [200, type], href);
      assert.is(String(file.bytes.length), attributes.length);
      assert.match(file.header('content-disposition') ?? '', /^attachment; filename="[^"]+\.\w+"; filename\*=UTF-8''/);
    }
  });
  check('covers are linked as images and thumbnails, and are JPEGs', async () => {
    for (const path of [zot(), '/opds/v1.2/series'])
      for (const entry of (await feedAt(path)).entries)
        for (const rel of ['http://opds-spec.org/image', 'http://opds-spec.org/image/thumbnail']) {
          const { href, type } = entry.link(rel);
          const image = await shelf.get(local(href));
          assert.equal([image.status, image.header('content-type'), type], [200, 'image/jpeg', 'image/jpeg'], href);
        }
    const small = await shelf.get(`/opds/v1.2/books/${shelf.books[0]}/thumbnail/small`);
    assert.is(small.header('content-type'), 'image/jpeg');
  });
};

const walking = (check: Check): void => {
  check('pages follow each other by next and previous, and the last has no next', async () => {
    const titles: string[] = [];
    let path: string | undefined = `${zot()}?pageSize=3`;
    let before: string | undefined;
    for (let pages = 0; path !== undefined; pages += 1) {
      assert.ok(pages < 4, 'it ends');
      const feed: FeedElement = await feedAt(path);
      assert.is(feed.text('opensearch:totalResults'), String(VOLUMES));
      assert.is(feed.text('opensearch:startIndex'), String(pages * 3 + 1));
      const previous = feed.links.find(({ rel }) => rel === 'previous');
      assert.is(previous === undefined, before === undefined);
      titles.push(...feed.entries.map((entry) => entry.text('title') ?? ''));
      before = path;
      const next = feed.links.find(({ rel }) => rel === 'next');
      assert.ok(next === undefined || next.type.startsWith(ATOM));
      path = next && local(next.href);
    }
    assert.is(titles.length, VOLUMES);
    assert.is(new Set(titles).size, VOLUMES);
  });
  check('with size, pages count from 0', async () => {
    const first = await feedAt(`${zot()}?page=0&size=2`);
    const second = await feedAt(`${zot()}?page=1&size=2`);
    assert.is(first.text('opensearch:startIndex'), '1');
    assert.is(second.text('opensearch:startIndex'), '3');
  });
  check('the search description leads to a search that finds series and books', async () => {
    const description = parsedXml(
      (await shelf.temp.call('GET', '/opds/v1.2/search.xml', { headers: { host: HOST } })).bytes.toString(),
    );
    const { Url } = description.OpenSearchDescription as { Url: Record<string, string>[] };
    const [url] = Url;
    assert.match(url?.['@type'] ?? '', ATOM);
    const found = await feedAt(local((url?.['@template'] ?? '').replace('{searchTerms}', 'zot')));
    assert.is(found.entries.length, 1 + VOLUMES);
    assert.ok(found.entries[0]?.link('subsection'));
    const series = await feedAt('/opds/v1.2/series?search=zot');
    assert.ok(series.entries.length > 0);
    assert.is((await feedAt('/opds/v1.2/series?search=nowhere')).entries.length, 0);
  });
  check('a search without words is an empty feed', async () => {
    for (const path of ['?q=', '?q=%20', '/books?q=', '/series?query='])
      assert.equal((await feedAt(`/opds/v1.2/search${path}`)).entries, [], path);
  });
  check('letters, genres, publishers and authors lead to the series that have them', async () => {
    for (const [name, title] of [
      ['letters', 'Z'],
      ['genres', 'Drama'],
      ['publishers', 'House & Sons'],
      ['authors', 'Ann Author'],
    ] as const) {
      const entry = (await feedAt(`/opds/v1.2/${name}`)).entries.find((one) => one.text('title') === title);
      assert.ok(entry, `${name} has ${title}`);
      const found = await feedAt(local(entry?.link('subsection').href ?? ''));
      assert.equal(
        found.entries.map((one) => one.text('title')),
        ['Zot'],
        name,
      );
    }
  });
  check('facets change the order and what is listed, and one of each group is active', async () => {
    const feed = await feedAt('/opds/v1.2/series');
    const facets = feed.links.filter(({ rel }) => rel === 'http://opds-spec.org/facet');
    const groups = new Set(facets.map(({ attributes }) => attributes['opds:facetGroup']));
    assert.is(groups.size, 2);
    assert.is(facets.filter(({ attributes }) => attributes['opds:activeFacet'] === 'true').length, 2);
    const read = facets.find(({ attributes }) => attributes.title === 'Read');
    assert.is((await feedAt(local(read?.href ?? ''))).entries.length, 0);
  });
};

const signing = (check: Check): void => {
  const asked = (headers: Record<string, string>) =>
    shelf.temp.call('GET', '/opds/v1.2/catalog', { headers: { host: HOST, ...headers } });
  check('without a login: 401, a challenge, and the document that says how', async () => {
    const answer = await asked({});
    assert.is(answer.status, 401);
    assert.is(answer.header('www-authenticate'), 'Basic realm="Longbox", charset="UTF-8"');
    const [, address = ''] =
      /^<([^>]+)>; rel="http:\/\/opds-spec\.org\/auth\/document"/.exec(answer.header('link') ?? '') ?? [];
    const document = await shelf.temp.call('GET', local(address), { headers: { host: HOST } });
    assert.equal([document.status, document.json], [200, answer.json]);
    assert.is(answer.json.id, address);
  });
  check('an API key signs in as the password of the user api, and of any other', async () => {
    const { key } = (await shelf.api('POST', '/api-keys', { name: 'reader' })).json;
    for (const name of ['api', 'somebody']) {
      const authorization = `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;
      assert.is((await asked({ authorization })).status, 200, name);
    }
    assert.is((await asked({ 'x-api-key': key })).status, 200);
    const wrong = `Basic ${Buffer.from('api:svc_12345678_nothing').toString('base64')}`;
    assert.is((await asked({ authorization: wrong })).status, 401);
  });
  check('an unknown series or page is answered in words', async () => {
    for (const path of [
      `/opds/v1.2/series/${shelf.library}`,
      `/opds/books/${shelf.books[0]}/pages/99`,
      '/opds/nowhere',
    ]) {
      const { status, json } = await shelf.get(path);
      assert.equal([status, json.error], [404, 'NotFound'], path);
    }
    assert.is((await shelf.get('/opds/v1.2/series/x')).status, 400);
  });
};

block(
  'OPDS 1.2',
  (check) => {
    for (const part of [tree, entries, walking, signing]) part(check);
    check('no fault was logged', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await opdsShelf();
    },
    after: () => shelf.temp.close(),
    deadlineS: 120,
  },
);
