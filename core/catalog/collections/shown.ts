// Which members of collections and read lists a user sees. Every read of either asks here and nowhere else.
import { isKept } from '../removing.js';

/** What a list is made of. */
export type MemberKind = 'series' | 'book';

/**
 * SQL over a row of the table `series` or `book`, known by `alias`. Nobody sees what has no file at present: it comes back with the file.
 * What only some users may see is decided by the same expression, which is why every caller says who asks.
 */
export const shown = (kind: MemberKind, alias: string, _userKey: number): string =>
  `${kind === 'series' ? `${alias}.book_count > 0` : `${alias}.deleted = 0`} AND ${isKept(alias)}`;
