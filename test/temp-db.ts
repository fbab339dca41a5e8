// A database of the real schema in a folder of its own, without the rest of the engine. Reports are compared with what happened.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SearchKeeper } from '../core/catalog/search/keeper.js';
import { type Db, openDb } from '../core/store/db.js';
import { databasePath } from '../core/upkeep/places.js';
import { feedCheck } from './feed-check.js';
import { putNewDatabase } from './new-database.js';

export interface TempDb {
  readonly db: Db;
  /** Opens the database again, after `db` was closed. */
  reopen(): Promise<Db>;
  /** Removes the folder too. */
  close(): Promise<void>;
}

export const openTempDb = async (name: string): Promise<TempDb> => {
  const folder = mkdtempSync(join(tmpdir(), `longbox-${name}-`));
  const path = databasePath(folder);
  await putNewDatabase(folder);
  const open = async (): Promise<Db> => {
    const search = new SearchKeeper((thrown) => console.error(thrown));
    const db = await openDb({
      path,
      readers: 2,
      readDeadlineMs: 20_000,
      queueLength: 1000,
      beforeCommit: search,
      inspection: feedCheck,
    });
    search.drainInto(db);
    return db;
  };
  const db = await open();
  const opened = [db];
  return {
    db,
    reopen: async () => {
      const again = await open();
      opened.push(again);
      return again;
    },
    close: async () => {
      for (const one of opened) await one.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
