// Orders by values that no index holds, because hardly anybody asks for them: the whole order is read, and cached until the catalog changes.
import { FORMATS } from '../../model/formats.js';
import type { ComputedBookSort, Order } from '../sorts.js';
import type { IdQuery } from './predicates.js';

const MEDIA_TYPES = Object.entries(FORMATS).map(([format, { mediaType }]) => `WHEN '${format}' THEN '${mediaType}'`);

/** As reader apps are shown them, over a book `b`, its folder `f` and its library `l`. */
const EXPRESSIONS: Readonly<Record<ComputedBookSort, string>> = {
  path: "l.root || '/' || CASE f.path WHEN '' THEN '' ELSE f.path || '/' END || b.file_name",
  file_hash: 'b.file_hash',
  media_status: `CASE WHEN b.analysis_error IS NOT NULL
      THEN CASE WHEN b.analysis_kind IN ('UnsupportedFormat', 'EncryptedArchive') THEN 'UNSUPPORTED' ELSE 'ERROR' END
    WHEN b.analyzed = 1 THEN 'READY'
    WHEN EXISTS (SELECT 1 FROM book_pages g WHERE g.book_id = b.id) THEN 'OUTDATED' ELSE 'UNKNOWN' END`,
  media_type: `CASE b.format ${MEDIA_TYPES.join(' ')} END`,
  media_comment: "coalesce(b.analysis_error, '')",
};

const directionOf = ({ descending }: Pick<Order<string>, 'descending'>): string => (descending ? 'DESC' : 'ASC');

export const isComputed = (sort: string): sort is ComputedBookSort => Object.hasOwn(EXPRESSIONS, sort);

export const computedOrder = (order: Order<ComputedBookSort>, includeHidden: boolean): IdQuery => ({
  sql: `SELECT b.id FROM book b CROSS JOIN folder f ON f.id = b.folder_id CROSS JOIN library l ON l.id = b.library_id
    WHERE ${includeHidden ? 'true' : 'b.deleted = 0'}
    ORDER BY ${EXPRESSIONS[order.sort]} ${directionOf(order)}, b.title_sort, b.library_id, b.id`,
  binds: [],
  dependsOn: 'files',
});

/** Series by the time of their newest file. */
export const byFileTime = (order: Pick<Order<string>, 'descending'>): IdQuery => ({
  sql: `SELECT s.id FROM series s WHERE s.book_count > 0
    ORDER BY (SELECT max(b.file_mtime) FROM book b WHERE b.series_id = s.id AND b.deleted = 0) ${directionOf(order)},
      s.name_sort, s.library_id, s.id`,
  binds: [],
  dependsOn: 'files',
});
