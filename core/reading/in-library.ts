// Lists of what a user reads, limited to one library.
import { bytesOfUuid } from '../model/ids.js';
import type { Bind } from '../store/db.js';

/** Limits rows to a library: a join for the table that knows it, and its bind. A library that does not exist leaves nothing. */
interface LibraryJoin {
  readonly join: string;
  readonly binds: readonly Bind[];
}

export const inLibrary = (table: 'book' | 'series', key: string, libraryId: string | undefined): LibraryJoin =>
  libraryId === undefined
    ? { join: '', binds: [] }
    : {
        join: `CROSS JOIN ${table} o ON o.id = ${key} AND o.library_id = (SELECT id FROM library WHERE uuid = ? AND removing = 0)`,
        binds: [bytesOfUuid(libraryId)],
      };
