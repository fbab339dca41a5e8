// Marks many books as read or unread, chosen one by one or by their series, in batches, so that no other write waits for a long series.
import { andVisibleRow, resolve } from '../catalog/public-ids.js';
import { andVisibleInSeries } from '../catalog/visibility.js';
import { hexOfUuid, newId } from '../model/ids.js';
import type { RowKind } from '../model/row-kind.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import { clearBooks, type Reader, type ReadingParts, reportRead } from './progress.js';

/** Rows written per transaction. With their counters they take a few milliseconds. */
const ROWS_PER_TRANSACTION = 200;

export interface Marked {
  /** Books whose state changed. */
  readonly marked: number;
  /** Books that cannot be completed, because they are not analysed. */
  readonly skipped: number;
}

const COMPLETE = `
  INSERT INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, completed, completed_at, started_at, updated_at, device_id, device_name)
  SELECT ?1, b.id, b.series_id, 1, unhex(j.value ->> 1), b.page_count, 1, ?2, ?2, ?2, ?3, ?4 FROM json_each(?5) j CROSS JOIN book b ON b.id = j.value ->> 0
  WHERE b.deleted = 0 AND b.analyzed = 1 AND b.page_count > 0
  ON CONFLICT (user_id, book_id) DO UPDATE SET current_page = excluded.current_page, percentage = NULL, page_offset = NULL, completed = 1,
    completed_at = excluded.completed_at, updated_at = excluded.updated_at, device_id = excluded.device_id, device_name = excluded.device_name
  WHERE read_progress.completed = 0 RETURNING book_id AS id, series_id AS seriesKey`;

interface Completed {
  readonly id: number;
  readonly seriesKey: number;
}

const complete = async (
  { db, clock }: ReadingParts,
  { viewer, device }: Reader,
  open: readonly number[],
): Promise<Marked> => {
  const now = clock.now();
  let marked = 0;
  for (let at = 0; at < open.length; at += ROWS_PER_TRANSACTION) {
    const rows = open.slice(at, at + ROWS_PER_TRANSACTION).map((key) => [key, newId(now)]);
    marked += await db.write(viewer.userKey, 'interactive', async (tx) => {
      const binds = [viewer.userKey, now, device.id, device.name, JSON.stringify(rows)];
      const read = await tx.all<Completed>(COMPLETE, binds);
      reportRead(tx, viewer.userKey, keysIn(read), [...new Set(read.map(({ seriesKey }) => seriesKey))]);
      return read.length;
    });
  }
  return { marked, skipped: open.length - marked };
};

const clear = async ({ db, clock }: ReadingParts, viewer: Viewer, books: readonly number[]): Promise<Marked> => {
  const now = clock.now();
  let marked = 0;
  for (let at = 0; at < books.length; at += ROWS_PER_TRANSACTION) {
    const some = books.slice(at, at + ROWS_PER_TRANSACTION);
    marked += await db.write(viewer.userKey, 'interactive', (tx) => clearBooks(tx, viewer, some, now));
  }
  return { marked, skipped: 0 };
};

/** Books that have not been finished, by SQL that leads to them as `b`. */
const openBooks = (db: Db, { userKey }: Viewer, from: string, bind: string): Promise<number[]> =>
  db.json<number[]>(
    `SELECT json_group_array(id) FROM (SELECT DISTINCT b.id ${from} LEFT JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id
     WHERE b.deleted = 0 AND coalesce(p.completed, 0) = 0)`,
    [userKey, bind],
  );

/** Marks these books, which the viewer sees. Those that are read already are not marked again. */
export const markKeysRead = complete;

const named = (ids: readonly string[]): string => JSON.stringify([...new Set(ids.map(hexOfUuid))]);

/** Of these ids, those that the viewer sees. */
const NAMED = {
  book: (viewer: Viewer) =>
    `FROM json_each(?2) j CROSS JOIN book b ON b.uuid = unhex(j.value)${andVisibleRow(viewer, 'book', 'b')}`,
  series: (viewer: Viewer) =>
    `FROM json_each(?2) j CROSS JOIN series s ON s.uuid = unhex(j.value)${andVisibleRow(viewer, 'series', 's')}
     CROSS JOIN book b ON b.series_id = s.id${andVisibleInSeries(viewer.scope, 'b')}`,
} as const;

export const markSeriesRead = async (parts: ReadingParts, reader: Reader, seriesId: string): Promise<Marked> => {
  const { viewer } = reader;
  await resolve(parts.db, 'series', seriesId, viewer);
  return markManyRead(parts, reader, 'series', [seriesId]);
};

/** Unknown ids are skipped. */
export const markManyRead = async (
  parts: ReadingParts,
  reader: Reader,
  kind: RowKind,
  ids: readonly string[],
): Promise<Marked> => {
  const { viewer } = reader;
  return complete(parts, reader, await openBooks(parts.db, viewer, NAMED[kind](viewer), named(ids)));
};

/** Progress in deleted books is cleared too: if they come back they are unread like the rest. */
export const markSeriesUnread = async (parts: ReadingParts, viewer: Viewer, seriesId: string): Promise<Marked> => {
  await resolve(parts.db, 'series', seriesId, viewer);
  return markManyUnread(parts, viewer, 'series', [seriesId]);
};

/** Unknown ids are skipped. Reports of what was read before this, which come later, count no more, not even of books never opened here. */
export const markManyUnread = async (
  parts: ReadingParts,
  viewer: Viewer,
  kind: RowKind,
  ids: readonly string[],
): Promise<Marked> => {
  const books = await parts.db.json<number[]>(
    `SELECT json_group_array(id) FROM (SELECT DISTINCT b.id ${NAMED[kind](viewer)})`,
    [viewer.userKey, named(ids)],
  );
  return clear(parts, viewer, books);
};
