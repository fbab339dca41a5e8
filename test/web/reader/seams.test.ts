// The pages of a strip meet without a line between them, also where a pixel of the page is not a whole number of pixels of the screen.
import { until } from '../../app.js';
import { assert, block } from '../../kit.js';
import { checkInBrowser, type Visit } from '../browser.js';
import { type Bookcase, bookcase, type Side } from './bookcase.js';

/** Each page has a grey of its own; heights that are no multiples of anything. */
const HEIGHTS = [1333, 1777, 999, 1501, 1235, 1111] as const;
const DARKEST = 60;
const BRIGHTEST = DARKEST + (HEIGHTS.length - 1) * 20;

let on: Bookcase;

/** Greys along the middle of a screenshot that belong to no page, and to no mixture of two. */
const STRANGE = (png: string, cut: number): string => `(async () => {
  const bytes = Uint8Array.from(atob('${png}'), (one) => one.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
  pen.drawImage(bitmap, 0, 0);
  const found = [];
  for (let y = ${cut}; y < bitmap.height - ${cut}; y += 1) {
    const [grey] = pen.getImageData(bitmap.width >> 1, y, 1, 1).data;
    if (grey < ${DARKEST - 2} || grey > ${BRIGHTEST + 2}) found.push(y + ': ' + grey);
  }
  return found;
})()`;

const ALL_READY = `(() => {
  const seen = [...document.querySelectorAll('.strip .leaf')].filter((leaf) => {
    const { top, bottom } = leaf.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
  return seen.length > 0 && seen.every((leaf) => leaf.classList.contains('ready') && leaf.querySelector('img')?.complete);
})()`;

const isSeamless = async ({ page }: Visit, density: number): Promise<void> => {
  await page.locator('.strip .leaf.ready').first().waitFor();
  let pictures = 0;
  for (let top = 0; top < 3000; top += 601) {
    await page.evaluate(`document.querySelector('.strip').scrollTo(0, ${top})`);
    await until('the pages are drawn', () => page.evaluate(ALL_READY));
    const png = (await page.screenshot()).toString('base64');
    assert.equal(await page.evaluate(STRANGE(png, Math.ceil(80 * density))), [], `at ${top}, density ${density}`);
    pictures += 1;
  }
  assert.is(pictures, 5);
};

block(
  'the seams of a strip',
  (check) => {
    for (const [density, width] of [
      [1.5, 391],
      [2.625, 411],
    ] as const)
      checkInBrowser(check, `are not seen with ${density} pixels of the screen to a pixel`, async () => {
        await on.setting('strip', { mode: 'strip' });
        const viewport = { width, height: 844 };
        await on.reading('strip', (visit) => isSeamless(visit, density), { viewport, deviceScaleFactor: density });
      });
  },
  {
    before: async () => {
      on = await bookcase({ 'Strip/strip': HEIGHTS.map((height): Side => [720, height]) });
    },
    after: () => on?.close(),
    deadlineS: 120,
  },
);
