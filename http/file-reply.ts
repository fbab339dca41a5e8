// The file of a book as a download: validators, ranges, a name that survives every client (RFC 9110 14, RFC 6266, RFC 8187).
import { basename } from 'node:path';
import type { BookFile } from '../core/pages/book-files.js';
import type { OpenFile } from '../core/pages/open-files.js';
import type { Reply, Request } from './adapter.js';
import { hasTag, parseRange, rangeHolds } from './reply.js';

const TYPES: Readonly<Record<string, string>> = {
  cbz: 'application/zip',
  cbr: 'application/x-rar-compressed',
  epub: 'application/epub+zip',
  pdf: 'application/pdf',
};

const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

const disposition = (name: string): string => {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
};

const typeOf = (book: BookFile): string =>
  TYPES[book.path.slice(book.path.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream';

/** Takes over the open file: it is released here, or by the back-end when the body was sent. */
export const fileReply = (
  { book, open }: { readonly book: BookFile; readonly open: OpenFile },
  request: Request,
): Reply => {
  const tag = `${book.id.slice(-12)}-${book.version}-f`;
  const lastModified = new Date(book.mtimeMs).toUTCString();
  const caching: Reply['headers'] = [
    ['ETag', `"${tag}"`],
    ['Last-Modified', lastModified],
    ['Accept-Ranges', 'bytes'],
    ['Cache-Control', 'private, no-cache'],
  ];
  if (hasTag(request.header('if-none-match'), tag)) {
    open.release();
    return { status: 304, headers: caching, body: { kind: 'none' } };
  }
  const headers: Reply['headers'] = [
    ['Content-Type', typeOf(book)],
    ['Content-Disposition', disposition(basename(book.path))],
    ...caching,
  ];
  const wanted = rangeHolds(request.header('if-range'), tag, lastModified) ? request.header('range') : '';
  try {
    const range = parseRange(wanted, book.size);
    const { fd, readPart, release } = open;
    const body = { kind: 'file', fd, readPart, hot: false, release } as const;
    if (range === undefined) return { status: 200, headers, body: { ...body, offset: 0, length: book.size } };
    const { start, length } = range;
    const contentRange = ['Content-Range', `bytes ${start}-${start + length - 1}/${book.size}`] as const;
    return { status: 206, headers: [...headers, contentRange], body: { ...body, offset: start, length } };
  } catch (thrown) {
    open.release();
    throw thrown;
  }
};
