// Strips of very few pages: where they end, when they count as read, and what follows them.
import type { Page } from 'playwright-core';
import { until } from '../../app.js';
import { assert, block, IS_FULL } from '../../kit.js';
import { checkInBrowser, PHONE, type Visit } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { pageAtLine, said, scrollBy, shiftsOf, WATCH_SHIFTS } from './in-page.js';

const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true };
const PANEL: Side = [400, 1600];
const strip = (pages: number): readonly Side[] => Array.from({ length: pages }, () => PANEL);

let shelf: Bookcase;

/** Reopens the book, recording layout shifts. Returns the pages that the server is told, in order. */
const openWatched = async ({ page }: Visit): Promise<readonly number[]> => {
  const pages: number[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith('/progress'))
      pages.push(Number((request.postDataJSON() as { currentPage: number }).currentPage));
  });
  await page.addInitScript(WATCH_SHIFTS);
  await page.reload();
  await page.locator('.strip .leaf.ready').first().waitFor();
  return pages;
};

const isCompleted = async (name: string): Promise<boolean> => {
  const { json } = await shelf.api('GET', `/books/${shelf.bookOf(name).id}/progress`);
  return (json as { completed: boolean } | null)?.completed === true;
};

const assertNoShifts = async (page: Page): Promise<void> =>
  assert.equal(
    (await shiftsOf(page)).filter(({ value }) => value > 0),
    [],
  );

/** The page about the next book is on the screen. */
const isTailSeen = async (page: Page): Promise<void> => {
  const note = page.locator('.strip-tail').getByText('There is no later book in');
  await until('what follows the last page is seen', async () => {
    const box = await note.boundingBox();
    return box !== null && box.y > 0 && box.y + box.height < PHONE.height;
  });
};

/** How far the end of the last page is below the window. */
const pixelsToEnd = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const strip = document.querySelector('.strip');
    return strip.querySelector('.strip-tail').offsetTop - strip.clientHeight - strip.scrollTop;
  })()`);

const STEP_PX = 90;

const readThrough = async (visit: Visit, name: string, count: number): Promise<void> => {
  const { page } = visit;
  const told = await openWatched(visit);
  assert.is(await said(page), 1);
  while ((await pixelsToEnd(page)) > STEP_PX + 1) {
    await scrollBy(page, STEP_PX, 1);
    const wanted = await pageAtLine(page);
    await until(`page ${wanted} is said`, async () => (await said(page)) === wanted);
  }
  await scrollBy(page, (await pixelsToEnd(page)) - 4, 1);
  await until('the last page is said', async () => (await said(page)) === count);
  await until('the place in the last page is told', () => told.includes(count));
  assert.not(await isCompleted(name));
  await scrollBy(page, 8, 1);
  await until('it is read', () => isCompleted(name));
  await scrollBy(page, PHONE.height, 1);
  await isTailSeen(page);
  assert.is(await said(page), count);
  assert.is(told.at(-1), count);
  await assertNoShifts(page);
};

block(
  'strips of very few pages',
  (check) => {
    if (!IS_FULL) {
      check.skip('they count as read at their end', 'only in a full run');
      return;
    }
    for (const [name, count] of [
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ] as const)
      checkInBrowser(check, `one of ${count} counts as read at its end and not before, and nothing shifts`, () =>
        shelf.reading(name, (visit) => readThrough(visit, name, count), TOUCH),
      );
    checkInBrowser(check, 'a page that fits the window counts as read on the first scroll, and not when opened', () =>
      shelf.reading(
        'low',
        async (visit) => {
          const { page } = visit;
          const told = await openWatched(visit);
          await page.locator('.strip-tail').getByText('There is no later book in').waitFor();
          assert.equal(told, []);
          assert.not(await isCompleted('low'));
          await scrollBy(page, 20, 1);
          await until('it is read', () => isCompleted('low'));
          await scrollBy(page, PHONE.height, 1);
          await isTailSeen(page);
          assert.is(await said(page), 1);
          await assertNoShifts(page);
        },
        TOUCH,
      ),
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      if (!IS_FULL) return;
      shelf = await bookcase({
        'One/one': strip(1),
        'Two/two': strip(2),
        'Three/three': strip(3),
        'Low/low': [[600, 900]],
      });
      for (const name of ['one', 'two', 'low']) await shelf.setting(name, { mode: 'strip' });
    },
    after: async () => shelf?.close(),
  },
);
