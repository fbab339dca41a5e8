// Books of every format for measurements, generated once from the same pages. Kept between runs; a marker file shows that they are
// complete.
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../fixtures/index.js';
import { makePages } from './corpus.js';
import { writeComicEpub } from './epub-writer.js';
import { type PdfImage, writeImagePdf, writeScanPdf, writeTextPdf } from './pdf-writer.js';
import { type RarItem, type RarOptions, rarParts, writeRar } from './rar-writer.js';
import { writeZip } from './zip-writer.js';

export const STORED: RarOptions = { isPacked: false, isSolid: false };
export const PACKED: RarOptions = { isPacked: true, isSolid: false };
export const SOLID: RarOptions = { isPacked: true, isSolid: true };

export const LARGE_PAGE = { width: 1400, height: 2000, pageBytes: 300_000 };
const USUAL_PAGE = { width: 1000, height: 1440, pageBytes: 100_000 };
const DISTINCT = 12;

/** Pages in rotation, starting with a different one in each book. */
export const turned = (pages: readonly Buffer[], count: number, first: number): RarItem[] =>
  Array.from({ length: count }, (_, page) => ({
    name: `page ${page + 1}.jpg`,
    bytes: pages[(first + page) % pages.length] ?? Buffer.alloc(0),
  }));

export const imagesOf = (items: readonly RarItem[], { width, height }: typeof USUAL_PAGE): PdfImage[] =>
  items.map(({ bytes }) => ({ bytes, width, height }));

/** Runs `write` on a new folder, unless that folder is already complete. */
export const once = async (folder: string, name: string, write: (root: string) => Promise<void>): Promise<string> => {
  const root = join(folder, name);
  const marker = join(folder, `${name}.whole`);
  if (existsSync(marker)) return root;
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  await write(root);
  writeFileSync(marker, '');
  return root;
};

export const PACKED_PAGES = 100;
export const SOLID_PAGES = 60;
/** One to warm up and one for each round: the unpacked pages of a solid book are cached. */
export const SOLID_COPIES = 10;
export const DRAWN_PAGES = 20;
/** Archives written by a real RAR. No larger ones may be redistributed. */
export const REAL_RARS = ['rar5-solid', 'rar4-solid', 'six-pages-rar4', 'captain-science-cix'];
export const REAL_COPIES = 6;

/** Books of the page lines. */
export const pageBooks = (folder: string): Promise<string> =>
  once(folder, 'format-pages', async (root) => {
    const pages = await makePages(LARGE_PAGE, DISTINCT);
    const put = (name: string, bytes: Buffer): void => writeFileSync(join(root, name), bytes);
    put('packed.cbr', writeRar(turned(pages, PACKED_PAGES, 0), PACKED));
    put('warm-up.cbr', writeRar(turned(pages, 40, 1), PACKED));
    put('stored.cbr', writeRar(turned(pages, 20, 2), STORED));
    put('images.pdf', writeImagePdf(imagesOf(turned(pages, 20, 3), LARGE_PAGE)));
    put('scan.pdf', writeScanPdf(imagesOf(turned(pages, DRAWN_PAGES, 4), LARGE_PAGE)));
    put('text.pdf', writeTextPdf(DRAWN_PAGES));
    for (let copy = 0; copy < SOLID_COPIES; copy += 1)
      put(`solid ${copy}.cbr`, writeRar(turned(pages, SOLID_PAGES, copy), SOLID));
    for (const name of REAL_RARS)
      for (let copy = 0; copy < REAL_COPIES; copy += 1)
        copyFileSync(fixture(`books/${name}.cbr`), join(root, `${name} ${copy}.cbr`));
  });

type Write = (title: string, items: readonly RarItem[]) => Buffer;

/** Extension to the kinds of books that have it. */
export const KINDS: readonly { readonly name: string; readonly extension: string; readonly write: Write }[] = [
  { name: 'cbz', extension: 'cbz', write: (_, items) => writeZip(items) },
  { name: 'cbr-stored', extension: 'cbr', write: (_, items) => writeRar(items, STORED) },
  { name: 'cbr-packed', extension: 'cbr', write: (_, items) => writeRar(items, PACKED) },
  { name: 'cbr-solid', extension: 'cbr', write: (_, items) => writeRar(items, SOLID) },
  {
    name: 'epub',
    extension: 'epub',
    write: (title, items) =>
      writeComicEpub(
        title,
        items.map(({ bytes }) => bytes),
      ),
  },
  { name: 'pdf-images', extension: 'pdf', write: (_, items) => writeImagePdf(imagesOf(items, USUAL_PAGE)) },
  { name: 'pdf-scan', extension: 'pdf', write: (_, items) => writeScanPdf(imagesOf(items, USUAL_PAGE)) },
];

export const MIXED_BOOKS = 200;
export const MIXED_PAGES = 20;

/** Cycles through the kinds; the first seven books are one of each. */
export const mixedBooks = (folder: string): Promise<string> =>
  once(folder, 'format-mixed', async (root) => {
    const pages = await makePages(USUAL_PAGE, DISTINCT);
    for (let book = 0; book < MIXED_BOOKS; book += 1) {
      const kind = KINDS[book % KINDS.length];
      if (kind === undefined) continue;
      const title = `Mixed ${String(book + 1).padStart(3, '0')}`;
      const bytes = kind.write(title, turned(pages, MIXED_PAGES, book));
      writeFileSync(join(root, `${title} ${kind.name}.${kind.extension}`), bytes);
    }
  });

export const LARGE_RAR_PAGES = 1000;

/** One stored archive of 300 MB, and next to it a folder with a small one of the same kind. */
export const largeRar = (folder: string): Promise<string> =>
  once(folder, 'format-large', async (root) => {
    const pages = await makePages(LARGE_PAGE, DISTINCT);
    for (const [name, count] of [
      ['small', 10],
      ['large', LARGE_RAR_PAGES],
    ] as const) {
      mkdirSync(join(root, name));
      const fd = openSync(join(root, name, `${name}.cbr`), 'w');
      for (const part of rarParts(turned(pages, count, 0), STORED)) writeSync(fd, part);
      closeSync(fd);
    }
  });
