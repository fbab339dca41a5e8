// Going to a distant page in a real browser: by the slider, and by page number.
import { until } from '../../app.js';
import { assert, block, type Check, IS_FULL } from '../../kit.js';
import { checkInBrowser } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';

let shelf: Bookcase;

const jumps = (check: Check): void => {
  checkInBrowser(check, 'the slider previews its page, and a page that takes long shows that it is loading', () =>
    shelf.reading('long', async ({ page }) => {
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route(/\/pages\/40\?/, async (route) => {
        await held;
        await route.continue();
      });
      const slider = await page.getByRole('slider', { name: 'Page' }).boundingBox();
      assert.ok(slider !== null);
      const { x, y, width, height } = slider ?? { x: 0, y: 0, width: 0, height: 0 };
      await page.mouse.move(x + 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width - 1, y + height / 2, { steps: 8 });
      await page.locator('.slider-preview img').and(page.locator('[src*="sheet=2"]')).waitFor();
      await page.locator('.slider-preview', { hasText: '40' }).waitFor();
      await page.mouse.up();
      await page.locator('.slider-preview').waitFor({ state: 'detached' });
      await page.locator('.leaf.waiting[data-page="40"]').waitFor();
      const sign = `getComputedStyle(document.querySelector('[data-page="40"]'), '::before').visibility`;
      await until('a sign is shown', async () => (await page.evaluate(sign)) === 'visible');
      letGo();
      await page.locator('.leaf.ready[data-page="40"]').waitFor();
    }),
  );
  checkInBrowser(check, 'a page is reached by its number', () =>
    shelf.reading('long', async ({ page }) => {
      await page.keyboard.press('g');
      await page.getByLabel('Page number (1 to 40)').fill('31');
      await page.keyboard.press('Enter');
      await page.locator('.leaf.ready[data-page="31"]').waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }),
  );
};

block(
  'jumps in the reader',
  (check) => {
    if (IS_FULL) jumps(check);
    else check.skip('the slider and the field for a page lead there', 'only in a full run');
  },
  {
    deadlineS: 60,
    before: async () => {
      if (IS_FULL) shelf = await bookcase({ 'Long/long': Array.from({ length: 40 }, (): Side => [600, 900]) });
    },
    after: async () => {
      if (IS_FULL) await shelf.close();
    },
  },
);
