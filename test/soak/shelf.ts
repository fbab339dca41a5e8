// Books for a soak run that are worth resizing, beside the small ones of the drills.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeZip } from '../../bench/zip-writer.js';
import { PAGES } from '../drills/house.js';

const DRAWN = 8;
export const LARGE_BOOKS = 3;

const drawn = (seed: number): Promise<Buffer> =>
  sharp({
    create: {
      width: 600,
      height: 900,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 90 + seed * 5, sigma: 30 },
    },
  })
    .jpeg({ quality: 80 })
    .toBuffer();

export const addLargeBooks = async (shelf: string): Promise<void> => {
  const folder = join(shelf, 'Large');
  mkdirSync(folder, { recursive: true });
  const images = await Promise.all(Array.from({ length: DRAWN }, (_, seed) => drawn(seed)));
  for (let book = 0; book < LARGE_BOOKS; book += 1) {
    const items = Array.from({ length: PAGES }, (_, page) => ({
      name: `${page + 1}.jpg`,
      bytes: images[(page + book) % DRAWN] ?? Buffer.alloc(0),
    }));
    writeFileSync(
      join(folder, `Large ${book}.cbz`),
      writeZip([...items, { name: 'n.txt', bytes: Buffer.from(`${book}`) }]),
    );
  }
};
