// The place inside a page that is many windows tall: the same after a reload, and on another device.
import type { Page } from 'playwright-core';
import { until } from '../../app.js';
import { assert, block } from '../../kit.js';
import { checkInBrowser, DESKTOP, PHONE } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { isFollowing, scrollBy } from './in-page.js';

const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };
const PIECE: Side = [400, 6000];

let shelf: Bookcase;

interface Stored {
  readonly currentPage: number;
  readonly pageOffset: number | null;
  readonly completed: boolean;
}

const storedOf = async (name: string): Promise<Stored | null> =>
  (await shelf.api('GET', `/books/${shelf.bookOf(name).id}/progress`)).json as Stored | null;

const isStored = (name: string, wanted: (stored: Stored) => boolean): Promise<void> =>
  until('the place is stored', async () => {
    const stored = await storedOf(name);
    return stored !== null && wanted(stored);
  });

/** The share of a page that is above the window, as it lies on the screen. */
const shareAbove = (page: Page, number: number): Promise<number> =>
  page.evaluate(`(() => {
    const leaf = document.querySelector('.leaf[data-page="${number}"]');
    return leaf === null ? -1 : (document.querySelector('.strip').scrollTop - leaf.offsetTop) / leaf.offsetHeight;
  })()`);

const isAt = (page: Page, number: number, share: number): Promise<void> =>
  until(
    `page ${number} is shown from ${share}`,
    async () => Math.abs((await shareAbove(page, number)) - share) < 0.002,
  );

/** Scrolls to a place as fingers do, in steps. */
const scrollTo = async (page: Page, number: number, share: number): Promise<void> => {
  const top = (await page.evaluate(
    `{ const strip = document.querySelector('.strip'); const end = strip.querySelector('.strip-tail').offsetTop; (end / 3) * ${number - 1 + share} - strip.scrollTop }`,
  )) as number;
  await scrollBy(page, Math.round(top / 10), 10);
};

