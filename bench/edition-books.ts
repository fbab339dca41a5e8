// Draws works and packs each into two editions, to measure how well editions of one work are told from works that look alike.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { seeded } from './corpus.js';
import { writeComicEpub } from './epub-writer.js';
import { writeImagePdf, writeScanPdf } from './pdf-writer.js';
import { writeZip } from './zip-writer.js';

const WIDTH = 480;
const HEIGHT = 720;
const PAGES = 6;

/** Works of each kind look alike among themselves, as told. */
export const WORK_KINDS = ['panels', 'template', 'text', 'chapter'] as const;
type WorkKind = (typeof WORK_KINDS)[number];

type Dice = () => number;

class Canvas {
  readonly grey = Buffer.alloc(WIDTH * HEIGHT, 255);

  /** A box with a gradient from one grey to another. */
  fill(x: number, y: number, width: number, height: number, from: number, to = from): void {
    for (let row = Math.max(0, y); row < Math.min(HEIGHT, y + height); row += 1) {
      const value = from + ((to - from) * (row - y)) / height;
      this.grey.fill(Math.round(value), row * WIDTH + Math.max(0, x), row * WIDTH + Math.min(WIDTH, x + width));
    }
  }

  frame(x: number, y: number, width: number, height: number): void {
    this.fill(x, y, width, 3, 0);
    this.fill(x, y + height - 3, width, 3, 0);
    this.fill(x, y, 3, height, 0);
    this.fill(x + width - 3, y, 3, height, 0);
  }

  disc(cx: number, cy: number, radius: number, value: number): void {
    for (let y = -radius; y <= radius; y += 1) {
      const half = Math.floor(Math.sqrt(radius * radius - y * y));
      this.fill(cx - half, cy + y, half * 2, 1, value);
    }
  }
}

const upTo = (dice: Dice, limit: number): number => Math.floor(dice() * limit);

/** What happens in a panel. */
const scene = (canvas: Canvas, dice: Dice, x: number, y: number, width: number, height: number): void => {
  canvas.fill(x, y, width, height, upTo(dice, 256), upTo(dice, 256));
  for (let n = 0; n < 5; n += 1)
    canvas.disc(x + upTo(dice, width), y + upTo(dice, height), 5 + upTo(dice, width / 5), upTo(dice, 256));
};

/** Six panels of which every work has the same frames. */
const grid = (canvas: Canvas, draw: (x: number, y: number, width: number, height: number) => void): void => {
  for (let row = 0; row < 3; row += 1)
    for (let column = 0; column < 2; column += 1) {
      const [x, y] = [20 + column * 225, 20 + row * 230];
      draw(x, y, 215, 220);
      canvas.frame(x, y, 215, 220);
    }
};

/** Lines of words on white paper. */
const prose = (canvas: Canvas, dice: Dice, lines: number): void => {
  for (let line = 0; line < lines; line += 1)
    for (let x = 40; x < 420; ) {
      const word = 10 + upTo(dice, 50);
      canvas.fill(x, 60 + line * 22, Math.min(word, 440 - x), 7, 30);
      x += word + 8;
    }
};

const draw = (kind: WorkKind, dice: Dice, page: number): Buffer => {
  const canvas = new Canvas();
  if (page === 0) {
    canvas.fill(0, 0, WIDTH, 160, 40); // the cover of a series
    canvas.disc(240, 440, 150, 120);
    prose(canvas, dice, 1);
  } else if (kind === 'panels')
    for (let y = 20; y < 640; ) {
      const height = Math.min(80 + upTo(dice, 200), 700 - y);
      const split = 100 + upTo(dice, 240);
      scene(canvas, dice, 20, y, split, height);
      scene(canvas, dice, 30 + split, y, 430 - split, height);
      y += height + 10;
    }
  else if (kind === 'template') grid(canvas, (...box) => scene(canvas, dice, ...box));
  else if (kind === 'text') prose(canvas, dice, 4 + upTo(dice, 24));
  else
    grid(canvas, (x, y, width, height) => {
      canvas.fill(x, y, width, height, 235, 200); // one background throughout the series
      canvas.disc(x + 30 + upTo(dice, width - 60), y + 60 + upTo(dice, 100), 40, 60);
      canvas.fill(x + upTo(dice, 120), y + 10, 60 + upTo(dice, 30), 30 + upTo(dice, 20), 255);
    });
  return canvas.grey;
};

