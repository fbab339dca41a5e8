// Panels and Chunky, by the rules of OPDS-PSE: Panels with version 1.2 and what was read last, Chunky with 1.0, which knows neither widths
// nor progress and needs addresses that are whole.
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { local } from '../opds/reader.js';
import { HOST, ODD, type OpdsShelf, opdsShelf, PAGES, VOLUMES } from '../opds/shelf.js';
import { type Element, type FeedElement, feedIn } from '../opds/xml.js';

const STREAM = 'http://vaemendis.net/opds-pse/stream';
const ACQUISITION = 'http://opds-spec.org/acquisition';
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif'];

let shelf: OpdsShelf;
let key = '';

type Login = readonly [name: string, password: () => string];

/** The user name of an account, or `api`, with a key as the password. */
const LOGINS: readonly Login[] = [
  ['api', () => key],
  ['admin', () => key],
];

interface Reading {
  readonly get: (address: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly feed: (address: string) => Promise<FeedElement>;
}

const appOf = (agent: string, [name, password]: Login): Reading => {
  const get: Reading['get'] = (address, headers = {}) =>
    shelf.temp.call('GET', local(address), {
      headers: {
        host: HOST,
        accept: '*/*',
        'user-agent': agent,
        authorization: `Basic ${Buffer.from(`${name}:${password()}`).toString('base64')}`,
        ...headers,
      },
    });
  const feed: Reading['feed'] = async (address) => {
    const answer = await get(address);
    assert.is(answer.status, 200, address);
    assert.match(answer.header('content-type') ?? '', /^application\/atom\+xml/);
    return feedIn(answer.bytes.toString());
  };
  return { get, feed };
};

const streamOf = (entry: Element | undefined) => {
  const { href, type, attributes } = entry?.link(STREAM) ?? { href: '', type: '', attributes: {} };
  const attribute = (end: string): string | undefined =>
    Object.entries(attributes).find(([name]) => name.endsWith(end))?.[1];
  return {
    href,
    type,
    count: Number(attribute(':count')),
    lastRead: attribute(':lastRead'),
    at: attribute(':lastReadDate'),
  };
};

const zotAddress = (): string => `http://${HOST}/opds/v1.2/series/${shelf.series.get('Zot')}`;

const inPlace = (href: string, page: number, width: string): string =>
  href.replace('{pageNumber}', String(page)).replace('{maxWidth}', width);

const image = async (app: Reading, address: string): Promise<Answer> => {
  const answer = await app.get(address);
  assert.is(answer.status, 200, address);
  assert.ok(IMAGE_TYPES.includes(answer.header('content-type') ?? ''), answer.header('content-type') ?? '');
  return answer;
};

const panels = (check: Check): void => {
  for (const login of LOGINS)
    check(`Panels: from the catalogue to a page, signed in as ${login[0]}`, async () => {
      const app = appOf('Panels/2.14.2', login);
      const root = await app.feed(`http://${HOST}/opds/v1.2/catalog`);
      const folder = root.entries.find((entry) => entry.text('title') === 'All Series');
      const all = await app.feed(folder?.links[0]?.href ?? '');
      const zot = all.entries.find((entry) => entry.text('title') === 'Zot');
      const { entries } = await app.feed(zot?.links.find(({ type }) => type.includes('atom+xml'))?.href ?? '');
      assert.is(entries.length, VOLUMES);
      const { href, type, count } = streamOf(entries[0]);
      assert.equal([count, IMAGE_TYPES.includes(type)], [PAGES, true]);
      for (let page = 0; page < count; page += 1) await image(app, inPlace(href, page, '1024'));
    });
  check('Panels: pages that are not there are 404, not the nearest one', async () => {
    const app = appOf('Panels/2.14.2', ['api', () => key]);
    const { href } = streamOf((await app.feed(zotAddress())).entries[0]);
    for (const page of [-1, PAGES, 10_000]) assert.is((await app.get(inPlace(href, page, '800'))).status, 404);
  });
  check('Panels: a narrow screen gets a narrow image, a wide one never more than there is', async () => {
    const app = appOf('Panels/2.14.2', ['api', () => key]);
    const { entries } = await app.feed(`http://${HOST}/opds/v1.2/series/${shelf.series.get(ODD)}`);
    const { href } = streamOf(entries.find((entry) => entry.link(ACQUISITION).href.endsWith('.cbr')));
    const [whole, wide, narrow] = await Promise.all(
      ['6000', '99999', '100'].map((width) => image(app, inPlace(href, 0, width))),
    );
    assert.equal(whole?.bytes, wide?.bytes);
    assert.ok((narrow?.bytes.length ?? 0) < (whole?.bytes.length ?? 0) / 2, 'much smaller');
  });
  check('Panels: it goes on where somebody stopped, counted from 1, and knows when that was', async () => {
    const app = appOf('Panels/2.14.2', ['api', () => key]);
    const begun = async () => streamOf((await app.feed(zotAddress())).entries[2]);
    assert.equal([(await begun()).lastRead, (await begun()).at], [undefined, undefined], 'only if it was begun');
    await shelf.api('PUT', `/books/${shelf.books[2]}/progress`, { current_page: 4 });
    assert.is((await begun()).lastRead, '4');
    assert.ok(Math.abs(Date.parse((await begun()).at ?? '') - shelf.temp.app.clock.now()) < 3_600_000);
  });
};

const chunky = (check: Check): void => {
  check('Chunky: whole addresses, plain acquisition links, known types, names that end as the file does', async () => {
    const app = appOf('Chunky/4', ['api', () => key]);
    const { entries } = await app.feed(zotAddress());
    for (const entry of entries) {
      const file = entry.link(ACQUISITION);
      assert.equal([file.type, file.href.endsWith('.cbz')], ['application/vnd.comicbook+zip', true]);
      assert.ok(entry.links.every(({ href }) => href.startsWith(`http://${HOST}/`)));
    }
    const { status, bytes, header } = await app.get(entries[0]?.link(ACQUISITION).href ?? '');
    assert.equal([status, bytes.subarray(0, 2).toString()], [200, 'PK']);
    assert.is(Number(header('content-length') ?? bytes.length), bytes.length);
  });
  check('Chunky: the template of a width that it does not know is left as it is', async () => {
    const app = appOf('Chunky/4', ['api', () => key]);
    const { href } = streamOf((await app.feed(zotAddress())).entries[0]);
    await image(app, href.replace('{pageNumber}', '0'));
  });
  check('Chunky: asked without a login, it is told to send one', async () => {
    const answer = await shelf.temp.call('GET', '/opds/v1.2/catalog', { headers: { host: HOST } });
    assert.is(answer.status, 401);
    assert.match(answer.header('www-authenticate') ?? '', /^Basic realm="[^"]+"/);
  });
};

block(
  'Panels and Chunky',
  (check) => {
    panels(check);
    chunky(check);
    check('no fault was logged', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await opdsShelf();
      key = (await shelf.api('POST', '/api-keys', { name: 'tablet' })).json.key;
    },
    after: () => shelf.temp.close(),
    deadlineS: 120,
  },
);
