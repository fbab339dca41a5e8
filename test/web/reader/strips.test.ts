// Strips that are hard to show: large panels, many of them, and a tab that slept meanwhile. And what is told of other devices.
import { until } from '../../app.js';
import { assert, block, type Check, IS_FULL } from '../../kit.js';
import { checkInBrowser, DESKTOP, PHONE } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { isFollowing, isShown, pageAtLine, said, scrollBy, shiftsOf, watchShifts, whileHidden } from './in-page.js';

const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };
const UPRIGHT: Side = [600, 900];
/** Ten million pixels of noise: as many bytes. */
const HEAVY: Side = [2000, 5000];
const LONG = Array.from({ length: 150 }, (_, page): Side => [400, 500 + ((page * 367) % 1400)]);

let shelf: Bookcase;

const isStored = (name: string, wanted: number | null): Promise<void> =>
  until(`page ${wanted} is stored`, async () => (await shelf.storedPage(shelf.bookOf(name).id)) === wanted);

const isCompleted = (name: string): Promise<void> =>
  until('it is read', async () => {
    const { json } = await shelf.api('GET', `/books/${shelf.bookOf(name).id}/progress`);
    return (json as { completed: boolean } | null)?.completed === true;
  });

/** Notes how many pages exist whenever some come or go. */
const WATCH_PAGES = `{
  const pages = document.querySelector('.strip-pages');
  window.mounted = { most: 0, atOnce: 0 };
  new MutationObserver((changes) => {
    const { mounted } = window;
    const gone = changes.reduce((sum, { removedNodes }) => sum + removedNodes.length, 0);
    mounted.most = Math.max(mounted.most, pages.querySelectorAll('.leaf').length);
    mounted.atOnce = Math.max(mounted.atOnce, gone);
  }).observe(pages, { childList: true });
}`;

const pruning = (check: Check): void => {
  checkInBrowser(check, 'pages of ten megabytes are shown one after the other, and nothing moves', () =>
    shelf.reading(
      'heavy',
      async ({ page }) => {
        await watchShifts(page);
        for (let number = 1; number <= 6; number += 1) {
          await page.locator(`.leaf.ready[data-page="${number}"]`).waitFor();
          assert.is(await pageAtLine(page), await said(page));
          await scrollBy(page, 500, 2);
        }
        await page.keyboard.press('End');
        await page.locator('.leaf.ready[data-page="6"]').waitFor();
        assert.equal(
          (await shiftsOf(page)).filter(({ value }) => value > 0),
          [],
        );
      },
      TOUCH,
    ),
  );
  checkInBrowser(check, 'few pages exist at any time, and few go at once, however one scrolls', () =>
    shelf.reading(
      'long',
      async ({ page }) => {
        await page.evaluate(WATCH_PAGES);
        for (const [by, times] of [
          [150, 40],
          [1200, 40],
          [-2500, 20],
          [6000, 10],
        ] as const)
          await scrollBy(page, by, times);
        const { most, atOnce } = (await page.evaluate('window.mounted')) as { most: number; atOnce: number };
        assert.ok(most > 2 && most <= 24, `${most} at a time`);
        assert.ok(atOnce <= most, `${atOnce} at once`);
        assert.ok(((await page.evaluate('document.images.length')) as number) <= 24);
        assert.is(await said(page), await pageAtLine(page));
      },
      TOUCH,
    ),
  );
};

const sleeping = (check: Check): void => {
  checkInBrowser(
    check,
    'a tab that slept shows what it showed, has told nothing, and says what was read elsewhere',
    () =>
      shelf.reading(
        'asleep',
        async ({ page }) => {
          await scrollBy(page, 900, 12);
          const before = await said(page);
          await isStored('asleep', before);
          const top = await page.evaluate(`document.querySelector('.strip').scrollTop`);
          await whileHidden(page, () =>
            shelf.api('PUT', `/books/${shelf.bookOf('asleep').id}/progress`, { current_page: 100 }),
          );
          await page.getByText('You have read up to page 100 on another device.').waitFor();
          assert.is(await page.evaluate(`document.querySelector('.strip').scrollTop`), top);
          assert.is(await said(page), before);
          await isStored('asleep', 100);
          await page.getByRole('button', { name: 'Go there' }).click();
          await until('page 100 is read', async () => (await said(page)) === 100);
          await page.getByText('on another device').waitFor({ state: 'detached' });
        },
        TOUCH,
      ),
  );
  checkInBrowser(check, 'turning two pages dismisses the offer', () =>
    shelf.reading('ignored', async ({ page }) => {
      await isFollowing(page);
      await shelf.api('PUT', `/books/${shelf.bookOf('ignored').id}/progress`, { current_page: 8 });
      await page.getByText('You have read up to page 8 on another device.').waitFor();
      await page.keyboard.press('ArrowRight');
      await isShown(page, [2, 3]);
      assert.is(await page.getByText('on another device').count(), 1);
      await page.keyboard.press('ArrowRight');
      await page.getByText('on another device').waitFor({ state: 'detached' });
    }),
  );
  checkInBrowser(check, 'whoever stays here is not asked again', () =>
    shelf.reading('elsewhere', async ({ page }) => {
      await isShown(page, [1]);
      const away = (during: () => Promise<unknown> = async () => undefined): Promise<void> => whileHidden(page, during);
      await away(); // nobody has read anything yet
      assert.is(await page.getByText('on another device').count(), 0);
      await away(() => shelf.api('PUT', `/books/${shelf.bookOf('elsewhere').id}/progress`, { current_page: 6 }));
      await page.getByText('You have read up to page 6 on another device.').waitFor();
      await page.getByRole('button', { name: 'Stay here' }).click();
      await away();
      await isShown(page, [1]);
      assert.is(await page.getByText('on another device').count(), 0);
      assert.is(await shelf.storedPage(shelf.bookOf('elsewhere').id), 6);
    }),
  );
};

