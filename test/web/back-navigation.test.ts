// Going back from a series to a wall of covers restores its scroll position and focus. In a real browser.
import type { Page } from 'playwright-core';
import { until } from '../app.js';
import { assert, block, IS_FULL } from '../kit.js';
import { checkInBrowser } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const SERIES = Array.from({ length: 40 }, (_, at) => `Tale ${String(at + 1).padStart(2, '0')}`);

/** The title of the focused card; '' if there is none. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement?.querySelector('.card-title')?.textContent ?? ''`);

const scrolled = (page: Page): Promise<number> => page.evaluate('scrollY');

/** Moves some rows down by keyboard, and opens the series there. */
const openBelow = async (page: Page): Promise<{ readonly title: string; readonly top: number }> => {
  await page.getByRole('link', { name: 'Tale 01' }).focus();
  for (let row = 0; row < 4; row += 1) {
    const before = await focused(page);
    await page.keyboard.press('ArrowDown');
    await until('the row below has the focus', async () => (await focused(page)) !== before);
  }
  const [title, top] = [await focused(page), await scrolled(page)];
  assert.ok(top > 0, 'the wall is longer than the window');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  return { title, top };
};

block(
  'going back to a wall of covers',
  (check) => {
    if (!IS_FULL) {
      check.skip('the card that was opened is focused', 'only in a full run');
      return;
    }
    checkInBrowser(
      check,
      'the card that was opened is focused in its old position, and arrow keys continue from there',
      () =>
        on.at('/browse', async ({ page }) => {
          const { title, top } = await openBelow(page);
          await page.goBack();
          await until('the card has the focus', async () => (await focused(page)) === title);
          await until('it is where it was', async () => Math.abs((await scrolled(page)) - top) < 1);
          assert.ok(await page.evaluate(`document.activeElement.matches(':focus-visible')`), 'its focus is visible');
          await page.keyboard.press('ArrowRight');
          const next = SERIES[SERIES.indexOf(title) + 1];
          await until('the next card has the focus', async () => (await focused(page)) === next);
        }),
    );
    checkInBrowser(check, 'changing the sort order scrolls to the top and keeps focus on the sort field', () =>
      on.at('/browse', async ({ page }) => {
        const { title } = await openBelow(page);
        await page.goBack();
        await until('the card has the focus', async () => (await focused(page)) === title);
        const order = page.getByLabel('Sort by');
        await order.focus();
        await order.selectOption('Newest first');
        await page.waitForURL(/sort=/);
        await page.getByRole('list', { name: 'Series' }).getByRole('link').first().waitFor();
        // The scroll position would be restored in the next frame.
        await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
        assert.is(await scrolled(page), 0);
        assert.is(await page.evaluate('document.activeElement.labels?.[0]?.textContent'), 'Sort by');
      }),
    );
  },
  {
    before: async () => {
      if (IS_FULL) on = await shelves(SERIES.map((name, at) => `${name}/${at + 1}`));
    },
    after: async () => on?.close(),
    deadlineS: 120,
  },
);
