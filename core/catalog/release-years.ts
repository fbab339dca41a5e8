// The years in which the series that a viewer sees came out.
import { bytesOfUuid } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { andVisible } from './visibility.js';

/** Newest first; of all libraries, or of some. */
export const releaseYears = async (
  db: Reads,
  viewer: Viewer,
  libraryIds: readonly string[],
): Promise<readonly number[]> => {
  const within =
    libraryIds.length === 0
      ? ''
      : `AND s.library_id IN (SELECT l.id FROM library l WHERE l.uuid IN (${libraryIds.map(() => '?').join()}))`;
  const rows = await db.all<{ year: number }>(
    `SELECT DISTINCT s.year FROM series s INDEXED BY series_by_year WHERE s.book_count > 0 AND s.year IS NOT NULL ${within}${andVisible(viewer.scope, 's')}
     ORDER BY s.year DESC`,
    libraryIds.map(bytesOfUuid),
  );
  return rows.map(({ year }) => year);
};
