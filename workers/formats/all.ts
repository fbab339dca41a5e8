// All supported formats, in sniffing order. The bytes of a file decide what it is, not its name.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { cbr, isSelfExtracting } from './cbr.js';
import { cbt } from './cbt.js';
import { describeSigned, describeUnknown } from './foreign.js';
import type { BookContext, Container, Format } from './format.js';
import { pdf } from './pdf.js';
import { hasTarHeader } from './tar.js';
import { zipped } from './zipped.js';

const FORMATS: readonly Format[] = [cbr, zipped, cbt, pdf];

const HEAD_BYTES = 1100;

const readHead = (file: BookFile): Buffer => file.read(0, Math.min(file.size, HEAD_BYTES));

/** Zip directories are at the end, so junk before a zip archive hides only its first bytes. */
const sniff = (head: Buffer): Format | undefined => FORMATS.find((format) => format.sniff(head));

/** True when the first bytes are those of a supported format. */
export const beginsLikeBook = (file: BookFile): boolean => file.size > 0 && sniff(readHead(file)) !== undefined;

/** True for an archive of which most is read to list and measure its pages. */
export const isReadThrough = (file: BookFile): boolean => {
  const format = file.size > 0 ? sniff(readHead(file)) : undefined;
  return format === cbr || format === cbt;
};

/** What looks like the beginning of a RAR archive after other bytes may be part of something else. */
const selfExtracting = async (file: BookFile, context: BookContext): Promise<Container> => {
  try {
    return await cbr.open(file, context);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.kind !== 'CorruptArchive') throw thrown;
    return zipped.open(file, context);
  }
};

export const openContainer = async (file: BookFile, context: BookContext): Promise<Container> => {
  if (file.size === 0) throw new AppError('CorruptArchive', 'The file is empty (0 bytes).');
  const head = readHead(file);
  const format = sniff(head);
  if (format !== undefined) return format.open(file, context);
  const other = describeSigned(head);
  if (other !== undefined) throw other;
  // Its first header is damaged; others may not be.
  if (/\.(?:cbt|tar)$/i.test(file.path) && hasTarHeader(file, context.check)) return cbt.open(file, context);
  // Other bytes may precede an archive (a self-extractor, a broken download tool).
  try {
    return await (isSelfExtracting(file) ? selfExtracting(file, context) : zipped.open(file, context));
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.kind !== 'CorruptArchive') throw thrown;
    throw describeUnknown(file) ?? thrown;
  }
};
