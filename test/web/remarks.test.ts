// What the analysis of a file found is on the page of its book, and nothing is offered there that cannot work.
import { assert, block } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

const remarksOf = async (name: string): Promise<readonly string[]> => {
  const { json } = await on.api('GET', `/books/${on.bookOf(name).id}`);
  return (json as { remarks: { message: string }[] }).remarks.map(({ message }) => message);
};

block(
  'remarks on the page of a book',
  (check) => {
    checkInBrowser(check, 'a readable book lists its remarks, which the keyboard opens', async () => {
      const remarks = await remarksOf('bad-pages');
      assert.ok(remarks.length > 0);
      await on.at(`/books/${on.bookOf('bad-pages').id}`, async ({ page }) => {
        const summary = page.getByText(/^[0-9]+ remarks? on this file$/);
        await summary.waitFor();
        assert.is(Number.parseInt((await summary.textContent()) ?? '', 10), remarks.length);
        assert.is(await page.getByText(remarks[0] ?? '').isVisible(), false);
        await summary.focus();
        await page.keyboard.press('Enter');
        for (const remark of remarks) await page.getByText(remark).waitFor();
        assert.equal(await complaintsOfAxe(page), []);
        await page.getByRole('button', { name: 'Mark as read' }).waitFor();
      });
    });
    checkInBrowser(check, 'in German, the remarks of the server are marked as English', async () => {
      const [first = ''] = await remarksOf('bad-pages');
      const use: Parameters<Shelves['at']>[1] = async ({ page }) => {
        await page.getByText(/Hinweise? zu dieser Datei$/).click();
        assert.is(await page.getByText(first).getAttribute('lang'), 'en');
      };
      await on.at(`/books/${on.bookOf('bad-pages').id}`, use, { locale: 'de-DE' });
    });
    checkInBrowser(check, 'a book that cannot be read says why once, and cannot be marked as read', () =>
      on.at(`/books/${on.bookOf('zero-byte').id}`, async ({ page }) => {
        await page.getByText('This book cannot be read.').waitFor();
        await page.getByRole('button', { name: 'Want to read' }).waitFor();
        assert.is(await page.getByRole('button', { name: 'Mark as read' }).count(), 0);
        assert.is(await page.getByText(/on this file$/).count(), 0);
        await page.getByText('CBZ, 0 bytes').waitFor();
      }),
    );
    checkInBrowser(check, 'nor can its series, and a selection of such books says why', () =>
      on.at(`/series/${on.bookOf('zero-byte').seriesId}`, async ({ page }) => {
        await page.getByRole('button', { name: 'Want to read' }).waitFor();
        assert.is(await page.locator('hgroup .dim').textContent(), '1 book · 1 cannot be read');
        assert.is(await page.getByRole('button', { name: 'Mark as read' }).count(), 0);
        await page.getByRole('button', { name: 'Select', exact: true }).click();
        const bar = page.getByRole('toolbar');
        const mark = bar.getByRole('button', { name: 'Mark as read' });
        await bar.getByRole('button', { name: 'Select all' }).click();
        await page.getByText('1 selected', { exact: true }).waitFor();
        assert.is(await mark.isDisabled(), true);
        assert.is(await mark.getAttribute('title'), 'Books without pages cannot be marked as read.');
        assert.is(await bar.getByRole('button', { name: 'Mark as unread' }).isDisabled(), false);
        assert.equal(await complaintsOfAxe(page), []);
      }),
    );
    checkInBrowser(check, 'a book without remarks has no list of them', () =>
      on.at(`/books/${on.bookOf('one').id}`, async ({ page }) => {
        await page.getByRole('button', { name: 'Mark as read' }).waitFor();
        assert.is(await page.getByText(/on this file$/).count(), 0);
      }),
    );
  },
  {
    before: async () => {
      on = await shelves(['Harbour/one'], ['bad-pages.cbz', 'zero-byte.cbz']);
    },
    after: () => on.close(),
    deadlineS: 180,
  },
);
