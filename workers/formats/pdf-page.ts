// The pixels of a page of a PDF document: rendered, or the image that it consists of if rendering would take too much memory.

import type { Box } from '../../core/model/jobs.js';
import type { BookFile } from '../book-file.js';
import { noteTrap } from '../heaps.js';
import type { PageSource } from '../page-source.js';
import { drawPage, keptPdf, sizeOfPage, withPage } from './mupdf.js';
import { largeJpxOfPage } from './pdf-image.js';
import { resolveLayers } from './pdf-layers.js';

/** Errors here occur again when the page is rendered, and are reported there. */
const largeImage = (file: BookFile, index: number): Uint8Array | undefined => {
  try {
    const pdf = keptPdf(file);
    return withPage(pdf, index, (page) => {
      resolveLayers(pdf, page.getObject());
      const points = sizeOfPage(page);
      return points === undefined ? undefined : largeJpxOfPage(page.getObject(), points);
    });
  } catch (thrown) {
    noteTrap(thrown);
    return undefined;
  }
};

export const readPdfPage = (file: BookFile, index: number, box: Box): PageSource => {
  const bytes = largeImage(file, index);
  return bytes === undefined
    ? { kind: 'pixels', channels: 3, ...drawPage(file, index, box) }
    : { kind: 'image', bytes };
};
