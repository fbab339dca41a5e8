// What the libraries hold, as a viewer sees it: summed from an index over the series, so that no book is read, however many there are.
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { packed } from '../store/packed.js';
import { andVisible, andVisibleLibrary, visibleBookCount, visibleFileSize, visiblePageCount } from './visibility.js';

export interface LibraryInventory {
  readonly id: string;
  readonly name: string;
  readonly seriesCount: number;
  readonly bookCount: number;
  readonly fileSize: number;
  readonly pageCount: number;
}

export interface Inventory {
  readonly libraries: readonly LibraryInventory[];
  /** Both are 0 for everybody but administrators. */
  readonly userCount: number;
  readonly databaseSize: number;
}

/** Series, books, bytes and pages. */
type Sums = readonly [number, number, number, number];

const COLUMNS = packed<{ readonly id: string; readonly name: string; readonly sums: Sums }>({
  id: { sql: 'l.uuid', as: 'uuid' },
  name: { sql: 'l.name' },
  sums: { sql: 'l.sums', as: 'json' },
});

const sumsOf = ({ scope }: Viewer): string =>
  `(SELECT json_array(count(*), coalesce(sum(${visibleBookCount(scope, 'c')}), 0), coalesce(sum(${visibleFileSize(scope, 'c')}), 0), coalesce(sum(${visiblePageCount(scope, 'c')}), 0))
    FROM series c INDEXED BY series_sizes WHERE c.library_id = l.id AND c.book_count > 0${andVisible(scope, 'c')}) || ''`;

const OF_SERVER = `SELECT (SELECT count(*) FROM user) AS userCount,
  (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) AS databaseSize`;

export const inventoryFor = async (from: Reads, viewer: Viewer): Promise<Inventory> => {
  const rows = await from.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM
       (SELECT l.uuid, l.name, ${sumsOf(viewer)} AS sums FROM library l WHERE true${andVisibleLibrary(viewer.scope, 'l')}
        ORDER BY l.name_sort, l.id) l)`,
  );
  const libraries = rows.map(COLUMNS.read).map(({ id, name, sums: [seriesCount, bookCount, fileSize, pageCount] }) => ({
    id,
    name,
    seriesCount,
    bookCount,
    fileSize,
    pageCount,
  }));
  const [ofServer] = viewer.administers ? await from.all<Omit<Inventory, 'libraries'>>(OF_SERVER) : [];
  return { libraries, userCount: 0, databaseSize: 0, ...ofServer };
};
