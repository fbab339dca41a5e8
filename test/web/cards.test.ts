// Cards, lists and searches in a real browser: what a tap opens, what a screen reader hears, and when nothing was found.
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { checkInBrowser, PHONE } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const cards = (check: Check): void => {
  checkInBrowser(check, 'a tap on the corner of a cover opens the book, on a screen without a mouse', () =>
    on.at(
      `/series/${on.bookOf('Eclipse 1').seriesId}`,
      async ({ page }) => {
        const card = page.getByRole('list', { name: 'Books' }).getByRole('link').first();
        const box = await card.boundingBox();
        assert.ok(box !== null);
        await page.touchscreen.tap(box.x + 12, box.y + 12);
        await page.waitForURL(/\/books\//);
      },
      { viewport: PHONE, hasTouch: true, isMobile: true },
    ),
  );
  checkInBrowser(check, 'with a mouse, the checkbox on a cover selects', () =>
    on.at(`/series/${on.bookOf('Eclipse 1').seriesId}`, async ({ page }) => {
      const card = page.getByRole('list', { name: 'Books' }).getByRole('link').first();
      await card.hover();
      await page.getByRole('checkbox', { name: 'Select Eclipse 1' }).click();
      await page.getByText('1 selected', { exact: true }).waitFor();
    }),
  );
  checkInBrowser(check, 'the name of a card says in words how much is left, not as a number', async () => {
    await on.api('PUT', `/books/${on.bookOf('Eclipse 1').id}/progress`, { currentPage: 1 });
    await on.at('/', async ({ page }) => {
      await page.getByRole('link', { name: '1 page left Eclipse 1 Eclipse', exact: true }).first().waitFor();
    });
    await on.api('POST', `/books/${on.bookOf('Eclipse 1').id}/unread`);
  });
};

const searches = (check: Check): void => {
  checkInBrowser(check, 'a search says that nothing was found only when the answer is in', () =>
    on.at('/search', async ({ page }) => {
      let isHeld = true;
      await page.route('**/api/v1/search?*', async (route) => {
        await until('the search may answer', () => !isHeld);
        await route.continue();
      });
      await page.getByRole('searchbox').fill('nowhere to be');
      await page.waitForURL(/be$/);
      await page.locator('[aria-live] .loading').waitFor();
      assert.is(await page.getByText('Nothing found').count(), 0);
      isHeld = false;
      await page.getByText('Nothing found for “nowhere to be”.').waitFor();
      isHeld = true;
      await page.getByRole('searchbox').fill('nowhere to be or not');
      await page.waitForURL(/not$/);
      await page.getByText('Nothing found').waitFor({ state: 'detached' });
      isHeld = false;
      await page.getByText('Nothing found for “nowhere to be or not”.').waitFor();
      await page.getByRole('searchbox').fill('eclip');
      await page
        .getByRole('link', { name: /Eclipse/ })
        .first()
        .waitFor();
    }),
  );
  checkInBrowser(check, 'a search that fails says so, also after one that was answered, and can be tried again', () =>
    on.at('/search', async ({ page, expects }) => {
      expects('503');
      const search = page.getByRole('searchbox');
      const again = page.getByRole('button', { name: 'Try again' });
      const failing = '**/api/v1/search?*';
      const found = page.getByRole('link', { name: /Eclipse/ });
      for (const text of ['eclip', 'eclipse']) {
        await page.route(failing, (route) => route.fulfill({ status: 503, body: '' }));
        await search.fill(text);
        await again.waitFor();
        assert.is(await found.count(), 0, 'nothing that was found for other words');
        await page.unroute(failing);
        await again.click();
        await found.first().waitFor();
      }
    }),
  );
};

const lists = (check: Check): void => {
  checkInBrowser(
    check,
    'a new collection has an order of its own, as its sort says; one without is sorted by title',
    () =>
      on.at('/collections', async ({ page }) => {
        await page.getByRole('button', { name: 'New collection' }).click();
        await page.getByLabel('Name', { exact: true }).fill('Mine');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('heading', { name: 'Mine' }).waitFor();
        const { json } = await on.api('GET', '/collections');
        const [mine] = (json as { items: readonly { id: string; ordered: boolean }[] }).items;
        assert.is(mine?.ordered, true);
        const seriesIds = ['Eclipse 1', 'one'].map((name) => on.bookOf(name).seriesId);
        await on.api('POST', `/collections/${mine?.id}/series`, { seriesIds });
        await page.reload();
        await page.getByRole('button', { name: 'Reorder and remove' }).waitFor();
        assert.is(await page.getByLabel('Sort by').inputValue(), 'own');
        await on.api('PATCH', `/collections/${mine?.id}`, { ordered: false });
        await page.reload();
        await page.getByRole('button', { name: 'Remove items' }).waitFor();
        assert.is(await page.getByLabel('Sort by').inputValue(), 'title');
      }),
  );
  checkInBrowser(check, 'devices that a changed password signs out are gone from the list', () =>
    on.at('/settings', async ({ page }) => {
      const login = { username: 'ann', password: 'Fog over the harbour 7!' };
      await fetch(`${on.program.address}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'Lamp' },
        body: JSON.stringify(login),
      });
      await page.reload();
      await page.getByText('Lamp').waitFor();
      await page.getByLabel('Current password').fill(login.password);
      await page.getByLabel('New password').fill('Gulls over the pier 4!');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('All other devices are signed out.').waitFor();
      await page.getByText('Lamp').waitFor({ state: 'detached' });
    }),
  );
};

block(
  'cards, searches and lists in the web client',
  (check) => {
    cards(check);
    searches(check);
    lists(check); // last: it changes the password
  },
  {
    before: async () => {
      on = await shelves(['Eclipse/Eclipse 1', 'Eclipse/Eclipse 2', 'Harbour/one']);
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
