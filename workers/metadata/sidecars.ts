// Sidecar files that describe a book or its series: an OPF of the book, `metadata.opf` of a folder that holds one book, `series.json`.
import { closeSync, type Dirent, lstatSync, opendirSync, readSync, type Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { isAscii } from '../../core/model/ascii.js';
import { formatOf, stemOf } from '../../core/model/formats.js';
import type { Place } from '../../core/model/held-place.js';
import { isJunk } from '../../core/model/junk.js';
import type { EmbeddedMetadata } from '../../core/model/metadata.js';
import { openHeld } from '../book-file.js';
import { readOpf } from './opf.js';
import { readSeriesJson } from './series-json.js';

/** Most books have no sidecars, and a failed open costs more than looking first: its error records the stack. */
const isThere = ({ path }: Place): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // not readable
  }
};

/** Paths that exist. */
export type SidecarNames = ReadonlySet<string>;

/** Spellings of each, the usual one first. */
interface PathsBeside {
  readonly own: readonly string[];
  readonly shared: readonly string[];
  readonly series: readonly string[];
}

/** Disks of cameras and old systems have names in capitals. Listing a folder of thousands for each of its books would take too long. */
const SHARED = ['metadata.opf', 'METADATA.OPF', 'Metadata.opf', 'metadata.OPF'];
const SERIES = ['series.json', 'SERIES.JSON', 'Series.json'];

/** Programs of other systems store accents as characters of their own. */
const composedOrNot = (name: string): readonly string[] =>
  isAscii(name) ? [name] : [name, name.normalize('NFC'), name.normalize('NFD')];

const pathsBeside = (path: string): PathsBeside => {
  const folder = dirname(path);
  const name = basename(path);
  const stems = [basename(name, extname(name)), stemOf(name)]; // of a `.kepub.epub`, both
  const own = [...new Set(stems.flatMap(composedOrNot))].flatMap((stem) => [`${stem}.opf`, `${stem}.OPF`]);
  const inFolder = (names: readonly string[]): readonly string[] => names.map((one) => `${folder}${sep}${one}`);
  return { own: inFolder(own), shared: inFolder(SHARED), series: inFolder(SERIES) };
};

/** Looks for all of them at once, without blocking the thread: for a disk that takes long to answer. */
export const sidecarsOf = async ({ path }: Place): Promise<SidecarNames> => {
  const paths = Object.values(pathsBeside(path)).flat();
  const found = await Promise.all(paths.map((one) => lstat(one).catch(() => null)));
  return new Set(paths.filter((_, at) => found[at] !== null));
};

/** Content of a regular file of at most `maxBytes`; null when there is none. Links are not followed: they may lead out of the library. */
const contentOf = (place: Place, maxBytes: number, there: SidecarNames | null = null): Uint8Array | null => {
  if (!(there?.has(place.path) ?? isThere(place))) return null;
  let fd: number;
  let stat: Stats;
  try {
    ({ fd, stat } = openHeld(place));
  } catch {
    return null; // absent, a link, or not readable: the book has no such description
  }
  try {
    if (stat.size > maxBytes) return null;
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return null; // it disappeared while it was read
  } finally {
    closeSync(fd);
  }
};

interface Sidecar {
  readonly name: string;
  readonly content: Uint8Array;
}

/** The first of these files that can be read. */
const firstOf = (
  paths: readonly string[],
  root: string | undefined,
  maxBytes: number,
  there: SidecarNames | null = null,
): Sidecar | null => {
  for (const path of paths) {
    const content = contentOf({ path, root }, maxBytes, there);
    if (content !== null) return { name: basename(path).slice(-NAME_MAX), content };
  }
  return null;
};

/** Of a file in a remark, in characters. */
const NAME_MAX = 100;

/** A hidden file or a folder does not count as a second book. */
const isBook = (entry: Dirent): boolean =>
  formatOf(entry.name) !== undefined && !entry.name.startsWith('.') && !isJunk(entry.name) && !entry.isDirectory();

/** One book, perhaps in several formats. Stops at the second book: a folder may hold thousands, and this runs for each. */
const holdsOneBook = (folder: string): boolean => {
  const listing = opendirSync(folder);
  try {
    let first: string | undefined;
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (!isBook(entry)) continue;
      const stem = stemOf(entry.name).normalize('NFC').toLowerCase();
      first ??= stem;
      if (stem !== first) return false;
    }
    return true;
  } finally {
    listing.closeSync();
  }
};

const opfBeside = (
  { path, root }: Place,
  paths: PathsBeside,
  maxBytes: number,
  there: SidecarNames | null,
): EmbeddedMetadata | null => {
  const own = firstOf(paths.own, root, maxBytes, there);
  if (own !== null) return readOpf(own.content, own.name);
  const shared = firstOf(paths.shared, root, maxBytes, there);
  return shared !== null && holdsOneBook(dirname(path)) ? readOpf(shared.content, shared.name) : null;
};

const OPF_MAX_BYTES = 1024 * 1024;

/** The series named by the `metadata.opf` of a folder. */
export const seriesIn = (folder: string, root: string): string | null => {
  const paths = SHARED.map((name) => join(folder, name));
  const opf = firstOf(paths, root, OPF_MAX_BYTES);
  return opf === null ? null : (readOpf(opf.content)?.book.series ?? null);
};

export interface Sidecars {
  /** Takes precedence over the book's own metadata. */
  readonly book: EmbeddedMetadata | null;
  /** Fills in what nothing else provides. */
  readonly series: EmbeddedMetadata | null;
}

/** `there`: those that are known to be there; null: they are looked for. */
export const readSidecars = (place: Place, maxBytes: number, there: SidecarNames | null = null): Sidecars => {
  const paths = pathsBeside(place.path);
  const series = firstOf(paths.series, place.root, maxBytes, there);
  return {
    book: opfBeside(place, paths, maxBytes, there),
    series: series === null ? null : readSeriesJson(series.content),
  };
};
