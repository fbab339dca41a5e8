// The reader in a real browser on the real program: turning pages, strips, progress. What takes long is tried in a full run.
import { until } from '../../app.js';
import { assert, block, type Check, IS_FULL } from '../../kit.js';
import { checkInBrowser, DESKTOP, PHONE } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { isShown, pageAtLine, said, savedPositions, scrollBy, shiftsOf, watchShifts } from './in-page.js';

const UPRIGHT: Side = [600, 900];
const WIDE: Side = [1200, 900];
const pages = (count: number, side: Side): readonly Side[] => Array.from({ length: count }, () => side);
/** Panels of a strip, of very different heights. */
const PANELS = Array.from({ length: 120 }, (_, page): Side => [400, 500 + ((page * 367) % 1400)]);

const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };
const SIDEWAYS = { width: PHONE.height, height: PHONE.width };

let shelf: Bookcase;

const isStored = (name: string, wanted: number | null): Promise<void> =>
  until(`page ${wanted} is stored`, async () => (await shelf.storedPage(shelf.bookOf(name).id)) === wanted);

const turning = (check: Check): void => {
  checkInBrowser(check, 'keys turn pairs of pages, wide pages are alone, and the place is stored', () =>
    shelf.reading('pairs', async ({ page }) => {
      await isShown(page, [1]);
      await page.keyboard.press('ArrowRight');
      await isShown(page, [2, 3]);
      await page.locator('.page-number', { hasText: '2–3 / 6' }).waitFor();
      await page.keyboard.press('Space');
      await isShown(page, [4]);
      await page.keyboard.press('ArrowRight');
      await isShown(page, [5, 6]);
      await page.keyboard.press('ArrowLeft');
      await isShown(page, [4]);
      await isStored('pairs', 4);
      await page.keyboard.press('o');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await isShown(page, [2]);
      const { id, seriesId } = shelf.bookOf('pairs');
      await until('the shift is stored for this book, on any device', async () => {
        const { json } = await shelf.api('GET', `/user/reader-profiles?seriesId=${seriesId}&device=phone`);
        const { data } = json as { data: { device: string | null; value: { shifted?: string[] } }[] };
        return data.some(({ device, value }) => device === null && value.shifted?.join() === id);
      });
    }),
  );
  checkInBrowser(check, 'taps turn pages from right to left where the book does', async () => {
    await shelf.setting('manga', { direction: 'rtl' });
    await shelf.reading(
      'manga',
      async ({ page }) => {
        await page.touchscreen.tap(40, 400);
        await isShown(page, [2]);
        await page.touchscreen.tap(350, 400);
        await isShown(page, [1]);
        await page.keyboard.press('ArrowLeft');
        await isShown(page, [2]);
        await page.setViewportSize(DESKTOP);
        await isShown(page, [3, 2]);
      },
      TOUCH,
    );
  });
};

const strips = (check: Check): void => {
  checkInBrowser(
    check,
    'a strip is found, never moves by itself, and knows the exact page however it is scrolled',
    () =>
      shelf.reading(
        'strip',
        async ({ page }) => {
          await page.touchscreen.tap(195, 400);
          await watchShifts(page);
          for (const [by, times] of [
            [120, 30],
            [2000, 25],
            [-900, 10],
          ] as const) {
            await scrollBy(page, by, times);
            const wanted = await pageAtLine(page);
            await until('the page is right', async () => (await said(page)) === wanted);
            assert.ok(wanted > 2);
          }
          await isStored('strip', await said(page));
          assert.equal(
            (await shiftsOf(page)).filter(({ value }) => value > 0),
            [],
          );
          assert.ok((await page.locator('.leaf').count()) < 30, 'pages that are far away do not exist');
        },
        TOUCH,
      ),
  );
  checkInBrowser(check, 'a strip keeps its place when the window is turned, and tells nobody that it moved', () =>
    shelf.reading(
      'turned',
      async ({ page }) => {
        await scrollBy(page, 1500, 20);
        const before = await said(page);
        await isStored('turned', before);
        for (const viewport of [SIDEWAYS, PHONE, DESKTOP, PHONE]) {
          await page.setViewportSize(viewport);
          await page.locator('.leaf.ready').first().waitFor();
          await until('the place is kept', async () => (await said(page)) === before);
          assert.is(await pageAtLine(page), before);
        }
        assert.is(await shelf.storedPage(shelf.bookOf('turned').id), before);
      },
      TOUCH,
    ),
  );
};

const jumps = (check: Check): void => {
  checkInBrowser(check, 'a jump by ninety pages shows that page, and loading again shows it too', () =>
    shelf.reading('strip', async ({ page }) => {
      await page.keyboard.press('Home');
      await page.keyboard.press('g');
      await page.getByRole('button', { name: 'Go to page 91', exact: true }).click();
      await until('page 91 is read', async () => (await said(page)) === 91);
      await page.locator('.leaf.ready[data-page="91"]').waitFor();
      await isStored('strip', 91);
      await page.reload();
      await page.locator('.leaf.ready[data-page="91"]').waitFor();
      assert.is(await said(page), 91);
    }),
  );
};

