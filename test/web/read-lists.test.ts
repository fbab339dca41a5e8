// Read lists in a real browser: going on with one, its order in the reader, forwards, backwards, after a reload and at its end; downloads.
import { readFileSync } from 'node:fs';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { checkInBrowser, PHONE } from './browser.js';
import { isShown } from './reader/in-page.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;
let listId = '';

/** In the order of the list: neither that of the series nor that of the titles. */
const TITLES = ['Eclipse 1', 'Captain Comet 10', 'Night Owl 16'] as const;

const idOf = (title: string): string => on.bookOf(title).id;

const asUnread = async (): Promise<void> => {
  for (const title of TITLES) await on.api('POST', `/books/${idOf(title)}/unread`);
};

const isStored = (title: string): Promise<void> =>
  until(`${title} is read`, async () => {
    const { json } = await on.api('GET', `/books/${idOf(title)}/progress`);
    return (json as { completed: boolean } | null)?.completed === true;
  });

const reading = (check: Check): void => {
  checkInBrowser(check, 'a read list is read in its order, and its place is said', async () => {
    await asUnread();
    await on.at(`/readlists/${listId}`, async ({ page }) => {
      await page.getByText('1 of 3 · 0 read').waitFor();
      await page.getByRole('link', { name: 'Read: Eclipse 1' }).click();
      await page.waitForURL(`**/read/${idOf('Eclipse 1')}?list=${listId}`);
      await isShown(page, [1]);
      await page.getByText('1 of 3 · Eclipse').waitFor();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowRight');
      await page.getByRole('heading', { name: 'Captain Comet 10' }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.waitForURL(`**/read/${idOf('Captain Comet 10')}?list=${listId}`);
      await page.reload();
      await page.getByText('2 of 3 · Captain Comet').waitFor();
      await isStored('Eclipse 1');
      await page.getByRole('button', { name: 'Previous book' }).click();
      await page.waitForURL(`**/read/${idOf('Eclipse 1')}?list=${listId}&page=last`);
      await page.getByText('1 of 3 · Eclipse').waitFor();
      await page.getByRole('button', { name: 'Next book' }).click();
      await page.getByText('2 of 3 · Captain Comet').waitFor();
      await page.getByRole('button', { name: 'Next book' }).click();
      await page.getByText('3 of 3 · Night Owl').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Next book' }).isDisabled());
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowRight');
      await page.getByText('This was the last book of the read list.').waitFor();
    });
  });
  checkInBrowser(check, 'the page of a book of a list leads on in the list, and back to it', async () => {
    await asUnread();
    await on.api('POST', `/books/${idOf('Eclipse 1')}/read`);
    const look = { viewport: PHONE, hasTouch: true };
    await on.at(
      `/readlists/${listId}`,
      async ({ page }) => {
        await page.getByText('2 of 3 · 1 read').waitFor();
        await page
          .getByRole('list', { name: 'Read list' })
          .getByRole('link', { name: /Captain Comet/ })
          .click();
        await page.getByText('Mixed · 2 of 3').waitFor();
        await page.getByRole('link', { name: 'Previous book Eclipse 1' }).waitFor();
        await page.getByRole('link', { name: 'Next book Night Owl 16' }).click();
        await page.getByText('Mixed · 3 of 3').waitFor();
        await page.getByRole('link', { name: 'Read', exact: true }).click();
        await page.waitForURL(`**/read/${idOf('Night Owl 16')}?list=${listId}`);
      },
      look,
    );
  });
  checkInBrowser(
    check,
    'the start page goes on in the list from which a book was opened, until it is opened by itself',
    async () => {
      await asUnread();
      await on.api('PUT', `/books/${idOf('Captain Comet 10')}/progress`, { currentPage: 1 });
      await on.at(`/readlists/${listId}`, async ({ page }) => {
        const resumed = page.getByRole('region', { name: 'Continue reading' }).getByRole('link', { name: /Comet/ });
        await page.getByRole('link', { name: 'Continue on page 1: Captain Comet 10' }).click();
        await isShown(page, [1]);
        await page.goto(`${on.program.address}/`);
        await resumed.click();
        await page.waitForURL(`**/read/${idOf('Captain Comet 10')}?list=${listId}`);
        await page.getByText('2 of 3 · Captain Comet').waitFor();
        await page.getByRole('button', { name: 'Next book' }).click();
        await page.waitForURL(`**/read/${idOf('Night Owl 16')}?list=${listId}`);
        await page.goto(`${on.program.address}/read/${idOf('Captain Comet 10')}`);
        await isShown(page, [1]);
        await page.goto(`${on.program.address}/`);
        await resumed.click();
        await page.waitForURL(`**/read/${idOf('Captain Comet 10')}`);
        await isShown(page, [1]);
      });
    },
  );
  checkInBrowser(
    check,
    'another device goes on in that list too, until the book is opened by itself there',
    async () => {
      await asUnread();
      const comet = idOf('Captain Comet 10');
      const isStoredAs = (list: string | undefined): Promise<void> =>
        until(`the list of the book is ${list}`, async () => {
          const { json } = await on.api('GET', '/user/preferences');
          const { preferences } = json as { preferences: readonly { key: string; value: unknown }[] };
          const lists = preferences.find(({ key }) => key === 'web.lists_read')?.value as
            | [string, string][]
            | undefined;
          return lists?.find(([book]) => book === comet)?.[1] === list;
        });
      const resumed = { name: /Comet/ };
      await on.api('PUT', `/books/${comet}/progress`, { currentPage: 1 });
      await on.at(`/read/${comet}?list=${listId}`, async ({ page }) => {
        await isShown(page, [1]);
        await isStoredAs(listId);
      });
      await on.at('/', async ({ page }) => {
        const shelf = page.getByRole('region', { name: 'Continue reading' });
        await shelf.locator(`a[href*="list=${listId}"]`).waitFor();
        await shelf.getByRole('link', resumed).click();
        await page.waitForURL(`**/read/${comet}?list=${listId}`);
        await page.getByText('2 of 3 · Captain Comet').waitFor();
        await page.goto(`${on.program.address}/read/${comet}`);
        await isShown(page, [1]);
        await isStoredAs(undefined);
      });
      await on.at('/', async ({ page }) => {
        await page.getByRole('region', { name: 'Continue reading' }).getByRole('link', resumed).click();
        await page.waitForURL(`**/read/${comet}`);
      });
    },
  );
  checkInBrowser(check, 'where the list has gone, one reads on in the series', async () => {
    const gone = '01890000-0000-7000-8000-000000000000';
    await on.at(`/books/${idOf('Eclipse 1')}?list=${gone}`, async ({ page, expects }) => {
      expects('404');
      await page.getByRole('link', { name: 'Next book Eclipse 2' }).waitFor();
      await page.goto(`${on.program.address}/read/${idOf('Eclipse 1')}?list=${gone}`);
      await isShown(page, [1]);
      await page.getByRole('button', { name: 'Next book' }).click();
      await page.waitForURL(`**/read/${idOf('Eclipse 2')}?list=${gone}`);
    });
  });
};

const downloading = (check: Check): void => {
  checkInBrowser(check, 'a book is downloaded under its own name, also with a session that has to be renewed', () =>
    on.at(`/books/${idOf('Eclipse 1')}`, async ({ page, context }) => {
      for (const isExpired of [false, true]) {
        if (isExpired) await context.clearCookies({ name: /access/ });
        const started = page.waitForEvent('download');
        await page.getByRole('link', { name: 'Download' }).click();
        const download = await started;
        assert.is(download.suggestedFilename(), 'Eclipse 1.cbz');
        assert.ok(
          readFileSync(await download.path())
            .subarray(0, 2)
            .toString() === 'PK',
        );
      }
    }),
  );
  checkInBrowser(check, 'a book of text, which cannot be read here, can be downloaded', () =>
    on.at(`/read/${idOf('incomplete-theft')}`, async ({ page }) => {
      const started = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download' }).click();
      assert.is((await started).suggestedFilename(), 'incomplete-theft.epub');
    }),
  );
};

block(
  'read lists and downloads in the web client',
  (check) => {
    reading(check);
    downloading(check);
  },
  {
    before: async () => {
      on = await shelves(
        [
          'Eclipse/Eclipse 1',
          'Eclipse/Eclipse 2',
          'Captain Comet/Captain Comet 10',
          'Captain Comet/Captain Comet 11',
          'Night Owl/Night Owl 16',
        ],
        ['incomplete-theft.epub'],
      );
      ({ id: listId } = (await on.api('POST', '/readlists', { name: 'Mixed' })).json as { id: string });
      await on.api('POST', `/readlists/${listId}/books`, { bookIds: TITLES.map(idOf) });
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
