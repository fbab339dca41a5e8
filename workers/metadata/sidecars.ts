// Sidecar files that describe a book or its series: an OPF of the book, `metadata.opf` of a folder that holds one book, `series.json`.
import { closeSync, lstatSync, opendirSync, readSync, type Stats } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { formatOf, stemOf } from '../../core/model/formats.js';
import type { Place } from '../../core/model/held-place.js';
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

/** Content of a regular file of at most `maxBytes`; null when there is none. Links are not followed: they may lead out of the library. */
const contentOf = (place: Place, maxBytes: number): Uint8Array | null => {
  if (!isThere(place)) return null;
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

/** One book, perhaps in several formats. Stops at the second book: a folder may hold thousands, and this runs for each. */
const holdsOneBook = (folder: string): boolean => {
  const listing = opendirSync(folder);
  try {
    let first: string | undefined;
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      if (formatOf(entry.name) === undefined) continue;
      const stem = stemOf(entry.name).toLowerCase();
      first ??= stem;
      if (stem !== first) return false;
    }
    return true;
  } finally {
    listing.closeSync();
  }
};

const opfBeside = ({ path, root }: Place, maxBytes: number): EmbeddedMetadata | null => {
  const folder = dirname(path);
  const own = contentOf({ path: join(folder, `${basename(path, extname(path))}.opf`), root }, maxBytes);
  if (own !== null) return readOpf(own);
  const shared = contentOf({ path: join(folder, 'metadata.opf'), root }, maxBytes);
  return shared !== null && holdsOneBook(folder) ? readOpf(shared) : null;
};

const OPF_MAX_BYTES = 1024 * 1024;

/** The series named by the `metadata.opf` of a folder. */
export const seriesIn = (folder: string, root: string): string | null => {
  const opf = contentOf({ path: join(folder, 'metadata.opf'), root }, OPF_MAX_BYTES);
  return opf === null ? null : (readOpf(opf)?.book.series ?? null);
};

export interface Sidecars {
  /** Takes precedence over the book's own metadata. */
  readonly book: EmbeddedMetadata | null;
  /** Fills in what nothing else provides. */
  readonly series: EmbeddedMetadata | null;
}

export const readSidecars = (place: Place, maxBytes: number): Sidecars => {
  const series = contentOf({ path: join(dirname(place.path), 'series.json'), root: place.root }, maxBytes);
  return { book: opfBeside(place, maxBytes), series: series === null ? null : readSeriesJson(series) };
};
