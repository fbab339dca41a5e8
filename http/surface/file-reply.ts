// The file of a book, or of a backup, as a download: content type, validators, ranges, a name that survives every client (RFC 9110 13 and 14, RFC 6266, RFC
// 8187).
import { basename } from 'node:path';
import { BOOK_FORMATS, type BookFormat, FORMATS } from '../../core/model/formats.js';
import { beginsAsTar, TAR_BLOCK_BYTES } from '../../core/model/tar-header.js';
import type { BookFile } from '../../core/pages/book-files.js';
import type { OpenFile } from '../../core/pages/open-files.js';
import type { Reply, Request } from '../server/adapter.js';
import { httpDate } from '../server/http-date.js';
import { FOR_LIBRARY_BYTES } from '../server/security-headers.js';
import { isCurrent, rangeHolds } from './preconditions.js';
import { parseRange } from './reply.js';

const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

const disposition = (name: string): string => {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
};

const HEAD_BYTES = TAR_BLOCK_BYTES;

/** The type by the first bytes, for files that have not been analysed. */
const sniff = (head: Buffer): BookFormat | undefined => {
  const text = head.toString('latin1');
  if (text.startsWith('%PDF-')) return 'pdf';
  if (text.startsWith('Rar!\x1a\x07')) return 'cbr';
  if (beginsAsTar(head)) return 'cbt';
  if (!text.startsWith('PK\x03\x04')) return undefined;
  return text.slice(30).startsWith('mimetypeapplication/epub+zip') ? 'epub' : 'cbz';
};

type FileTypes = Readonly<Record<BookFormat, string>>;

const TYPES = Object.fromEntries(BOOK_FORMATS.map((format) => [format, FORMATS[format].mediaType])) as FileTypes;

const typeOf = async (book: BookFile, open: OpenFile, types: FileTypes): Promise<string> => {
  if (book.analyzed) return types[book.format];
  const head = Buffer.alloc(HEAD_BYTES);
  const format = sniff(head.subarray(0, await open.read(head, 0)));
  return format === undefined ? 'application/octet-stream' : types[format];
};

/** A file with what its answer says of it. */
export interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  /** The entity tag, without quotes. */
  readonly tag: string;
  readonly modifiedMs: number;
  /** Whether no cache may keep it, not even the client's. */
  readonly isSecret?: boolean;
}

type Sendable = Pick<OpenFile, 'fd' | 'readPart' | 'release'>;

/** Throws if it must not be sent; the file is still open then. */
const reply = async (
  {
    name,
    mediaType,
    size,
    tag,
    modifiedMs,
    isSecret = false,
  }: Omit<SentFile, 'mediaType'> & { mediaType: () => Promise<string> },
  open: Sendable,
  request: Request,
): Promise<Reply> => {
  const validators = { tag, modifiedMs };
  const caching: Reply['headers'] = [
    ['ETag', `"${tag}"`],
    ['Last-Modified', httpDate(modifiedMs)],
    ['Accept-Ranges', 'bytes'],
    ['Cache-Control', isSecret ? 'no-store' : 'private, no-cache'],
  ];
  const security = FOR_LIBRARY_BYTES;
  if (isCurrent(request, validators)) {
    open.release();
    return { status: 304, headers: caching, security, body: { kind: 'none' } };
  }
  const headers: Reply['headers'] = [
    ['Content-Type', await mediaType()],
    ['Content-Disposition', disposition(name)],
    ...caching,
  ];
  // Ranges are for GET alone (RFC 9110 14.2).
  const isRanged = request.method === 'GET' && rangeHolds(request.header('if-range'), validators);
  const range = isRanged ? parseRange(request.header('range'), size) : undefined;
  const { fd, readPart, release } = open;
  const body = { kind: 'file', fd, readPart, hot: false, release } as const;
  if (range === undefined) return { status: 200, headers, security, body: { ...body, offset: 0, length: size } };
  const { start, length } = range;
  const contentRange = ['Content-Range', `bytes ${start}-${start + length - 1}/${size}`] as const;
  return { status: 206, headers: [...headers, contentRange], security, body: { ...body, offset: start, length } };
};

/** Takes ownership of the open file: it is released here, or by the back-end once the body was sent. */
const owned = async (open: Sendable, made: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await made();
  } catch (thrown) {
    open.release();
    throw thrown;
  }
};

export const sendFile = (file: SentFile, open: Sendable, request: Request): Promise<Reply> =>
  owned(open, () => reply({ ...file, mediaType: async () => file.mediaType }, open, request));

/** What a surface calls a file, and its type. */
export interface Offered {
  readonly name: string;
  readonly types: FileTypes;
}

export const fileReply = (
  { book, open }: { readonly book: BookFile; readonly open: OpenFile },
  request: Request,
  { name, types }: Offered = { name: basename(book.path), types: TYPES },
): Promise<Reply> => {
  const file = { name, size: book.size, tag: `${book.id.slice(-12)}-${book.version}-f`, modifiedMs: book.mtimeMs };
  return owned(open, () => reply({ ...file, mediaType: () => typeOf(book, open, types) }, open, request));
};
