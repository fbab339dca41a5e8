// The series that somebody made, or a book of which: from the counted credits.
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { type Series, seriesOf } from './series.js';
import { andVisible } from './visibility.js';

/** By name; `person` exactly as people are listed. */
export const seriesOfPerson = async (
  db: Reads,
  viewer: Viewer,
  person: string,
  window: Window,
): Promise<PageOf<Series>> => {
  const from = `FROM (SELECT DISTINCT c.series_id AS id FROM person p CROSS JOIN credit c ON c.person_id = p.id WHERE p.name = ?) m
    CROSS JOIN series s ON s.id = m.id WHERE s.book_count > 0${andVisible(viewer.scope, 's')}`;
  const ids = {
    sql: `SELECT s.id ${from} ORDER BY s.name_sort, s.id LIMIT ? OFFSET ?`,
    binds: [person, window.pageSize, offsetOf(window)],
    rows: window.pageSize,
  };
  const items = await seriesOf(db, viewer, ids, 's.name_sort, s.id');
  const [count] = await db.all<{ n: number }>(`SELECT count(*) AS n ${from}`, [person]);
  return { ...window, items, total: count?.n ?? 0 };
};
