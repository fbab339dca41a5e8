// Marks all books of a series as read or unread, in batches, so that no other write waits for a long series.
import { resolve } from '../catalog/public-ids.js';
import { newId } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
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
  ON CONFLICT (user_id, book_id) DO UPDATE SET current_page = excluded.current_page, percentage = NULL, completed = 1,
    completed_at = excluded.completed_at, updated_at = excluded.updated_at, device_id = excluded.device_id, device_name = excluded.device_name
  WHERE read_progress.completed = 0 RETURNING book_id AS id`;

export const markSeriesRead = async (
  { db, clock }: ReadingParts,
  { viewer, device }: Reader,
  seriesId: string,
): Promise<Marked> => {
  const series = await resolve(db, 'series', seriesId, viewer);
  const open = await db.json<number[]>(
    `SELECT json_group_array(b.id) FROM book b LEFT JOIN read_progress p ON p.user_id = ? AND p.book_id = b.id
     WHERE b.series_id = ? AND b.deleted = 0 AND coalesce(p.completed, 0) = 0`,
    [viewer.userKey, series.key],
  );
  const now = clock.now();
  let marked = 0;
  for (let at = 0; at < open.length; at += ROWS_PER_TRANSACTION) {
    const rows = open.slice(at, at + ROWS_PER_TRANSACTION).map((key) => [key, newId(now)]);
    marked += await db.write(viewer.userKey, 'interactive', async (tx) => {
      const binds = [viewer.userKey, now, device.id, device.name, JSON.stringify(rows)];
      const read = await tx.all<{ id: number }>(COMPLETE, binds);
      reportRead(tx, viewer.userKey, keysIn(read), [series.key]);
      return read.length;
    });
  }
  return { marked, skipped: open.length - marked };
};

/** Progress in deleted books is cleared too: if they come back they are unread like the rest. */
export const markSeriesUnread = async (
  { db, clock }: ReadingParts,
  viewer: Viewer,
  seriesId: string,
): Promise<Marked> => {
  const series = await resolve(db, 'series', seriesId, viewer);
  const now = clock.now();
  let marked = 0;
  for (;;) {
    const removed = await db.write(viewer.userKey, 'interactive', async (tx) => {
      const rows = await tx.all<{ key: number }>(
        'SELECT book_id AS key FROM read_progress WHERE user_id = ? AND series_id = ? LIMIT ?',
        [viewer.userKey, series.key, ROWS_PER_TRANSACTION],
      );
      const books = rows.map(({ key }) => key);
      return books.length === 0 ? 0 : clearBooks(tx, viewer, books, now);
    });
    marked += removed;
    if (removed < ROWS_PER_TRANSACTION) return { marked, skipped: 0 };
  }
};