const progress = (check: Check): void => {
  checkInBrowser(
    check,
    'looking at a book that was read changes nothing, and neither does reading it incognito',
    async () => {
      const { id } = shelf.bookOf('done');
      await shelf.api('POST', `/books/${id}/read`);
      await shelf.reading('done', async ({ page }) => {
        await isShown(page, [1]);
        await page.keyboard.press('i');
        await page.keyboard.press('End');
        await page.keyboard.press('Home');
        await page.setViewportSize(PHONE);
        await isShown(page, [1]);
      });
      const { json } = await shelf.api('GET', `/books/${id}/progress`);
      assert.equal(
        [(json as { currentPage: number }).currentPage, (json as { completed: boolean }).completed],
        [8, true],
      );
    },
  );
  checkInBrowser(check, 'the place is kept while there is no network, and told when it is back', () =>
    shelf.reading('offline', async ({ page, context, expects }) => {
      expects('ERR_INTERNET_DISCONNECTED');
      expects('failed: ');
      await page.keyboard.press('ArrowRight');
      await isStored('offline', 3);
      await context.setOffline(true);
      await page.keyboard.press('ArrowRight');
      await isShown(page, [4, 5]);
      await until('it is kept', async () => (await savedPositions(page)).some((text) => text.includes('"page":5')));
      assert.is(await shelf.storedPage(shelf.bookOf('offline').id), 3);
      await context.setOffline(false);
      await isStored('offline', 5);
      await until('nothing is left to tell', async () => (await savedPositions(page)).length === 0);
    }),
  );
  checkInBrowser(check, 'the last page finishes a book, and what comes next is opened by turning on', () =>
    shelf.reading('Sea 1', async ({ page }) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.keyboard.press('End');
      const first = `/books/${shelf.bookOf('Sea 4').id}/pages/1?`;
      await until('the next book is loaded ahead', () => asked.some((url) => url.includes(first)));
      await page.keyboard.press('ArrowRight');
      await page.getByText('Numbers 2 to 3 are missing.').waitFor();
      await isStored('Sea 1', 4);
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(`**/read/${shelf.bookOf('Sea 4').id}`);
      await isShown(page, [1]);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await page.getByText('You have read this book already.').waitFor();
      assert.match(page.url(), shelf.bookOf('Sea 4').id);
      await page.keyboard.press('Escape');
      await page.waitForURL(`**/books/${shelf.bookOf('Sea 4').id}`);
    }),
  );
};

const faults = (check: Check): void => {
  checkInBrowser(check, 'a page that fails says so, and is there once it is tried again', () =>
    shelf.reading('fails', async ({ page, expects }) => {
      expects('503');
      const failing = /\/pages\/[45]\?/;
      await page.route(failing, (route) => route.fulfill({ status: 503, body: '' }));
      await page.keyboard.press('End');
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.getByText('Page 4 could not be loaded.').waitFor();
      await page.unroute(failing);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.locator('.leaf.ready[data-page="4"]').waitFor();
      await page.evaluate("dispatchEvent(new Event('online'))");
      await page.locator('.leaf.ready[data-page="5"]').waitFor();
    }),
  );
};

const settings = (check: Check): void => {
  checkInBrowser(check, 'a background with the colour of the page is there with the first page', async () => {
    await shelf.setting('turned', { background: 'page' });
    await shelf.reading('turned', async ({ page }) => {
      await page.locator('.stage[style*="rgb"]').waitFor();
    });
  });
  checkInBrowser(check, 'settings are kept on the server, for a series on a kind of device', () =>
    shelf.reading('settings', async ({ page }) => {
      await page.keyboard.press('s');
      await page.getByLabel('Pages at a time').selectOption('One page');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Space');
      await isShown(page, [2]);
      const { seriesId } = shelf.bookOf('settings');
      await until('they are stored', async () => {
        const { json } = await shelf.api('GET', `/user/reader-profiles?seriesId=${seriesId}&device=desktop`);
        return (json as { data: { value: { pairs?: string } }[] }).data.some(({ value }) => value.pairs === 'single');
      });
      const pairs = page.getByLabel('Pages at a time');
      await page.keyboard.press('s');
      await page.getByLabel('Scope').selectOption('Everything I read');
      await page.getByText('This series has its own value').waitFor();
      assert.is(await pairs.inputValue(), 'auto');
      await page.keyboard.press('Escape');
      await until('the panel has left the history', () => page.evaluate('!history.state?.layer'));
      await page.reload();
      await isShown(page, [2]);
      await page.keyboard.press('s');
      assert.is(await page.getByLabel('Scope').inputValue(), 'everything');
      await page.getByLabel('Scope').selectOption({ value: 'series' });
      assert.is(await pairs.inputValue(), 'single');
      await page.keyboard.press('Escape');
    }),
  );
  checkInBrowser(check, 'a key can be bound to something else', () =>
    shelf.reading('settings', async ({ page }) => {
      await page.keyboard.press('?');
      await page.getByRole('button', { name: 'Add a key: Last page' }).click();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Remove X: Last page' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('x');
      await isShown(page, [8]);
    }),
  );
};

block(
  'the reader in a browser',
  (check) => {
    turning(check);
    strips(check);
    if (!IS_FULL) return;
    jumps(check);
    progress(check);
    faults(check);
    settings(check);
  },
  {
    deadlineS: 120,
    before: async () => {
      const eight = pages(8, UPRIGHT);
      shelf = await bookcase({
        'Pairs/pairs': [UPRIGHT, UPRIGHT, UPRIGHT, WIDE, UPRIGHT, UPRIGHT],
        'Manga/manga': eight,
        'Strip/strip': PANELS,
        'Turned/turned': PANELS,
        'Done/done': eight,
        'Offline/offline': eight,
        'Sea/Sea 1': pages(4, UPRIGHT),
        'Sea/Sea 4': pages(4, UPRIGHT),
        'Fails/fails': pages(40, UPRIGHT),
        'Settings/settings': eight,
      });
    },
    after: () => shelf.close(),
  },
);
