// Where somebody is in a read list: the place of a book, those before and after it, and the book to go on with.
import { AppError } from '../../model/errors.js';
import { hexOfUuid } from '../../model/ids.js';
import type { Viewer } from '../../model/viewer.js';
import { keyList } from '../../store/by-key.js';
import type { Reads } from '../../store/db.js';
import { type Adjacency, skippedBy } from '../adjacent.js';
import { type Book, booksByKeys, unreadableRow } from '../books.js';
import { askerOf, type ReadParts } from '../list-reads.js';
import { seenMembers } from './kinds.js';
import { type List, listById } from './lists.js';
import { JOIN, orderTerms } from './members.js';

interface Asked extends Omit<Adjacency, 'byNumber'> {
  /** Undefined: the book to go on with. */
  readonly bookId?: string | undefined;
}

export interface ListPlace {
  /** From 1; 0 in an empty list. */
  readonly position: number;
  readonly total: number;
  /** How many of them the viewer has read. */
  readonly read: number;
  readonly book: Book | undefined;
  readonly prev: Book | undefined;
  readonly next: Book | undefined;
}

interface Entry {
  readonly key: number;
  readonly hex: string;
  readonly state: 'unread' | 'inProgress' | 'read';
  readonly isUnreadable: boolean;
}

type Row = readonly [key: number, hex: string, completed: 0 | 1 | null, isUnreadable: 0 | 1];

const entryOf = ([key, hex, completed, isUnreadable]: Row): Entry => ({
  key,
  hex,
  state: completed === null ? 'unread' : completed === 1 ? 'read' : 'inProgress',
  isUnreadable: isUnreadable === 1,
});

const entriesOf = async (reads: Reads, viewer: Viewer, list: List): Promise<readonly Entry[]> => {
  const order = orderTerms('read_list', list, { sort: undefined, descending: false });
  const progress = `${JOIN.read_list} LEFT JOIN read_progress p ON p.user_id = ? AND p.book_id = x.id`;
  const rows = await reads.json<Row[]>(
    `SELECT json_group_array(json_array(id, hex, completed, unreadable)) FROM (
       SELECT x.id, lower(hex(x.uuid)) AS hex, p.completed, ${unreadableRow('x')} AS unreadable
       ${seenMembers('read_list', viewer, '?', progress)} ORDER BY ${order})`,
    [viewer.userKey, list.key],
  );
  return rows.map(entryOf);
};

/** What is being read, else the first that is unread, else the first; a book that cannot be read only if there is no other. */
const placeToGoOn = (entries: readonly Entry[]): number => {
  const first = (wanted: (entry: Entry) => boolean): number | undefined => {
    const at = entries.findIndex(wanted);
    return at < 0 ? undefined : at;
  };
  return (
    first(({ state, isUnreadable }) => state === 'inProgress' && !isUnreadable) ??
    first(({ state, isUnreadable }) => state === 'unread' && !isUnreadable) ??
    first(({ isUnreadable }) => !isUnreadable) ??
    0
  );
};

const placeOf = (entries: readonly Entry[], bookId: string): number => {
  const hex = hexOfUuid(bookId);
  const at = entries.findIndex((entry) => entry.hex === hex);
  if (at < 0) throw new AppError('NotFound', 'This book is not in the read list.');
  return at;
};

/** The first of `candidates` that is not passed over. */
const firstKept = async (
  reads: Reads,
  viewer: Viewer,
  key: number,
  candidates: readonly Entry[],
  asked: Asked,
): Promise<number | undefined> => {
  const skipped = skippedBy(viewer, asked);
  if (skipped.length === 0 || candidates.length === 0) return candidates[0]?.key;
  const rows = await reads.all<{ id: number }>(
    `SELECT n.id FROM json_each(?) j CROSS JOIN book n ON n.id = j.value CROSS JOIN book o ON o.id = ?
     WHERE ${skipped.map((one) => `NOT ${one}`).join(' AND ')} ORDER BY j.key LIMIT 1`,
    [keyList(candidates.map((entry) => entry.key)), key, ...skipped.map(() => viewer.userKey)],
  );
  return rows[0]?.id;
};

export const placeInReadList = (parts: ReadParts, viewer: Viewer, id: string, asked: Asked): Promise<ListPlace> =>
  parts.db.snapshot(
    async (reads) => {
      const list = await listById(reads, 'read_list', viewer, id);
      const entries = await entriesOf(reads, viewer, list);
      const at = asked.bookId === undefined ? placeToGoOn(entries) : placeOf(entries, asked.bookId);
      const total = entries.length;
      const read = entries.filter(({ state }) => state === 'read').length;
      const key = entries[at]?.key;
      if (key === undefined) return { position: 0, total, read, book: undefined, prev: undefined, next: undefined };
      const prevKey = await firstKept(reads, viewer, key, entries.slice(0, at).reverse(), asked);
      const nextKey = await firstKept(reads, viewer, key, entries.slice(at + 1), asked);
      const books = async (one: number | undefined): Promise<Book | undefined> =>
        one === undefined ? undefined : (await booksByKeys(reads, viewer, [one]))[0];
      return {
        position: at + 1,
        total,
        read,
        book: await books(key),
        prev: await books(prevKey),
        next: await books(nextKey),
      };
    },
    askerOf(parts, viewer),
  );
