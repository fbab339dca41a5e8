// The page at the address of a screen names all modules that the screen needs, and its answer the data that it shows first: a browser requests
// them at once, not one after the other.
import type { Page } from 'playwright-core';
import { ADDRESSES } from '../../http/web/addresses.js';
import { builtClient } from '../../http/web/client-files.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { checkInBrowser } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

/** As many requests as a browser sends to a server at a time over HTTP/1.1. */
const AT_ONCE = 6;
/** The reader's settings wait for one of the others, the shortest, and still arrive before its scripts. */
const AT_ONCE_FOR_READER = 7;

/** Remembers what the client requests, and which of it the browser had requested before. */
const WATCHED = `{
  window.requested = [];
  const own = window.fetch;
  window.fetch = (input, init) => {
    window.requested.push(new URL(input instanceof Request ? input.url : input, location.href).href);
    return own(input, init);
  };
}`;

/** The data that an answer names, as a browser resolves the addresses. */
const dataIn = (link: string, at: string): readonly string[] =>
  [...link.matchAll(/<([^>]+)>; rel=preload; as=fetch; crossorigin/g)].map(([, to = '']) => new URL(to, at).href);

const requestedIn = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate('window.requested')) as readonly string[];

/** How often the browser sent each. */
const timesIn = async (page: Page, urls: readonly string[]): Promise<readonly number[]> => {
  const all = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name)`,
  )) as readonly string[];
  return urls.map((url) => all.filter((one) => one === url).length);
};

const drawn = (page: Page): Promise<void> =>
  page.locator('main').locator('h1, h2, .leaf.ready').first().waitFor({ state: 'attached' });

/** Modules that were loaded and that the page does not name. */
const UNNAMED = `(() => {
  const named = new Set([...document.querySelectorAll('link[rel=modulepreload], script[src]')].map((one) => one.href || one.src));
  return performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js') && !named.has(name));
})()`;

/** Modules that the page names and nothing needed. */
const UNUSED = `(() => {
  const loaded = new Set(performance.getEntriesByType('resource').map(({ name }) => name));
  return [...document.querySelectorAll('link[rel=modulepreload]')].map(({ href }) => href).filter((href) => !loaded.has(href));
})()`;

/** The style and the session. */
const OTHERS = 2;

const bookIn = async (): Promise<{ readonly id: string; readonly seriesId: string; readonly libraryId: string }> => {
  const { id, seriesId } = on.bookOf('Eclipse 1');
  const { data } = (await on.api('GET', '/libraries')).json as { data: readonly { id: string }[] };
  return { id, seriesId, libraryId: data[0]?.id ?? '' };
};

/** A collection and a read list. */
const listsOf = async (bookId: string, seriesId: string): Promise<readonly string[]> => {
  const made = async (
    path: string,
    members: string,
    ids: Readonly<Record<string, readonly string[]>>,
  ): Promise<string> => {
    const { id } = (await on.api('POST', path, { name: 'Night' })).json as { id: string };
    await on.api('POST', `${path}/${id}/${members}`, ids);
    return `${path}/${id}`;
  };
  return [
    await made('/collections', 'series', { seriesIds: [seriesId] }),
    await made('/readlists', 'books', { bookIds: [bookId] }),
  ];
};

/** Screens that lead to a book, and that show it. */
const pathsTo = ({ id, seriesId }: { readonly id: string; readonly seriesId: string }): readonly string[] => [
  '/',
  '/libraries',
  '/browse',
  `/series/${seriesId}`,
  `/books/${id}`,
  `/read/${id}`,
];

block(
  'modules and data of screens',
  (check) => {
    check('the build knows the modules of each screen but the first', () => {
      const names = Object.keys(ADDRESSES).filter((name) => name !== 'home');
      assert.equal(Object.keys(builtClient().built.screens).sort(), names.sort());
    });
    checkInBrowser(check, 'each screen loads exactly the modules that its page names', async () => {
      const paths = [...pathsTo(on.bookOf('Eclipse 1')), '/search', '/settings', '/libraries/new'];
      for (const path of [...paths, '/readlists', '/collections', '/want-to-read', '/unreadable'])
        await on.at(path, async ({ page }) => {
          await drawn(page);
          assert.equal(await page.evaluate(UNNAMED), [], path);
          assert.equal(await page.evaluate(UNUSED), [], path);
        });
    });
    checkInBrowser(
      check,
      'each screen uses all data that its page names, and the browser requests it once',
      async () => {
        const { id, seriesId, libraryId } = await bookIn();
        const lists = await listsOf(id, seriesId);
        const paths = [...pathsTo({ id, seriesId }), '/want-to-read'];
        for (const path of [...paths, `/libraries/${libraryId}`, '/readlists', '/collections', ...lists, '/settings'])
          await on.at('/settings', async ({ page }) => {
            await page.addInitScript(WATCHED);
            const answer = await page.goto(on.program.address + path);
            const data = dataIn(answer?.headers().link ?? '', page.url());
            assert.is(data.length > 0, path !== '/settings', path);
            await drawn(page);
            await until(`${path} requests what it names, and has the answers`, async () => {
              const requested = await requestedIn(page);
              const times = await timesIn(page, data);
              return data.every((one, at) => requested.includes(one) && (times[at] ?? 0) > 0);
            });
            assert.equal(
              await timesIn(page, data),
              data.map(() => 1),
              path,
            );
            const modules = await page.locator('link[rel=modulepreload], script[src]').count();
            const most = path.startsWith('/read/') ? AT_ONCE_FOR_READER : AT_ONCE;
            assert.ok(data.length + modules + OTHERS <= most, `${path}: ${data.length} + ${modules} + ${OTHERS}`);
          });
      },
    );
    check(
      'data is named to those who are signed in, below the path of the page, and as far as the query allows',
      async () => {
        const linkAt = async (path: string, cookie: string): Promise<string | null> =>
          (await fetch(on.program.address + path, { headers: { cookie } })).headers.get('link');
        const mine = 'other=1; auth_token=x';
        assert.is(await linkAt('/series/a', ''), null);
        assert.is(await linkAt('/series/a', 'auth_token='), null);
        assert.match((await linkAt('/series/a', mine)) ?? '', '<../api/v1/series/a?full=true>; rel=preload');
        assert.match((await linkAt('/series/a/', mine)) ?? '', '<../../api/v1/series/a/books>');
        assert.match((await linkAt('/series/%3E%0D%0Ax%2F', mine)) ?? '', '<../api/v1/series/%3E%0D%0Ax%2F/books>');
        assert.match((await linkAt('/browse', mine)) ?? '', '<./api/v1/series?');
        assert.is(await linkAt('/browse?genre=Noir', mine), null);
        assert.match((await linkAt('/read/a?page=3', mine)) ?? '', '<../api/v1/books/a/pages>');
        assert.is(await linkAt('/sign-in', mine), null);
      },
    );
    checkInBrowser(check, 'the page at an address of no screen names those of the first alone', () =>
      on.at('/', async ({ page, expects }) => {
        expects('404');
        await page.goto(`${on.program.address}/nowhere`);
        await page.locator('main h1').waitFor();
        assert.equal(await page.evaluate(UNNAMED), []);
      }),
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      on = await shelves(['Eclipse/Eclipse 1']);
    },
    after: () => on.close(),
  },
);
