// How much memory a job takes for a page: to read it, to decode it or to draw it, and to encode what is made of it.
import { drawnPixels } from '../core/model/drawn-pixels.js';
import type { Box, OutputFormat, PageEntry } from '../core/model/jobs.js';
import { METHOD } from '../core/model/page-table.js';
import type { Extent } from './formats/format.js';
import { imageMemory } from './image-memory.js';
import { keptFormat } from './image-rules.js';
import type { PageSource } from './page-source.js';
import { shownPixels } from './shown-size.js';

/** Decoding that takes no more than this is not counted: ordinary pages never wait for others. */
const UNCOUNTED_LINES_BYTES = 32 * 1024 * 1024;

/** What decoding takes; zero for images of ordinary size, for those no decoder reads, and for pixels, which are already in memory. */
export const decodeBytesOf = async (source: PageSource): Promise<number> => {
  if (source.kind === 'pixels') return 0;
  const bytes = await imageMemory(source.bytes);
  return bytes > UNCOUNTED_LINES_BYTES ? bytes : 0;
};

/** Encoding a WebP takes all of its pixels; other formats are written line by line. */
const WEBP_BYTES = 5;

const encodeBytesOf = (pixels: number, format: OutputFormat | null): number =>
  format === 'webp' ? pixels * WEBP_BYTES : 0;

/** What fitting a page into a box takes: decoding it and encoding it again. */
export const renderBytesOf = async (source: PageSource, box: Box, format: OutputFormat | null): Promise<number> => {
  if (source.kind === 'pixels') return 0;
  const encoding = encodeBytesOf(shownPixels(source, box), format ?? keptFormat(source.bytes));
  return (await decodeBytesOf(source)) + encoding;
};

/** Pages of ordinary size never wait for others. */
const UNCOUNTED_BYTES = 16 * 1024 * 1024;

/** How often the packed bytes are in memory while a page is unpacked; the second reader of zip archives gets a copy, and decrypting makes another. */
const PACKED_COPIES: Readonly<Record<number, number>> = {
  [METHOD.deflated]: 1,
  [METHOD.pdfImage]: 1,
  [METHOD.deflate64]: 2,
  [METHOD.encrypted]: 3,
};

/** What holding a page takes, packed and unpacked; nothing for pages that are drawn, and for all of ordinary size. */
export const readBytesOf = ({ method, packedSize, size }: Extent): number => {
  const bytes = method === METHOD.pdf ? 0 : size + packedSize * (PACKED_COPIES[method] ?? 0);
  return bytes > UNCOUNTED_BYTES ? bytes : 0;
};

/** A page is rendered in bands, and the pixels of all of them are kept. */
const DRAWN_BYTES = 3;
/** Memory of the reader, for pages that are more than one band. */
const BAND_BYTES = 24 * 1000 * 1000;

/** What rendering a page into a box and encoding it takes; nothing for pages that are images. */
export const drawBytesOf = (page: PageEntry, box: Box, format: OutputFormat | null): number => {
  const pixels = drawnPixels(page, box);
  return pixels * DRAWN_BYTES + Math.min(pixels * DRAWN_BYTES, BAND_BYTES) + encodeBytesOf(pixels, format);
};
