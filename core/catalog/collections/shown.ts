// Which members of collections and read lists a user sees. Every read of either asks here and nowhere else.

import type { Viewer } from '../../model/viewer.js';
import { andVisibleRow } from '../public-ids.js';

/** What a list is made of. */
export type MemberKind = 'series' | 'book';

/**
 * SQL over a row of the table `series` or `book`, known by `alias`. Nobody sees what has no file at present: it comes back with the file.
 * Nor what is outside of the scope of the viewer.
 */
export const shown = (kind: MemberKind, alias: string, viewer: Viewer): string =>
  `${alias}.${kind === 'series' ? 'book_count > 0' : 'deleted = 0'}${andVisibleRow(viewer, kind, alias)}`;
