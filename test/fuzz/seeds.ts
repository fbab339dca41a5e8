// What fuzzing begins with: the fixtures of each format, images and metadata packed into small books.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import type { BookFormat } from '../../core/model/formats.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { openZip } from '../../workers/formats/zip.js';
import { LIMITS } from '../limits.js';

export const FORMATS: readonly BookFormat[] = ['cbz', 'cbr', 'epub', 'pdf'];

export interface Seed {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Unpacked content of a zip archive, so that a change reaches what is packed; empty for other containers. */
  readonly items: readonly ZipItem[];
}

const FILE_MAX_BYTES = 300_000;

const filesIn = (folder: string): string[] =>
  readdirSync(fixture(folder))
    .sort()
    .map((name) => fixture(`${folder}/${name}`))
    .filter((path) => statSync(path).isFile() && statSync(path).size <= FILE_MAX_BYTES);

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const itemsOf = (path: string): ZipItem[] => {
  const file = openBookFile(path);
  try {
    const archive = openZip(file, { limits: LIMITS, check: () => undefined });
    return archive.entries.flatMap((entry) => {
      const bytes = archive.read(entry, FILE_MAX_BYTES);
      return bytes === null ? [] : [{ name: entry.name, bytes }];
    });
  } catch {
    return []; // damaged by intent, or no zip archive
  } finally {
    file.close();
  }
};

const packed = (name: string, items: readonly ZipItem[]): Seed => ({ name, bytes: writeZip(items), items });

/** Each image as the only page of a book. */
const imageBooks = (): Seed[] =>
  [...filesIn('images'), ...filesIn('cases/images')].map((path) =>
    packed(nameOf(path), [{ name: `1-${nameOf(path)}`, bytes: readFileSync(path) }]),
  );

const XML_NAMES: Readonly<Record<string, string>> = { comet: 'CoMet.xml', metroninfo: 'MetronInfo.xml' };

/** Each record of metadata beside a page. */
const recordBooks = (): Seed[] => {
  const page = { name: '1.png', bytes: readFileSync(fixture('images/png-16bit-rgb.png')) };
  return filesIn('metadata')
    .filter((path) => path.endsWith('.xml'))
    .map((path) => {
      const kind = Object.keys(XML_NAMES).find((word) => nameOf(path).startsWith(word)) ?? '';
      return packed(nameOf(path), [{ name: XML_NAMES[kind] ?? 'ComicInfo.xml', bytes: readFileSync(path) }, page]);
    });
};

export const seedsOf = (format: BookFormat): readonly Seed[] => {
  const books = [...filesIn('books'), ...filesIn('cases')]
    .filter((path) => path.endsWith(`.${format}`) && statSync(path).size > 0)
    .map((path) => ({ name: nameOf(path), bytes: readFileSync(path), items: itemsOf(path) }));
  return format === 'cbz' ? [...books, ...imageBooks(), ...recordBooks()] : books;
};
