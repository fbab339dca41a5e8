// Replaces the database with a copy, in steps that may each be the last: before the rename the old database is in place and complete, after
// it the new one. The old one's WAL and journal are never applied to the new file.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from '../store/connection.js';
import { syncFile, syncFolder } from '../store/durable.js';
import { MIGRATIONS } from '../store/migrations/index.js';
import { beginEpoch } from '../store/versions.js';
import { checkDatabase } from './backup.js';
import { codeOf } from './whole-file.js';

export interface Restore {
  readonly path: string;
  readonly source: string;
  /** Where the replaced database is kept. */
  readonly keptFolder: string;
  readonly nowMs: number;
}

export interface RestoreStep {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const FILE_MODE = 0o600;
/** The files that SQLite applies to a database when it opens it, and those it only works with. */
const PENDING = ['-wal', '-journal'];
const BESIDE = [...PENDING, '-shm'];

/** Undefined when there is none. */
const sizeOf = async (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    },
  );

const checkSource = async (source: string): Promise<void> => {
  if ((await sizeOf(source)) === undefined) throw new AppError('NotFound', `There is no file ${source}.`);
  const { schema, faults } = await checkDatabase(source, true).catch((thrown: unknown) => {
    throw new AppError('BadRequest', `${source} is not a Longbox database.`, null, thrown);
  });
  if (schema < 1) throw new AppError('BadRequest', `${source} is not a Longbox database.`);
  if (schema > MIGRATIONS.length)
    throw new AppError(
      'BadRequest',
      `${source} was written by a newer version (schema ${schema}); install that one first.`,
    );
  if (faults.length > 0) throw new AppError('BadRequest', `${source} is damaged: ${faults[0]}`);
};

const copySource = async (source: string, fresh: string): Promise<void> => {
  await mkdir(dirname(fresh), { recursive: true });
  for (const suffix of ['', ...BESIDE]) await rm(fresh + suffix, { force: true });
  await withConnection(source, (connection) => connection.run('VACUUM INTO ?', [fresh]));
  await withConnection(fresh, async (connection) => {
    // A session that has ended since the copy was made must not become valid again, nor a token or a link that was used.
    await connection.exec('PRAGMA foreign_keys=ON');
    await connection.run('DELETE FROM session');
    const links = await connection.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'mail_link'");
    if (links.length > 0) await connection.run('DELETE FROM mail_link');
    await beginEpoch(connection);
  });
  await chmod(fresh, FILE_MODE);
  await syncFile(fresh);
};

/** Checkpoints the WAL, so that the file is complete by itself. A damaged database stays as it is, and is kept with its WAL. */
const foldLog = async (path: string): Promise<void> => {
  if (!(await sizeOf(path))) return;
  try {
    await withConnection(path, async (connection) => {
      const [folded] = await connection.all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
      const [mode] = await connection.all<{ journal_mode: string }>('PRAGMA journal_mode=DELETE');
      if (folded?.busy !== 0 || mode?.journal_mode !== 'delete')
        throw new AppError('Conflict', `${path} is in use by another program. Close it first.`);
    });
  } catch (thrown) {
    if (!/SQLITE_(?:CORRUPT|NOTADB)/.test(String(thrown))) throw thrown;
  }
};

const partialPath = (keptFolder: string): string => join(keptFolder, 'longbox-before-restore.partial');

/** A copy and not a hard link: a restore that ends here leaves the old database in use, and the copy must not change with it. */
const keepOld = async (path: string, kept: string): Promise<void> => {
  if (!(await sizeOf(path))) return;
  await mkdir(dirname(kept), { recursive: true });
  const partial = partialPath(dirname(kept));
  for (const suffix of [...PENDING, '']) {
    if ((await sizeOf(path + suffix)) === undefined) continue;
    await copyFile(path + suffix, partial, constants.COPYFILE_FICLONE);
    await chmod(partial, FILE_MODE);
    await syncFile(partial);
    await rename(partial, kept + suffix);
  }
  await syncFolder(dirname(kept));
};

/** This must be on disk before the rename is: a WAL that comes back after a power loss would be applied to the new file. */
const removeBeside = async (path: string): Promise<void> => {
  for (const suffix of BESIDE) await rm(path + suffix, { force: true });
  await syncFolder(dirname(path));
};

const keptPath = ({ keptFolder, nowMs }: Restore): string =>
  join(keptFolder, `longbox-before-restore-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.db`);

const freshPath = ({ path }: Restore): string => `${path}.restored`;

/** An unfinished copy would take up the space that the next attempt needs. */
const removeUnfinished = async (restore: Restore): Promise<void> => {
  for (const suffix of ['', ...BESIDE]) await rm(freshPath(restore) + suffix, { force: true });
  await rm(partialPath(restore.keptFolder), { force: true });
};

export const restoreSteps = (restore: Restore): readonly RestoreStep[] => {
  const { path, source } = restore;
  const fresh = freshPath(restore);
  return [
    { name: 'check the backup', run: () => checkSource(source) },
    { name: 'copy it next to the database', run: () => copySource(source, fresh) },
    { name: 'checkpoint the write-ahead log of the database', run: () => foldLog(path) },
    { name: 'keep a copy of the database', run: () => keepOld(path, keptPath(restore)) },
    { name: 'remove the write-ahead log of the database', run: () => removeBeside(path) },
    { name: 'replace the database', run: () => rename(fresh, path) },
    { name: 'sync the folder to disk', run: () => syncFolder(dirname(path)) },
  ];
};

/**
 * Call only while this process holds the lock of the data folder. Returns the name of the copy of the old database; null if there was none.
 */
export const restoreDatabase = async (restore: Restore): Promise<string | null> => {
  const hadContent = ((await sizeOf(restore.path)) ?? 0) > 0;
  try {
    for (const step of restoreSteps(restore)) await step.run();
  } catch (thrown) {
    await removeUnfinished(restore);
    throw thrown;
  }
  return hadContent ? keptPath(restore) : null;
};
