// The folders of the machine, for administrators who choose one for a library: names, and whether the server may read them. No file is
// opened and no link followed. A file system that does not answer costs a deadline, never the request.
import { access, constants, type Dirent, lstat, opendir, readlink, realpath, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Disk, disks } from '../engine/disks.js';
import { Mounts } from '../engine/mounts.js';
import { AppError } from '../model/errors.js';
import { isPathCode, pathRefusal } from '../model/path-refusal.js';

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly isDirectory: boolean;
  readonly isReadable: boolean;
  /** Where a link leads, as it says; null for anything else. */
  readonly linkTarget: string | null;
}

/** Kinds of starting places for browsing, whatever their names; `own` is the home of the user running the server. */
export const PLACE_KINDS = ['root', 'homes', 'mounts', 'media', 'volumes', 'own'] as const;

export interface StartingPlace extends FolderEntry {
  readonly place: (typeof PLACE_KINDS)[number];
}

export interface FolderListing {
  readonly currentPath: string;
  /** Null at the root. */
  readonly parentPath: string | null;
  readonly entries: readonly FolderEntry[];
  /** There are more than are listed. */
  readonly isTruncated: boolean;
}

const PATH_MAX = 4096;
/** Entries that are shown, and names that are read to choose them from. */
export const ENTRIES_MAX = 2000;
const NAMES_MAX = 50_000;
const NAMES_AT_ONCE = 500;
/** A sleeping disk takes some seconds to spin up. */
const FOLDER_MS = 12_000;
/** All of them are asked at the same time. */
const ENTRY_MS = 2000;

const silent = (path: string): AppError =>
  new AppError('FileUnreadable', `The disk of this path does not respond: ${path}`);

const deadline = async <T>(ms: number, work: Promise<T>, late: () => T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((done, fail) => {
    timer = setTimeout(() => {
      try {
        done(late());
      } catch (thrown) {
        fail(thrown);
      }
    }, ms);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
};

export const faultOf = (path: string, thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown.kind === 'FileUnreadable' ? silent(path) : thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'EPERM') return pathRefusal('EACCES', path);
  if (isPathCode(code)) return pathRefusal(code, path);
  return new AppError('FileUnreadable', `Path cannot be read (${code ?? 'unknown error'}): ${path}`, null, thrown);
};

const checkedPath = (given: string): string => {
  if (given.includes('\0')) throw new AppError('BadRequest', 'The path contains a NUL character.');
  if (!isAbsolute(given)) throw new AppError('BadRequest', `The path must be absolute: ${given.slice(0, PATH_MAX)}`);
  if (given.length > PATH_MAX) throw new AppError('BadRequest', `The path has more than ${PATH_MAX} characters.`);
  return resolve(given);
};

interface Names {
  readonly found: readonly Dirent[];
  readonly isWhole: boolean;
}

const namesIn = async (disk: Disk, path: string): Promise<Names> => {
  const folder = await disk.ask<import('node:fs').Dir>(
    (done) => opendir(path, { bufferSize: NAMES_AT_ONCE }, done),
    (late) => late.close(() => undefined),
  );
  const found: Dirent[] = [];
  try {
    while (found.length < NAMES_MAX) {
      const next = await disk.ask<Dirent | null>((done) => folder.read(done));
      if (next === null) return { found, isWhole: true };
      if (!next.name.startsWith('.')) found.push(next);
    }
    return { found, isWhole: false };
  } finally {
    folder.close(() => undefined);
  }
};

const compared = (a: Dirent, b: Dirent): number => {
  if (a.isDirectory() !== b.isDirectory()) return a.isDirectory() ? -1 : 1;
  const [x, y] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return x === y ? (a.name < b.name ? -1 : 1) : x < y ? -1 : 1;
};

const isTrue = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

type Look = Pick<FolderEntry, 'isDirectory' | 'isReadable' | 'linkTarget'>;

const UNKNOWN: Look = { isDirectory: false, isReadable: false, linkTarget: null };

/** Some file systems do not say what their entries are. */
const kindOf = async (disk: Disk, path: string, entry: Dirent | null): Promise<Dirent | Stats> =>
  entry !== null && (entry.isDirectory() || entry.isFile() || entry.isSymbolicLink())
    ? entry
    : disk.ask<Stats>((done) => lstat(path, done));

const look = async (disk: Disk, path: string, entry: Dirent | null): Promise<Look> => {
  const kind = await kindOf(disk, path, entry);
  if (kind.isSymbolicLink()) {
    const target = await disk.ask<string>((done) => readlink(path, done));
    return { isDirectory: false, isReadable: false, linkTarget: resolve(dirname(path), target) };
  }
  const isDirectory = kind.isDirectory();
  const mode = isDirectory ? constants.R_OK | constants.X_OK : constants.R_OK;
  return {
    isDirectory,
    isReadable: await isTrue(disk.ask<void>((done) => access(path, mode, done))),
    linkTarget: null,
  };
};

const entryOf = async (mounts: Mounts, path: string, name: string, entry: Dirent | null): Promise<FolderEntry> => {
  const looked = look(disks.of(mounts.of(path)), path, entry).catch(() => UNKNOWN);
  const late = (): Look => ({ ...UNKNOWN, isDirectory: entry?.isDirectory() === true });
  return { name, path, ...(await deadline(ENTRY_MS, looked, late)) };
};

const listing = async (path: string): Promise<FolderListing> => {
  const mounts = await Mounts.read();
  const disk = disks.of(mounts.of(path));
  const names = async (): Promise<Names> => {
    const real = await disk.ask<string>((done) => realpath.native(path, (error, found) => done(error, found)));
    if (real === path) return namesIn(disk, path);
    throw new AppError('BadRequest', `Path is a link or goes through one: ${path}. It resolves to ${real}.`);
  };
  const read = names().catch((thrown: unknown) => {
    throw faultOf(path, thrown);
  });
  const { found, isWhole } = await deadline(FOLDER_MS, read, () => {
    throw silent(path);
  });
  const shown = [...found].sort(compared).slice(0, ENTRIES_MAX);
  return {
    currentPath: path,
    parentPath: path === '/' ? null : dirname(path),
    entries: await Promise.all(shown.map((entry) => entryOf(mounts, join(path, entry.name), entry.name, entry))),
    isTruncated: !isWhole || found.length > shown.length,
  };
};

/** Without a path: the home of the user that runs the server, or else the root. */
export const browse = async (given: string | undefined): Promise<FolderListing> =>
  given === undefined ? listing(resolve(homedir())).catch(() => listing('/')) : listing(checkedPath(given));

type NamedPlace = readonly [path: string, name: string, place: StartingPlace['place']];

const PLACES: readonly NamedPlace[] = [
  ['/', 'Root', 'root'],
  ['/home', 'Home', 'homes'],
  ['/mnt', 'Mount Points', 'mounts'],
  ['/media', 'Media', 'media'],
  ['/Volumes', 'Volumes', 'volumes'],
];

/** Where to begin: those of these places that exist. */
export const startingPlaces = async (): Promise<readonly StartingPlace[]> => {
  const mounts = await Mounts.read();
  const home = resolve(homedir());
  const own: readonly NamedPlace[] = PLACES.some(([path]) => path === home) ? [] : [[home, 'Home Directory', 'own']];
  const entries = await Promise.all(
    [...PLACES, ...own].map(async ([path, name, place]) => ({ ...(await entryOf(mounts, path, name, null)), place })),
  );
  return entries.filter(({ isDirectory, linkTarget }) => isDirectory || linkTarget !== null);
};
