// The file of a backup before it has its name: where it is written, how it gets its name, and what is removed of attempts that ended early.
import { link, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../model/errors.js';
import { syncFolder } from '../store/durable.js';
import { codeOf } from './whole-file.js';

/** What an interrupted backup leaves beside its target. */
export const partialOf = (target: string): string => `${target}.partial`;

export const removePartial = (target: string): Promise<void> => rm(partialOf(target), { force: true });

/** It has the name of the target only when it is whole. A link, and not a rename, never replaces a file that came meanwhile. */
export const nameWhole = async (target: string): Promise<void> => {
  const archive = partialOf(target);
  try {
    await link(archive, target);
    await rm(archive);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST')
      throw new AppError('Conflict', `${target} already exists; choose another file.`, null, thrown);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(thrown))) throw thrown;
    await rename(archive, target); // no hard links here (exFAT, some network shares)
  }
  await syncFolder(dirname(target));
};

export const overtaken = (target: string): AppError =>
  new AppError('Conflict', `Another backup writes to ${target} as well; this one was given up.`);
