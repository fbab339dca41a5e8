// Collections, read lists and the want-to-read list in a real browser: created, filled, brought into an order by mouse, finger and keyboard,
// renamed, deleted.
import type { Locator, Page } from 'playwright-core';
import { until } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, PHONE, type Visit } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

interface Named {
  readonly id: string;
}

const moving = (page: Page, title: string): Locator => page.getByRole('button', { name: `Move ${title}`, exact: true });

/** Waits until it has the focus. */
const focused = (page: Page, of: Locator): Promise<void> => of.and(page.locator(':focus')).waitFor();

/** A read list of three books, for as long as it is used. */
const withReadList = async (use: (id: string) => Promise<void>): Promise<void> => {
  const { json } = await on.api('POST', '/readlists', { name: 'Voyage' });
  const { id } = json as Named;
  try {
    await on.api('POST', `/readlists/${id}/books`, {
      bookIds: ['one', 'two', 'three'].map((book) => on.bookOf(book).id),
    });
    await use(id);
  } finally {
    await on.api('DELETE', `/readlists/${id}`);
  }
};

const storedOrder = async (id: string): Promise<readonly string[]> => {
  const { json } = await on.api('GET', `/readlists/${id}/books`);
  return (json as readonly { title: string }[]).map(({ title }) => title);
};

/** The order as it stands on the screen. */
const rowsOf = (page: Page): Locator => page.getByRole('list', { name: 'Voyage' }).getByRole('listitem');

const ordering = async ({ page }: Visit): Promise<void> => {
  await page.getByRole('button', { name: 'Reorder and remove' }).click();
  await rowsOf(page).nth(2).waitFor();
  assert.equal(await complaintsOfAxe(page), []);
};

const done = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('list', { name: 'Read list' }).getByRole('link').first().waitFor();
};

const middleOf = async (of: Locator): Promise<{ readonly x: number; readonly y: number }> => {
  const { x, y, width, height } = (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + width / 2, y: y + height / 2 };
};

