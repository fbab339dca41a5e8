// What fuzzing begins with: the fixtures of each format, images and metadata packed into small books.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeZip, type ZipItem } from '../../bench/zip-writer.js';
import type { BookFormat } from '../../core/model/formats.js';
import { fixture } from '../../fixtures/index.js';
import { openBookFile } from '../../workers/book-file.js';
import { openZip } from '../../workers/formats/zip.js';
import { mediaOfBytes, sizeOfBytes } from '../../workers/image-head.js';
import { LIMITS } from '../limits.js';

/** Images of one kind, by the endings of their fixtures; each is the only page of a cbz. */
const IMAGE_KINDS = {
  png: ['png'],
  jpeg: ['jpg', 'jpeg'],
  gif: ['gif'],
  webp: ['webp'],
  avif: ['avif'],
  jp2: ['jp2', 'j2k', 'jpx'],
  jxl: ['jxl'],
  tiff: ['tif', 'tiff'],
  bmp: ['bmp'],
} as const;

type ImageKind = keyof typeof IMAGE_KINDS;

/** What a run is about: a format of books, a kind of image in them, or the records of metadata. */
export type Subject = BookFormat | ImageKind | 'metadata';

export const SUBJECTS: readonly Subject[] = [
  ...(['cbz', 'cbr', 'cbt', 'epub', 'pdf'] satisfies BookFormat[]),
  ...(Object.keys(IMAGE_KINDS) as ImageKind[]),
  'metadata',
];

const isImageKind = (subject: Subject): subject is ImageKind => Object.hasOwn(IMAGE_KINDS, subject);

/** What its files are called. */
export const formatOf = (subject: Subject): BookFormat =>
  isImageKind(subject) || subject === 'metadata' ? 'cbz' : subject;

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

/** How many images of ordinary size are tried for one that takes seconds to decode: else hardly any others would be. */
const ORDINARY_SHARE = 10;
const ORDINARY_PIXELS = 4_000_000;

const isLarge = (bytes: Uint8Array): boolean => {
  const media = mediaOfBytes(bytes);
  const size = media === undefined ? undefined : sizeOfBytes(bytes, media);
  return size !== undefined && size.width * size.height > ORDINARY_PIXELS;
};

const imageBooks = (endings: readonly string[]): Seed[] =>
  [...filesIn('images'), ...filesIn('cases/images')]
    .filter((path) => endings.some((ending) => path.endsWith(`.${ending}`)))
    .map((path) => packed(nameOf(path), [{ name: `1-${nameOf(path)}`, bytes: readFileSync(path) }]));

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

const allSeedsOf = (subject: Subject): readonly Seed[] => {
  if (subject === 'metadata') return recordBooks();
  if (isImageKind(subject)) return imageBooks(IMAGE_KINDS[subject]);
  const books = [...filesIn('books'), ...filesIn('cases')]
    .filter((path) => path.endsWith(`.${subject}`) && statSync(path).size > 0)
    .map((path) => ({ name: nameOf(path), bytes: readFileSync(path), items: itemsOf(path) }));
  return subject === 'cbz' ? [...books, ...imageBooks(Object.values(IMAGE_KINDS).flat()), ...recordBooks()] : books;
};

/** All fixtures of a subject, most of them several times. */
export const seedsOf = (subject: Subject): readonly Seed[] =>
  allSeedsOf(subject).flatMap((seed) =>
    seed.items.some(({ bytes }) => isLarge(bytes)) ? [seed] : Array.from({ length: ORDINARY_SHARE }, () => seed),
  );
