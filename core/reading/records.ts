// Progress records of a user over all books, without the wide rows of the books.

import { andInVisibleBook } from '../catalog/visibility.js';
import type { BookFormat } from '../model/formats.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { packed, rowsAndTotal } from '../store/packed.js';
import { pageShown, pagesRead, percentageOf } from './completion.js';
import type { Progress } from './progress.js';

interface Row extends Progress {
  readonly format: BookFormat;
  readonly pageCount: number;
}

const COLUMNS = packed<Row>({
  id: { sql: 'p.uuid', as: 'uuid' },
  bookId: { sql: 'b.uuid', as: 'uuid' },
  currentPage: { sql: 'p.current_page' },
  pageOffset: { sql: 'p.page_offset' },
  percentage: { sql: 'p.percentage' },
  completed: { sql: 'p.completed', as: 'boolean' },
  completedAt: { sql: 'p.completed_at' },
  startedAt: { sql: 'p.started_at' },
  updatedAt: { sql: 'p.updated_at' },
  format: { sql: 'b.format' },
  pageCount: { sql: 'b.page_count' },
});

/** Newest first; `open` leaves out finished books. Deleted books do not count. */
export const progressRecords = async (
  db: Reads,
  viewer: Viewer,
  open: boolean,
  window: Window,
): Promise<PageOf<Progress>> => {
  const from = `FROM read_progress p WHERE p.user_id = ? AND p.live = 1 ${open ? 'AND p.completed = 0' : ''}${andInVisibleBook(viewer.scope, 'p')}`;
  const rows = `SELECT json_group_array(json(row)) FROM (
    SELECT ${COLUMNS.expression} AS row FROM
      (SELECT * ${from} ORDER BY p.updated_at DESC, p.book_id DESC LIMIT ? OFFSET ?) p CROSS JOIN book b ON b.id = p.book_id
    ORDER BY p.updated_at DESC, p.book_id DESC)`;
  const page = await rowsAndTotal(
    db,
    COLUMNS,
    { sql: rows, binds: [viewer.userKey, window.pageSize, offsetOf(window)] },
    { sql: `SELECT count(*) ${from}`, binds: [viewer.userKey] },
  );
  const items = page.items.map((row) => ({
    ...row,
    currentPage: pageShown(row.currentPage, row.pageCount),
    percentage: percentageOf(row.format, row.percentage, pagesRead(row.currentPage, row.pageOffset), row.pageCount),
  }));
  return { ...window, items, total: page.total };
};
