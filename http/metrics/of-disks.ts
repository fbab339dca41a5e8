// Measurements of files: the database and its log, the cache, uploads, and the room on the disks they are on.
import { opendir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Family, gauge, type Sample, sample } from './family.js';

export interface Places {
  readonly database: string;
  readonly cache: string;
  readonly uploads: string;
}

/** What is not there, or cannot be read now, has no size. */
const bytesOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** The uploads of a large library are some ten thousand files: they are not counted at each scrape. */
const UPLOADS_EVERY_MS = 300_000;
const UPLOADS_MAX = 100_000;

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0;
  let count = 0;
  try {
    for await (const entry of await opendir(folder)) {
      bytes += entry.isFile() ? await bytesOf(join(folder, entry.name)) : 0;
      count += 1;
      if (count >= UPLOADS_MAX) break;
    }
  } catch {
    return bytes; // nothing was ever uploaded, or the disk fails, of which other measurements tell
  }
  return bytes;
};

export class DiskMeasures {
  readonly #places: Places;
  #uploads: Promise<number> = Promise.resolve(0);
  #countedMs = Number.NEGATIVE_INFINITY;

  constructor(places: Places) {
    this.#places = places;
  }

  async families(): Promise<readonly Family[]> {
    const { database, cache } = this.#places;
    const files = [
      ['database', database],
      ['wal', `${database}-wal`],
      ['cache', join(cache, 'data.mdb')],
    ] as const;
    const sizes = await Promise.all(files.map(async ([file, path]) => sample(await bytesOf(path), { file })));
    const rooms = await Promise.all([this.#roomOf('data', join(database, '..')), this.#roomOf('cache', cache)]);
    return [
      gauge('longbox_file_bytes', 'Sizes of the database, its write-ahead log, the cache file, and all uploads.', [
        ...sizes,
        sample(await this.#uploadBytes(), { file: 'uploads' }),
      ]),
      gauge(
        'longbox_disk_free_bytes',
        'Space available to the server on the disk of a folder.',
        rooms.flatMap(({ free }) => free),
      ),
      gauge(
        'longbox_disk_size_bytes',
        'Size of the disk of a folder.',
        rooms.flatMap(({ size }) => size),
      ),
    ];
  }

  async #roomOf(folder: string, path: string): Promise<{ readonly free: Sample[]; readonly size: Sample[] }> {
    const found = await statfs(path).catch(() => undefined);
    if (found === undefined) return { free: [], size: [] };
    const { bavail, blocks, bsize } = found;
    return { free: [sample(bavail * bsize, { folder })], size: [sample(blocks * bsize, { folder })] };
  }

  #uploadBytes(): Promise<number> {
    if (performance.now() - this.#countedMs > UPLOADS_EVERY_MS) {
      this.#countedMs = performance.now();
      this.#uploads = bytesIn(this.#places.uploads);
    }
    return this.#uploads;
  }
}
