// How many pixels a page of a PDF document has in a box.
import { type Box, DRAWN_PIXELS_MAX, type PageEntry } from './jobs.js';
import { METHOD } from './page-table.js';

/** Zero for pages that are images. */
export const drawnPixels = (
  { method, width, height }: Pick<PageEntry, 'method' | 'width' | 'height'>,
  box: Box,
): number => {
  if (method !== METHOD.pdf || width === 0 || height === 0) return 0;
  const scale = Math.min((box.width ?? Infinity) / width, (box.height ?? Infinity) / height);
  const wanted = width * height * (Number.isFinite(scale) ? scale * scale : 1);
  return Math.min(wanted, DRAWN_PIXELS_MAX);
};