type Encoding = 'jpeg' | 'webp' | 'png';

const encoded = (grey: Buffer, dice: Dice, format: Encoding): Promise<Buffer> => {
  const width = Math.round(WIDTH * (0.5 + dice()));
  const image = sharp(grey, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
    .resize(width)
    .toColourspace('srgb');
  const quality = 35 + upTo(dice, 60);
  if (format === 'png') return image.png({ palette: dice() < 0.5 }).toBuffer();
  return format === 'webp' ? image.webp({ quality }).toBuffer() : image.jpeg({ quality }).toBuffer();
};

const CONTAINERS = ['cbz', 'pdf', 'epub'] as const;

interface Packing {
  readonly container: (typeof CONTAINERS)[number];
  readonly format: Encoding;
  readonly title: string;
  readonly isScan: boolean;
}

const packed = async ({ container, format, title, isScan }: Packing, pages: readonly Buffer[]): Promise<Buffer> => {
  if (container === 'cbz') return writeZip(pages.map((bytes, page) => ({ name: `${page}.${format}`, bytes })));
  if (container === 'epub') return writeComicEpub(title, pages);
  const images = await Promise.all(
    pages.map(async (bytes) => {
      const { width = 1, height = 1 } = await sharp(bytes).metadata();
      return { bytes, width, height };
    }),
  );
  return isScan ? writeScanPdf(images) : writeImagePdf(images);
};

/** Words that name nothing in common, so that only the pages tell. */
const named = (dice: Dice): string =>
  Array.from({ length: 10 }, () => String.fromCharCode(97 + upTo(dice, 26))).join('');

export interface EditionBook {
  readonly path: string;
  readonly work: number;
  readonly kind: WorkKind;
}

/** Two editions of each of so many works, written into folders of their own. */
export const writeEditions = async (folder: string, works: number): Promise<readonly EditionBook[]> => {
  const books: EditionBook[] = [];
  for (let work = 0; work < works; work += 1) {
    const kind = WORK_KINDS[work % WORK_KINDS.length] ?? 'panels';
    const paint = seeded(1000 + work);
    const drawn = Array.from({ length: PAGES }, (_, page) => draw(kind, paint, page));
    const dice = seeded(500_000 + work);
    for (let edition = 0; edition < 2; edition += 1) {
      const container = CONTAINERS[upTo(dice, CONTAINERS.length)] ?? 'cbz';
      const formats: readonly Encoding[] = container === 'cbz' ? ['jpeg', 'webp', 'png'] : ['jpeg'];
      const format = formats[upTo(dice, formats.length)] ?? 'jpeg';
      const pages = await Promise.all(drawn.map((grey) => encoded(grey, dice, format)));
      const title = named(dice);
      const path = join(folder, named(dice), `${title}.${container}`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, await packed({ container, format, title, isScan: dice() < 0.5 }, pages));
      books.push({ path, work, kind });
    }
  }
  return books;
};

export interface Judged {
  readonly works: number;
  readonly found: number;
  /** Pairs that were taken for editions of one work, and are not. */
  readonly falsePairs: number;
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Compares groups, given as paths, with what was written. */
export const judged = (books: readonly EditionBook[], groups: readonly (readonly string[])[]): Judged => {
  const byPath = new Map(books.map((book) => [book.path, book]));
  const found = new Set<number>();
  const wrong: string[] = [];
  for (const group of groups)
    group.forEach((path, at) => {
      for (const other of group.slice(at + 1)) {
        const [a, b] = [byPath.get(path), byPath.get(other)];
        if (a === undefined || b === undefined || a.work !== b.work) wrong.push(`${a?.kind} ${b?.kind}`);
        else found.add(a.work);
      }
    });
  const missed = books.filter(({ work }, at) => at % 2 === 0 && !found.has(work)).map(({ kind }) => kind);
  return { works: books.length / 2, found: found.size, falsePairs: wrong.length, missed, wrong };
};
