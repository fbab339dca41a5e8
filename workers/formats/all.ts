// All supported formats, in sniffing order, and the names of unsupported ones. The bytes of a file decide what it is, not its name.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { cbr, isSelfExtracting } from './cbr.js';
import type { Container, Format, OpenContext } from './format.js';
import { pdf } from './pdf.js';
import { zipped } from './zipped.js';

const FORMATS: readonly Format[] = [cbr, zipped, pdf];

interface Known {
  readonly name: string;
  readonly is: (head: Buffer) => boolean;
}

const magic = (name: string, ...bytes: readonly number[]): Known => ({
  name,
  is: (head) => bytes.every((byte, at) => head[at] === byte),
});
const text = (name: string, pattern: RegExp): Known => ({ name, is: (head) => pattern.test(head.toString('latin1')) });

/** Formats that are recognised so that the error can say what the file is. */
const OTHERS: readonly Known[] = [
  magic('a 7z archive', 0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c),
  text('a web page (a failed download?)', /^\s*<(?:!doctype html|html|head|body)/i),
  magic('a gzip archive', 0x1f, 0x8b),
  magic('an xz archive', 0xfd, 0x37, 0x7a, 0x58, 0x5a),
  magic('a JPEG image', 0xff, 0xd8, 0xff),
  magic('a PNG image', 0x89, 0x50, 0x4e, 0x47),
  { name: 'a tar archive', is: (head) => head.toString('latin1', 257, 262) === 'ustar' },
];

const HEAD_BYTES = 1100;

const readHead = (file: BookFile): Buffer => file.read(0, Math.min(file.size, HEAD_BYTES));

/** Zip directories are at the end, so junk before a zip archive hides only its first bytes. */
const sniff = (head: Buffer): Format | undefined => FORMATS.find((format) => format.sniff(head));

/** True when the first bytes are those of a supported format. */
export const beginsLikeBook = (file: BookFile): boolean => file.size > 0 && sniff(readHead(file)) !== undefined;

/** True for an archive of which most is read to list and measure its pages. */
export const isReadThrough = (file: BookFile): boolean => file.size > 0 && cbr.sniff(readHead(file));

/** What looks like the beginning of a RAR archive after other bytes may be part of something else. */
const selfExtracting = async (file: BookFile, context: OpenContext): Promise<Container> => {
  try {
    return await cbr.open(file, context);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.kind !== 'CorruptArchive') throw thrown;
    return zipped.open(file, context);
  }
};

export const openContainer = async (file: BookFile, context: OpenContext): Promise<Container> => {
  if (file.size === 0) throw new AppError('CorruptArchive', 'The file is empty (0 bytes).');
  const head = readHead(file);
  const format = sniff(head);
  if (format !== undefined) return format.open(file, context);
  const other = OTHERS.find((known) => known.is(head));
  if (other !== undefined)
    throw new AppError('UnsupportedFormat', `This file is ${other.name}, which cannot be read as a book.`);
  // Other bytes may precede an archive (a self-extractor, a broken download tool).
  return isSelfExtracting(file) ? selfExtracting(file, context) : zipped.open(file, context);
};
