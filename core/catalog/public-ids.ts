// From a public id to the row it names. What the viewer may not see is answered as if it did not exist.
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { Reader } from '../store/db.js';
import { andVisible, andVisibleBook, andVisibleLibrary } from './visibility.js';

export interface Resolved {
  readonly key: number;
  /** The row's own key for a series; 0 for a library. */
  readonly seriesKey: number;
  readonly libraryKey: number;
}

export type ResolvedKind = 'book' | 'series' | 'library';

const COLUMNS: Readonly<Record<ResolvedKind, string>> = {
  book: 'o.id AS key, o.series_id AS seriesKey, o.library_id AS libraryKey',
  series: 'o.id AS key, o.id AS seriesKey, o.library_id AS libraryKey',
  library: 'o.id AS key, 0 AS seriesKey, o.id AS libraryKey',
};

/** ` AND …` for a row of the given kind with the alias `alias`. */
export const andVisibleRow = ({ scope }: Viewer, kind: ResolvedKind, alias: string): string => {
  if (kind === 'library') return andVisibleLibrary(scope, alias);
  return kind === 'series' ? andVisible(scope, alias) : andVisibleBook(scope, alias);
};

export const unknownRow = (kind: ResolvedKind): AppError =>
  new AppError('NotFound', `There is no ${kind} with this id.`);

export const resolve = async (from: Reader, kind: ResolvedKind, id: string, viewer: Viewer): Promise<Resolved> => {
  const [row] = await from.all<Resolved>(
    `SELECT ${COLUMNS[kind]} FROM ${kind} o WHERE o.uuid = ?${andVisibleRow(viewer, kind, 'o')}`,
    [bytesOfUuid(id)],
  );
  if (row === undefined) throw unknownRow(kind);
  return row;
};

/** SQL: the bytes of a uuid that `sql` gives as text. */
export const uuidIn = (sql: string): string => `unhex(replace(${sql}, '-', ''))`;

/** Throws NotFound unless all of these are there and visible. */
export const resolveAll = async (
  from: Reader,
  kind: ResolvedKind,
  ids: readonly string[],
  viewer: Viewer,
): Promise<void> => {
  const [row] = await from.all<{ n: number }>(
    `SELECT count(*) AS n FROM json_each(?) j CROSS JOIN ${kind} o ON o.uuid = ${uuidIn('j.value')}${andVisibleRow(viewer, kind, 'o')}`,
    [JSON.stringify(ids)],
  );
  if (row?.n !== ids.length) throw unknownRow(kind);
};
