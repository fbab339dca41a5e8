// Several books or series selected at once, in a real browser: by mouse, finger and keyboard, and what is done with all of them.
import type { Page } from 'playwright-core';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, PHONE } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const harbour = (): string => `/series/${on.bookOf('one').seriesId}`;

const isRead = async (name: string): Promise<boolean> => {
  const { json } = await on.api('GET', `/books/${on.bookOf(name).id}`);
  return (json as { readProgress: { completed: boolean } | null }).readProgress?.completed === true;
};

const selected = (page: Page, count: number) => page.getByText(`${count} selected`, { exact: true });

const byMouse = (check: Check): void => {
  checkInBrowser(check, 'books are selected by mouse, a range with Shift, marked as read and as unread', () =>
    on.at(harbour(), async ({ page }) => {
      await page.getByRole('link', { name: 'one', exact: true }).hover();
      await page.getByRole('checkbox', { name: 'Select one' }).click();
      await selected(page, 1).waitFor();
      await page.getByRole('checkbox', { name: 'Select two' }).click({ modifiers: ['Shift'] });
      await selected(page, 3).waitFor(); // one, three, two: by title
      assert.equal(await complaintsOfAxe(page), []);
      const bar = page.getByRole('toolbar');
      await bar.getByRole('button', { name: 'Mark as read' }).click();
      await page.getByText('3 items marked as read.').waitFor();
      await bar.waitFor({ state: 'detached' });
      await page
        .getByRole('button', { name: 'Select', exact: true, pressed: false })
        .and(page.locator(':focus'))
        .waitFor();
      assert.equal(await Promise.all(['one', 'two', 'three', 'zero'].map(isRead)), [true, true, true, false]);
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      await page.keyboard.press('Tab'); // the actions come next, not after all the cards
      await bar.getByRole('button', { name: 'Select all' }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await selected(page, 4).waitFor();
      await bar.getByRole('button', { name: 'Mark as unread' }).click();
      await page.getByText('4 items marked as unread.').waitFor();
      assert.equal(await Promise.all(['one', 'two'].map(isRead)), [false, false]);
    }),
  );
  checkInBrowser(check, 'all that match on a wall are selected at once', () =>
    on.at('/browse?of=books', async ({ page }) => {
      await page.getByText('5 books', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      const all = page.getByRole('toolbar').getByRole('button', { name: 'Select all' });
      await all.click();
      await selected(page, 5).waitFor();
      await all.waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: 'Select four' }).click();
      await selected(page, 4).waitFor();
      await page.getByLabel('Sort by').selectOption('Title');
      await page.getByRole('toolbar').waitFor({ state: 'detached' });
    }),
  );
  checkInBrowser(check, 'series are selected on a wall and added to a collection that is created for them', () =>
    on.at('/browse', async ({ page }) => {
      await page.getByRole('button', { name: 'Select', exact: true }).click();
      for (const title of ['Harbour', 'Lantern']) await page.getByRole('checkbox', { name: `Select ${title}` }).click();
      await page.getByRole('toolbar').getByRole('button', { name: 'Add to collection' }).click();
      await page.getByLabel('Search or create').fill('Light and water');
      await page.getByRole('button', { name: 'Create “Light and water”' }).click();
      await page.getByRole('checkbox', { name: 'Light and water 2 series', checked: true }).waitFor();
      const { json } = await on.api('GET', '/collections');
      assert.equal(
        (json as { items: { name: string; seriesCount: number }[] }).items.map((one) => [one.name, one.seriesCount]),
        [['Light and water', 2]],
      );
    }),
  );
};

const otherwise = (check: Check): void => {
  checkInBrowser(check, 'books are selected by the keyboard, and Escape ends it where one was', () =>
    on.at(harbour(), async ({ page }) => {
      await page.getByRole('link', { name: 'one', exact: true }).focus();
      await page.keyboard.press(' ');
      await selected(page, 1).waitFor();
      await page.keyboard.press('Shift+ArrowRight');
      await selected(page, 2).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press(' ');
      await selected(page, 3).waitFor();
      await page.keyboard.press(' ');
      await selected(page, 2).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('toolbar').waitFor({ state: 'detached' });
      assert.ok(await page.evaluate(`document.activeElement?.matches('a.card')`));
      await page.keyboard.press('Shift+ArrowLeft');
      await selected(page, 2).waitFor();
    }),
  );
  checkInBrowser(check, 'a long press selects, and opens nothing', () =>
    on.at(
      harbour(),
      async ({ page, context }) => {
        const link = page.getByRole('link', { name: 'three', exact: true });
        await link.scrollIntoViewIfNeeded();
        const { x, y } = (await link.boundingBox()) ?? { x: 0, y: 0 };
        const touch = await context.newCDPSession(page);
        const touchPoints = [{ x: x + 20, y: y + 20 }];
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
        await selected(page, 1).waitFor();
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        await page.getByRole('checkbox', { name: 'Select one' }).tap();
        await selected(page, 2).waitFor();
        await page.getByRole('toolbar').getByRole('button', { name: 'Want to read' }).tap();
        await page.getByText('2 items added to “Want to read”.').waitFor();
        assert.is(new URL(page.url()).pathname, harbour());
        const { json } = await on.api('GET', '/want-to-read');
        assert.is((json as { total: number }).total, 2);
      },
      { viewport: PHONE, hasTouch: true },
    ),
  );
};

block(
  'several selected at once in the web client',
  (check) => {
    if (!IS_FULL) {
      check.skip('books and series are selected', 'only in a full run');
      return;
    }
    byMouse(check);
    otherwise(check);
  },
  {
    before: async () => {
      if (IS_FULL) on = await shelves(['Harbour/one', 'Harbour/two', 'Harbour/three', 'Harbour/zero', 'Lantern/four']);
    },
    after: async () => on?.close(),
    deadlineS: 180,
  },
);
