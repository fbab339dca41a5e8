// epub: images in reading order are its pages; a reflowable book counts positions instead. Structure and table of contents are kept for
// readers that show text.
import { AppError } from '../../core/model/errors.js';
import type { Note } from '../../core/model/jobs.js';
import type { SpineItem } from '../../core/model/outline.js';
import { readOpfMetadata } from '../metadata/opf.js';
import { decodeXml } from '../metadata/xml.js';
import { resolveEntities } from '../metadata/xml-node.js';
import { type EpubPackage, isProtected, type ManifestItem, namedCover, readPackage } from './epub-package.js';
import { EpubEntries, resolveHref } from './epub-paths.js';
import { readToc } from './epub-toc.js';
import type { Container, ListedPage, OpenContext } from './format.js';
import type { ZipArchive } from './zip.js';

const MIMETYPE = 'application/epub+zip';
const POSITION_BYTES = 1024;
/** Documents of a text are looked through for images up to this size. */
const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024;

/** By the media type entry, wherever and however it is packed, or by the container file: writers forget either. */
export const isEpub = (archive: ZipArchive): boolean => {
  const entry = archive.entries.find(({ name }) => name === 'mimetype');
  const bytes = entry === undefined ? null : archive.read(entry, 256);
  if (bytes !== null && Buffer.from(bytes).toString('latin1').trim() === MIMETYPE) return true;
  return archive.entries.some(({ name }) => name === 'META-INF/container.xml');
};

const isImageItem = ({ mediaType, path }: ManifestItem): boolean =>
  (mediaType.startsWith('image/') && mediaType !== 'image/svg+xml') ||
  (mediaType === '' && /\.(?:jpe?g|png|gif|webp|avif|jxl)$/i.test(path));

const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Elements that show an image: `img`, and `image` of SVG. */
const ELEMENT = /<(?:\w{1,20}:)?(?:img|image)(?=[\s/>])/gi;
const ADDRESS = /(?:^|\s)(?:xlink:)?(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const ATTRIBUTES_MAX = 16 * 1024;

/** The end of an element that is open at `from`: a quoted value may hold anything but its quote. Looks at no character twice. */
const endOfElement = (text: string, from: number): number => {
  const last = Math.min(text.length, from + ATTRIBUTES_MAX);
  let quote = '';
  for (let at = from; at < last; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return at;
  }
  return last;
};

const imagesIn = (entries: EpubEntries, path: string): string[] => {
  const bytes = entries.read(path, DOCUMENT_MAX_BYTES);
  if (bytes === null) return [];
  const text = decodeXml(bytes).replace(COMMENT, '');
  const targets: string[] = [];
  ELEMENT.lastIndex = 0;
  for (let found = ELEMENT.exec(text); found !== null; found = ELEMENT.exec(text)) {
    const end = endOfElement(text, ELEMENT.lastIndex);
    const address = ADDRESS.exec(text.slice(ELEMENT.lastIndex, end));
    const target = resolveHref(path, resolveEntities(address?.[1] ?? address?.[2] ?? ''));
    if (target !== undefined) targets.push(target);
    ELEMENT.lastIndex = end;
  }
  return targets;
};

const imagesOfItem = (entries: EpubEntries, item: ManifestItem): string[] =>
  isImageItem(item) ? [item.path] : imagesIn(entries, item.path);

/** Cover first, then every image once, in reading order. */
const pagesOf = (entries: EpubEntries, book: EpubPackage, check: () => void): ListedPage[] => {
  const cover = namedCover(book);
  const paths = cover === undefined ? [] : imagesOfItem(entries, cover).slice(0, 1);
  for (const { item } of book.spine) {
    check();
    paths.push(...imagesOfItem(entries, item));
  }
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

/** A fixed layout whose every spread is an image is read like a comic: its pages are its images. */
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
          message: `Files of its reading order are missing: ${missing.slice(0, 5).join(', ').slice(0, 300)}.`,
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
