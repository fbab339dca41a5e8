// Which images of an EPUB are its pages.
import { METHOD } from '../../core/model/page-table.js';
import { declaredCovers, namedCovers } from './epub-cover.js';
import { type DocumentPage, Documents, isBare, type Shown, type WithoutImage } from './epub-documents.js';
import {
  type ImageSearch,
  imageSearch,
  imagesOfItem,
  imagesOfText,
  isImageItem,
  isSearchCut,
  textOf,
} from './epub-images.js';
import type { EpubPackage, ManifestItem, SpineRef } from './epub-package.js';
import type { EpubEntries } from './epub-paths.js';
import { backgroundsOf, type StyleSearch, styleSearch } from './epub-styles.js';
import type { ListedPage } from './format.js';
import type { ZipEntry } from './zip-entry.js';

export interface EpubPages {
  readonly pages: readonly ListedPage[];
  /** Each document is one of the pages, as often as the reading order names it. */
  readonly isOfImages: boolean;
  readonly isCut: boolean;
  /** The first page is a cover that no document shows. */
  readonly isCoverAdded: boolean;
  /** Numbers of pages that show an image, but lack another one. */
  readonly incomplete: readonly number[];
  /** Numbers of pages that show an image of another server. */
  readonly remote: readonly number[];
  /** Numbers of blank pages that stand for text. */
  readonly worded: readonly number[];
  /** The index of the page that the book declares to be its cover; null: the first page, or none is declared. */
  readonly front: number | null;
}

const NOTHING = { isOfImages: false, isCoverAdded: false, incomplete: [], remote: [], worded: [], front: null };

const isPage = ({ name }: ZipEntry): boolean => !/\.svgz?$/i.test(name);

const coverOf = (
  entries: EpubEntries,
  items: Iterable<ManifestItem | undefined>,
  check: () => void,
): ZipEntry | undefined => {
  for (const item of items)
    for (const path of item === undefined ? [] : imagesOfItem(entries, item, imageSearch(check))) {
      const entry = entries.at(path);
      if (entry !== undefined && isPage(entry)) return entry;
    }
  return undefined;
};

const blankPageOf = ({ item, fault }: WithoutImage): ListedPage => ({
  name: item.path,
  address: { in: 'file', offset: 0, headerBytes: 0 },
  packedSize: 0,
  size: 0,
  method: METHOD.blank,
  fault,
  known: { media: 'png', width: 0, height: 0 }, // measured by its neighbours
});

interface Searches {
  readonly images: ImageSearch;
  readonly styles: StyleSearch;
}

const found = (entries: EpubEntries, paths: Iterable<string>): Pick<Shown, 'images' | 'isMissing'> => {
  const images = new Set<ZipEntry>();
  let isMissing = false;
  for (const path of paths) {
    const entry = entries.at(path);
    if (entry === undefined) isMissing = true;
    else if (isPage(entry)) images.add(entry);
  }
  return { images, isMissing };
};

const NO_TEXT = { text: null, isRemote: false };

/** Style sheets are read only where a document shows nothing else and may still be a page. */
const shownBy = (entries: EpubEntries, { item }: SpineRef, { images, styles }: Searches, mayBePage: boolean): Shown => {
  images.check();
  if (isImageItem(entries, item)) return { ...found(entries, [item.path]), ...NO_TEXT, isReadable: true };
  const text = textOf(entries, item.path, images);
  if (text === null) return { ...found(entries, []), ...NO_TEXT, isReadable: false };
  const shown = found(entries, imagesOfText(entries, item.path, text, images));
  const isRemote = images.remote.has(item.path);
  if (!mayBePage || !isBare(shown.images, text)) return { ...shown, text, isReadable: true, isRemote };
  const behind = found(entries, backgroundsOf(entries, { path: item.path, text }, images, styles));
  const isMissing = shown.isMissing || behind.isMissing;
  return { images: behind.images, isMissing, text, isReadable: true, isRemote };
};

/**
 * Of a book of images one page for each document, in order, whichever of them is the cover; the cover before them if none shows it. Of any other its cover, then every
 * image once, in reading order.
 */
export const pagesOf = (entries: EpubEntries, book: EpubPackage, check: () => void): EpubPages => {
  const searches = { images: imageSearch(check), styles: styleSearch() };
  const declared = coverOf(entries, declaredCovers(entries, book), check);
  const cover = declared ?? coverOf(entries, namedCovers(entries, book), check);
  const all = new Set(cover === undefined ? [] : [cover]);
  const documents = new Documents(entries, book);
  for (const ref of book.spine) {
    const shown = shownBy(entries, ref, searches, documents.canBeImages);
    for (const image of shown.images) all.add(image);
    if (documents.canBeImages) documents.add(ref, shown);
  }
  const isCut = isSearchCut(searches.images);
  const { page } = entries.archive;
  if (!documents.isOfImages) return { pages: [...all].map(page), ...NOTHING, isCut };
  const inOrder = book.order.flatMap((ref) => documents.pages.get(ref) ?? []);
  const shownAt = cover === undefined ? -1 : inOrder.findIndex(({ shows }) => shows === cover);
  const isCoverAdded = cover !== undefined && shownAt < 0;
  const shown = inOrder.map(({ shows }) => ('item' in shows ? blankPageOf(shows) : page(shows)));
  const pages = isCoverAdded ? [page(cover), ...shown] : shown;
  const numbersOf = (isOne: (page: DocumentPage) => boolean): number[] =>
    inOrder.flatMap((one, index) => (isOne(one) ? [index + (isCoverAdded ? 2 : 1)] : []));
  return {
    pages,
    isOfImages: true,
    isCut,
    isCoverAdded,
    incomplete: numbersOf(({ isIncomplete }) => isIncomplete),
    remote: numbersOf(({ isRemote }) => isRemote),
    worded: numbersOf(({ isText }) => isText),
    front: declared === undefined || shownAt < 1 ? null : shownAt,
  };
};

/** The same pages without the cover that was added. */
export const withoutCover = ({ pages, incomplete, remote, worded, ...found }: EpubPages): EpubPages => {
  const earlier = (numbers: readonly number[]): number[] => numbers.map((number) => number - 1);
  return {
    ...found,
    pages: pages.slice(1),
    isCoverAdded: false,
    incomplete: earlier(incomplete),
    remote: earlier(remote),
    worded: earlier(worded),
  };
};
