// mupdf (compiled to WASM) as this thread loads it: silent, its memory counted. Only importer of mupdf.
import * as mupdf from 'mupdf';
import type { AppError } from '../../core/model/errors.js';
import { collectGarbage, countHeap, noteTrap } from '../heaps.js';
import { damagedPdf } from './pdf-faults.js';

export { mupdf };

mupdf.setLog({ error: () => undefined, warning: () => undefined });

/** Whatever is in the memory of the module tells how large it is. */
const meter = new mupdf.Buffer('');
countHeap(() => meter.asUint8Array().buffer);

// The file of the module, 10 MB, has been read and compiled, and would stay in memory for long.
collectGarbage();

export const unreadable = (thrown: unknown): AppError => {
  noteTrap(thrown);
  return damagedPdf(thrown);
};

/** Frees memory. After a trap even that may fail; then the earlier error is the one that counts, and the thread ends after its job. */
export const quietly = (free: () => void): void => {
  try {
    free();
  } catch (thrown) {
    noteTrap(thrown);
  }
};
