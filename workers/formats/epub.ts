// epub: its pages are its images in reading order; a reflowable book counts positions instead. Structure and table of contents are stored
// for clients that show text.
import { AppError } from '../../core/model/errors.js';
import type { Note } from '../../core/model/jobs.js';
import { epubKindOf, type Outline, type SpineItem } from '../../core/model/outline.js';
import { inFile } from '../../core/model/page-address.js';
import { listed } from '../../core/model/page-findings.js';
import type { Checksum } from '../../core/model/page-hashes.js';
import { METHOD } from '../../core/model/page-table.js';
import { readOpfMetadata } from '../metadata/opf.js';
import { type Allowance, isSpent, spend } from './allowance.js';
import { isCoverCopied } from './epub-copied-cover.js';
import { type EpubPackage, isProtected, readPackage } from './epub-package.js';
import { type EpubPages, pagesOf, withoutCover } from './epub-pages.js';
import { containerIn, EpubEntries, mimetypeIn } from './epub-paths.js';
import { readToc } from './epub-toc.js';
import type { Container, ListedPage, OpenContext } from './format.js';
import type { ZipArchive } from './zip.js';

const MIMETYPE = 'application/epub+zip';
const POSITION_BYTES = 1024;
/** Detected by the mimetype entry, wherever and however it is packed, or by the container file: some writers omit one of them. */
export const isEpub = (archive: ZipArchive): boolean => {
  const mimetype = mimetypeIn(archive.entries)?.entry;
  const bytes = mimetype === undefined ? null : archive.read(mimetype, 256);
  if (bytes !== null && Buffer.from(bytes).toString('latin1').trim() === MIMETYPE) return true;
  return containerIn(archive.entries) !== undefined;
};

/** Without its container file nothing says which of the documents is the book. */
const PARTS_OF_EPUB = /\.(?:opf|ncx|x?html?)$/i;

/** An archive without images that was an EPUB book once. */
export const refuseWithoutContainer = (archive: ZipArchive): void => {
  if (archive.entries.some(({ name }) => PARTS_OF_EPUB.test(name)))
    throw new AppError('CorruptArchive', 'The EPUB book is damaged: META-INF/container.xml is missing.');
};

/** The reading order, as far as the allowance lasts, with each document once: apps know documents by their paths. */
export const spineIn = (
  entries: EpubEntries,
  book: EpubPackage,
  { chars, isPaged }: { readonly chars: Allowance; readonly isPaged: boolean },
): SpineItem[] =>
  book.spine
    .filter(({ item }) => spend(chars, item.path.length + item.mediaType.length))
    .map(({ item, linear }) => ({
      href: entries.at(item.path)?.name ?? item.path,
      mediaType: item.mediaType,
      positions: isPaged ? 1 : Math.max(1, Math.ceil((entries.at(item.path)?.size ?? 0) / POSITION_BYTES)),
      linear,
    }));

const DOCUMENT = /\.x?html?$/i;

/** Of a text, its documents: a cover or a stylesheet is often replaced with the metadata. */
const checksumsOf = (
  { entries }: ZipArchive,
  pages: readonly ListedPage[],
  isOfImages: boolean,
): readonly Checksum[] => {
  if (!isOfImages) return entries.filter(({ name }) => DOCUMENT.test(name));
  const shown = pages.filter(({ method }) => method !== METHOD.blank);
  const offsets = new Set(shown.map((page) => inFile(page).offset));
  return entries.filter(({ offset }) => offsets.has(offset));
};

/** Characters of the reading order and the table of contents together. */
const OUTLINE_MAX_CHARS = 8_000_000;

interface Cut {
  readonly outline: boolean;
  readonly images: boolean;
  readonly repeats: boolean;
}

/** Pages that are shown, though not as they are in the book. */
const notesOfPages = ({ incomplete, remote, worded }: EpubPages): Note[] => {
  const sentences = [
    incomplete.length === 0 ? '' : `Some images of these pages are not in the file: ${listed(incomplete)}.`,
    remote.length === 0
      ? ''
      : `Images of these pages are on other servers and are not loaded: ${listed(remote)}. Create the book again with its images included.`,
    worded.length === 0
      ? ''
      : `These pages are text in the book and blank here: ${listed(worded)}. Apps that open EPUB files show the text.`,
  ];
  const message = sentences.filter((sentence) => sentence !== '').join(' ');
  return message === '' ? [] : [{ type: 'page_extraction', message }];
};

/** One remark: a book has at most one of each type. */
const notesOf = ({ missing, isCut, isIncomplete, isAltered }: EpubPackage, cut: Cut): Note[] => {
  const sentences = [
    missing.length === 0
      ? []
      : [`Files in its reading order are missing: ${missing.slice(0, 5).join(', ').slice(0, 300)}.`],
    isCut ? ['Its package document is too long or lists too many files; only its beginning is read.'] : [],
    isIncomplete && !isCut
      ? [
          'Its package document is cut off, so pages and metadata may be missing. Copy or download the file again, or create it anew.',
        ]
      : [],
    isAltered
      ? [
          'Its package document does not match its checksum, so pages and metadata may be wrong. Copy or download the file again.',
        ]
      : [],
    cut.outline ? ['Its reading order or its table of contents is too long; only the beginning is kept.'] : [],
    cut.repeats ? ['Its reading order repeats documents very often; each document is shown as one page.'] : [],
    cut.images ? ['Its documents are too long or name too many images; only the first are pages.'] : [],
  ].flat();
  return sentences.length === 0 ? [] : [{ type: 'parser', message: sentences.join(' ') }];
};

const NO_PAGES: EpubPages = {
  pages: [],
  isOfImages: false,
  isCut: false,
  isCoverAdded: false,
  incomplete: [],
  remote: [],
  worded: [],
  front: null,
};

export const openEpub = async (archive: ZipArchive, { limits, check }: OpenContext): Promise<Container> => {
  const entries = new EpubEntries(archive);
  const book = readPackage(entries, limits.xmlBytes);
  const protectedBook = isProtected(entries, limits.xmlBytes);
  const shown = protectedBook ? NO_PAGES : pagesOf(entries, book, check);
  const isCopied = shown.isCoverAdded && (await isCoverCopied(archive, shown.pages, limits));
  const found = isCopied ? withoutCover(shown) : shown;
  const chars = { left: OUTLINE_MAX_CHARS };
  const spine = spineIn(entries, book, {
    chars,
    isPaged: book.isFixed || found.isOfImages,
  });
  const isSpineCut = isSpent(chars);
  const { toc, isCut } = readToc(entries, book, chars);
  const outline: Outline = {
    layout: book.isFixed ? 'fixed' : 'reflowable',
    direction: book.direction,
    packagePath: book.path,
    isProtected: protectedBook,
    spine,
    toc,
    hasPages: found.isOfImages,
  };
  const isOfImages = epubKindOf(outline, found.pages.length) === 'images';
  return {
    format: 'epub',
    pages: found.pages,
    isOrdered: true,
    pageCount: isOfImages ? found.pages.length : spine.reduce((sum, { positions }) => sum + positions, 0),
    outline,
    checksums: checksumsOf(archive, found.pages, isOfImages),
    notes: [
      ...notesOf(book, {
        outline: isSpineCut || isCut,
        images: found.isCut,
        repeats: found.isOfImages && book.repeatsTooOften,
      }),
      ...notesOfPages(found),
    ],
    head: archive.head,
    whole: archive.whole,
    frontPages: () => (found.front === null ? [] : [found.front]),
    metadata: () => readOpfMetadata(book.root),
  };
};
