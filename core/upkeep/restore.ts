// Replaces the database with that of a backup, and brings back its uploaded images, in steps that may each be the last: before the rename
// the old database is in place, with all of its images, after it the new one with all of its. Images are named by ids and never change, so
// that those of both can lie side by side. The old database's WAL and journal are never applied to the new file.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from '../store/connection.js';
import { syncFile, syncFolder } from '../store/durable.js';
import { MIGRATIONS } from '../store/migrations/index.js';
import { beginEpoch } from '../store/versions.js';
import { BESIDE, checkDatabase, copyDatabase, PENDING, removeDatabase } from './backup.js';
import { BEFORE_RESTORE, ownName, removeOwnPartials } from './backup-files.js';
import { uploadFile } from './backup-parts.js';
import { type CheckedBackup, checkBackup, extract, holds, kindOf, type Upload, withFile } from './read-backup.js';
import { refuseWithoutRoom } from './room.js';
import { codeOf } from './whole-file.js';
import { sizesOf, writeBackup } from './write-backup.js';

export interface Restore {
  readonly path: string;
  readonly source: string;
  /** The folder of uploaded images; beside the database unless told. */
  readonly uploads?: string;
  /** Where what is replaced is kept. */
  readonly keptFolder: string;
  readonly nowMs: number;
}

export interface RestoreStep {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface Restored {
  /** What was replaced; null if there was nothing. */
  readonly kept: string | null;
  /** Null for a copy of the database alone, as earlier versions made. */
  readonly uploads: number | null;
}

const FILE_MODE = 0o600;

/** Undefined when there is none. */
const sizeOf = async (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    (thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    },
  );

const newer = (source: string, schema: number): AppError =>
  new AppError('BadRequest', `${source} was written by a newer version (schema ${schema}); install that one first.`);

const checkCopy = async (path: string, source: string): Promise<void> => {
  const { schema, faults } = await checkDatabase(path, true).catch((thrown: unknown) => {
    throw new AppError('BadRequest', `${source} is not a Longbox database.`, null, thrown);
  });
  if (schema < 1) throw new AppError('BadRequest', `${source} is not a Longbox database.`);
  if (schema > MIGRATIONS.length) throw newer(source, schema);
  if (faults.length > 0) throw new AppError('BadRequest', `${source} is damaged: ${faults[0]}`);
};

/** Null for a copy of the database alone. */
const checkSource = async (source: string): Promise<CheckedBackup | null> => {
  if ((await sizeOf(source)) === undefined) throw new AppError('NotFound', `There is no file ${source}.`);
  if (!(await stat(source)).isFile()) throw new AppError('BadRequest', `${source} is not a file.`);
  if ((await kindOf(source)) !== 'archive') {
    await checkCopy(source, source);
    return null;
  }
  const checked = await checkBackup(source).catch((thrown: unknown) => {
    if (!(thrown instanceof AppError) || thrown.kind === 'Internal') throw thrown;
    throw new AppError('BadRequest', `${source} is not a valid backup: ${thrown.message}.`, null, thrown);
  });
  if (checked.description.schema > MIGRATIONS.length) throw newer(source, checked.description.schema);
  return checked;
};

/** A session that has ended since the copy was made must not become valid again, nor a link that was used; a task is not begun again. */
const forget = (fresh: string): Promise<void> =>
  withConnection(fresh, async (connection) => {
    await connection.exec('PRAGMA foreign_keys=ON');
    await connection.run('DELETE FROM session');
    const has = async (table: string): Promise<boolean> =>
      (await connection.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [table])).length > 0;
    if (await has('mail_link')) await connection.run('DELETE FROM mail_link');
    if (await has('task'))
      await connection.run("DELETE FROM task WHERE type = 'backup' AND state IN ('pending', 'running')");
    await beginEpoch(connection);
  });

