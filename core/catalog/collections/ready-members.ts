// The books of a read list that can be read now, for surfaces that show no others.
import type { PageOf, Window } from '../../model/paging.js';
import type { Viewer } from '../../model/viewer.js';
import { type Book, booksInOrder, readyRow } from '../books.js';
import { askerOf, type ReadParts } from '../list-reads.js';
import { seenMembers } from './kinds.js';
import { listById } from './lists.js';
import { membersOf } from './members.js';

const OWN = { sort: undefined, descending: false } as const;
const READY = `AND ${readyRow('x')}`;

/** In its own order. */
export const readyOfReadList = (parts: ReadParts, viewer: Viewer, id: string, window: Window): Promise<PageOf<Book>> =>
  parts.db.snapshot(
    async (reads) => {
      const list = await listById(reads, 'read_list', viewer, id);
      const found = await membersOf(
        reads,
        { kind: 'read_list', viewer, list, order: OWN, window, only: READY },
        booksInOrder,
      );
      const sql = `SELECT count(*) AS count ${seenMembers('read_list', viewer, '?')} ${READY}`;
      const [row] = await reads.all<{ count: number }>(sql, [list.key]);
      return { ...found, total: row?.count ?? 0 };
    },
    askerOf(parts, viewer),
  );
