// Reading without saving progress in a real browser.
import { assert, block, IS_FULL } from '../../kit.js';
import { checkInBrowser } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';
import { isShown } from './in-page.js';

const PAGES = Array.from({ length: 4 }, (): Side => [600, 900]);
const SAID = 'Progress is not being saved';

let shelf: Bookcase;

block(
  'reading without saving progress',
  (check) => {
    if (!IS_FULL) {
      check.skip('it lasts until it is switched off', 'only in a full run');
      return;
    }
    checkInBrowser(check, 'it goes on in the next book and after a reload', () =>
      shelf.reading('Sea 1', async ({ page }) => {
        const stored: string[] = [];
        page.on('request', (request) => void (request.method() === 'PUT' && stored.push(request.url())));
        await page.keyboard.press('i');
        for (const key of ['End', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
        await page.waitForURL(`**/read/${shelf.bookOf('Sea 2').id}`);
        await isShown(page, [1]);
        await page.getByText(SAID).waitFor();
        await page.keyboard.press('ArrowRight');
        await page.reload();
        await page.getByText(SAID).waitFor();
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Escape');
        await page.waitForURL(`**/books/${shelf.bookOf('Sea 2').id}`);
        assert.equal(stored, []);
      }),
    );
  },
  {
    deadlineS: 60,
    before: async () => {
      if (IS_FULL) shelf = await bookcase({ 'Sea/Sea 1': PAGES, 'Sea/Sea 2': PAGES });
    },
    after: async () => {
      if (IS_FULL) await shelf.close();
    },
  },
);
