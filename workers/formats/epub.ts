// epub: its pages are its images in reading order; a reflowable book counts positions instead. Structure and table of contents are stored
// for clients that show text.
import type { Note } from '../../core/model/jobs.js';
import type { SpineItem } from '../../core/model/outline.js';
import { inFile } from '../../core/model/page-address.js';
import type { Checksum } from '../../core/model/page-hashes.js';
import { readOpfMetadata } from '../metadata/opf.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import { type ImageSearch, imageSearch, imagesOfItem, isSearchCut } from './epub-images.js';
import { type EpubPackage, isProtected, namedCover, readPackage } from './epub-package.js';
import { EpubEntries } from './epub-paths.js';
import { readToc } from './epub-toc.js';
import type { Container, ListedPage, OpenContext } from './format.js';
import type { ZipArchive } from './zip.js';
import type { ZipEntry } from './zip-entry.js';

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
const pagesOf = (entries: EpubEntries, book: EpubPackage, search: ImageSearch): ListedPage[] => {
  const shown = new Set<ZipEntry>();
  const add = (path: string | undefined): void => {
    const entry = path === undefined ? undefined : entries.at(path);
    if (entry !== undefined && !/\.svgz?$/i.test(entry.name)) shown.add(entry);
  };
  const cover = namedCover(book);
  if (cover !== undefined) {
    const [first] = imagesOfItem(entries, cover, imageSearch(search.check));
    add(first);
  }
  for (const { item } of book.spine) for (const path of imagesOfItem(entries, item, search)) add(path);
  return [...shown].map(entries.archive.page);
};

/** The reading order, as far as the allowance lasts. */
export const spineIn = (entries: EpubEntries, book: EpubPackage, chars: Allowance): SpineItem[] =>
  book.spine
    .filter(({ item }) => spend(chars, item.path.length + item.mediaType.length))
    .map(({ item, linear }) => ({
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

const DOCUMENT = /\.x?html?$/i;

/** Of a text, its documents: a cover or a stylesheet is often replaced with the metadata. */
const checksumsOf = ({ entries }: ZipArchive, book: EpubPackage, pages: readonly ListedPage[]): readonly Checksum[] => {
  if (!book.isFixed || pages.length < book.spine.length) return entries.filter(({ name }) => DOCUMENT.test(name));
  const offsets = new Set(pages.map((page) => inFile(page).offset));
  return entries.filter(({ offset }) => offsets.has(offset));
};

/** Characters of the reading order and the table of contents together. */
const OUTLINE_MAX_CHARS = 8_000_000;

interface Cut {
  readonly outline: boolean;
  readonly images: boolean;
}

/** One remark: a book has at most one of each type. */
const notesOf = ({ missing, isCut }: EpubPackage, cut: Cut): Note[] => {
  const sentences = [
    missing.length === 0
      ? []
      : [`Files in its reading order are missing: ${missing.slice(0, 5).join(', ').slice(0, 300)}.`],
    isCut ? ['Its package document lists too many files; only the first are read.'] : [],
    cut.outline ? ['Its reading order or its table of contents is too long; only the beginning is kept.'] : [],
    cut.images ? ['Its documents are too long or name too many images; only the first are pages.'] : [],
  ].flat();
  return sentences.length === 0 ? [] : [{ type: 'parser', message: sentences.join(' ') }];
};

export const openEpub = (archive: ZipArchive, { limits, check }: OpenContext): Container => {
  const entries = new EpubEntries(archive);
  const book = readPackage(entries, limits.xmlBytes);
  const protectedBook = isProtected(entries, limits.xmlBytes);
  const search = imageSearch(check);
  const pages = protectedBook ? [] : pagesOf(entries, book, search);
  const chars = { left: OUTLINE_MAX_CHARS };
  const spine = spineIn(entries, book, chars);
  const isSpineCut = isSpent(chars);
  const { toc, isCut } = readToc(entries, book, chars);
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
      toc,
    },
    checksums: checksumsOf(archive, book, pages),
    notes: notesOf(book, { outline: isSpineCut || isCut, images: isSearchCut(search) }),
    head: archive.head,
    whole: archive.whole,
    metadata: () => readOpfMetadata(book.root),
  };
};
