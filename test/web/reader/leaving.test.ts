// Closing a book in a real browser: back to where it was opened, or to the page of the book where that was another site.
import { until } from '../../app.js';
import { assert, block } from '../../kit.js';
import { checkInBrowser } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { isShown } from './in-page.js';

const PAGES = Array.from({ length: 2 }, (): Side => [600, 900]);

let shelf: Bookcase;

block(
  'closing a book',
  (check) => {
    checkInBrowser(check, 'that was opened from another site shows the book, and one opened in Longbox goes back', () =>
      shelf.reading('Sea 1', async ({ page }) => {
        const opened = page.url();
        const isAtBook = (): boolean => page.url().endsWith(`/books/${shelf.bookOf('Sea 1').id}`);
        await page.goto('about:blank');
        await page.goto(opened);
        await isShown(page, [1]);
        await page.keyboard.press('Escape');
        await until('the page of the book is shown', isAtBook);
        const before = Number(await page.evaluate('history.length'));
        await page.locator('a[href*="/read/"]').first().click();
        await isShown(page, [1]);
        await page.keyboard.press('Escape');
        await until('the page of the book is shown', isAtBook);
        assert.is(Number(await page.evaluate('history.length')), before + 1, 'the entry of the reader is ahead');
        assert.ok(await page.evaluate('history.state?.isInner !== true'));
      }),
    );
    checkInBrowser(
      check,
      'a book whose neighbours could not be loaded says so at its end, and can load them again',
      () =>
        shelf.reading('Sea 1', async ({ page, expects }) => {
          expects('503');
          const failing = '**/adjacent*';
          await page.route(failing, (route) => route.fulfill({ status: 503, body: '' }));
          await page.reload();
          await isShown(page, [1]);
          await page.keyboard.press('End');
          await page.keyboard.press('ArrowRight');
          await page.getByText('The next and previous books could not be loaded.').waitFor();
          assert.is(await page.getByText('There is no later book').count(), 0);
          await page.unroute(failing);
          await page.getByRole('button', { name: 'Try again' }).click();
          await page.getByText('There is no later book in Sea.').waitFor();
        }),
    );
  },
  {
    deadlineS: 60,
    before: async () => {
      shelf = await bookcase({ 'Sea/Sea 1': PAGES });
    },
    after: () => shelf.close(),
  },
);
