// One process per data folder. The lock is a transaction held open on a tiny database: the system itself releases it when the process
// ends, however it ends, even in a container that comes back under another name. A file next to it says who holds it.
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { holdExclusively } from '../store/exclusive.js';
import { makeFolder } from '../store/make-folder.js';
import { reasonOf } from './whole-file.js';

export const LOCK_FILE = 'longbox.lock';
/** Information for people: it decides nothing. */
const HOLDER_FILE = 'longbox.lock.json';

export interface Lock {
  /** May be called twice. */
  release(): Promise<void>;
}

const holderWords = (folder: string): string => {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8'));
    if (
      typeof found !== 'object' ||
      found === null ||
      !('pid' in found) ||
      !('host' in found) ||
      !('startedAt' in found)
    )
      return '';
    return ` (process ${String(found.pid)} on ${String(found.host)}, since ${String(found.startedAt)})`;
  } catch {
    return ''; // not written yet, or not readable: the refusal works without it
  }
};

/** The folder itself, or its nearest existing ancestor. */
const nearestOf = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestOf(dirname(folder));

/** Throws a message that names the holder when another process has the folder. Creates the folder if it is missing. */
export const acquireLock = async (folder: string, nowMs: number): Promise<Lock> => {
  try {
    accessSync(nearestOf(folder), constants.W_OK); // the next call says ENOENT for a read-only disk
    await makeFolder(folder);
  } catch (thrown) {
    if (existsSync(folder)) throw thrown;
    throw new AppError('BadRequest', `The data folder ${folder} cannot be created: ${reasonOf(thrown)}.`, null, thrown);
  }
  const held = await holdExclusively(join(folder, LOCK_FILE)).catch((thrown: unknown) => {
    if (!/SQLITE_(?:CORRUPT|NOTADB)/.test(String(thrown))) throw thrown;
    throw new AppError(
      'BadRequest',
      `The data folder ${folder} cannot be locked: ${reasonOf(thrown)}. Remove the file ${LOCK_FILE} there; it holds no data.`,
      null,
      thrown,
    );
  });
  if (held === null) {
    throw new AppError(
      'Conflict',
      `The data folder ${folder} is in use by another Longbox${holderWords(folder)}. Stop it first, or choose another folder with --data.`,
    );
  }
  writeFileSync(
    join(folder, HOLDER_FILE),
    JSON.stringify({ pid: process.pid, host: hostname(), startedAt: new Date(nowMs).toISOString() }),
  );
  return { release: held.release };
};
