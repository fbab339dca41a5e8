// Makes a backup while others write: one tar file with the database and every uploaded image that it refers to. Images are copied before the
// database, so that each image whose row is in the copy was there; one that was removed meanwhile takes its row out of the copy as well.
import { type FileHandle, open, opendir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { isOfDisk, withConnection } from '../store/connection.js';
import { isDiskError, isDiskFull } from '../store/free-space.js';
import { makeFolder } from '../store/make-folder.js';
import { checkDatabase, copyDatabase } from './backup.js';
import {
  CONTENTS,
  type Counts,
  contentsText,
  DATABASE,
  DESCRIPTION,
  descriptionText,
  uploadEntry,
  uploadFile,
  uploadNamed,
} from './backup-parts.js';
import { countsIn, coverIds, deleteRows, NO_ROWS, type RowCounts, schemaOf, stillThere } from './backup-rows.js';
import { nameWhole, overtaken, partialOf, removePartial } from './partial-backup.js';
import { makePrivateFolder, type PrivateFolder, removeLeftFolders } from './private-folder.js';
import { releaseText } from './release.js';
import { refuseWithoutRoom } from './room.js';
import { type TarWatch, TarWriter } from './tar.js';
import { canBeRead, codeOf } from './whole-file.js';

export interface BackupJob {
  readonly database: string;
  /** The folder of uploaded images. */
  readonly uploads: string;
  readonly target: string;
  readonly nowMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with bytes written, and with how many there will be. */
  readonly onProgress?: ((bytes: number, ofBytes: number) => void) | undefined;
}

export interface Made {
  readonly bytes: number;
  readonly counts: Counts;
  /** Covers whose files were lost before. */
  readonly missing: number;
}

export interface BackupStep {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface BackupPlan {
  readonly steps: readonly BackupStep[];
  /** After a failure. */
  readonly abandon: () => Promise<void>;
}

const sizeAt = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size;

/** Names are read as they come: folders of uploads may be large. */
export async function* uploadIds(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const id = entry.isFile() ? uploadNamed(entry.name) : undefined;
      if (id !== undefined) yield id;
    }
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown; // nothing was ever uploaded
  }
}

const fileOf = (uploads: string, id: string): string => join(uploads, uploadFile(id));

/** The room that a backup of them takes, not counting the temporary copy of the database. */
export const sizesOf = async (
  database: string,
  uploads: string,
): Promise<{ readonly database: number; readonly uploads: number }> => {
  let bytes = 0;
  for await (const id of uploadIds(uploads)) bytes += ((await sizeAt(fileOf(uploads, id))) ?? 0) + 1024;
  return { database: ((await sizeAt(database)) ?? 0) + ((await sizeAt(`${database}-wal`)) ?? 0), uploads: bytes };
};

const prepare = async ({ database, uploads, target }: BackupJob, own: string): Promise<number> => {
  const folder = dirname(target);
  if ((await sizeAt(database)) === undefined) throw new AppError('NotFound', `There is no database at ${database}.`);
  if ((await sizeAt(target)) !== undefined)
    throw new AppError('Conflict', `${target} already exists; choose another file.`);
  if (folder === own) await makeFolder(folder, 0o700);
  // No other is created: without the removable disk that was meant, the copy would land on the system disk.
  if ((await sizeAt(folder)) === undefined) throw new AppError('NotFound', `There is no folder "${folder}".`);
  await removePartial(target);
  await removeLeftFolders(dirname(database));
  const sizes = await sizesOf(database, uploads);
  const bytes = sizes.database + sizes.uploads;
  await refuseWithoutRoom('for a backup', [
    { folder, bytes, use: 'the backup' },
    { folder: dirname(database), bytes: sizes.database, use: 'a copy of the database meanwhile' },
  ]);
  return bytes;
};

/** What a disk refuses is said as such: a backup that waited for room would hold up the next ones. */
const asRefusal = (thrown: unknown, folder: string): unknown => {
  const isFull = isDiskFull(thrown);
  if (!isFull && !isOfDisk(thrown) && !isDiskError(thrown)) return thrown;
  const message = `No backup was made: the disk of ${folder} ${isFull ? 'is full' : 'cannot be written to'}. Nothing of it is left there.`;
  return new AppError('Conflict', message, null, thrown);
};

/** One backup while it is made. Owns the handle of its file. */
class Draft {
  readonly #job: BackupJob;
  readonly #handle: FileHandle;
  readonly #tar: TarWriter;
  readonly #there = new Set<string>();
  readonly #missing: string[] = [];
  #private: PrivateFolder | null = null;
  #schema = 0;
  #counts: RowCounts | null = null;
  #isClosed = false;

  constructor(job: BackupJob, handle: FileHandle, watch: TarWatch) {
    this.#job = job;
    this.#handle = handle;
    this.#tar = new TarWriter(handle, job.nowMs, watch);
  }

