// epub: its pages are its images in reading order; a reflowable book counts positions instead. Structure and table of contents are stored
// for clients that show text.
import { AppError } from '../../core/model/errors.js';
import type { Note } from '../../core/model/jobs.js';
import type { SpineItem } from '../../core/model/outline.js';
import { readOpfMetadata } from '../metadata/opf.js';
import { imagesOfItem } from './epub-images.js';
import { type EpubPackage, isProtected, namedCover, readPackage } from './epub-package.js';
import { EpubEntries } from './epub-paths.js';
import { readToc } from './epub-toc.js';
import type { Container, ListedPage, OpenContext } from './format.js';
import type { ZipArchive } from './zip.js';

const MIMETYPE = 'application/epub+zip';
const POSITION_BYTES = 1024;
/** Detected by the mimetype entry, wherever and however it is packed, or by the container file: some writers omit one of them. */
export const isEpub = (archive: ZipArchive): boolean => {
  const entry = archive.entries.find(({ name }) => name === 'mimetype');
  const bytes = entry === undefined ? null : archive.read(entry, 256);
  if (bytes !== null && Buffer.from(bytes).toString('latin1').trim() === MIMETYPE) return true;
  return archive.entries.some(({ name }) => name === 'META-INF/container.xml');
};

/** Cover first, then every image once, in reading order. */
const pagesOf = (entries: EpubEntries, book: EpubPackage, check: () => void): ListedPage[] => {
  const cover = namedCover(book);
  const paths = cover === undefined ? [] : imagesOfItem(entries, cover, { followed: new Set(), check }).slice(0, 1);
  const search = { followed: new Set<string>(), check };
  for (const { item } of book.spine) for (const path of imagesOfItem(entries, item, search)) paths.push(path);
  const seen = new Set<string>();
  return paths.flatMap((path) => {
    const entry = entries.at(path);
    if (entry === undefined || seen.has(entry.name) || /\.svgz?$/i.test(entry.name)) return [];
    seen.add(entry.name);
    return [entries.archive.page(entry)];
  });
};

const spineOf = (entries: EpubEntries, book: EpubPackage): SpineItem[] =>
  book.spine.map(({ item, linear }) => ({
    href: item.path,
    mediaType: item.mediaType,
    positions: book.isFixed ? 1 : Math.max(1, Math.ceil((entries.at(item.path)?.size ?? 0) / POSITION_BYTES)),
    linear,
  }));

/** A fixed layout in which every spread is an image is read like a comic: its pages are its images. */
const pageCountOf = (book: EpubPackage, spine: readonly SpineItem[], pages: readonly ListedPage[]): number =>
  book.isFixed && pages.length >= spine.length
    ? pages.length
    : spine.reduce((sum, { positions }) => sum + positions, 0);

const notesOf = ({ missing }: EpubPackage): Note[] =>
  missing.length === 0
    ? []
    : [
        {
          type: 'parser',
          message: `Files in its reading order are missing: ${missing.slice(0, 5).join(', ').slice(0, 300)}.`,
        },
      ];

export const openEpub = (archive: ZipArchive, { limits, check }: OpenContext): Container => {
  const entries = new EpubEntries(archive);
  const book = readPackage(entries, limits.xmlBytes);
  const protectedBook = isProtected(entries, limits.xmlBytes);
  const pages = protectedBook ? [] : pagesOf(entries, book, check);
  if (pages.length > limits.archiveEntries) throw new AppError('LimitExceeded');
  const spine = spineOf(entries, book);
  return {
    format: 'epub',
    pages,
    isOrdered: true,
    pageCount: pageCountOf(book, spine, pages),
    outline: {
      layout: book.isFixed ? 'fixed' : 'reflowable',
      direction: book.direction,
      packagePath: book.path,
      isProtected: protectedBook,
      spine,
      toc: readToc(entries, book),
    },
    notes: notesOf(book),
    head: archive.head,
    whole: archive.whole,
    metadata: () => readOpfMetadata(book.root),
  };
};
