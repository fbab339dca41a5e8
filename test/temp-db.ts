// A database of the real schema in a folder of its own, without the rest of the engine. Reports are compared with what happened.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepSearch } from '../core/catalog/search/keep.js';
import { type Db, openDb } from '../core/store/db.js';
import { ASPECTS } from '../core/store/feed.js';
import { migrate } from '../core/store/migrate.js';
import { feedCheck } from './feed-check.js';

export interface TempDb {
  readonly db: Db;
  /** Opens the database again, after `db` was closed. */
  reopen(): Promise<Db>;
  /** Removes the folder too. */
  close(): Promise<void>;
}

export const openTempDb = async (name: string): Promise<TempDb> => {
  const folder = mkdtempSync(join(tmpdir(), `longbox-${name}-`));
  const path = join(folder, 'test.db');
  await migrate(path, join(folder, 'backups'));
  const open = (): Promise<Db> =>
    openDb({
      path,
      readers: 2,
      readDeadlineMs: 20_000,
      queueLength: 1000,
      beforeCommit: { aspects: ASPECTS.text, run: keepSearch },
      inspection: feedCheck,
    });
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
