// Where the borders of pages end, from small grey pictures of them. A page that cannot be decoded has none.
import type { PageEntry } from '../../core/model/jobs.js';
import { INSETS_BYTES, writeInsets } from '../../core/model/page-insets.js';
import { insetsOf } from '../borders.js';
import { eachPage } from '../each-page.js';
import { step } from '../step.js';

/** About so many: enough to find a border of a hundredth of the page, and few enough to be quick. */
const PIXELS = 400_000;
/** A page of unknown size is taken to be a printed one; only shares of its sides are found. */
const USUAL = { width: 520, height: 760 };

const smallSize = ({ width, height }: PageEntry): { readonly width: number; readonly height: number } => {
  if (width === 0 || height === 0) return USUAL;
  const scale = Math.min(1, Math.sqrt(PIXELS / (width * height)));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

export const borders = step({
  name: 'borders',
  needs: ['file', 'pages', 'limits'],
  gives: ['borders'],
  run: async ({ file, pages, limits }, run) => {
    const { renderGrey } = await import('../image-codec.js');
    const found = new Uint8Array(pages.length * INSETS_BYTES);
    await eachPage({ file, pages, limits, boxOf: smallSize }, run, async ({ source, page, index, decoding }) => {
      const size = smallSize(page);
      writeInsets(found, index, insetsOf({ ...size, bytes: await renderGrey(source, size, decoding) }));
    });
    return { borders: found };
  },
});
