// What lies in each table, to compare before and after a request that must change nothing.
import type { Db } from '../../core/store/db.js';

/** Rows of these tables change on their own, or with every write that is tried. */
const RESTLESS = /^(?:sqlite_|session|user$|api_key|search|change_feed|own_change)/;

/** As JSON, by the name of the table. */
export const storedRows = async (db: Db): Promise<ReadonlyMap<string, string>> => {
  const tables = await db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  const found = new Map<string, string>();
  for (const { name } of tables)
    if (!RESTLESS.test(name)) found.set(name, JSON.stringify(await db.all(`SELECT * FROM "${name}"`)));
  return found;
};
