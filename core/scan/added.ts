// Book rows that no complete scan has seen yet, or that could never be read. Each may be a missing book under a new name.
import { BOOK_PATH } from '../catalog/books.js';
import { uuidOfHex } from '../model/ids.js';
import type { Bind } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import type { Findings, Missing, ScanContext } from './context.js';
import { missingBooks } from './missing.js';
import { touchedBook } from './touched.js';

export interface Added {
  readonly key: number;
  readonly id: string;
  readonly seriesKey: number;
  readonly fileName: string;
  readonly fileSize: number;
  readonly fileMtime: number;
  readonly path: string;
  /** Its row is never replaced by an old one: people wrote something that would be lost. */
  readonly isTouched: boolean;
  /** Set when the file took over the row of a deleted book at the same path: that book as it was before. Undefined for a new row. */
  readonly instead?: Missing | undefined;
}

/**
 * Rows created by this scan, or by an earlier one that did not finish. Keys alone are not enough: SQLite reuses the highest ones once their
 * rows are deleted.
 */
const bindsOf = ({ library, lastKeyBefore }: ScanContext): readonly [number, number, number] => [
  library.key,
  lastKeyBefore,
  library.lastScannedAt ?? 0,
];

/** The number of added books. */
export const countAdded = async (context: ScanContext): Promise<number> => {
  const [row] = await context.parts.db.all<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT id FROM book WHERE id > ?2 AND library_id = ?1 AND deleted = 0
       UNION SELECT id FROM book WHERE created_at > ?3 AND library_id = ?1 AND deleted = 0)`,
    bindsOf(context),
  );
  return row?.n ?? 0;
};

/** Keys of added books. */
export const addedKeys = async (context: ScanContext): Promise<readonly number[]> => {
  const rows = await context.parts.db.all<{ id: number }>(
    `SELECT id FROM book WHERE id > ?2 AND library_id = ?1 AND deleted = 0
       UNION SELECT id FROM book WHERE created_at > ?3 AND library_id = ?1 AND deleted = 0
       UNION SELECT id FROM book INDEXED BY book_due WHERE due = 1 AND koreader_hash IS NULL AND library_id = ?1 AND deleted = 0`,
    bindsOf(context),
  );
  return keysIn(rows);
};

const COLUMNS = `b.id AS key, lower(hex(b.uuid)) AS id, b.series_id AS seriesKey, b.file_name AS fileName, b.file_size AS fileSize,
  b.file_mtime AS fileMtime, ${BOOK_PATH} AS path, ${touchedBook('b')} AS touched FROM book b JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id`;

type Row = Omit<Added, 'isTouched' | 'instead'> & { readonly touched: number };

const addedOf = ({ touched, ...row }: Row, { revived }: Findings): Added => {
  const instead = revived.get(row.key);
  // The row of a deleted book is set aside with everything that belongs to it.
  return { ...row, id: uuidOfHex(row.id), isTouched: touched === 1 && instead === undefined, instead };
};

/** Added books of these sizes. */
const freshOfSizes = (context: ScanContext, sizes: string): Promise<Row[]> => {
  const binds: readonly Bind[] = [...bindsOf(context), sizes];
  return context.parts.db.all<Row>(
    `SELECT ${COLUMNS}
     WHERE b.library_id = ?1 AND (b.id > ?2 OR b.created_at > ?3 OR b.koreader_hash IS NULL) AND b.deleted = 0
       AND b.file_size IN (SELECT value FROM json_each(?4))
     ORDER BY b.id`,
    binds,
  );
};

/** Files at the paths of deleted books. */
const revivedOfSizes = ({ parts, findings }: ScanContext, sizes: string): Promise<Row[]> =>
  findings.revived.size === 0
    ? Promise.resolve([])
    : parts.db.all<Row>(
        `SELECT ${COLUMNS} WHERE b.id IN (SELECT value FROM json_each(?1)) AND b.deleted = 0
           AND b.file_size IN (SELECT value FROM json_each(?2)) ORDER BY b.id`,
        [JSON.stringify([...findings.revived.keys()]), sizes],
      );

/** Files of these sizes that may be missing books under a new name. */
export const addedOfSizes = async (context: ScanContext, sizes: readonly number[]): Promise<Added[]> => {
  const list = JSON.stringify(sizes);
  const revived = await revivedOfSizes(context, list);
  const known = new Set(revived.map(({ key }) => key));
  const fresh = (await freshOfSizes(context, list)).filter(({ key }) => !known.has(key));
  return [...fresh, ...revived].map((row) => addedOf(row, context.findings));
};

/** Live books that turned out to be missing ones in another file. */
export const addedOfKeys = async ({ parts, findings }: ScanContext, keys: readonly number[]): Promise<Added[]> => {
  const rows = await parts.db.all<Row>(`SELECT ${COLUMNS} WHERE b.id IN (SELECT value FROM json_each(?))`, [
    JSON.stringify(keys),
  ]);
  return rows.map((row) => addedOf(row, findings));
};

/** Books deleted earlier that have the size of an added one: they may be back under another name. */
export const returnedCandidates = (context: ScanContext): Promise<Missing[]> =>
  missingBooks(
    context.parts.db,
    `deleted = 1 AND koreader_hash IS NOT NULL AND id IN (
       SELECT d.id FROM book n CROSS JOIN book d ON d.library_id = n.library_id AND d.file_size = n.file_size AND d.deleted = 1
         WHERE n.id > ?2 AND n.library_id = ?1 AND n.deleted = 0
       UNION SELECT d.id FROM book n CROSS JOIN book d ON d.library_id = n.library_id AND d.file_size = n.file_size AND d.deleted = 1
         WHERE n.created_at > ?3 AND n.library_id = ?1 AND n.deleted = 0
       UNION SELECT d.id FROM book n INDEXED BY book_due CROSS JOIN book d ON d.library_id = n.library_id AND d.file_size = n.file_size AND d.deleted = 1
         WHERE n.due = 1 AND n.koreader_hash IS NULL AND n.library_id = ?1 AND n.deleted = 0)`,
    bindsOf(context),
  );
