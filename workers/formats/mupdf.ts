// mupdf (compiled to WASM) over positioned reads: documents are opened without loading them, pages rendered at the requested size.
// Objects made in its memory are destroyed here: only plain data leaves this file.
import { AppError } from '../../core/model/errors.js';
import type { Place } from '../../core/model/held-place.js';
import type { Box } from '../../core/model/jobs.js';
import { type BookFile, openBookFile } from '../book-file.js';
import { MODULE_MAX_BYTES, noteTrap, wasRefused, wasTrapped } from '../heaps.js';
import { keeper } from '../kept-document.js';
import { mupdf, quietly, unreadable } from './mupdf-module.js';
import { lacksEnd } from './pdf-end.js';
import { damagedPage } from './pdf-faults.js';
import { lacksListedPages, lastObjectEnd, mentionOfTable, rebuildPageTree } from './pdf-rebuild.js';
import { type Size, scaleFor, scaleSize } from './pdf-size.js';
import { sequentialReads } from './sequential-reads.js';

export type PdfObject = mupdf.PDFObject;

/** An open document and what has to be closed with it. */
export interface Pdf {
  readonly document: mupdf.PDFDocument;
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  /** Why the last bytes could not be read from the disk, which the engine takes for the end of the file. */
  readonly disk: Disk;
  close(): void;
}

interface Disk {
  failure: AppError | null;
}

const streamOf = (file: BookFile, end: number, disk: Disk): mupdf.Stream => {
  const readInto = sequentialReads(file, end);
  return new mupdf.Stream({
    fileSize: () => end,
    read: (memory: Uint8Array, at: number, size: number, position: number) => {
      try {
        return readInto(memory.subarray(at, at + Math.max(0, size)), position);
      } catch (thrown) {
        disk.failure = thrown instanceof AppError ? thrown : new AppError('FileUnreadable', undefined, null, thrown);
        return 0; // an exception must not unwind through the compiled code; to the reader the file ends here
      }
    },
    close: () => undefined,
  });
};

const openDocument = (stream: mupdf.Stream): mupdf.PDFDocument => {
  const document = mupdf.Document.openDocument(stream, 'application/pdf');
  const pdf = document.asPDF();
  if (pdf === null) {
    document.destroy();
    throw new AppError('CorruptArchive', 'The file begins like a PDF document but does not contain one.');
  }
  if (!pdf.needsPassword()) return pdf;
  pdf.destroy();
  throw new AppError('EncryptedArchive', 'The PDF document is protected by a password; save it without one.');
};

interface Opened extends Pdf {
  readonly lacksPages: boolean;
}

/** What is in the file up to `end`. Closing it leaves the file open. */
const openUpTo = (file: BookFile, end: number): Opened => {
  const disk: Disk = { failure: null };
  const stream = streamOf(file, end, disk);
  let document: mupdf.PDFDocument | null = null;
  const close = (): void =>
    quietly(() => {
      document?.destroy();
      stream.destroy();
      mupdf.emptyStore();
    });
  try {
    document = openDocument(stream);
    const lacksPages = lacksListedPages(document);
    rebuildPageTree(document, file);
    return { document, path: file.path, sizeBytes: file.size, mtimeMs: file.mtimeMs, disk, lacksPages, close };
  } catch (thrown) {
    close();
    throw thrown instanceof AppError ? thrown : unreadable(thrown);
  }
};

/** Without the table of objects, if that leaves out the pages: the reader then looks for the objects itself. */
const openWhole = (file: BookFile): Pdf => {
  const pdf = openUpTo(file, file.size);
  const end = pdf.lacksPages ? mentionOfTable(file) : undefined;
  if (end === undefined) return pdf;
  pdf.close();
  return openUpTo(file, end);
};

/** An object that was cut off in the middle can make the reader refuse all of the document. */
const openWithoutRest = (file: BookFile, thrown: unknown): Pdf => {
  const isDamaged = thrown instanceof AppError && thrown.kind === 'CorruptArchive';
  if (!isDamaged || wasTrapped() || wasRefused() || !lacksEnd(file)) throw thrown;
  const end = lastObjectEnd(file);
  if (end === undefined) throw thrown;
  return openUpTo(file, end);
};

const openReadable = (file: BookFile): Pdf => {
  try {
    return openWhole(file);
  } catch (thrown) {
    return openWithoutRest(file, thrown);
  }
};

/** Opens a document of its own; the caller closes it, and the file with it. */
export const openPdf = ({ path, root }: Place): Pdf => {
  const file = openBookFile(path, root);
  try {
    const pdf = openReadable(file);
    const close = (): void => {
      pdf.close();
      file.close();
    };
    return { ...pdf, close };
  } catch (thrown) {
    file.close();
    throw thrown;
  }
};

/** The document of a file, opened or still open from the last page. */
export const keptPdf = keeper(openPdf);

