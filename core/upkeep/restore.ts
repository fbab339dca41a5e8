// Replaces the database with that of a backup, and brings back its uploaded images, in steps that may each be the last: before the rename
// the old database is in place, with all of its images, after it the new one with all of its. Images are named by ids and never change, so
// that those of both can lie side by side. The old database's WAL and journal are never applied to the new file.
import { constants } from 'node:fs';
import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from '../store/connection.js';
import { syncFile, syncFolder } from '../store/durable.js';
import { makeFolder } from '../store/make-folder.js';
import { BESIDE, checkDatabase, PENDING, removeDatabase } from './backup.js';
import { BEFORE_RESTORE, ownName, removeOwnPartials } from './backup-files.js';
import { uploadFile } from './backup-parts.js';
import { isInPrivateFolder, removeLeftFolders } from './private-folder.js';
import type { CheckedBackup } from './read-backup.js';
import { addImages, refuseFolders, removeWaiting, replaceImages } from './restore-images.js';
import { checkSource, copySource } from './restore-source.js';
import { refuseWithoutRoom } from './room.js';
import { sizeOf } from './whole-file.js';
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

const uploadsOf = ({ path, uploads }: Pick<Restore, 'path' | 'uploads'>): string =>
  uploads ?? join(dirname(path), 'uploads');

const keptPath = ({ keptFolder, nowMs }: Restore, ending: string): string =>
  join(keptFolder, ownName('restore-point', nowMs, ending));

/** A copy and not a hard link: a restore that ends here leaves the old database in use, and the copy must not change with it. */
const keepDamaged = async (path: string, kept: string): Promise<void> => {
  const partial = partialPath(dirname(kept));
  await makeFolder(dirname(kept), 0o700);
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

type Places = Pick<Restore, 'path' | 'uploads' | 'keptFolder'>;

/** Refuses a source that an unfinished backup or restore left: such files are removed before a restore begins. */
const refuseUnfinished = async ({ path, source, keptFolder }: Restore): Promise<void> => {
  const isSame = async (one: string, other: string): Promise<boolean> => {
    const [found, wanted] = await Promise.all([one, other].map((at) => stat(at).catch(() => undefined)));
    return found !== undefined && found.dev === wanted?.dev && found.ino === wanted.ino;
  };
  const isOurs =
    (await isSame(source, freshPath(path))) ||
    isInPrivateFolder(source) ||
    (source.endsWith('.partial') && (await isSame(dirname(source), keptFolder)));
  if (isOurs)
    throw new AppError('BadRequest', `${source} is what a backup or restore left unfinished, and cannot be restored.`);
};

export const restoreSteps = (
  restore: Restore,
  onEnd: (restored: Restored) => void = () => undefined,
): readonly RestoreStep[] => {
  const { path, source } = restore;
  const [fresh, uploads] = [freshPath(path), uploadsOf(restore)];
  let checked: CheckedBackup | null = null;
  let kept: string | null = null;
  const step = (name: string, run: () => Promise<void>): RestoreStep => ({ name, run });
  return [
    step('check the backup', async () => {
      checked = await checkSource(source);
    }),
    step('check that there is room', async () => {
      await refuseFolders(uploads, checked?.uploads ?? []);
      await checkRoom(restore, checked);
    }),
    step('copy it next to the database', () => copySource(source, checked, fresh)),
    step('checkpoint the write-ahead log of the database', () => foldLog(path)),
    step('make a backup of what is there', async () => {
      kept = await keepOld(restore);
    }),
    step('add the uploaded images', () => addImages(source, uploads, checked?.uploads ?? [])),
    step('remove the write-ahead log of the database', () => removeBeside(path)),
    step('replace the database', () => rename(fresh, path)),
    step('sync the folder to disk', () => syncFolder(dirname(path))),
    step('replace images that differ', async () => {
      await replaceImages(uploads);
      onEnd({ kept, uploads: checked?.uploads.length ?? null });
    }),
  ];
};

/**
 * What an interrupted attempt takes up is room that the next one needs. True if there was something to undo; once the database was replaced,
 * images that still wait for it take their places.
 */
const finishOrUndo = async (places: Places): Promise<boolean> => {
  const { path, keptFolder } = places;
  const fresh = freshPath(path);
  const isUnfinished = (await sizeOf(fresh)) !== undefined;
  if (isUnfinished) await removeWaiting(uploadsOf(places));
  else await replaceImages(uploadsOf(places));
  await removeDatabase(fresh);
  await rm(partialPath(keptFolder), { force: true });
  await removeOwnPartials(keptFolder);
  await removeLeftFolders(dirname(path));
  return isUnfinished;
};

/** Call only while this process holds the lock of the data folder. */
export const restoreBackup = async (restore: Restore): Promise<Restored> => {
  let restored: Restored = { kept: null, uploads: null };
  await refuseUnfinished(restore);
  await finishOrUndo(restore);
  try {
    const onEnd = (result: Restored): void => {
      restored = result;
    };
    for (const step of restoreSteps(restore, onEnd)) await step.run();
  } catch (thrown) {
    await finishOrUndo(restore);
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
  if ((await sizeOf(fresh)) !== undefined && !(await sizeOf(path)))
    throw new AppError(
      'BadRequest',
      `A restore into ${dirname(path)} was interrupted. Run "longbox restore FILE" again; or remove ${fresh} to set up a new server.`,
    );
  if (await finishOrUndo({ path, keptFolder }))
    onNote('a restore was interrupted before it replaced anything: the database and uploads of before are in use');
};
