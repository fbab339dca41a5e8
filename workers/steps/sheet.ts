// A sheet of small pages, in rows. The cell of a page that cannot be decoded stays empty.
import type { Box, PageEntry } from '../../core/model/jobs.js';
import { cellOf, SHEET } from '../../core/model/page-sheet.js';
import { eachPage } from '../each-page.js';
import { STRIP_ASPECT } from '../image-rules.js';
import type { Placed } from '../page-source.js';
import { step } from '../step.js';

/** A part of a strip that has to be drawn, of which the top is kept: no longer than this many cells. */
const STRIP_CELLS = 8;

const boxOf = ({ width, height }: PageEntry): Box =>
  height > width * STRIP_ASPECT ? { ...SHEET.cell, height: SHEET.cell.height * STRIP_CELLS } : SHEET.cell;

export const sheet = step({
  name: 'sheet',
  needs: ['file', 'pages', 'quality', 'limits'],
  gives: ['pageBytes'],
  run: async ({ file, pages, quality, limits }, run) => {
    const { joinPictures, renderSmall } = await import('../image-codec.js');
    const placed: Placed[] = [];
    await eachPage({ file, pages, limits, boxOf }, run, async ({ source, index, decoding }) => {
      const pixels = await renderSmall(source, SHEET.cell, decoding);
      const cell = cellOf(index);
      // In the middle of its cell.
      const left = cell.left + Math.floor((SHEET.cell.width - pixels.width) / 2);
      placed.push({ pixels, left, top: cell.top + Math.floor((SHEET.cell.height - pixels.height) / 2) });
    });
    return { pageBytes: await joinPictures(SHEET, placed, quality) };
  },
});