/** Visible size of a page in points, rotated as the document says. Undefined when the page cannot be loaded. */
export const sizeOfPage = (page: mupdf.PDFPage): Size | undefined => {
  const [left, top, right, bottom] = page.getBounds();
  const size = { width: right - left, height: bottom - top };
  return size.width > 0 && size.height > 0 ? size : undefined;
};

/** Runs `body` with a page and destroys it. Undefined when the page cannot be loaded. */
export const withPage = <T>({ document }: Pdf, index: number, body: (page: mupdf.PDFPage) => T): T | undefined => {
  let page: mupdf.PDFPage;
  try {
    page = document.loadPage(index);
  } catch (thrown) {
    noteTrap(thrown);
    return undefined;
  }
  try {
    return body(page);
  } catch (thrown) {
    noteTrap(thrown);
    throw thrown;
  } finally {
    quietly(() => page.destroy());
  }
};

export interface Pixels extends Size {
  /** Three bytes per pixel, row by row; a separate copy, which its last user may shrink to nothing. */
  readonly bytes: Uint8Array;
}

/**
 * The memory of the reader never shrinks: larger pages are rendered in bands of this many pixels. Pages fitted to a screen are one band.
 */
const BAND_PIXELS = 8_000_000;
const WHITE = 255;
const CHANNELS = 3;
/** A side that is this little longer than whole pixels does not get another one. */
const ROUNDING = 0.001;

/** The rows from `top` to `bottom`, copied to their place. */
const drawBand = (page: mupdf.PDFPage, scale: number, [left, top, right, bottom]: mupdf.Rect, to: Uint8Array): void => {
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [left, top, right, bottom], false);
  try {
    pixmap.clear(WHITE);
    const device = new mupdf.DrawDevice(mupdf.Matrix.scale(scale, scale), pixmap);
    try {
      page.run(device, mupdf.Matrix.identity);
      device.close();
    } finally {
      device.destroy();
    }
    to.set(pixmap.getPixels());
  } finally {
    pixmap.destroy();
  }
};

/** Its last user may shrink it to nothing. */
export const shrinkable = (size: number): Uint8Array =>
  new Uint8Array(new ArrayBuffer(size, { maxByteLength: size }), 0, size);

const MB = 1024 * 1024;

export const tooMuch = (what: string): AppError =>
  new AppError('LimitExceeded', `${what} takes more memory than this server allows (${MODULE_MAX_BYTES / MB} MB).`);

/** The reader leaves out what it has no memory for, so the page would be incomplete. */
const complete = <T>(made: T, what: string): T => {
  if (wasRefused()) throw tooMuch(what);
  return made;
};

/** Renders at exactly the requested size: lines and letters are sharp at any size. */
const render = (page: mupdf.PDFPage, box: Box): Pixels => {
  const points = sizeOfPage(page);
  if (points === undefined) throw new AppError('CorruptPage', 'The page has no size.');
  const { scale } = scaleSize(points, scaleFor(points, box));
  const [x0, y0, x1, y1] = page.getBounds();
  const [left, top] = [Math.floor(x0 * scale + ROUNDING), Math.floor(y0 * scale + ROUNDING)];
  const [right, bottom] = [Math.ceil(x1 * scale - ROUNDING), Math.ceil(y1 * scale - ROUNDING)];
  const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const bytes = shrinkable(width * height * CHANNELS);
  const rows = Math.max(1, Math.floor(BAND_PIXELS / width));
  for (let row = 0; row < height; row += rows) {
    const end = Math.min(row + rows, height);
    const band: mupdf.Rect = [left, top + row, left + width, top + end];
    drawBand(page, scale, band, bytes.subarray(row * width * CHANNELS, end * width * CHANNELS));
  }
  return { bytes, width, height };
};

const DRAWING = 'Drawing the page';

export const drawPage = (file: BookFile, index: number, box: Box): Pixels => {
  try {
    const pixels = withPage(keptPdf(file), index, (page) => render(page, box));
    if (pixels === undefined) throw new AppError('CorruptPage', 'The page cannot be loaded.');
    return complete(pixels, DRAWING);
  } catch (thrown) {
    noteTrap(thrown);
    if (wasRefused()) throw tooMuch(DRAWING);
    throw thrown instanceof AppError ? thrown : damagedPage(thrown);
  } finally {
    quietly(mupdf.emptyStore); // otherwise images of a page stay in the store: 265 MB after a thousand pages
  }
};

/** Bytes of a stream as stored in the document (or decoded); null when there are none or they are larger than allowed. */
export const bytesOfStream = (object: PdfObject, maxBytes: number, decoded: boolean): Uint8Array | null => {
  if (!object.isStream()) return null;
  const stated = object.get('Length').asNumber();
  if (stated > maxBytes) return null;
  const buffer = decoded ? object.readStream() : object.readRawStream();
  try {
    const bytes = buffer.asUint8Array();
    return bytes.length > maxBytes ? null : new Uint8Array(bytes);
  } finally {
    buffer.destroy();
  }
};