const copySource = async ({ source }: Restore, checked: CheckedBackup | null, fresh: string): Promise<void> => {
  await mkdir(dirname(fresh), { recursive: true });
  if (checked === null) await copyDatabase(source, fresh);
  else {
    await removeDatabase(fresh);
    await withFile(source, (handle) => extract(handle, checked.database, fresh));
    await checkCopy(fresh, source);
  }
  await forget(fresh);
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

const partialPath = (keptFolder: string): string => join(keptFolder, `${BEFORE_RESTORE}.partial`);

const uploadsOf = ({ path, uploads }: Restore): string => uploads ?? join(dirname(path), 'uploads');

const keptPath = ({ keptFolder, nowMs }: Restore, ending: string): string =>
  join(keptFolder, ownName('restore-point', nowMs, ending));

/** A copy and not a hard link: a restore that ends here leaves the old database in use, and the copy must not change with it. */
const keepDamaged = async (path: string, kept: string): Promise<void> => {
  const partial = partialPath(dirname(kept));
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  for (const suffix of [...PENDING, '']) {
    if ((await sizeOf(path + suffix)) === undefined) continue;
    await copyFile(path + suffix, partial, constants.COPYFILE_FICLONE);
    await chmod(partial, FILE_MODE);
    await syncFile(partial);
    await rename(partial, kept + suffix);
  }
  await syncFolder(dirname(kept));
};

/** Returns what it is kept as: a backup, or files as they are of a database that is damaged, whose images stay where they are. */
const keepOld = async (restore: Restore): Promise<string | null> => {
  const { path: database, keptFolder, nowMs } = restore;
  if (!(await sizeOf(database))) return null;
  const { schema, faults } = await checkDatabase(database, true);
  const kept = keptPath(restore, faults.length > 0 || schema < 1 ? '.db' : '.tar');
  if (kept.endsWith('.db')) await keepDamaged(database, kept);
  else if ((await sizeOf(kept)) === undefined)
    await writeBackup({ database, uploads: uploadsOf(restore), target: kept, nowMs }, keptFolder);
  return kept;
};

/** Those that are not there, or not as they were; each appears whole. */
const putUploads = async (restore: Restore, uploads: readonly Upload[]): Promise<void> => {
  const folder = uploadsOf(restore);
  if (uploads.length === 0) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await withFile(restore.source, async (handle) => {
    for (const upload of uploads) {
      const target = join(folder, uploadFile(upload.id));
      if (await holds(target, upload)) continue;
      const draft = `${target}.tmp`;
      await rm(draft, { force: true });
      await extract(handle, upload, draft);
      await rename(draft, target);
    }
  });
  await syncFolder(folder);
};

/** This must be on disk before the rename is: a WAL that comes back after a power loss would be applied to the new file. */
const removeBeside = async (path: string): Promise<void> => {
  for (const suffix of BESIDE) await rm(path + suffix, { force: true });
  await syncFolder(dirname(path));
};

const checkRoom = async (restore: Restore, checked: CheckedBackup | null): Promise<void> => {
  const { path, source, keptFolder } = restore;
  const old = await sizesOf(path, uploadsOf(restore));
  const fresh = checked?.database.bytes ?? (await sizeOf(source)) ?? 0;
  let images = 0; // those that are here already stay
  for (const { id, bytes } of checked?.uploads ?? [])
    if ((await sizeOf(join(uploadsOf(restore), uploadFile(id)))) !== bytes) images += bytes;
  await refuseWithoutRoom('for a restore', [
    { folder: dirname(path), bytes: fresh, use: 'the database' },
    { folder: uploadsOf(restore), bytes: images, use: 'the uploaded images' },
    { folder: keptFolder, bytes: 2 * old.database + old.uploads, use: 'a backup of the existing data' },
  ]);
};

export const freshPath = (path: string): string => `${path}.restored`;

/** What an interrupted attempt takes up is room that the next one needs. */
export const removeUnfinished = async ({ path, keptFolder }: Pick<Restore, 'path' | 'keptFolder'>): Promise<void> => {
  await removeDatabase(freshPath(path));
  await rm(partialPath(keptFolder), { force: true });
  await removeOwnPartials(keptFolder);
};

export const restoreSteps = (
  restore: Restore,
  onEnd: (restored: Restored) => void = () => undefined,
): readonly RestoreStep[] => {
  const { path, source } = restore;
  const fresh = freshPath(path);
  let checked: CheckedBackup | null = null;
  let kept: string | null = null;
  const step = (name: string, run: () => Promise<void>): RestoreStep => ({ name, run });
  return [
    step('check the backup', async () => {
      checked = await checkSource(source);
    }),
    step('check that there is room', () => checkRoom(restore, checked)),
    step('copy it next to the database', () => copySource(restore, checked, fresh)),
    step('checkpoint the write-ahead log of the database', () => foldLog(path)),
    step('make a backup of what is there', async () => {
      kept = await keepOld(restore);
    }),
    step('add the uploaded images', () => putUploads(restore, checked?.uploads ?? [])),
    step('remove the write-ahead log of the database', () => removeBeside(path)),
    step('replace the database', () => rename(fresh, path)),
    step('sync the folder to disk', async () => {
      await syncFolder(dirname(path));
      onEnd({ kept, uploads: checked?.uploads.length ?? null });
    }),
  ];
};

/** Call only while this process holds the lock of the data folder. */
export const restoreBackup = async (restore: Restore): Promise<Restored> => {
  let restored: Restored = { kept: null, uploads: null };
  try {
    const onEnd = (result: Restored): void => {
      restored = result;
    };
    for (const step of restoreSteps(restore, onEnd)) await step.run();
  } catch (thrown) {
    await removeUnfinished(restore);
    throw thrown;
  }
  return restored;
};

/** The same, and the name of what was replaced. */
export const restoreDatabase = async (restore: Restore): Promise<string | null> => (await restoreBackup(restore)).kept;

/**
 * Undoes a restore that was interrupted before it replaced the database. Images that it had added stay for as long as any that nobody
 * refers to. Throws where there was nothing before: a start would let anybody set the server up.
 */
export const undoInterrupted = async (
  path: string,
  keptFolder: string,
  onNote: (sentence: string) => void,
): Promise<void> => {
  const fresh = freshPath(path);
  if ((await sizeOf(fresh)) === undefined) return;
  if (!(await sizeOf(path)))
    throw new AppError(
      'BadRequest',
      `A restore into ${dirname(path)} was interrupted. Run "longbox restore FILE" again; or remove ${fresh} to set up a new server.`,
    );
  await removeUnfinished({ path, keptFolder });
  onNote('a restore was interrupted before it replaced anything: the database and uploads of before are in use');
};
