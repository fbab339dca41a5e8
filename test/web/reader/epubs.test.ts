// EPUBs in the reader: those of images are read like comics, text is not offered.
import { assert, block, IS_FULL } from '../../kit.js';
import { checkInBrowser } from '../browser.js';
import { type Bookcase, bookcase } from './bookcase.js';
import { isShown, said } from './in-page.js';

let shelf: Bookcase;

block(
  'EPUBs in the reader',
  (check) => {
    if (!IS_FULL) return;
    checkInBrowser(check, 'an EPUB of images is opened by its button and read like a comic, in its direction', () =>
      shelf.reading('comic-fxl-rtl', async ({ page }) => {
        const { id } = shelf.bookOf('comic-fxl-rtl');
        await page.goto(`${shelf.program.address}/books/${id}`);
        await page.locator(`a[href$="/read/${id}"]`).click();
        await isShown(page, [1]);
        await page.keyboard.press('ArrowLeft');
        await isShown(page, [3, 2]);
        assert.is(await said(page), 3); // the further one of a spread is what was reached
      }),
    );
    checkInBrowser(check, 'text has no button to read it, and its address says why', () =>
      shelf.reading('comic-fxl-rtl', async ({ page }) => {
        const { id } = shelf.bookOf('incomplete-theft');
        await page.goto(`${shelf.program.address}/books/${id}`);
        await page.getByRole('button', { name: 'Mark as read' }).waitFor();
        assert.is(await page.locator(`a[href$="/read/${id}"]`).count(), 0);
        await page.goto(`${shelf.program.address}/read/${id}`);
        await page.getByText('This book consists of text.').waitFor();
        await page.getByRole('link', { name: 'Leave the book' }).click();
        await page.waitForURL(`**/books/${id}`);
      }),
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      shelf = await bookcase({}, { fixtures: ['comic-fxl-rtl.epub', 'incomplete-theft.epub'] });
    },
    after: () => shelf.close(),
  },
);
