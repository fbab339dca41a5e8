// The queries of rows with a mark. All marks are rare: each query walks an index of few rows, or the series.
import { AppError } from '../../model/errors.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Mark } from '../conditions/fields.js';
import { booksOfSeries, type IdQuery, idsOf } from './predicates.js';
import { IS_SINGLE_FILE } from './single-file.js';

const FAILED = 'SELECT b.id FROM book b WHERE b.analysis_error IS NOT NULL';

/** A book that is not analysed is due for it, unless it failed or its file is gone. */
const unanalysed = (more: string): string =>
  ['b.due = 1', 'b.deleted = 1']
    .map((which) => `SELECT b.id FROM book b WHERE ${which} AND b.analyzed = 0 AND b.analysis_error IS NULL${more}`)
    .join(' UNION ALL ');

const withCover = (which: string): IdQuery =>
  idsOf(`SELECT c.book_id AS id FROM cover c WHERE c.book_id IS NOT NULL${which}`, [], 'covers');

/** The books of one scan of a folder are stored within this time. */
const SAME_SCAN_MS = 10_000;

/**
 * What is read from the first books of a series belongs to its being added, though it changes the row. So a series counts as changed when a
 * book was added or removed later, or somebody edited it: whatever is edited is locked.
 */
const CHANGED = `s.locks <> '[]'
  OR (SELECT max(b.created_at) FROM book b WHERE b.series_id = s.id AND b.deleted = 0) > s.created_at + ${SAME_SCAN_MS}
  OR EXISTS (SELECT 1 FROM book b WHERE b.series_id = s.id AND b.deleted = 1)`;

const BOOKS: Partial<Readonly<Record<Mark, IdQuery>>> = {
  deleted: idsOf('SELECT b.id FROM book b WHERE b.deleted = 1'),
  oneShot: booksOfSeries(IS_SINGLE_FILE, []),
  failed: idsOf(FAILED),
  unsupported: idsOf(`${FAILED} AND b.analysis_kind IN ('UnsupportedFormat', 'EncryptedArchive')`),
  unanalyzed: idsOf(unanalysed('')),
  neverAnalyzed: idsOf(unanalysed(' AND NOT EXISTS (SELECT 1 FROM book_pages g WHERE g.book_id = b.id)')),
  coverChosen: withCover(' AND c.selected = 1'),
  coverUploaded: withCover(''),
  coverSpare: withCover(' AND c.selected = 0'),
};

const SERIES: Partial<Readonly<Record<Mark, IdQuery>>> = {
  oneShot: idsOf(`SELECT s.id FROM series s WHERE ${IS_SINGLE_FILE}`),
  changed: idsOf(`SELECT s.id FROM series s WHERE ${CHANGED}`),
};

export const markedRows = (rows: RowKind, mark: Mark): IdQuery => {
  const query = rows === 'book' ? BOOKS[mark] : SERIES[mark];
  if (query === undefined) throw new AppError('Internal', `The mark ${mark} is not for rows of ${rows}.`);
  return query;
};
