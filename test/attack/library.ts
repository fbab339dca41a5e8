// The library under attack: ordinary books, and one with pages of several megabytes. Created once per run; nothing writes into it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { seeded } from '../../bench/corpus.js';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';

const MIB = 1024 * 1024;
export const PAGES = 8;
const PLAIN_BOOKS = 4;
/** A page that stays large when resized: noise does not compress. */
const LARGE_SIDE = 1600;
/** One pixel narrower than the page: almost as many bytes, from the cache. */
export const LARGE_WIDTH = LARGE_SIDE - 1;
const FILLER_BYTES = 40 * MIB;

const noise = (seed: number, bytes: number): Buffer => {
  const random = seeded(seed);
  const out = Buffer.allocUnsafe(bytes);
  for (let at = 0; at < bytes; at += 1) out[at] = random() * 256;
  return out;
};

const raw = (width: number, height: number) => ({ raw: { width, height, channels: 3 as const } });

/** About 100 kB. */
export const plainPage = (seed: number): Promise<Buffer> =>
  sharp(noise(seed, 300 * 450 * 3), raw(300, 450))
    .jpeg({ quality: 80 })
    .toBuffer();

const largePage = (): Promise<Buffer> =>
  sharp(noise(99, LARGE_SIDE * LARGE_SIDE * 3), raw(LARGE_SIDE, LARGE_SIDE))
    .png({ compressionLevel: 1 })
    .toBuffer();

export const writeZipFile = (path: string, items: readonly ZipItem[]): void => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, writeZip(items));
};

/** A book of a few plain pages. */
export const writePlainBook = async (path: string, seed: number, pages = PAGES): Promise<void> => {
  const items: ZipItem[] = [];
  for (let n = 1; n <= pages; n += 1) items.push({ name: `${n}.jpg`, bytes: await plainPage(seed * 100 + n) });
  writeZipFile(path, items);
};

/** Returns the folder. */
export const makeShelf = async (folder: string): Promise<string> => {
  const shelf = join(folder, 'shelf');
  for (let n = 1; n <= PLAIN_BOOKS; n += 1) await writePlainBook(join(shelf, 'Plain', `Plain ${n}.cbz`), n);
  const filler = Buffer.alloc(FILLER_BYTES, 7);
  writeZipFile(join(shelf, 'Large', 'Large.cbz'), [
    { name: '1.png', bytes: await largePage() },
    { name: 'filler.bin', bytes: filler },
  ]);
  return shelf;
};
