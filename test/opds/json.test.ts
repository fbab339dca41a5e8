// OPDS 2.0: every feed that the start leads to is valid by the published schemas, and says what publications are.
import { assert, block, type Check } from '../kit.js';
import { local } from './reader.js';
import { schemaFaults } from './schemas.js';
import { HOST, ODD, type OpdsShelf, opdsShelf, PAGES, VOLUMES } from './shelf.js';

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
type Json = any;

let shelf: OpdsShelf;

const feedAt = async (path: string): Promise<Json> => {
  const answer = await shelf.get(path);
  assert.is(answer.status, 200, `${path}: ${answer.bytes.toString().slice(0, 300)}`);
  assert.is(answer.header('content-type'), 'application/opds+json;charset=utf-8', path);
  assert.is(answer.header('last-modified'), undefined);
  assert.equal(schemaFaults('feed', answer.json), [], path);
  return answer.json;
};

const linkIn = ({ links }: Json, rel: string): Json => links.find((one: Json) => one.rel === rel);

/** Addresses of feeds in a feed. */
const feedsIn = ({ links, navigation = [], groups = [], facets = [] }: Json): string[] =>
  [links, navigation, ...[...groups, ...facets].flatMap((one: Json) => [one.links, one.navigation ?? []])]
    .flat()
    .filter(({ type, templated }: Json) => type === 'application/opds+json' && templated !== true)
    .map(({ href }: Json) => local(href));

const crawl = async (): Promise<ReadonlyMap<string, Json>> => {
  const found = new Map<string, Json>();
  const open = ['/opds/v2'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const feed = await feedAt(path);
    found.set(path, feed);
    open.push(...feedsIn(feed));
  }
  return found;
};

const zot = (): string => `/opds/v2/series/${shelf.series.get('Zot')}`;

const feeds = (check: Check): void => {
  check('all that the start leads to is valid, and nothing in it is null or empty', async () => {
    const all = await crawl();
    assert.ok(all.size > 40, `${all.size} feeds`);
    for (const [path, feed] of all) {
      assert.ok(local(linkIn(feed, 'self').href).startsWith('/opds/v2'), path);
      assert.equal(linkIn(feed, 'search').href, `http://${HOST}/opds/v2/search{?query}`);
      assert.not.match(
        JSON.stringify({ ...feed, groups: feed.groups?.length ? feed.groups : 1 }),
        /null|\[\]|:""/,
        path,
      );
    }
  });
  check('every group has a title, and its own feed as its first link', async () => {
    await shelf.api('PUT', `/books/${shelf.books[1]}/progress`, { current_page: 3 });
    const { groups } = await feedAt('/opds/v2');
    assert.equal(
      groups.map((one: Json) => one.metadata.title),
      ['Keep Reading', 'Recent Additions'],
    );
    for (const { links } of groups) await feedAt(local(links[0].href));
  });
  check('an empty feed has an empty list of groups', async () => {
    assert.equal((await feedAt('/opds/v2/collections')).groups, []);
  });
  check('pages are told with their number and size, and follow each other', async () => {
    const first = await feedAt(`${zot()}?pageSize=3`);
    assert.equal(
      [first.metadata.numberOfItems, first.metadata.itemsPerPage, first.metadata.currentPage],
      [VOLUMES, 3, 1],
    );
    const second = await feedAt(local(linkIn(first, 'next').href));
    assert.is(second.metadata.currentPage, 2);
    assert.is(local(linkIn(second, 'previous').href), local(linkIn(second, 'first').href));
    const last = await feedAt(local(linkIn(first, 'last').href));
    assert.is(linkIn(last, 'next'), undefined);
  });
  check('search finds series and books under the parameter query, and refuses blanks', async () => {
    const { groups } = await feedAt('/opds/v2/search?query=zot');
    assert.equal(
      groups.map((one: Json) => [one.metadata.title, (one.navigation ?? one.publications).length]),
      [
        ['Series', 1],
        ['Books', VOLUMES],
      ],
    );
    for (const path of ['', '?query=', '/books?query=%20', '/series'])
      assert.equal((await feedAt(`/opds/v2/search${path}`)).groups, [], path);
  });
  check('facets are groups of links, one of each marked as the present one', async () => {
    const { facets } = await feedAt('/opds/v2/series');
    for (const { links } of facets) assert.is(links.filter(({ rel }: Json) => rel === 'self').length, 1);
  });
};

const publications = (check: Check): void => {
  check('a publication says all that is known', async () => {
    const { publications: found } = await feedAt(zot());
    const { metadata, images, readingProgress } = found[0];
    assert.equal(
      { ...metadata, modified: undefined, belongsTo: metadata.belongsTo.series.name },
      {
        '@type': 'http://schema.org/Book',
        title: 'Zot v01',
        identifier: `urn:uuid:${shelf.books[0]}`,
        modified: undefined,
        published: '2024-02-29',
        language: 'en',
        publisher: 'House & Sons',
        author: [{ name: 'Ann Author' }, { name: 'Cy Second' }],
        artist: [{ name: 'Bo Pencil' }],
        penciler: [{ name: 'Bo Pencil' }],
        subject: ['Adventure', 'Drama', 'robots'],
        description: 'Goes <x>on</x>, part 1.',
        numberOfPages: PAGES,
        readingProgression: 'ltr',
        belongsTo: 'Zot',
      },
    );
    assert.is((await shelf.get(local(images[0].href))).header('content-type'), 'image/jpeg');
    assert.is(readingProgress, undefined);
  });
  check('what was read is told', async () => {
    await shelf.api('PUT', `/books/${shelf.books[2]}/progress`, { current_page: 2 });
    const { currentPage, totalPages, progressPercent, isCompleted, lastReadAt } = (await feedAt(zot())).publications[2]
      .readingProgress;
    assert.equal([currentPage, totalPages, progressPercent, isCompleted], [2, PAGES, 40, false]);
    assert.match(lastReadAt, /Z$/);
  });
  check('its links lead to itself, the file, the manifest, the position and the pages', async () => {
    for (const name of ['Zot', ODD])
      for (const { links } of (await feedAt(`/opds/v2/series/${shelf.series.get(name)}`)).publications)
        for (const { rel, href, type, templated } of links) {
          const at = templated === true ? href.replace('{pageNumber}', '0').replace('{maxWidth}', '100') : href;
          const answer = await shelf.get(local(at));
          assert.ok(
            answer.status === 200 || (rel.endsWith('progression') && answer.status === 204),
            `${rel} ${answer.status}`,
          );
          if (rel === 'self') assert.equal(schemaFaults('publication', answer.json), []);
          if (rel === 'alternate' || rel === 'self' || (rel.endsWith('progression') && answer.status === 200))
            assert.is((answer.header('content-type') ?? '').split(';')[0], type);
        }
  });
  check('special characters of names arrive as they are', async () => {
    const titles = (await feedAt('/opds/v2/series')).navigation.map(({ title }: Json) => title);
    assert.ok(titles.includes(ODD), titles.join());
  });
  check('without a login: 401 with a valid document, which its own address has as well', async () => {
    const answer = await shelf.temp.call('GET', '/opds/v2', { headers: { host: HOST } });
    assert.equal([answer.status, schemaFaults('authentication', answer.json)], [401, []]);
    const document = await shelf.temp.call('GET', '/opds/v2/auth', { headers: { host: HOST } });
    assert.equal([document.status, document.json], [200, answer.json]);
  });
};

block(
  'OPDS 2.0',
  (check) => {
    for (const part of [feeds, publications]) part(check);
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
