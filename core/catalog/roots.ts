// What may become the folder of a library. Looked at through the gate of disks: the folder may lie on one that does not answer.
import { access, constants, realpath, type Stats, stat } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { disks } from '../engine/disks.js';
import { AppError } from '../model/errors.js';

export const within = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);

/** Folders that hold no files but what the kernel says. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

const realOf = (path: string): Promise<string> =>
  disks.of(path).ask<string>((done) => realpath.native(path, (error, real) => done(error, real)));

/** The real path of something that may not exist yet. */
const realOrPlanned = async (path: string): Promise<string> => {
  if (dirname(path) === path) return path;
  return realOf(path).catch(async () => join(await realOrPlanned(dirname(path)), basename(path)));
};

/** Throws when a real path is not one for a library. `ours` are the folders this server writes to. */
export const refuseRoot = async (root: string, ours: readonly string[]): Promise<void> => {
  const kernel = KERNEL_FOLDERS.find((folder) => within(root, folder));
  if (kernel !== undefined)
    throw new AppError('BadRequest', `A library cannot lie in ${kernel}: the system generates the files there.`);
  for (const folder of ours) {
    const real = await realOrPlanned(resolve(folder));
    if (within(root, real))
      throw new AppError('BadRequest', 'The path lies inside the data folder of this server. Choose another folder.');
    if (within(real, root))
      throw new AppError(
        'BadRequest',
        'The path contains the data folder of this server. Choose a folder below it, or move the data folder.',
      );
  }
};

const refusalOf = (path: string, thrown: NodeJS.ErrnoException): AppError => {
  if (thrown instanceof AppError) return new AppError('BadRequest', `The disk of this path does not answer: ${path}`);
  const why = thrown.code === 'EACCES' ? 'Path is not readable by the server' : 'Path does not exist';
  return new AppError('BadRequest', `${why}: ${path}`);
};

/** The real path of a folder that may become a library root; a sentence that says what is wrong otherwise. */
export const checkRoot = async (path: string, ours: readonly string[]): Promise<string> => {
  if (path.includes('\0')) throw new AppError('BadRequest', 'The path contains a NUL character.');
  if (!isAbsolute(path)) throw new AppError('BadRequest', `The path must be absolute: ${path}`);
  const real = await realOf(resolve(path)).catch((thrown: NodeJS.ErrnoException) => {
    throw refusalOf(path, thrown);
  });
  await refuseRoot(real, ours);
  const disk = disks.of(real);
  if (!(await disk.ask<Stats>((done) => stat(real, done))).isDirectory())
    throw new AppError('BadRequest', `Path is not a folder: ${path}`);
  await disk
    .ask<void>((done) => access(real, constants.R_OK | constants.X_OK, done))
    .catch(() => {
      throw new AppError('BadRequest', `Path is not readable by the server: ${path}`);
    });
  return real;
};
