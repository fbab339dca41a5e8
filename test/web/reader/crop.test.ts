// Pages without their borders in the reader: which part is shown, how large, and that nothing moves when it is known before.
import { cropOf, croppedSize, isCropWanted } from '../../../http/web/client/reader/rules/crop.js';
import { DEFAULTS } from '../../../http/web/client/reader/rules/settings.js';
import { until } from '../../app.js';
import { assert, block, IS_FULL } from '../../kit.js';
import { checkInBrowser } from '../browser.js';
import { type Bookcase, bookcase } from './bookcase.js';
import { isShown, shiftsOf } from './in-page.js';

block('cropped pages', (check) => {
  const page = { width: 1000, height: 1500 };
  const box = { left: 100, top: 150, width: 800, height: 1200 };
  check('a page is cut to where its content lies, in shares of the page', () => {
    const crop = cropOf({ ...page, contentBox: box });
    assert.equal(crop, { left: 0.1, top: 0.1, width: 0.8, height: 0.8 });
    assert.equal(croppedSize(page, crop), { width: 800, height: 1200 });
  });
  check('a page without borders, of unknown size or without a box stays whole', () => {
    assert.is(cropOf({ ...page, contentBox: { left: 0, top: 0, ...page } }), null);
    assert.is(cropOf({ ...page, contentBox: null }), null);
    assert.is(cropOf({ width: null, height: null, contentBox: box }), null);
    assert.equal(croppedSize(page, null), page);
  });
  check('pages and strips have a choice of their own', () => {
    const wanted = (crop: boolean, stripCrop: boolean) =>
      (['paged', 'paged-down', 'strip', 'strip-across'] as const).map((mode) =>
        isCropWanted({ ...DEFAULTS, crop, stripCrop }, { mode }),
      );
    assert.equal(wanted(true, false), [true, true, false, false]);
    assert.equal(wanted(false, true), [false, false, true, true]);
  });
});

/** Of the second page, as it was scanned. */
const CONTENT = 555 / 797;
const WHOLE = 600 / 837;

const ratioOfLeaf = async (page: Parameters<typeof shiftsOf>[0]): Promise<number> => {
  const box = await page.locator('.leaf[data-page="2"]').boundingBox();
  return (box?.width ?? 0) / (box?.height ?? 1);
};

/** Of the image in its box: what is cut off on the left, and how wide it is, as shares of the box. */
const cutOfLeaf = async (page: Parameters<typeof shiftsOf>[0]): Promise<readonly [left: number, width: number]> => {
  const [leaf, image] = [
    await page.locator('.leaf[data-page="2"]').boundingBox(),
    await page.locator('.leaf[data-page="2"] img').boundingBox(),
  ];
  if (leaf === null || image === null) return [Number.NaN, Number.NaN];
  return [(leaf.x - image.x) / image.width, image.width / leaf.width];
};

let shelf: Bookcase;

block(
  'cropped pages in a browser',
  (check) => {
    if (!IS_FULL) return;
    checkInBrowser(check, 'borders are cut off when that is chosen, and from the first page on the next time', () =>
      shelf.reading('haruko', async ({ page }) => {
        await page.keyboard.press('d');
        await page.keyboard.press('ArrowLeft');
        await isShown(page, [2]);
        assert.ok(Math.abs((await ratioOfLeaf(page)) - WHOLE) < 0.01);
        await page.keyboard.press('s');
        await page.getByRole('dialog').getByLabel('Crop borders').click();
        await page.keyboard.press('Escape');
        await until('the page is cut', async () => Math.abs((await ratioOfLeaf(page)) - CONTENT) < 0.01);
        const [left, width] = await cutOfLeaf(page);
        assert.ok(Math.abs(left - 45 / 600) < 0.01 && Math.abs(width - 600 / 555) < 0.01, `${left} ${width}`);
        const { seriesId } = shelf.bookOf('haruko');
        await until('that is stored', async () =>
          JSON.stringify((await shelf.api('GET', `/user/reader-profiles?seriesId=${seriesId}`)).json).includes(
            '"crop":true',
          ),
        );
        await until('the page is stored', async () => (await shelf.storedPage(shelf.bookOf('haruko').id)) === 2);
        await page.addInitScript(
          `window.shifts = []; new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.toJSON())))
             .observe({ type: 'layout-shift', buffered: true });`,
        );
        await page.reload();
        await page.locator('.leaf.ready[data-page="2"]').waitFor();
        assert.ok(Math.abs((await ratioOfLeaf(page)) - CONTENT) < 0.01);
        assert.equal(
          (await shiftsOf(page)).filter(({ value }) => value > 0),
          [],
        );
      }),
    );
    checkInBrowser(check, 'where nothing is cropped, the switch says why', () =>
      shelf.reading('framed', async ({ page }) => {
        await page.keyboard.press('s');
        const dialog = page.getByRole('dialog');
        assert.is(await dialog.getByText('This page is not cropped').count(), 0);
        await dialog.getByLabel('Crop borders').click();
        await dialog.getByText('This page is not cropped: it has no even borders').waitFor();
        await dialog.getByLabel('Crop borders').click();
        await dialog.getByText('This page is not cropped').waitFor({ state: 'detached' });
      }),
    );
    checkInBrowser(check, 'in a strip they have a switch of their own, and the place is kept', () =>
      shelf.reading('haruko', async ({ page }) => {
        await page.keyboard.press('v');
        await page.keyboard.press('v');
        await page.locator('.strip.down').waitFor();
        assert.ok(Math.abs((await ratioOfLeaf(page)) - WHOLE) < 0.01);
        await page.keyboard.press('s');
        await page.getByRole('dialog').getByLabel('Crop borders').click();
        await page.keyboard.press('Escape');
        await until('the page is cut', async () => Math.abs((await ratioOfLeaf(page)) - CONTENT) < 0.01);
        assert.is(await shelf.storedPage(shelf.bookOf('haruko').id), 2);
      }),
    );
  },
  {
    deadlineS: 120,
    before: async () => {
      shelf = await bookcase({ 'Framed/framed': [[600, 900]] }, { fixtures: ['haruko.cbr'] });
    },
    after: () => shelf.close(),
  },
);
