// Limits lists of what a user reads to one library.

import { bytesOfUuid } from '../model/ids.js';
import type { RowKind } from '../model/row-kind.js';
import type { Bind } from '../store/db.js';

/** Limits rows to a library: a join with the table that holds the library, and its bind. A library that does not exist leaves nothing. */
interface LibraryJoin {
  readonly join: string;
  readonly binds: readonly Bind[];
}

export const inLibrary = (table: RowKind, key: string, libraryId: string | undefined): LibraryJoin =>
  libraryId === undefined
    ? { join: '', binds: [] }
    : {
        join: `CROSS JOIN ${table} o ON o.id = ${key} AND o.library_id = (SELECT id FROM library WHERE uuid = ?)`,
        binds: [bytesOfUuid(libraryId)],
      };
