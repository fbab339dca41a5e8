// The books before and after a book in its series, as somebody wants to read on: without those that they know already, if they say so.
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { Ids } from '../store/packed.js';
import { type Book, booksOf } from './books.js';
import { KIND } from './duplicates/store.js';
import { resolve } from './public-ids.js';
import { andVisibleBook, andVisibleInSeries } from './visibility.js';

export interface Adjacency {
  /** By the number that reader apps are shown. */
  readonly byNumber?: boolean | undefined;
  /** Books that the viewer has read to their end. */
  readonly skipRead?: boolean | undefined;
  /** Duplicates and other editions of the book itself, or of one that the viewer has read. */
  readonly skipDuplicates?: boolean | undefined;
}

/** Binds the user. */
const isRead = (book: string): string =>
  `EXISTS (SELECT 1 FROM read_progress p WHERE p.user_id = ? AND p.book_id = ${book} AND p.completed = 1)`;

/** Binds the user. A file that changed since the search is no duplicate, copies of one file are no editions, and what is hidden does not count. */
const isKnownOtherwise = ({ scope }: Viewer): string => `EXISTS (
  SELECT 1 FROM duplicate_book m CROSS JOIN duplicate_group g ON g.id = m.group_id AND g.dismissed = 0
    CROSS JOIN duplicate_book k ON k.group_id = g.id AND k.book_id <> n.id
    CROSS JOIN book b ON b.id = k.book_id AND b.deleted = 0
  WHERE m.book_id = n.id AND (b.id = o.id OR ${isRead('b.id')})
    AND CASE g.kind WHEN ${KIND.file} THEN n.file_hash = g.match_key AND b.file_hash = g.match_key ELSE n.file_hash <> b.file_hash END
    ${andVisibleBook(scope, 'b')})`;

/** Conditions on a book `n` that is passed over next to a book `o`; each binds the user. */
export const skippedBy = (viewer: Viewer, { skipRead, skipDuplicates }: Adjacency): readonly string[] => [
  ...(skipRead === true ? [isRead('n.id')] : []),
  ...(skipDuplicates === true ? [isKnownOtherwise(viewer)] : []),
];

const SIDES = { prev: ['<', 'DESC'], next: ['>', 'ASC'] } as const;
type Side = keyof typeof SIDES;

const PLACE = ['place', 'title_sort', 'file_name', 'id'] as const;
const placeOf = (alias: string, columns: readonly string[]): string =>
  `(${columns.map((column) => `${alias}.${column}`).join(', ')})`;

const besideIn = (viewer: Viewer, key: number, side: Side, asked: Adjacency): Ids => {
  const [compare, order] = SIDES[side];
  const [columns, index] =
    asked.byNumber === true ? [['sort_number', ...PLACE], 'book_in_series_by_number'] : [PLACE, 'book_by_series'];
  const skipped = skippedBy(viewer, asked);
  const sql = `SELECT n.id FROM book o CROSS JOIN book n INDEXED BY ${index} ON n.series_id = o.series_id AND n.deleted = 0
    AND ${placeOf('n', columns)} ${compare} ${placeOf('o', columns)} ${andVisibleInSeries(viewer.scope, 'n')} WHERE o.id = ?${skipped.map((one) => ` AND NOT ${one}`).join('')}
    ORDER BY ${columns.map((column) => `n.${column} ${order}`).join(', ')} LIMIT 1`;
  return { sql, binds: [key, ...skipped.map(() => viewer.userKey)], rows: 1 };
};

/** The live books before and after a book in its series. */
export const adjacentBooks = async (
  db: Db,
  viewer: Viewer,
  id: string,
  asked: Adjacency = {},
): Promise<{ readonly prev: Book | undefined; readonly next: Book | undefined }> => {
  const { key } = await resolve(db, 'book', id, viewer);
  const beside = async (side: Side): Promise<Book | undefined> =>
    (await booksOf(db, viewer, besideIn(viewer, key, side, asked), 'b.id'))[0];
  const [prev, next] = await Promise.all([beside('prev'), beside('next')]);
  return { prev, next };
};
