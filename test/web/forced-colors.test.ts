// The web client with forced colours (`forced-colors`), in a real browser: what is current, chosen or switched on stands out without the
// page's own colours, and covers and dialogs have an edge.
import type { Page } from 'playwright-core';
import { assert, block } from '../kit.js';
import { complaintsOfAxe } from './axe.js';
import { checkInBrowser, PHONE } from './browser.js';
import { type Shelves, shelves } from './shelves.js';

let on: Shelves;

/** Computed styles of the first element that a selector finds. */
const styleOf = async (page: Page, selector: string): Promise<Readonly<Record<string, string>>> => {
  await page.locator(selector).first().waitFor();
  return (await page.evaluate(`(() => {
    const { backgroundColor, color, outlineStyle, outlineWidth, borderTopStyle, borderTopWidth } =
      getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
    return { backgroundColor, color, outlineStyle, outlineWidth, borderTopStyle, borderTopWidth };
  })()`)) as Readonly<Record<string, string>>;
};

const colourOf = (page: Page, name: string): Promise<string> =>
  page.evaluate(`(() => {
    const one = document.body.appendChild(document.createElement('i'));
    one.style.cssText = 'forced-color-adjust: none; background: ${name}';
    const { backgroundColor } = getComputedStyle(one);
    one.remove();
    return backgroundColor;
  })()`) as Promise<string>;

/** Opens a screen in forced colours, light or dark. */
const at = (path: string, use: (page: Page) => Promise<void>): Promise<void> =>
  on.at(
    path,
    async ({ page }) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ forcedColors: 'active', colorScheme });
        assert.is(await page.evaluate(`matchMedia('(forced-colors: active)').matches`), true);
        await use(page);
        assert.equal(await complaintsOfAxe(page), [], `${path}, ${colorScheme}`);
      }
    },
    { viewport: PHONE, hasTouch: true },
  );

block(
  'the web client in forced colours',
  (check) => {
    checkInBrowser(check, 'the current entry of the menu is outlined', () =>
      at('/libraries', async (page) => {
        const current = await styleOf(page, '.top nav [aria-current]');
        assert.equal([current.outlineStyle, current.outlineWidth], ['solid', '2px']);
        const other = await styleOf(page, '.top nav a:not([aria-current]):not(.within)');
        assert.is(other.outlineStyle, 'none');
      }),
    );
    checkInBrowser(check, 'covers have an edge', () =>
      at('/browse', async (page) => {
        const cover = await styleOf(page, '.cover');
        assert.equal([cover.borderTopStyle, cover.borderTopWidth], ['solid', '1px']);
      }),
    );
    checkInBrowser(check, 'what is chosen has the colours of a selection', () =>
      at('/browse', async (page) => {
        const [chosen, highlight, canvas] = [
          await styleOf(page, '.segments label:has(:checked)'),
          await colourOf(page, 'Highlight'),
          await colourOf(page, 'Canvas'),
        ];
        assert.is(chosen.backgroundColor, highlight);
        assert.is.not(highlight, canvas);
        assert.is.not((await styleOf(page, '.segments label:not(:has(:checked))')).backgroundColor, highlight);
      }),
    );
    checkInBrowser(check, 'a dialog has an edge, and its main button the colours of a selection', () =>
      at('/browse', async (page) => {
        await page.getByRole('button', { name: 'Filter' }).first().click();
        const dialog = await styleOf(page, 'dialog[open]');
        assert.is(dialog.borderTopStyle, 'solid');
        assert.is(
          (await styleOf(page, 'dialog[open] .button.primary')).backgroundColor,
          await colourOf(page, 'Highlight'),
        );
        await page.keyboard.press('Escape');
      }),
    );
  },
  {
    before: async () => {
      on = await shelves(['Harbour/one', 'Lantern/two']);
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
