// Apps that are given the address of the comic server append those of its catalogues and of its e-reader sync: below the prefix, and at the
// root of a port of its own. Each address that an answer contains is followed.
import { assert, block, type Check } from '../kit.js';
import { freePort } from '../system/nginx.js';
import { type App, type AppServer, basicOf, PERSON, startAppServer } from './app-server.js';

let server: AppServer;
let port: number;

const headers = { authorization: basicOf(PERSON.username, PERSON.password), 'accept-encoding': 'identity' };

/** As its users type them. */
const addresses = (): readonly string[] => [`${server.program.address}/komga`, `http://127.0.0.1:${port}`];
const app = (): App => server.app('', headers);

const FOLLOWED_MAX = 400;
const HREF = /(?:href|template)="([^"]+)"/g;

const hrefsIn = (text: string): readonly string[] => {
  if (!text.startsWith('{')) return [...text.matchAll(HREF)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
  const hrefs: string[] = [];
  JSON.parse(text, (key, value) => {
    if (key === 'href') hrefs.push(value);
    return value;
  });
  return hrefs;
};

/** What an app puts into a template. */
const filled = (href: string): string =>
  href
    .replace('{searchTerms}', 'zot')
    .replace('{?query}', '?query=zot')
    .replace('{pageNumber}', '0')
    .replace('{maxWidth}', '300');

/** Books and pages have addresses of one form: a few of each are enough. */
const formOf = (address: string): string =>
  address.replace(/[0-9a-f-]{32,36}/g, 'ID').replace(/\?.*|\/[^/]+\.\w+$/, '');

/** All that can be reached, by its kind of address; each has to answer. */
const followed = async (app: App, start: string): Promise<ReadonlySet<string>> => {
  const due = [start];
  const seen = new Set<string>(due);
  const forms = new Map<string, number>();
  for (let next = due.shift(); next !== undefined && seen.size < FOLLOWED_MAX; next = due.shift()) {
    const form = formOf(next);
    forms.set(form, (forms.get(form) ?? 0) + 1);
    if ((forms.get(form) ?? 0) > 2) continue;
    const answer = await app.send('GET', next);
    assert.ok(
      answer.status === 200 || (next.endsWith('/progression') && answer.status === 204),
      `${answer.status} ${next}`,
    );
    if (!/json|xml/.test(answer.header('content-type'))) continue;
    for (const href of hrefsIn(answer.bytes.toString()).map(filled)) {
      if (!href.startsWith('http') || seen.has(href)) continue;
      seen.add(href);
      due.push(href);
    }
  }
  return new Set(forms.keys());
};

const catalogues = (check: Check): void => {
  for (const path of ['/opds/v1.2/catalog', '/opds/v2/catalog', '/opds'])
    check(`every address that ${path} leads to is served by the comic server's`, async () => {
      for (const address of addresses()) {
        const forms = await followed(app(), `${address}${path}`);
        assert.ok(forms.size > 10, `${forms.size}`);
        const others = [...forms].filter((form) => !form.startsWith(`${address}/opds`));
        const { origin } = new URL(address);
        assert.equal(
          others.filter((form) => !form.startsWith(`${origin}/api/v1/books/ID`)),
          [],
        );
      }
    });
  check('who has not signed in is told how, at an address that answers', async () => {
    for (const address of addresses()) {
      const app = server.app('', {});
      const refused = await app.send('GET', `${address}/opds/v2`);
      const link = /<([^>]+)>/.exec(refused.header('link'))?.[1] ?? '';
      assert.equal([refused.status, link], [401, `${address}/opds/v2/auth`]);
      assert.is((await app.send('GET', link)).status, 200);
    }
  });
};

const sync = (check: Check): void => {
  check('the place that an e-reader sends is the same at each address of its sync', async () => {
    const device = { 'x-auth-user': server.key, 'x-auth-key': 'x' };
    const document = '0123456789abcdef0123456789abcdef';
    const bases = [server.program.address, ...addresses()];
    for (const [at, base] of bases.entries()) {
      const app = server.app('', device);
      assert.is((await app.send('GET', `${base}/koreader/users/auth`)).status, 200);
      const body = { document, progress: `${at + 1}`, percentage: 0.1 * (at + 1), device: 'Kobo', device_id: 'k' };
      assert.is((await app.send('PUT', `${base}/koreader/syncs/progress`, { body })).status, 200);
      for (const other of bases) {
        const { json } = await app.send('GET', `${other}/koreader/syncs/progress/${document}`);
        assert.is(json.progress, `${at + 1}`);
      }
    }
  });
};

block(
  'the address of the comic server in apps for catalogues and e-readers',
  (check) => {
    catalogues(check);
    sync(check);
  },
  {
    before: async () => {
      port = await freePort();
      server = await startAppServer({ SVC_KOMGA_API__PORT: String(port) });
    },
    after: () => server.stop(),
    deadlineS: 240,
  },
);
