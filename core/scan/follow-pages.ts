// Readers stay on their page when the pages of a book change: stored places follow the page, not its number.
import type { EpubKind } from '../model/outline.js';
import { type Paged, type PageMove, pageMove } from '../model/page-moves.js';
import { PageTable } from '../model/page-table.js';
import { unpackOutline } from '../model/stored-outline.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';

/** A book as it was before its pages were stored anew. */
export interface OldPages {
  readonly key: number;
  readonly pages: Paged;
  /** Empty when the file has changed since. */
  readonly fileHash: string;
  readonly koreaderHash: string | null;
}

interface Row {
  readonly key: number;
  readonly pageCount: number;
  readonly epubKind: EpubKind | null;
  readonly fileHash: string;
  readonly koreaderHash: string | null;
  readonly table: Uint8Array | null;
  readonly outline: Uint8Array | null;
}

/** Undefined if the table cannot be unpacked: nothing is known about its pages. */
export const pagedOf = ({
  table,
  outline,
  pageCount,
  epubKind,
}: Pick<Row, 'table' | 'outline' | 'pageCount' | 'epubKind'>): Paged | undefined => {
  try {
    return {
      table: table === null ? null : new PageTable(table),
      spine: outline === null || epubKind === null ? null : unpackOutline(outline).spine,
      isText: epubKind !== null && epubKind !== 'images',
      pageCount,
    };
  } catch {
    return undefined;
  }
};

const ROWS = `SELECT b.id AS key, b.page_count AS pageCount, b.epub_kind AS epubKind, b.file_hash AS fileHash, b.koreader_hash AS koreaderHash,
    p.page_table AS "table", o.outline
  FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN book_pages p ON p.book_id = b.id
  LEFT JOIN book_outline o ON o.book_id = b.id`;

/** Of those whose pages are known. */
export const pagesOfBooks = async (tx: Tx, keys: readonly number[]): Promise<ReadonlyMap<number, Paged>> => {
  const rows = await tx.all<Row>(ROWS, [JSON.stringify(keys)]);
  return new Map(
    rows.flatMap((row) => {
      const pages = pagedOf(row);
      return pages === undefined ? [] : [[row.key, pages] as const];
    }),
  );
};

/** Of these books, those in which a page is noted. */
export const oldPages = async (tx: Tx, keys: readonly number[]): Promise<readonly OldPages[]> => {
  const rows = await tx.all<Row>(
    `${ROWS}
     WHERE b.koreader_hash IS NOT NULL AND (EXISTS (SELECT 1 FROM read_progress r WHERE r.book_id = b.id)
       OR EXISTS (SELECT 1 FROM cover c WHERE c.book_id = b.id AND c.source LIKE 'page:%'))`,
    [JSON.stringify(keys)],
  );
  return rows.flatMap(({ key, fileHash, koreaderHash, ...row }) => {
    const pages = pagedOf(row);
    return pages === undefined ? [] : [{ key, pages, fileHash, koreaderHash }];
  });
};

interface Reading {
  readonly userKey: number;
  readonly page: number;
  readonly completed: number;
}

/** A finished book ends where it ends now. */
const placeOf = ({ page, completed }: Reading, move: PageMove, before: number, after: number): number =>
  completed === 1 && page >= before ? Math.max(1, after) : move(page);

/**
 * When they were read does not change, nor whether. The place is the server's from then on: what a device said of it, and a position as an
 * app counted it, were about other pages.
 */
const moveReadings = async (tx: Tx, { key, pages }: OldPages, now: Paged, move: PageMove): Promise<void> => {
  const readings = await tx.all<Reading>(
    'SELECT user_id AS userKey, current_page AS page, completed FROM read_progress WHERE book_id = ?',
    [key],
  );
  const moved = readings.flatMap((reading): (readonly [userKey: number, page: number])[] => {
    const page = placeOf(reading, move, pages.pageCount, now.pageCount);
    return page === reading.page ? [] : [[reading.userKey, page]];
  });
  if (moved.length === 0) return;
  const list = JSON.stringify(moved);
  await tx.run(
    `UPDATE read_progress SET current_page = j.value ->> 1, percentage = NULL, page_offset = NULL, device_id = NULL, device_name = NULL
     FROM json_each(?1) j WHERE book_id = ?2 AND user_id = j.value ->> 0`,
    [list, key],
  );
  await tx.run(
    'DELETE FROM read_position WHERE book_id = ?2 AND user_id IN (SELECT j.value ->> 0 FROM json_each(?1) j)',
    [list, key],
  );
  for (const [userKey] of moved) tx.report({ ...updated('book', [key], ASPECTS.reading), userKey });
};

const moveCovers = async (tx: Tx, key: number, move: PageMove): Promise<void> => {
  const covers = await tx.all<{ id: number; source: string }>(
    "SELECT id, source FROM cover WHERE book_id = ? AND source LIKE 'page:%'",
    [key],
  );
  const moved = covers.flatMap(({ id, source }) => {
    const page = Number(source.slice('page:'.length));
    return move(page) === page ? [] : [[id, `page:${move(page)}`]];
  });
  if (moved.length === 0) return;
  await tx.run('UPDATE cover SET source = j.value ->> 1 FROM json_each(?) j WHERE cover.id = j.value ->> 0', [
    JSON.stringify(moved),
  ]);
  tx.report(updated('book', [key], ASPECTS.cover));
};

/** In the transaction that stores the new pages. */
export const followPages = async (tx: Tx, old: OldPages, now: Paged, isSameFile: boolean): Promise<void> => {
  const move = pageMove(old.pages, now, isSameFile);
  if (move === undefined) return;
  await moveReadings(tx, old, now, move);
  await moveCovers(tx, old.key, move);
};
