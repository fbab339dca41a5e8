// Values of core as replies: JSON, content with ETags and conditional answers, byte ranges of files (RFC 9110 sections 13 and 14).
import { AppError } from '../../core/model/errors.js';
import type { Content } from '../../core/pages/content.js';
import type { Body, Reply, Request } from '../server/adapter.js';
import { httpDate } from '../server/http-date.js';
import { FOR_LIBRARY_BYTES, type SecurityHeaders } from '../server/security-headers.js';
import { isUnchangedSince, requireMatch } from './preconditions.js';

const NONE: Body = { kind: 'none' };
const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'] as const;
const NO_STORE = ['Cache-Control', 'no-store'] as const;

export const json = (status: number, value: unknown, headers: Reply['headers'] = []): Reply => ({
  status,
  headers: [JSON_TYPE, NO_STORE, ...headers],
  body: { kind: 'bytes', bytes: JSON.stringify(value) },
});

export const plain = (status: number, text: string): Reply => ({
  status,
  headers: [['Content-Type', 'text/plain; charset=utf-8'], NO_STORE],
  body: { kind: 'bytes', bytes: text },
});

export const noContent = (headers: Reply['headers'] = []): Reply => ({ status: 204, headers, body: NONE });

/** Only a URL that contains a version may be cached without revalidation. */
const cacheControl = (query: string): string =>
  /(?:^|&)v=[^&]/.test(query) ? 'private, max-age=31536000, immutable' : 'private, no-cache';

interface ContentOptions {
  readonly security?: SecurityHeaders;
  /** In addition to those of the content itself. */
  readonly headers?: Reply['headers'];
  /** Called when a file has been sent or its sending has been given up; for other content, at once. */
  readonly onSent?: () => void;
}

const NO_HEADERS: Reply['headers'] = [];

/** An image or file as a reply. The tag is strong. */
export const contentReply = (
  content: Content,
  request: Request,
  { security = FOR_LIBRARY_BYTES, headers: added = NO_HEADERS, onSent }: ContentOptions = {},
): Reply => {
  try {
    requireMatch(request.header('if-match'), content.tag);
  } catch (thrown) {
    if (content.kind === 'file') content.release();
    throw thrown;
  }
  const caching: Reply['headers'] = [
    ['ETag', `"${content.tag}"`],
    ['Cache-Control', cacheControl(request.query)],
    ...added,
  ];
  if (content.kind !== 'file') onSent?.();
  if (content.kind === 'current') return { status: 304, headers: caching, security, body: NONE };
  const headers: Reply['headers'] = [['Content-Type', content.mediaType], ...caching];
  if (content.kind === 'bytes')
    return { status: 200, headers, security, body: { kind: 'bytes', bytes: content.bytes } };
  if (content.kind === 'lent') return { status: 200, headers, security, body: { kind: 'lent', read: content.read } };
  const { fd, readPart, offset, length, hot } = content;
  const release =
    onSent === undefined
      ? content.release
      : (): void => {
          content.release();
          onSent();
        };
  return { status: 200, headers, security, body: { kind: 'file', fd, readPart, offset, length, hot, release } };
};

/** Stays synchronous when the content is available at once. */
export const sendContent = (content: Content | Promise<Content>, request: Request): Reply | Promise<Reply> =>
  content instanceof Promise ? content.then((ready) => contentReply(ready, request)) : contentReply(content, request);

/** Content of a file, for apps that send `If-Modified-Since`. */
export const datedReply = (content: Content, request: Request, modifiedMs: number | undefined): Reply => {
  if (modifiedMs === undefined) return contentReply(content, request);
  const reply = contentReply(content, request, { headers: [['Last-Modified', httpDate(modifiedMs)]] });
  if (reply.status !== 200 || !isUnchangedSince(request, modifiedMs)) return reply;
  if (reply.body.kind === 'file') reply.body.release();
  return { ...reply, status: 304, headers: reply.headers.filter(([name]) => name !== 'Content-Type'), body: NONE };
};

/** A cover: which form a title card has depends on `Accept`. */
export const coverReply = (content: Content, request: Request): Reply =>
  contentReply(content, request, { headers: [['Vary', 'Accept']] });

/** Stays synchronous when the cover is available at once. */
export const sendCover = (content: Content | Promise<Content>, request: Request): Reply | Promise<Reply> =>
  content instanceof Promise ? content.then((ready) => coverReply(ready, request)) : coverReply(content, request);

export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** Units have no case (RFC 9110 14.1). A number beyond the file, however long, is its end. */
const RANGE = /^bytes=(\d*)-(\d*)$/i;

/** One range of a Range header; undefined means: send everything (no header, malformed, several ranges). */
export const parseRange = (header: string, size: number): ByteRange | undefined => {
  const found = RANGE.exec(header.trim());
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return undefined;
  const outside = (): AppError => new AppError('RangeNotSatisfiable', `The file has ${size} bytes.`, { size });
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (length === 0) throw outside();
    return { start: size - length, length };
  }
  const start = Number(first);
  if (start >= size) throw outside();
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return end < start ? undefined : { start, length: end - start + 1 };
};