const words = (check: Check): void => {
  checkInBrowser(check, 'a collection is created on the page of a series, renamed and deleted', () =>
    on.at(`/series/${on.bookOf('one').seriesId}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Add to collection' }).click();
      await focused(page, page.getByLabel('Search or create'));
      await page.keyboard.type('Sea stories');
      await page.getByRole('button', { name: 'Create “Sea stories”' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('Added to “Sea stories”.').waitFor();
      await page.getByRole('checkbox', { name: 'Sea stories 1 series', checked: true }).waitFor();
      assert.is(await page.getByLabel('Search or create').inputValue(), '');
      await page.getByRole('button', { name: 'Done' }).click();
      await focused(page, page.getByRole('button', { name: 'Add to collection' }));
      await page.getByRole('link', { name: 'Lists' }).click();
      await page.getByRole('link', { name: 'Collections' }).click();
      await page.getByRole('link', { name: /Sea stories 1 series/ }).click();
      await page.getByRole('link', { name: /Harbour/ }).waitFor();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('Tales of the sea');
      await page.getByLabel('Description').fill('For stormy nights');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Tales of the sea' }).waitFor();
      await focused(page, page.getByRole('button', { name: 'Edit', exact: true }));
      await page.getByText('For stormy nights').waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('There are no collections yet.').waitFor();
    }),
  );
  checkInBrowser(check, 'the name of another list is refused, and what was typed stays', () =>
    on.at('/readlists', async ({ page, expects }) => {
      expects('409');
      await on.api('POST', '/readlists', { name: 'Taken' });
      await page.getByRole('button', { name: 'New read list' }).click();
      await page.getByLabel('Name', { exact: true }).fill('taken');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').filter({ hasText: /taken/i }).waitFor();
      assert.is(await page.getByLabel('Name', { exact: true }).inputValue(), 'taken');
    }),
  );
};

const selectAll = async (page: Page, count: number): Promise<void> => {
  await page.getByRole('button', { name: 'Select', exact: true }).click();
  await page.getByRole('toolbar').getByRole('button', { name: 'Select all' }).click();
  await page.getByText(`${count} selected`, { exact: true }).waitFor();
};

const selecting = (check: Check): void => {
  checkInBrowser(check, 'all items of a read list and of the want-to-read list can be selected at once', () =>
    withReadList(async (id) => {
      await on.api('POST', '/want-to-read/bulk', {
        bookIds: [on.bookOf('one').id],
        seriesIds: [on.bookOf('three').seriesId],
      });
      await on.at(`/readlists/${id}`, async ({ page }) => {
        await selectAll(page, 3);
        await page.goto(`${on.program.address}/want-to-read`);
        await selectAll(page, 2);
        await page.getByRole('toolbar').getByRole('button', { name: 'Remove from the list' }).click();
        await page.getByText('Nothing is on this list yet.').waitFor();
      });
    }),
  );
};

const orders = (check: Check): void => {
  checkInBrowser(check, 'a read list is ordered by the keyboard, and Escape puts an item back', () =>
    withReadList(async (id) => {
      await on.at(`/readlists/${id}`, async (visit) => {
        const { page } = visit;
        await ordering(visit);
        await moving(page, 'one').focus();
        for (const key of [' ', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
        await rowsOf(page).nth(2).getByText('one').waitFor();
        await page.keyboard.press('Escape');
        await rowsOf(page).nth(0).getByText('one').waitFor();
        for (const key of [' ', 'ArrowDown', ' ']) await page.keyboard.press(key);
        await rowsOf(page).nth(1).getByText('one').waitFor();
        await done(page);
        assert.equal(await storedOrder(id), ['two', 'one', 'three']);
      });
    }),
  );
  checkInBrowser(check, 'an item held by keyboard is dropped where it is on blur, and focus is never lost', () =>
    withReadList(async (id) => {
      await on.at(`/readlists/${id}`, async (visit) => {
        const { page } = visit;
        await ordering(visit);
        await focused(page, page.getByRole('button', { name: 'Done' }));
        await moving(page, 'one').focus();
        for (const key of [' ', 'ArrowDown', 'Tab']) await page.keyboard.press(key);
        await page.getByText('one dropped at position 2.').waitFor();
        await moving(page, 'one').focus();
        for (const key of [' ', 'ArrowDown']) await page.keyboard.press(key);
        await done(page);
        await focused(page, page.getByRole('button', { name: 'Reorder and remove' }));
        const first = page.getByRole('list', { name: 'Read list' }).getByRole('link').first();
        await first.and(page.getByRole('link', { name: /two/ })).waitFor();
        assert.equal(await storedOrder(id), ['two', 'three', 'one']);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Remove two' }).click();
        await focused(page, page.getByRole('button', { name: 'Remove three' }));
      });
    }),
  );
  checkInBrowser(check, 'a read list is ordered by mouse, and an item removed', () =>
    withReadList(async (id) => {
      await on.at(`/readlists/${id}`, async (visit) => {
        const { page } = visit;
        await ordering(visit);
        const from = await middleOf(moving(page, 'three'));
        const to = await middleOf(rowsOf(page).nth(0));
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x, to.y, { steps: 6 });
        await page.mouse.up();
        await rowsOf(page).nth(0).getByText('three').waitFor();
        await page.getByRole('button', { name: 'Remove one' }).click();
        await moving(page, 'one').waitFor({ state: 'detached' });
        await done(page);
        assert.equal(await storedOrder(id), ['three', 'two']);
      });
    }),
  );
  checkInBrowser(check, 'what was removed is put back at its place', () =>
    withReadList(async (id) => {
      await on.at(`/readlists/${id}`, async (visit) => {
        const { page } = visit;
        await ordering(visit);
        await page.getByRole('button', { name: 'Remove two' }).click();
        await page.getByText('two removed.').waitFor();
        assert.equal(await complaintsOfAxe(page), []);
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('two is back on the list.').waitFor();
        await rowsOf(page).nth(1).getByText('two').waitFor();
        await done(page);
        assert.equal(await storedOrder(id), ['one', 'two', 'three']);
        await page.getByRole('button', { name: 'Select', exact: true }).click();
        for (const title of ['one', 'two']) await page.getByRole('checkbox', { name: `Select ${title}` }).click();
        await page.getByRole('button', { name: 'Remove from the list' }).click();
        await page.getByText('2 items removed from the list.').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('2 items are back on the list.').waitFor();
        assert.equal(await storedOrder(id), ['one', 'two', 'three']);
      });
    }),
  );
  checkInBrowser(check, 'a read list is ordered by finger', () =>
    withReadList(async (id) => {
      const drag = async (visit: Visit): Promise<void> => {
        const { page, context } = visit;
        await ordering(visit);
        const from = await middleOf(moving(page, 'one'));
        const to = await middleOf(rowsOf(page).nth(2));
        const touch = await context.newCDPSession(page);
        const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
          touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: from.x, y }] });
        await send('touchStart', from.y);
        for (const share of [0.3, 0.6, 1]) await send('touchMove', from.y + (to.y - from.y) * share);
        await send('touchEnd', to.y);
        await rowsOf(page).nth(2).getByText('one').waitFor();
        await done(page);
        assert.equal(await storedOrder(id), ['two', 'three', 'one']);
      };
      await on.at(`/readlists/${id}`, drag, { viewport: PHONE, hasTouch: true });
    }),
  );
};

const wantToRead = (check: Check): void => {
  checkInBrowser(check, 'what one wants to read is all on one screen, in an order of its own', () =>
    on.at(`/series/${on.bookOf('three').seriesId}`, async ({ page }) => {
      await page.getByRole('button', { name: 'Want to read', pressed: false }).click();
      await page.getByRole('button', { name: 'Want to read', pressed: true }).waitFor();
      await on.api('POST', '/want-to-read', { bookId: on.bookOf('one').id });
      await page.getByRole('link', { name: 'Lists' }).click();
      const wall = page.getByRole('list', { name: 'Want to read' });
      await wall.getByRole('link', { name: /one Harbour/ }).waitFor();
      await wall.getByRole('link', { name: /Lantern/ }).waitFor();
      await page.getByRole('button', { name: 'Reorder and remove' }).click();
      await moving(page, 'one').focus();
      for (const key of [' ', 'Home', ' ']) await page.keyboard.press(key);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.waitForURL(/sort=custom/);
      await wall
        .getByRole('link')
        .first()
        .and(page.getByRole('link', { name: /one Harbour/ }))
        .waitFor();
      await page.getByRole('button', { name: 'Reorder and remove' }).click();
      await page.getByRole('button', { name: 'Remove one' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('one is back on the list.').waitFor();
      await page.getByRole('button', { name: 'Remove one' }).click(); // by the id that it has now
      await page.getByRole('button', { name: 'Undo' }).click();
      await moving(page, 'one').waitFor();
      await until('it is at its place again', async () => {
        const { json } = await on.api('GET', '/want-to-read?sort=custom');
        const [first] = (json as { readonly items: readonly { readonly bookId: string | null }[] }).items;
        return first?.bookId === on.bookOf('one').id;
      });
    }),
  );
};

block(
  'lists in the web client',
  (check) => {
    if (!IS_FULL) {
      check.skip('lists are created, filled and ordered', 'only in a full run');
      return;
    }
    words(check);
    selecting(check);
    orders(check);
    wantToRead(check);
  },
  {
    before: async () => {
      if (IS_FULL) on = await shelves(['Harbour/one', 'Harbour/two', 'Lantern/three']);
    },
    after: async () => on?.close(),
    deadlineS: 180,
  },
);
