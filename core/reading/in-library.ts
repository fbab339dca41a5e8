// Limits lists of what a user reads to one library, or to several.

import { bytesOfUuid, hexOfUuid } from '../model/ids.js';
import type { RowKind } from '../model/row-kind.js';
import type { Bind } from '../store/db.js';

/** Limits rows to libraries: a join with the table that holds the library, and its bind. A library that does not exist has no rows. */
interface LibraryJoin {
  readonly join: string;
  readonly binds: readonly Bind[];
}

/** The id of a library, or several; undefined for all. */
export type InLibraries = string | readonly string[] | undefined;

const ONE = '= (SELECT id FROM library WHERE uuid = ?)';
const SEVERAL = 'IN (SELECT i.id FROM json_each(?) j CROSS JOIN library i ON i.uuid = unhex(j.value))';

export const inLibrary = (table: RowKind, key: string, libraries: InLibraries): LibraryJoin => {
  if (libraries === undefined) return { join: '', binds: [] };
  const [first, ...more] = [libraries].flat();
  const [which, bind] =
    first !== undefined && more.length === 0
      ? [ONE, bytesOfUuid(first)]
      : [SEVERAL, JSON.stringify([libraries].flat().map(hexOfUuid))];
  return { join: `CROSS JOIN ${table} o ON o.id = ${key} AND o.library_id ${which}`, binds: [bind] };
};
