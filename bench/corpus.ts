// Libraries for measurements, generated from a seed: the same bytes on every machine. Kept between runs; a marker file records how they
// were made.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { writeZip } from './zip-writer.js';

export interface LibraryPlan {
  readonly name: string;
  readonly books: number;
  readonly pagesPerBook: number;
  readonly booksPerSeries: number;
  /** Page width in pixels. */
  readonly width: number;
  readonly height: number;
  /** Approximate upper limit for the bytes of a page. */
  readonly pageBytes: number;
}

/** A small seeded generator (mulberry32): enough for noise. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

/** Gradients, panels with lines, and grain: compresses about as well as a drawn page. */
const drawPage = (random: () => number, width: number, height: number, grain: number): Buffer => {
  const pixels = Buffer.allocUnsafe(width * height * 3);
  const [panel, line] = [Math.floor(height / 4), 40 + Math.floor(random() * 40)];
  const tint = [random() * 120, random() * 120, random() * 120];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isInk = y % panel < 6 || x % Math.floor(width / 2) < 6 || (y > panel && (x + y) % line < 2);
      const light = isInk ? 10 : 120 + (100 * x) / width + (30 * y) / height;
      const noise = (random() - 0.5) * grain;
      for (let c = 0; c < 3; c += 1)
        pixels[(y * width + x) * 3 + c] = Math.max(0, Math.min(255, light - (tint[c] ?? 0) + noise));
    }
  }
  return pixels;
};

const GRAIN = 18;
const QUALITIES = [92, 88, 84, 80, 75, 70, 64, 58, 52, 46, 40, 34, 28, 22, 16, 10];

/** The best quality that stays below the requested size. */
const encodePage = async (pixels: Buffer, width: number, height: number, bytes: number): Promise<Buffer> => {
  const raw = { raw: { width, height, channels: 3 as const } };
  let page = Buffer.alloc(0);
  for (const quality of QUALITIES) {
    page = await sharp(pixels, raw).jpeg({ quality }).toBuffer();
    if (page.length <= bytes) break;
  }
  return page;
};

/** A few different pages of about the requested size; books cycle through them. */
export const makePages = async (
  plan: Pick<LibraryPlan, 'width' | 'height' | 'pageBytes'>,
  count: number,
): Promise<Buffer[]> => {
  const random = seeded(plan.pageBytes + count);
  const pages: Buffer[] = [];
  for (let n = 0; n < count; n += 1) {
    const pixels = drawPage(random, plan.width, plan.height, GRAIN);
    pages.push(await encodePage(pixels, plan.width, plan.height, plan.pageBytes));
  }
  return pages;
};

export const DISTINCT_PAGES = 12;

/** Makes the library below `folder` unless it already exists; returns its root. */
export const makeLibrary = async (folder: string, plan: LibraryPlan): Promise<string> => {
  const root = join(folder, plan.name);
  const marker = join(folder, `${plan.name}.json`);
  const made = JSON.stringify(plan);
  if (existsSync(marker) && readFileSync(marker, 'utf8') === made) return root;
  rmSync(root, { recursive: true, force: true });
  const pages = await makePages(plan, DISTINCT_PAGES);
  for (let book = 0; book < plan.books; book += 1) {
    const series = Math.floor(book / plan.booksPerSeries);
    const place = join(root, `Series ${String(series).padStart(5, '0')}`);
    if (book % plan.booksPerSeries === 0) mkdirSync(place, { recursive: true });
    const items = Array.from({ length: plan.pagesPerBook }, (_, page) => ({
      name: `page ${page + 1}.jpg`,
      bytes: pages[(book + page) % pages.length] ?? Buffer.alloc(0),
    }));
    // A unique entry makes every file different.
    items.push({ name: 'note.txt', bytes: Buffer.from(`book ${book}`) });
    writeFileSync(
      join(place, `Book ${String((book % plan.booksPerSeries) + 1).padStart(3, '0')}.cbz`),
      writeZip(items),
    );
  }
  writeFileSync(marker, made);
  return root;
};

export const PLANS = {
  /** The library of scan and page lines: 1,000 books of 30 pages. */
  usual: {
    name: 'usual',
    books: 1000,
    pagesPerBook: 30,
    booksPerSeries: 25,
    width: 1000,
    height: 1440,
    pageBytes: 100_000,
  },
  /** A few books with the page sizes of the page lines. */
  pages300: {
    name: 'pages300',
    books: 2,
    pagesPerBook: 40,
    booksPerSeries: 2,
    width: 1400,
    height: 2000,
    pageBytes: 300_000,
  },
  pages1000: {
    name: 'pages1000',
    books: 2,
    pagesPerBook: 20,
    booksPerSeries: 2,
    width: 2000,
    height: 2800,
    pageBytes: 1_000_000,
  },
  /** What is read during a scan, and what is scanned: a cover to resize for every 3 MB. */
  read: {
    name: 'read',
    books: 1,
    pagesPerBook: 40,
    booksPerSeries: 1,
    width: 1000,
    height: 1440,
    pageBytes: 100_000,
  },
  covers: {
    name: 'covers',
    books: 600,
    pagesPerBook: 10,
    booksPerSeries: 20,
    width: 1400,
    height: 2000,
    pageBytes: 300_000,
  },
  /** Books of 75 MB. */
  large: {
    name: 'large',
    books: 12,
    pagesPerBook: 75,
    booksPerSeries: 12,
    width: 2000,
    height: 2800,
    pageBytes: 1_000_000,
  },
  tiny1k: { name: 'tiny1k', books: 1000, pagesPerBook: 1, booksPerSeries: 30, width: 64, height: 96, pageBytes: 2000 },
  tiny100k: {
    name: 'tiny100k',
    books: 100_000,
    pagesPerBook: 1,
    booksPerSeries: 30,
    width: 64,
    height: 96,
    pageBytes: 2000,
  },
} as const satisfies Record<string, LibraryPlan>;
