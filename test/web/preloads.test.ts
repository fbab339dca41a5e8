// The page at the address of a screen names all modules that the screen needs: a browser requests them at once, not one after the other.
import { ADDRESSES } from '../../http/web/addresses.js';
import { builtClient } from '../../http/web/client-files.js';
import { assert, block } from '../kit.js';
import { checkInBrowser } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

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

block(
  'modules of screens',
  (check) => {
    check('the build knows the modules of each screen but the first', () => {
      const names = Object.keys(ADDRESSES).filter((name) => name !== 'home');
      assert.equal(Object.keys(builtClient().built.screens).sort(), names.sort());
    });
    checkInBrowser(check, 'each screen loads exactly the modules that its page names', async () => {
      const { id, seriesId } = on.bookOf('Eclipse 1');
      const paths = [
        '/',
        `/series/${seriesId}`,
        `/books/${id}`,
        `/read/${id}`,
        '/browse',
        '/search',
        '/settings',
        '/libraries',
      ];
      for (const path of [...paths, '/libraries/new', '/readlists', '/collections', '/want-to-read', '/unreadable'])
        await on.at(path, async ({ page }) => {
          await page.locator('main').locator('h1, h2, .leaf.ready').first().waitFor({ state: 'attached' });
          assert.equal(await page.evaluate(UNNAMED), [], path);
          assert.equal(await page.evaluate(UNUSED), [], path);
        });
    });
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
