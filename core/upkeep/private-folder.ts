// Folders in the data folder that nobody else can look into, for copies of a database while they are made or checked. SQLite obeys the files
// that lie beside a database, so a copy must not lie where others may put some.
import { mkdtemp, opendir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { holdExclusively } from '../store/exclusive.js';
import { codeOf } from './whole-file.js';

const PREFIX = 'longbox-private-';
/** Held for as long as the folder is in use: what a process that was killed left can be told from what another one works in. */
const LOCK = 'lock';

export interface PrivateFolder {
  readonly path: string;
  /** Also what is in it. May be called twice. */
  remove(): Promise<void>;
}

export const makePrivateFolder = async (dataFolder: string): Promise<PrivateFolder> => {
  const path = await mkdtemp(join(dataFolder, PREFIX)); // its mode is 0700
  const lock = await holdExclusively(join(path, LOCK));
  if (lock === null) throw new AppError('Conflict', `${path} is in use by another program.`);
  return {
    path,
    remove: async () => {
      await lock.release();
      await rm(path, { recursive: true, force: true });
    },
  };
};

/** What processes that were killed left. */
export const removeLeftFolders = async (dataFolder: string): Promise<void> => {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(dataFolder))
      if (entry.isDirectory() && entry.name.startsWith(PREFIX)) names.push(entry.name);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown; // a new installation
  }
  for (const name of names) {
    const lock = await holdExclusively(join(dataFolder, name, LOCK)).catch(() => null); // removed by its owner meanwhile
    if (lock === null) continue;
    await lock.release();
    await rm(join(dataFolder, name), { recursive: true, force: true });
  }
};

export const isInPrivateFolder = (path: string): boolean => basename(dirname(path)).startsWith(PREFIX);
