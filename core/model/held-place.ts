// Where an open descriptor lies: files of a library are opened by path, and only the descriptor says which file that was. A link at the path,
// or a parent swapped for one in the moment of opening, leads to a file that the library does not hold.
import { constants, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, exhaustionOf } from './errors.js';

/**
 * For every file of a library: a link at the path is an error, and a FIFO is not waited for. libuv adds O_CLOEXEC. A system without a flag
 * (Windows) goes without it.
 */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface Place {
  readonly path: string;
  /** The folder of the library; it may have become a link itself, nothing below it may. Without one no part of the path may be a link. */
  readonly root?: string | undefined;
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);

/** An error of the file system as one of a book. */
export const unreadableFile = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  const exhaustion = exhaustionOf(thrown);
  if (exhaustion !== undefined) return exhaustion;
  const code = codeOf(thrown);
  const why = code === 'ELOOP' ? 'it is a link, and links are not followed' : code;
  return new AppError('FileUnreadable', `The file cannot be read (${why}).`, { code }, thrown);
};

/** Linux names the place of a descriptor without asking the disk. Undefined where it does not. */
const namedPlace = (fd: number): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined; // no /proc here: the real path tells it
  }
};

const expectedPlace = ({ path, root }: Place): string =>
  root === undefined ? resolve(path) : join(realpathSync.native(root), path.slice(root.length));

/** The real path is where the library expects it, and what lies there is what was opened. */
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

/** Throws unless the descriptor is a regular file at exactly this place. `stat` is that of the descriptor. */
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

/** True when the folder is there and neither it nor anything between it and the root is a link. */
export const isHeldFolder = (root: string, relative: string): boolean => {
  const real = realpathSync.native(root);
  return realpathSync.native(join(root, relative)) === join(real, relative);
};
