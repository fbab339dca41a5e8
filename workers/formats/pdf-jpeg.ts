// The JPEG that a page of a PDF document consists of, read by its object: in an encrypted document it has no place of its own in the file.
import { AppError } from '../../core/model/errors.js';
import { type BookFile, openBookFile } from '../book-file.js';
import { wasRefused } from '../heaps.js';
import { bytesOfStream, keptPdf, tooMuch } from './mupdf.js';
import { unreadable } from './mupdf-module.js';

/** The same limit when a document is analysed and when it is read: the stated length of a stream need not be true. */
export const IMAGE_MAX_BYTES = 64 * 1024 * 1024;

/** The file at this place now is the one that was opened. Throws FileUnreadable when there is none. */
const isUnchanged = ({ path, root, size, mtimeMs }: BookFile): boolean => {
  const now = openBookFile(path, root);
  now.close();
  return now.size === size && now.mtimeMs === mtimeMs;
};

export const readPdfImage = (
  file: BookFile,
  { object, size }: { readonly object: number; readonly size: number },
): Uint8Array => {
  try {
    const { document, disk } = keptPdf(file);
    disk.failure = null;
    const bytes = bytesOfStream(document.newIndirect(object), IMAGE_MAX_BYTES, false);
    if (disk.failure !== null) throw disk.failure;
    if (wasRefused()) throw tooMuch('Reading the image');
    if (bytes?.length === size) return bytes;
    if (!isUnchanged(file)) throw new AppError('FileChanged');
    const found = bytes === null ? 'is missing' : `has ${bytes.length} bytes instead of ${size}`;
    throw new AppError('CorruptPage', `The page is damaged: its image ${found}.`);
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : unreadable(thrown);
  }
};
