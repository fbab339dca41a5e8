// Recognises files that are not books, so that the error says what the file is and what to do, whatever its name says.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';

interface Known {
  readonly name: string;
  readonly advice: string;
  readonly is: (head: Buffer) => boolean;
}

const AGAIN = 'copy or download the file again';
const REPACK = 'unpack it, and pack its images as cbz (zip)';
const CONVERT = 'convert it to EPUB or PDF';
const PACK = 'pack images as cbz (zip)';
const REMOVE = 'remove it from the library';

const at = (name: string, advice: string, offset: number, text: string): Known => ({
  name,
  advice,
  is: (head) => head.toString('latin1', offset, offset + text.length) === text,
});
const like = (name: string, advice: string, pattern: RegExp): Known => ({
  name,
  advice,
  is: (head) => pattern.test(head.toString('latin1').replace(BEFORE_TEXT, '')),
});

/** What may precede the first element of a document: a byte order mark, white space, comments, an XML declaration. */
const BEFORE_TEXT = /^(?:\xef\xbb\xbf)?(?:\s+|<!--[\s\S]{0,500}?-->|<\?xml[^>]{0,200}>)*/i;

const CPIO_MAGIC = 0o070707;
const CPIO_MODE_AT = 6;
/** Of a file, and of a folder. */
const CPIO_TYPES: ReadonlySet<number> = new Set([0o100000, 0o040000]);

/** The oldest kind of cpio archive, of 16-bit numbers in the order of the machine. Two bytes are a weak signature: the mode is checked too. */
const isBinaryCpio = (head: Buffer): boolean => {
  if (head.length < CPIO_MODE_AT + 2) return false;
  const isBig = head.readUInt16BE(0) === CPIO_MAGIC;
  if (!isBig && head.readUInt16LE(0) !== CPIO_MAGIC) return false;
  const mode = isBig ? head.readUInt16BE(CPIO_MODE_AT) : head.readUInt16LE(CPIO_MODE_AT);
  return CPIO_TYPES.has(mode & 0o170000);
};

/** `SIT!`, then the number of files and the length, then `rLau`. */
const isOldStuffIt = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'SIT!' && head.toString('latin1', 10, 14) === 'rLau';

/** A signature of two bytes, the length of the header (30 to 2,600), and that of its first part, which is not longer. */
const isArj = (head: Buffer): boolean => {
  if (head.length < 5 || head.readUInt16LE(0) !== 0xea60) return false;
  const [length, first] = [head.readUInt16LE(2), head[4] ?? 0];
  return length >= 30 && length <= 2600 && first >= 30 && first <= length;
};