const SCROLLED = `document.querySelector('.strip').scrollTop`;

const resuming = (check: Check): void => {
  checkInBrowser(check, 'a position within a tall page is restored after a reload and from the page of the book', () =>
    shelf.reading(
      'tall',
      async ({ page }) => {
        const { id } = shelf.bookOf('tall');
        const isAt = (top: number): Promise<void> =>
          until(`it is at ${top}`, async () => Math.abs(((await page.evaluate(SCROLLED)) as number) - top) <= 1);
        await scrollBy(page, 700, 13);
        const top = (await page.evaluate(SCROLLED)) as number;
        await isStored('tall', await said(page));
        await page.reload();
        await page.locator('.leaf.ready').first().waitFor();
        await isAt(top);
        await page.goto(`${shelf.program.address}/books/${id}`);
        const opens = async (): Promise<void> => {
          await page.locator(`a[href="/read/${id}"]`).first().click();
          await page.locator('.leaf.ready').first().waitFor();
        };
        await opens();
        await isAt(top);
        await scrollBy(page, 300, 1);
        await page.keyboard.press('Escape');
        await page.waitForURL(`**/books/${id}`);
        await opens();
        await isAt(top + 300);
      },
      TOUCH,
    ),
  );
};

const short = (check: Check): void => {
  checkInBrowser(check, 'a book of one page is read by turning on', () =>
    shelf.reading('single', async ({ page }) => {
      await isShown(page, [1]);
      assert.is(await shelf.storedPage(shelf.bookOf('single').id), null);
      await page.keyboard.press('ArrowRight');
      await page.getByText('There is no later book in').waitFor();
      await isCompleted('single');
    }),
  );
};

const lying = (check: Check): void => {
  checkInBrowser(check, 'the page about the next book is at the end of a strip that lies, in either direction', () =>
    shelf.reading('asleep', async ({ page }) => {
      const tail = page.locator('.strip.across .strip-tail');
      await page.keyboard.press('v');
      await until('it is on the right', async () => ((await tail.boundingBox())?.x ?? 0) > DESKTOP.width);
      await page.keyboard.press('r');
      await until('it is on the left', async () => {
        const box = await tail.boundingBox();
        return box !== null && box.x + box.width < 0;
      });
    }),
  );
};

const overview = (check: Check): void => {
  checkInBrowser(check, 'all pages are seen at a glance with a request for every twenty-four', () =>
    shelf.reading('long', async ({ page }) => {
      const asked: string[] = [];
      await page.keyboard.press('Home');
      await page.locator('.leaf.ready[data-page="1"]').waitFor();
      page.on('request', (request) => asked.push(request.url()));
      await page.keyboard.press('g');
      const cells = page.locator('.page-overview li');
      assert.is(await cells.count(), LONG.length);
      for (const at of [0, 40, 80, 120, 149]) await cells.nth(at).scrollIntoViewIfNeeded();
      const sheets = (): readonly string[] => asked.filter((url) => url.includes('/pages/overview?'));
      await until('the last sheet is asked for', () => sheets().some((url) => url.includes('sheet=7&')));
      const drawn = `[...document.querySelectorAll('.page-overview li:last-child img')].every((one) => one.complete && one.naturalWidth === 960)`;
      await until('it is there', () => page.evaluate(drawn));
      assert.is(new Set(sheets()).size, sheets().length, 'each once');
      assert.ok(sheets().length <= 7);
      // The first pages may still be loading behind it.
      const pages = asked.flatMap((url) => /\/pages\/(\d+)\?/.exec(url)?.[1] ?? []).map(Number);
      assert.equal(
        pages.filter((number) => number > 20),
        [],
      );
    }),
  );
};

block(
  'strips that are hard to show',
  (check) => {
    if (!IS_FULL) return;
    pruning(check);
    sleeping(check);
    resuming(check);
    short(check);
    lying(check);
    overview(check);
  },
  {
    deadlineS: 240,
    before: async () => {
      shelf = await bookcase(
        {
          'Long/long': LONG,
          'Asleep/asleep': LONG,
          'Elsewhere/elsewhere': Array.from({ length: 8 }, () => UPRIGHT),
          'Tall/tall': Array.from({ length: 3 }, (): Side => [400, 6000]),
          'Ignored/ignored': Array.from({ length: 8 }, () => UPRIGHT),
          'Single/single': [UPRIGHT],
        },
        { heavy: { 'Heavy/heavy': Array.from({ length: 6 }, () => HEAVY) } },
      );
      await shelf.setting('heavy', { mode: 'strip' });
    },
    after: () => shelf.close(),
  },
);
