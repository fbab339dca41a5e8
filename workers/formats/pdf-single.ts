// One page of a PDF as a PDF of its own: the page and what it needs, without the other pages.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { noteTrap, wasRefused } from '../heaps.js';
import { keptPdf, type Pdf, tooMuch, withPage } from './mupdf.js';
import { mupdf, quietly } from './mupdf-module.js';
import { damagedPage } from './pdf-faults.js';
import { resolveLayers } from './pdf-layers.js';

const COPYING = 'Copying the page';

/** Copies the page, and what drawing it needs but copying leaves out: its transparency group, and which layers are visible. */
const copyPage = (pdf: Pdf, index: number, copy: mupdf.PDFDocument): void => {
  const root = pdf.document.getTrailer().get('Root');
  const group = pdf.document.findPage(index).get('Group');
  const layers = root.isDictionary() ? root.get('OCProperties') : null;
  const map = copy.newGraftMap();
  try {
    map.graftPage(-1, pdf.document, index);
    if (group.isDictionary()) copy.findPage(0).put('Group', map.graftObject(group));
    if (layers?.isDictionary() === true) copy.getTrailer().get('Root').put('OCProperties', map.graftObject(layers));
  } finally {
    quietly(() => map.destroy());
  }
};

const written = (copy: mupdf.PDFDocument, maxBytes: number): Uint8Array => {
  const buffer = copy.saveToBuffer('compress');
  try {
    if (buffer.getLength() > maxBytes)
      throw new AppError('LimitExceeded', `As a PDF of its own, the page has more than ${maxBytes} bytes.`);
    return new Uint8Array(buffer.asUint8Array());
  } finally {
    buffer.destroy();
  }
};

const copied = (pdf: Pdf, index: number, maxBytes: number): Uint8Array => {
  const copy = new mupdf.PDFDocument();
  try {
    copyPage(pdf, index, copy);
    return written(copy, maxBytes);
  } finally {
    quietly(() => copy.destroy());
  }
};

/** `index`: counted from 0. */
export const singlePage = (file: BookFile, index: number, maxBytes: number): Uint8Array => {
  try {
    const pdf = keptPdf(file);
    const bytes = withPage(pdf, index, (page) => {
      resolveLayers(pdf, page.getObject());
      return copied(pdf, index, maxBytes);
    });
    if (bytes === undefined) throw new AppError('CorruptPage', 'The page cannot be loaded.');
    if (wasRefused()) throw tooMuch(COPYING);
    return bytes;
  } catch (thrown) {
    noteTrap(thrown);
    if (wasRefused()) throw tooMuch(COPYING);
    throw thrown instanceof AppError ? thrown : damagedPage(thrown);
  } finally {
    quietly(mupdf.emptyStore);
  }
};
