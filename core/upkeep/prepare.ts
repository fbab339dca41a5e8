// What happens to the database before it is opened: an interrupted restore is undone, a lost database refused, an older schema upgraded.

import { makeFolder } from '../store/make-folder.js';
import { migrate } from '../store/migrate.js';
import { refuseLostDatabase } from './installation.js';
import { backupFolder, databasePath } from './places.js';
import { undoInterrupted } from './restore.js';

export interface Prepared {
  readonly folder: string;
  readonly cacheFolder: string;
  readonly onNote: (sentence: string) => void;
}

/** Returns its path. */
export const prepareDatabase = async ({ folder, cacheFolder, onNote }: Prepared): Promise<string> => {
  await makeFolder(folder);
  const database = databasePath(folder);
  const backups = backupFolder(folder);
  await undoInterrupted(database, backups, onNote);
  await refuseLostDatabase({ folder, database, backups, cache: cacheFolder });
  const applied = await migrate(database, backups, { onNote });
  if (applied.length > 0) onNote(`database migrated to schema ${applied.at(-1) ?? ''}`);
  return database;
};