block(
  'the place inside a page of a strip',
  (check) => {
    checkInBrowser(
      check,
      'left in the last piece on a phone, a strip goes on there on a computer, and is not read',
      async () => {
        await shelf.reading(
          'tall',
          async ({ page }) => {
            await scrollTo(page, 3, 0.48);
            await isStored(
              'tall',
              ({ currentPage, pageOffset }) => currentPage === 3 && Math.abs((pageOffset ?? 0) - 0.48) < 0.01,
            );
            const { pageOffset, completed } = (await storedOf('tall')) ?? { pageOffset: null, completed: true };
            assert.not(completed);
            await page.reload();
            await page.locator('.leaf.ready').first().waitFor();
            await isAt(page, 3, pageOffset ?? 0);
          },
          TOUCH,
        );
        const left = (await storedOf('tall'))?.pageOffset ?? 0;
        await shelf.reading('tall', async ({ page }) => {
          await isAt(page, 3, left);
          await page.setViewportSize({ width: DESKTOP.width / 2, height: DESKTOP.height });
          await isAt(page, 3, left);
          assert.is((await storedOf('tall'))?.pageOffset, left, 'opening stores nothing');
        });
      },
    );
    checkInBrowser(
      check,
      'the place in a page as wide as the window is restored when reading page by page',
      async () => {
        const paged = { mode: 'paged', fit: 'width' };
        await shelf.setting('paged', paged);
        const above = (page: Page): Promise<number> =>
          page.evaluate(
            "(({ scrollTop, scrollHeight }) => scrollTop / scrollHeight)(document.querySelector('.paged'))",
          );
        await shelf.reading(
          'paged',
          async ({ page }) => {
            await page.locator('.leaf.ready').first().waitFor();
            await page.evaluate(
              "(() => { const paged = document.querySelector('.paged'); paged.scrollTop = paged.scrollHeight * 0.4; })()",
            );
            await isStored('paged', ({ pageOffset }) => Math.abs((pageOffset ?? 0) - 0.4) < 0.01);
            assert.not((await storedOf('paged'))?.completed);
            await page.reload();
            await page.locator('.leaf.ready').first().waitFor();
            await until('the place is shown again', async () => Math.abs((await above(page)) - 0.4) < 0.01);
          },
          TOUCH,
        );
        await shelf.reading('paged', async ({ page }) => {
          await until('it is shown elsewhere', async () => Math.abs((await above(page)) - 0.4) < 0.01);
        });
      },
    );
    checkInBrowser(
      check,
      'what another device reported since within the same page counts, not what this one showed',
      () =>
        shelf.reading(
          'other',
          async ({ page }) => {
            await scrollTo(page, 2, 0.2);
            await isStored('other', ({ currentPage, pageOffset }) => currentPage === 2 && (pageOffset ?? 0) > 0.1);
            const { id } = shelf.bookOf('other');
            await page.goto(`${shelf.program.address}/books/${id}`);
            await shelf.api('PUT', `/books/${id}/progress`, { currentPage: 2, pageOffset: 0.8 });
            await page.goto(`${shelf.program.address}/read/${id}`);
            await page.locator('.leaf.ready').first().waitFor();
            await isAt(page, 2, 0.8);
          },
          TOUCH,
        ),
    );
    checkInBrowser(
      check,
      'a strip is read once its end has been on the screen, and stays so when one looks back within its last page',
      () =>
        shelf.reading(
          'ended',
          async ({ page }) => {
            await scrollTo(page, 3, 0.5);
            await isStored('ended', ({ currentPage, completed }) => currentPage === 3 && !completed);
            await scrollTo(page, 3, 1);
            await isStored('ended', ({ completed }) => completed);
            const asked: string[] = [];
            page.on('request', (request) => {
              if (request.method() === 'PUT') asked.push(request.postData() ?? '');
            });
            await scrollBy(page, -300, 3);
            await page.goto(`${shelf.program.address}/books/${shelf.bookOf('ended').id}`);
            await page.locator('h1').first().waitFor();
            assert.equal(asked, []);
            assert.is((await storedOf('ended'))?.completed, true);
          },
          TOUCH,
        ),
    );
    checkInBrowser(
      check,
      'what another device reads meanwhile is offered at its place, also within the same page',
      () =>
        shelf.reading(
          'live',
          async ({ page }) => {
            const { id } = shelf.bookOf('live');
            const asked: string[] = [];
            await isFollowing(page);
            page.on('request', (request) => {
              if (request.method() === 'GET' && request.url().endsWith('/progress')) asked.push(request.url());
            });
            const elsewhere = (currentPage: number, pageOffset: number) =>
              shelf.api('PUT', `/books/${id}/progress`, { currentPage, pageOffset });
            const offer = page.getByText('on another device');
            await elsewhere(1, 0.6);
            await page.getByText('You have read further into this page on another device.').waitFor();
            await page.getByRole('button', { name: 'Go there' }).click();
            await isAt(page, 1, 0.6);
            await offer.waitFor({ state: 'detached' });
            await elsewhere(1, 0.61); // on the screen here
            await elsewhere(2, 0.5);
            await page.getByText('You have read up to page 2 on another device.').waitFor();
            await page.getByRole('button', { name: 'Go there' }).click();
            await isAt(page, 2, 0.5);
            await elsewhere(2, 0.9);
            await page.getByText('You have read further into this page on another device.').waitFor();
            await scrollTo(page, 2, 0.8); // as far as its end there
            await offer.waitFor({ state: 'detached' });
            assert.equal(asked, [], 'the server tells, nobody asks');
          },
          TOUCH,
        ),
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      const pieces = Array.from({ length: 3 }, () => PIECE);
      shelf = await bookcase({
        'Tall/tall': pieces,
        'Other/other': pieces,
        'Ended/ended': pieces,
        'Live/live': pieces,
        'Paged/paged': pieces,
      });
    },
    after: () => shelf.close(),
  },
);
