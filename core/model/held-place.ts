// Checks which file a descriptor refers to. Library files are opened by path, but a link at the path, or a parent folder swapped for one during
// the open, leads to a file outside the library. Only the descriptor is proof.
import { constants, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, exhaustionOf } from './errors.js';

/**
 * Flags for opening any file of a library: a link is an error, and a FIFO does not block. libuv adds O_CLOEXEC. Flags that the system
 * lacks (Windows) are left out.
 */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface Place {
  readonly path: string;
  /** The library's folder. It may itself be a link, but nothing below it may. Without a root, no part of the path may be a link. */
  readonly root?: string | undefined;
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);

/** Converts a file-system error to one about the book. */
export const unreadableFile = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  const exhaustion = exhaustionOf(thrown);
  if (exhaustion !== undefined) return exhaustion;
  const code = codeOf(thrown);
  const why = code === 'ELOOP' ? 'it is a link, and links are not followed' : code;
  return new AppError('FileUnreadable', `The file cannot be read (${why}).`, { code }, thrown);
};

/** The path of a descriptor, which Linux knows without asking the disk. Undefined elsewhere. */
const namedPlace = (fd: number): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined; // no /proc here: fall back to the real path
  }
};

const expectedPlace = ({ path, root }: Place): string =>
  root === undefined ? resolve(path) : join(realpathSync.native(root), path.slice(root.length));

/** True when the real path is the expected one and the file there is the one that was opened. */
const isByRealPath = (place: Place, { dev, ino }: Stats): boolean => {
  const real = realpathSync.native(place.path);
  if (real !== expectedPlace(place)) return false;
  const there = lstatSync(real);
  return there.dev === dev && there.ino === ino;
};

const isInPlace = (fd: number, place: Place, stat: Stats): boolean => {
  const named = namedPlace(fd);
  if (named === undefined) return isByRealPath(place, stat);
  return named === place.path || named === expectedPlace(place);
};

/** Throws unless the descriptor is a regular file at exactly this place. `stat` belongs to the descriptor. */
export const checkHeldFile = (fd: number, place: Place, stat: Stats): void => {
  if (!stat.isFile()) throw new AppError('FileUnreadable', 'This is not a regular file.', { code: 'ENOTREG' });
  try {
    if (isInPlace(fd, place, stat)) return;
  } catch (thrown) {
    throw unreadableFile(thrown);
  }
  throw new AppError('FileUnreadable', 'The file was reached through a link, and links are not followed.', {
    code: 'ELOOP',
  });
};

/** True when the folder exists and nothing between the root and it, itself included, is a link. */
export const isHeldFolder = (root: string, relative: string): boolean => {
  const real = realpathSync.native(root);
  return realpathSync.native(join(root, relative)) === join(real, relative);
};
