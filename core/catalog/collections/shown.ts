// Which members of collections and read lists a user sees. Every read of either checks here and nowhere else.

import type { RowKind } from '../../model/row-kind.js';
import type { Viewer } from '../../model/viewer.js';
import { andVisibleRow } from '../public-ids.js';

/**
 * SQL over a row of the table `series` or `book` with the alias `alias`. Rows that have no file at present are hidden until the file
 * returns. So are rows outside the viewer's scope.
 */
export const shown = (kind: RowKind, alias: string, viewer: Viewer): string =>
  `${alias}.${kind === 'series' ? 'book_count > 0' : 'deleted = 0'}${andVisibleRow(viewer, kind, alias)}`;
