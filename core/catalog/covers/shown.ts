// What is shown in place of the cover from the files: an uploaded image, or the cover of a chosen book. A book that is gone, that has left
// its series or that the viewer may not see counts as not chosen.
import { uuidOfHex } from '../../model/ids.js';
import type { Scope, Viewer } from '../../model/viewer.js';
import type { Reader } from '../../store/db.js';
import { andVisibleBook, andVisibleInSeries } from '../visibility.js';

/** What can have covers of its own. */
export type CoverOwner = 'book' | 'series' | 'collection' | 'read_list';

export type ShownCover =
  | { readonly kind: 'upload'; readonly id: string }
  | { readonly kind: 'book'; readonly bookId: string };

/** A chosen book (`b`) that can represent the owner of `c`. */
const REPRESENTS = 'b.uuid = c.of_book AND b.deleted = 0';

const OF_OWNER: Readonly<Record<CoverOwner, string>> = {
  book: '',
  series: ' AND b.series_id = c.series_id',
  collection: '',
  read_list: '',
};

export const shownCover = async (
  from: Reader,
  owner: CoverOwner,
  key: number,
  { scope }: Viewer,
): Promise<ShownCover | undefined> => {
  const [row] = await from.all<{ cover: string; book: string | null; isBook: number }>(
    `SELECT lower(hex(c.uuid)) AS cover, lower(hex(b.uuid)) AS book, c.of_book IS NOT NULL AS isBook
     FROM cover c LEFT JOIN book b ON ${REPRESENTS}${OF_OWNER[owner]}${andVisibleBook(scope, 'b')}
     WHERE c.${owner}_id = ? AND c.selected = 1`,
    [key],
  );
  if (row === undefined) return undefined;
  if (row.isBook === 0) return { kind: 'upload', id: uuidOfHex(row.cover) };
  return row.book === null || row.book === '' ? undefined : { kind: 'book', bookId: uuidOfHex(row.book) };
};

/** SQL over a series `s`: whether a cover was uploaded for it. */
export const HAS_UPLOADED = 'EXISTS (SELECT 1 FROM cover c WHERE c.series_id = s.id AND c.of_book IS NULL)';

/** As clients write it. */
export const bookSource = (bookId: string): string => `book:${bookId}`;

/** SQL over a series `s`: what its cover is, of a book as `book:` and hex digits; null where it is from its files. */
export const selectedSource = (
  scope: Scope,
): string => `(SELECT iif(c.of_book IS NULL, c.source, 'book:' || lower(hex(c.of_book))) FROM cover c
  WHERE c.series_id = s.id AND c.selected = 1
    AND (c.of_book IS NULL OR EXISTS (SELECT 1 FROM book b WHERE ${REPRESENTS}${OF_OWNER.series}${andVisibleInSeries(scope, 'b')})))`;

export const sourceOf = (stored: string | null): string | null =>
  stored?.startsWith('book:') === true ? bookSource(uuidOfHex(stored.slice('book:'.length))) : stored;
