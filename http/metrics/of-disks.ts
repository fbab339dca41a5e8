// Measurements of files: the database and its log, the cache, uploads, and the room on the disks they are on.
import { opendir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Probe } from '../../core/upkeep/probe.js';
import { type Family, gauge, type Sample, sample } from './family.js';

export interface Places {
  readonly database: string;
  readonly cache: string;
  readonly uploads: string;
}

/** What is not there, or cannot be read now, has no size. */
const bytesOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** The uploads of a large library are some ten thousand files: they are not counted at each scrape, and no scrape waits for long. */
const UPLOADS_EVERY_MS = 300_000;
const UPLOADS_MAX = 100_000;
const WAIT_MS = 1000;
/** Two scrapers at once are told the same. */
const PROBE = { keptMs: 0, deadlineMs: WAIT_MS };
const NOTHING: readonly Sample[] = [];

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

interface Room {
  readonly free: readonly Sample[];
  readonly size: readonly Sample[];
}

const roomOf = async (folder: string, path: string): Promise<Room> => {
  const found = await statfs(path).catch(() => undefined);
  if (found === undefined) return { free: [], size: [] };
  const { bavail, blocks, bsize } = found;
  return { free: [sample(bavail * bsize, { folder })], size: [sample(blocks * bsize, { folder })] };
};

const roomProbe = (folder: string, path: string): Probe<Room> =>
  new Probe<Room>(
    () => roomOf(folder, path),
    () => ({ free: [], size: [] }),
    PROBE,
  );

/** What a disk that hangs does not tell is left out, and so are uploads that were never counted. */
export class DiskMeasures {
  readonly #files: readonly Probe<readonly Sample[]>[];
  readonly #rooms: readonly Probe<Room>[];
  readonly #uploads: string;
  #uploadBytes: readonly Sample[] = NOTHING;
  #countedMs = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | null = null;

  constructor({ database, cache, uploads }: Places) {
    const files = { database, wal: `${database}-wal`, cache: join(cache, 'data.mdb') };
    this.#files = Object.entries(files).map(
      ([file, path]) =>
        new Probe(
          async () => [sample(await bytesOf(path), { file })],
          () => NOTHING,
          PROBE,
        ),
    );
    this.#rooms = [roomProbe('data', join(database, '..')), roomProbe('cache', cache)];
    this.#uploads = uploads;
  }

  async families(): Promise<readonly Family[]> {
    const [sizes, rooms] = await Promise.all([
      Promise.all(this.#files.map((probe) => probe.get())),
      Promise.all(this.#rooms.map((probe) => probe.get())),
      this.#countUploads(),
    ]);
    return [
      gauge('longbox_file_bytes', 'Sizes of the database, its write-ahead log, the cache file, and all uploads.', [
        ...sizes.flat(),
        ...this.#uploadBytes,
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

  /** Resolves when they are counted, or after a moment; then the next scrapes have what is counted meanwhile. */
  async #countUploads(): Promise<void> {
    if (this.#counting === null && performance.now() - this.#countedMs <= UPLOADS_EVERY_MS) return;
    this.#counting ??= bytesIn(this.#uploads).then((bytes) => {
      this.#uploadBytes = [sample(bytes, { file: 'uploads' })];
      this.#countedMs = performance.now();
      this.#counting = null;
    });
    if (this.#uploadBytes.length > 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([this.#counting, late]).finally(() => clearTimeout(timer));
  }
}
