// The content of a page by its table entry, whatever the format: an image file as it is, or pixels where the page had to be drawn.
import { AppError } from '../../core/model/errors.js';
import type { Box, Limits, PageEntry } from '../../core/model/jobs.js';
import { METHOD } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import { readRarPage } from './cbr.js';
import { drawPage, readPdfImage } from './mupdf.js';
import { readZipPage } from './zip.js';

export type PageSource =
  | { readonly kind: 'image'; readonly bytes: Uint8Array }
  /** Three bytes a pixel, row by row. */
  | { readonly kind: 'pixels'; readonly bytes: Uint8Array; readonly width: number; readonly height: number };

const readRaw = (file: BookFile, { offset, size }: PageEntry): Uint8Array => {
  if (offset + size > file.size) throw new AppError('FileChanged');
  return file.read(offset, size);
};

export interface ReadOptions {
  readonly limits: Limits;
  readonly check: () => void;
  /** What a drawn page is drawn to fit into. */
  readonly box: Box;
}

/** The bytes of a page that is an image file in its book. */
export const readImage = (
  file: BookFile,
  page: PageEntry,
  { limits, check }: Omit<ReadOptions, 'box'>,
): Uint8Array | Promise<Uint8Array> => {
  if (page.size > limits.entryBytes)
    throw new AppError('LimitExceeded', `The page has more than ${limits.entryBytes} bytes.`);
  if (page.method === METHOD.raw) return readRaw(file, page);
  if (page.method === METHOD.rar || page.method === METHOD.solid) return readRarPage(file, page, check);
  if (page.method === METHOD.pdfImage) return readPdfImage(file, page);
  return readZipPage(file, page);
};

export const readPage = async (file: BookFile, page: PageEntry, options: ReadOptions): Promise<PageSource> => {
  if (page.method === METHOD.pdf) return { kind: 'pixels', ...drawPage(file, page.offset, options.box) };
  return { kind: 'image', bytes: await readImage(file, page, options) };
};
