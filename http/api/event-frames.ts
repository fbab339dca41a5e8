// Encodes events for a stream (HTML standard, 9.2.5). Each is encoded once, and clients that get the same bytes share them.
import type { Slice } from '../../core/events/log.js';
import type { News, ReadingNews, Resync, Told } from '../../core/events/news.js';
import { newsView, resyncView, scanEventView } from './views/events.js';

/** The form of the stream that a client gets. */
export interface Form {
  /** Only data lines: no names, no ids. */
  readonly isUnnamed: boolean;
  readonly userKey: number;
  readonly isAdministrator: boolean;
}

interface Encoded {
  /** JSON without the closing brace. */
  readonly open: string;
  /** The user who caused it, as the rest of the JSON; null for the server itself. */
  readonly cause: { readonly key: number; readonly rest: string } | null;
}

const encoded = new WeakMap<Told, Encoded>();
const pieces = new WeakMap<Slice, Map<string, Uint8Array>>();

const encode = (news: News): Encoded => {
  const by = 'by' in news ? news.by : null;
  return {
    open: JSON.stringify(newsView(news)).slice(0, -1),
    cause: by && { key: by.key, rest: `,"user_id":"${by.id}","userId":"${by.id}"}` },
  };
};

const encodedOf = (told: Told): Encoded => {
  const known = encoded.get(told) ?? encode(told.news);
  encoded.set(told, known);
  return known;
};

const mayKnow = ({ userKey, isAdministrator }: Form, { cause }: Encoded): boolean =>
  cause !== null && (isAdministrator || cause.key === userKey);

const frame = ({ isUnnamed }: Form, type: string, id: string, data: string): string =>
  isUnnamed ? `data: ${data}\n\n` : `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;

/** Clients with the same key get the same bytes. */
const likenessOf = ({ told }: Slice, form: Form): string => {
  const isOwn = told.some((one) => encodedOf(one).cause?.key === form.userKey);
  return `${form.isUnnamed} ${form.isAdministrator ? 'all' : isOwn ? form.userKey : 'none'}`;
};

export const pieceOf = (slice: Slice, form: Form): Uint8Array => {
  const known = pieces.get(slice) ?? new Map<string, Uint8Array>();
  pieces.set(slice, known);
  const likeness = likenessOf(slice, form);
  const made = known.get(likeness);
  if (made !== undefined) return made;
  const text = slice.told.map((told, at) => {
    const data = encodedOf(told);
    const rest = data.cause !== null && mayKnow(form, data) ? data.cause.rest : '}';
    return frame(form, told.news.type, `${slice.tag}-${slice.first + at}`, data.open + rest);
  });
  const piece = Buffer.from(text.join(''));
  known.set(likeness, piece);
  return piece;
};

/** Sent at once, since the response head goes out with the first chunk. The id is for clients to remember. */
export const opening = (form: Pick<Form, 'isUnnamed'>, id: string): string =>
  form.isUnnamed ? ': connected\n\n' : `: connected\nid: ${id}\n\n`;

export const resyncPiece = (form: Form, id: string, at: number): string => {
  const news: Resync = { type: 'resync', at };
  return frame(form, news.type, id, JSON.stringify(resyncView(news)));
};

/** Without an id: these events are not among those that are replayed. */
export const readingPiece = (form: Form, news: readonly ReadingNews[]): string =>
  news
    .map((one) => {
      const data = JSON.stringify(newsView(one));
      return form.isUnnamed ? `data: ${data}\n\n` : `event: read_progress_changed\ndata: ${data}\n\n`;
    })
    .join('');

/** A scan that was already active when the client connected. */
export const scanPiece = (form: Form, scan: Parameters<typeof scanEventView>[0]['scan']): string => {
  const data = JSON.stringify(scanEventView({ type: 'scan_progress', scan }));
  return form.isUnnamed ? `data: ${data}\n\n` : `event: scan_progress\ndata: ${data}\n\n`;
};

export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
export const TOO_SLOW = Buffer.from(': too slow\n\n');