/** Known by their first bytes. */
const SIGNED: readonly Known[] = [
  at('a 7z archive', REPACK, 0, '7z\xbc\xaf\x27\x1c'),
  like('a web page (a failed download?)', AGAIN, /^<(?:!doctype html|html|head|body)/i),
  at('a gzip archive', REPACK, 0, '\x1f\x8b'),
  at('a compress archive (.Z)', REPACK, 0, '\x1f\x9d'),
  at('an lzip archive', REPACK, 0, 'LZIP'),
  at('an xz archive', REPACK, 0, '\xfd7zXZ'),
  at('a bzip2 archive', REPACK, 0, 'BZh'),
  at('a Zstandard archive', REPACK, 0, '\x28\xb5\x2f\xfd'),
  at('an LZ4 archive', REPACK, 0, '\x04\x22\x4d\x18'),
  at('a Windows image (WIM)', REPACK, 0, 'MSWIM\0\0\0'),
  at('an ar archive', REPACK, 0, '!<arch>\n'),
  at('an ACE archive', REPACK, 7, '**ACE**'),
  at('an LHA archive', REPACK, 2, '-lh'),
  at('a CAB archive', REPACK, 0, 'MSCF\0\0\0\0'),
  at('a StuffIt archive', REPACK, 0, 'StuffIt '),
  { name: 'a StuffIt archive', advice: REPACK, is: isOldStuffIt },
  { name: 'an ARJ archive', advice: REPACK, is: isArj },
  at('a RAR archive from before version 1.5', REPACK, 0, 'RE~^'),
  at('a web archive (WARC)', REPACK, 0, 'WARC/'),
  at('a ZPAQ archive', REPACK, 0, '7kSt'),
  at('a zoo archive', REPACK, 20, '\xdc\xa7\xc4\xfd'),
  at('an InstallShield cabinet', REPACK, 0, 'ISc('),
  at('an HTML Help file (CHM)', CONVERT, 0, 'ITSF'),
  at('an xar archive', REPACK, 0, 'xar!'),
  like('a cpio archive', REPACK, /^07070[127]/),
  { name: 'a cpio archive', advice: REPACK, is: isBinaryCpio },
  like('a shell archive (shar)', REPACK, /^[#:][^\0]{0,800}?\bshell archive\b/i),
  like(
    'a Git LFS pointer',
    'get the file itself with “git lfs pull”',
    /^version https:\/\/[^\n]{0,100}git-lfs[^\n]{0,100}\noid /,
  ),
  like('a git-annex pointer', 'get the file itself with “git annex get”', /^\/annex\/objects\//),
  at('a JPEG image', PACK, 0, '\xff\xd8\xff'),
  at('a PNG image', PACK, 0, '\x89PNG'),
  at('a GIF image', PACK, 0, 'GIF8'),
  at('a WebP image', PACK, 8, 'WEBPVP8'),
  at('a video or image in an MP4 container', PACK, 4, 'ftyp'),
  at('a PostScript document', 'convert it to PDF', 0, '%!PS'),
  at('a DjVu document', 'convert it to PDF', 0, 'AT&TFORM'),
  at('a Kindle book (MOBI)', CONVERT, 60, 'BOOKMOBI'),
  at('a Kindle book (KFX)', CONVERT, 0, 'CONT\x02\0'),
  at('an encrypted Kindle book (KFX)', CONVERT, 0, '\xeaDRMION\xee'),
  at('a Microsoft Reader book (LIT)', CONVERT, 0, 'ITOLITLS'),
  like('a FictionBook', CONVERT, /^<FictionBook/i),
  at('an Office document', CONVERT, 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  at('a rich text document', CONVERT, 0, '{\\rtf'),
  at('a Windows shortcut', REMOVE, 0, 'L\0\0\0\x01\x14\x02\0'),
  like('a torrent file', 'add the files it describes instead', /^d\d+:(?:announce|created by|creation date|info)/),
];

const unsupported = ({ name, advice }: Pick<Known, 'name' | 'advice'>): AppError =>
  new AppError('UnsupportedFormat', `This file is ${name}, which cannot be read as a book; ${advice}.`);

/** Undefined for what may be a book, or may contain one. */
export const describeSigned = (head: Buffer): AppError | undefined => {
  const known = SIGNED.find(({ is }) => is(head));
  return known === undefined ? undefined : unsupported(known);
};

/** Where a disc image has its first descriptor. */
const DISC_AT = 0x8001;

/** Records of a zip archive; a file that contains one is a damaged archive. */
const RECORDS = ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06'].map((text) => Buffer.from(text, 'latin1'));
const SEARCHED_BYTES = 128 * 1024;
const SHOWN_MAX = 60;

const isText = (head: Buffer): boolean =>
  head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) &&
  !head.toString('utf8').slice(0, -3).includes('\ufffd');

/** What is neither an archive nor anything else known, by its beginning and its end; undefined where it has parts of a zip archive. */
export const describeUnknown = (file: BookFile): AppError | undefined => {
  const length = Math.min(file.size, SEARCHED_BYTES);
  const parts = [file.read(0, length), file.read(file.size - length, length)];
  if (parts[0]?.toString('latin1', DISC_AT, DISC_AT + 5) === 'CD001')
    return unsupported({ name: 'a disc image (ISO 9660)', advice: REPACK });
  if (RECORDS.some((record) => parts.some((part) => part.includes(record)))) return undefined;
  const [head = Buffer.alloc(0)] = parts;
  if (parts.every((part) => part.every((byte) => byte === 0)))
    return new AppError('CorruptArchive', `The file contains only zeros, as after an interrupted copy; ${AGAIN}.`);
  if (head.toString('latin1', 0, 2) === 'MZ') return unsupported({ name: 'a Windows program', advice: REMOVE });
  if (isText(head.subarray(0, 1024))) {
    const begins = head.toString('utf8', 0, 400).replace(/\s+/g, ' ').trim().slice(0, SHOWN_MAX);
    return new AppError('CorruptArchive', `This file is text (“${begins}”), which cannot be read as a book; ${AGAIN}.`);
  }
  return new AppError(
    'CorruptArchive',
    `By its content, this is not a zip, RAR, tar, EPUB or PDF file: it is damaged, encrypted, or its beginning is missing; ${AGAIN}.`,
  );
};

interface KnownZip {
  readonly name: string;
  readonly advice: string;
  /** What it contains, beginnings of names in lower case: each must be there. */
  readonly contains: readonly string[];
}

/** Packages that are zip archives, with images that are not their pages. */
const PACKAGES: readonly KnownZip[] = [
  { name: 'a Word document (docx)', advice: CONVERT, contains: ['[content_types].xml', 'word/'] },
  { name: 'an Excel workbook (xlsx)', advice: CONVERT, contains: ['[content_types].xml', 'xl/'] },
  { name: 'a PowerPoint presentation (pptx)', advice: CONVERT, contains: ['[content_types].xml', 'ppt/'] },
  { name: 'an XPS document', advice: CONVERT, contains: ['[content_types].xml', 'documents/'] },
  { name: 'an OpenDocument file', advice: CONVERT, contains: ['meta-inf/manifest.xml', 'content.xml'] },
  { name: 'an OpenDocument file', advice: CONVERT, contains: ['mimetype', 'content.xml'] },
  { name: 'an Android app (APK)', advice: REMOVE, contains: ['androidmanifest.xml', 'classes.dex'] },
];

const ZIPPED_FICTION_BOOK = /^[^/]+\.fb2$/i;
const JAVA_CLASS = /\.class$/i;

/** A zip archive that is something else than a book, by the names in it. Some are recognised only while it has no pages (`isEmpty`). */
export const describePackage = (names: readonly string[], isEmpty: boolean): AppError | undefined => {
  const lower = names.map((name) => name.toLowerCase());
  const known = PACKAGES.find(({ contains }) => contains.every((part) => lower.some((name) => name.startsWith(part))));
  if (known !== undefined) return unsupported(known);
  if (!isEmpty) return undefined;
  if (names.some((name) => ZIPPED_FICTION_BOOK.test(name)))
    return unsupported({ name: 'a zipped FictionBook', advice: CONVERT });
  return names.some((name) => JAVA_CLASS.test(name))
    ? unsupported({ name: 'a Java program (jar)', advice: REMOVE })
    : undefined;
};
