// The uploaded images of a backup. Those that are not there yet are added before the database is replaced. Where another file has the name of
// one, the image is put beside it first and takes its place afterwards, so that a restore that fails leaves everything as it was.
import { lstat, opendir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { syncFolder } from '../store/durable.js';
import { makeFolder } from '../store/make-folder.js';
import { uploadFile, uploadNamed } from './backup-parts.js';
import { extract, holds, type Upload, withFile } from './read-backup.js';
import { codeOf } from './whole-file.js';

/** An image while it is written, and one that waits for the database to be replaced. */
const DRAFT = '.adding';
const WAITING = '.restored';

const filesThat = async (folder: string, ending: string): Promise<readonly string[]> => {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder))
      if (name.endsWith(ending) && uploadNamed(name.slice(0, -ending.length)) !== undefined) names.push(name);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown; // nothing was ever uploaded
  }
  return names;
};

/** Before anything changes: what cannot be replaced by a file is not to be noticed in the middle. */
export const refuseFolders = async (folder: string, uploads: readonly Upload[]): Promise<void> => {
  for (const { id } of uploads) {
    const path = join(folder, uploadFile(id));
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() === true)
      throw new AppError('Conflict', `${path} is a folder, and an image of the backup has that name. Move it away.`);
  }
};

export const addImages = async (source: string, folder: string, uploads: readonly Upload[]): Promise<void> => {
  if (uploads.length === 0) return;
  await makeFolder(folder, 0o700);
  await withFile(source, async (handle) => {
    for (const upload of uploads) {
      const target = join(folder, uploadFile(upload.id));
      if (await holds(target, upload)) continue;
      const draft = `${target}${DRAFT}`;
      await rm(draft, { force: true });
      await extract(handle, upload, draft);
      const isTaken = (await lstat(target).catch(() => undefined)) !== undefined;
      await rename(draft, isTaken ? `${target}${WAITING}` : target);
    }
  });
  await syncFolder(folder);
};

/** Runs once the database is that of the backup. If it is interrupted, the next start continues it. */
export const replaceImages = async (folder: string): Promise<void> => {
  const names = await filesThat(folder, WAITING);
  for (const name of names) await rename(join(folder, name), join(folder, name.slice(0, -WAITING.length)));
  if (names.length > 0) await syncFolder(folder);
};

/** Removes the images of a restore that is given up. */
export const removeWaiting = async (folder: string): Promise<void> => {
  for (const ending of [DRAFT, WAITING])
    for (const name of await filesThat(folder, ending)) await rm(join(folder, name), { force: true });
};
