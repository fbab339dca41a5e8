// The content of a page by its table entry, whatever the format: an unchanged image file, or pixels where the page had to be rendered.

import { blankPage } from '../../core/model/blank-page.js';
import { AppError } from '../../core/model/errors.js';
import type { Box, Limits, PageEntry } from '../../core/model/jobs.js';
import { refuseTooLargePacked } from '../../core/model/large-pages.js';
import { inDocument, inFile } from '../../core/model/page-address.js';
import { METHOD } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import { spaceBefore } from '../image-head.js';
import type { PageSource } from '../page-source.js';
import { readRarPage } from './cbr.js';
import { readZipPage } from './zip.js';
import { needsSecondReader, readBySecond } from './zip-fallback.js';

const readRaw = (file: BookFile, page: PageEntry): Uint8Array => {
  const { offset } = inFile(page);
  const { size } = page;
  if (offset + size > file.size) throw new AppError('FileChanged');
  return file.read(offset, size);
};

/** Loaded with the first page that needs it. */
const pdfReader = () => import('./pdf-jpeg.js');

export interface ReadOptions {
  readonly limits: Limits;
  readonly check: () => void;
  /** The box into which a page is rendered. */
  readonly box: Box;
}

/** The bytes of a page that is an image file in its book. */
export const readImage = async (
  file: BookFile,
  page: PageEntry,
  { limits, check }: Omit<ReadOptions, 'box'>,
): Promise<Uint8Array> => {
  if (page.size > limits.entryBytes)
    throw new AppError('LimitExceeded', `The page has more than ${limits.entryBytes} bytes.`);
  refuseTooLargePacked(page);
  if (page.method === METHOD.blank) return blankPage(page);
  if (page.method === METHOD.raw) return readRaw(file, page);
  if (page.method === METHOD.rar || page.method === METHOD.solid) return readRarPage(file, page, check);
  if (page.method === METHOD.pdfImage)
    return (await pdfReader()).readPdfImage(file, { object: inDocument(page).object, size: page.size });
  if (needsSecondReader(page)) return readBySecond(file, page);
  return readZipPage(file, page);
};

/** An image without the white space before it, as it can be decoded. */
export const withoutSpace = (bytes: Uint8Array): Uint8Array => {
  const length = spaceBefore(bytes);
  return length === 0 ? bytes : bytes.subarray(length);
};

export const readPage = async (file: BookFile, page: PageEntry, options: ReadOptions): Promise<PageSource> => {
  if (page.method === METHOD.pdf)
    return (await import('./pdf-page.js')).readPdfPage(file, inDocument(page).page, options.box);
  return { kind: 'image', bytes: withoutSpace(await readImage(file, page, options)) };
};