  get #copy(): string {
    if (this.#private === null) throw new AppError('Internal', 'The database was not copied.');
    return join(this.#private.path, DATABASE);
  }

  async describe(): Promise<void> {
    const { database, nowMs } = this.#job;
    this.#schema = await schemaOf(database);
    await this.#tar.addText(
      DESCRIPTION,
      descriptionText({ version: releaseText(), schema: this.#schema, createdAt: nowMs }),
    );
  }

  async addUploads(): Promise<void> {
    for await (const id of uploadIds(this.#job.uploads)) await this.#addUpload(id);
  }

  async copyDatabase(): Promise<void> {
    const { database, signal } = this.#job;
    try {
      this.#private = await makePrivateFolder(dirname(database));
      await copyDatabase(database, this.#copy, signal);
    } catch (thrown) {
      throw asRefusal(thrown, dirname(database));
    }
    const { schema, faults } = await checkDatabase(this.#copy, true);
    if (faults.length > 0) throw new AppError('Internal', `The backup is damaged: ${faults[0]}`);
    if (schema !== this.#schema)
      throw new AppError('Conflict', 'The database was upgraded while it was being copied. Try again.');
  }

  /** Images that came after the folder was read, and rows whose images have gone since. */
  async settleUploads(): Promise<void> {
    const { database } = this.#job;
    const ids = await withConnection(this.#copy, coverIds);
    const absent: string[] = [];
    for (const id of ids) if (!this.#there.has(id) && !(await this.#addUpload(id))) absent.push(id);
    const lost = absent.length === 0 ? new Set<string>() : await stillThere(database, absent);
    this.#missing.push(...lost);
    const gone = absent.filter((id) => !lost.has(id));
    if (gone.length > 0) await deleteRows(this.#copy, gone);
  }

  async addDatabase(): Promise<void> {
    this.#counts = await withConnection(this.#copy, countsIn);
    if ((await this.#tar.addFile(DATABASE, this.#copy)) === undefined)
      throw new AppError('Conflict', 'The copy of the database was removed while it was being read. Try again.');
    await this.#private?.remove();
  }

  async end(): Promise<Made> {
    const counts = { ...(this.#counts ?? NO_ROWS), uploads: this.#there.size };
    const files = [...this.#tar.written];
    await this.#tar.addText(CONTENTS, contentsText({ counts, files, missingUploads: this.#missing }));
    await this.#tar.end();
    const { size } = await this.#handle.stat();
    return { bytes: size, counts, missing: this.#missing.length };
  }

  /** True once another backup to the same file has removed this one, taking it for a leftover. */
  async isOvertaken(): Promise<boolean> {
    return !this.#isClosed && (await this.#handle.stat()).nlink === 0;
  }

  /** May be called twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#handle.close();
    await this.#private?.remove();
  }

  async #addUpload(id: string): Promise<boolean> {
    const path = fileOf(this.#job.uploads, id);
    // One that cannot be read is reported like one that is lost: it must not keep everything else from being backed up.
    if (!(await canBeRead(path)) || (await this.#tar.addFile(uploadEntry(id), path)) === undefined) return false;
    this.#there.add(id);
    return true;
  }
}

const openDraft = async (job: BackupJob, total: number): Promise<Draft> => {
  const { target, signal, onProgress } = job;
  let done = 0;
  const onBytes = (bytes: number): void => {
    done += bytes;
    onProgress?.(done, Math.max(done, total));
  };
  const handle = await open(partialOf(target), 'wx', 0o600);
  return new Draft(job, handle, { signal, onBytes });
};

/**
 * Each step may be the last of the process: until the last there is no backup, only what the next attempt removes. `own`: the folder that is
 * created where it is missing.
 */
export const backupSteps = (
  job: BackupJob,
  own: string,
  onMade: (made: Made) => void = () => undefined,
): BackupPlan => {
  let total = 0;
  let draft: Draft | null = null;
  const drafted = (): Draft => {
    if (draft === null) throw new AppError('Internal', 'The backup was not begun.');
    return draft;
  };
  const steps: readonly BackupStep[] = [
    {
      name: 'check that there is room',
      run: async () => {
        total = await prepare(job, own);
      },
    },
    {
      name: 'begin the file',
      run: async () => {
        draft = await openDraft(job, total);
        await draft.describe();
      },
    },
    { name: 'add the uploaded images', run: () => drafted().addUploads() },
    { name: 'copy the database', run: () => drafted().copyDatabase() },
    { name: 'add images that came meanwhile', run: () => drafted().settleUploads() },
    { name: 'add the database', run: () => drafted().addDatabase() },
    { name: 'add the list of contents', run: async () => onMade(await drafted().end()) },
    {
      name: 'give it its name',
      run: async () => {
        if (await drafted().isOvertaken()) throw overtaken(job.target);
        await nameWhole(job.target);
        await drafted().close(); // open until now: a number of a removed file may be given to another one
      },
    },
  ];
  const abandon = async (): Promise<void> => {
    if (draft === null) return; // nothing was begun: what is there belongs to somebody else
    const isOvertaken = await draft.isOvertaken();
    await draft.close();
    if (!isOvertaken) await removePartial(job.target);
  };
  const run = (step: BackupStep) => async (): Promise<void> => {
    try {
      await step.run();
    } catch (thrown) {
      throw draft !== null && (await draft.isOvertaken()) ? overtaken(job.target) : thrown;
    }
  };
  return { steps: steps.map((step) => ({ name: step.name, run: run(step) })), abandon };
};

/** The file appears only when it is whole. What fails leaves nothing behind. */
export const writeBackup = async (job: BackupJob, own: string): Promise<Made> => {
  let made: Made | null = null;
  const { steps, abandon } = backupSteps(job, own, (result) => {
    made = result;
  });
  try {
    for (const { run } of steps) {
      if (job.signal?.aborted === true) throw new AppError('Cancelled');
      await run();
    }
  } catch (thrown) {
    await abandon();
    throw asRefusal(thrown, dirname(job.target));
  }
  if (made === null) throw new AppError('Internal', 'The backup did not end.');
  const { bytes }: Made = made;
  job.onProgress?.(bytes, bytes);
  return made;
};
