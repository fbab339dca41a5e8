// pdf: how it is recognised. The reader itself is loaded with the first document: it takes 30 MB and 60 ms per thread.
import { AppError } from '../../core/model/errors.js';
import type { Format } from './format.js';
import { lacksEnd } from './pdf-end.js';

const MARK = Buffer.from('%PDF-');
/** Readers accept junk before the header as long as it begins within the first 1,024 bytes (ISO 32000-1, annex H, note 13). */
const HEADER_WITHIN = 1024;

const CUT_OFF =
  'The PDF document is cut off: its end, which says where its pages are, is missing. Copy or download the file again.';

export const pdf: Format = {
  sniff: (head) => {
    const at = Buffer.from(head.buffer, head.byteOffset, head.length).indexOf(MARK);
    return at >= 0 && at <= HEADER_WITHIN;
  },
  open: async (file, context) => {
    // A damaged document is searched to its end, in compiled code that cannot be asked to stop.
    if (!file.isReadWhole)
      throw new AppError(
        'LimitExceeded',
        'The file is too large to be read as a PDF document, or most of it is empty; split it, or copy it again.',
      );
    const { openPdfBook } = await import('./pdf-book.js');
    try {
      return openPdfBook(file, context);
    } catch (thrown) {
      const isOfFile = thrown instanceof AppError && (thrown.kind === 'CorruptArchive' || thrown.kind === 'EmptyBook');
      throw isOfFile && lacksEnd(file) ? new AppError('CorruptArchive', CUT_OFF, null, thrown) : thrown;
    }
  },
};
