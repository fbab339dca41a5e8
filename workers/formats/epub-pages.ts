// Which images of an EPUB are its pages, and whether it is a book of images: each document shows one image and hardly any text.
import { METHOD, type PageFault } from '../../core/model/page-table.js';
import { declaredCovers, namedCovers } from './epub-cover.js';
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
import { hasMoreLettersThan, hasPictureInside, lettersOf } from './epub-text.js';
import type { ListedPage } from './format.js';
import type { ZipEntry } from './zip-entry.js';

/** Letters that a document may have along with its image, or instead of one: a colophon, not a paragraph of a story. */
const DOCUMENT_MAX_LETTERS = 200;
/** Letters of all documents together, for each document: a word such as `Page`, not the line below a picture of a children's book. */
const MEAN_MAX_LETTERS = 16;
/** Of so many documents one may have words instead of an image. */
const DOCUMENTS_PER_WORDS = 10;
/** Of so many documents one must show an image. */
const DOCUMENTS_PER_IMAGE = 2;

export interface EpubPages {
  readonly pages: readonly ListedPage[];
  /** Each document is one of the pages, as often as the reading order names it. */
  readonly isOfImages: boolean;
  readonly isCut: boolean;
  /** Numbers of pages that show an image, but lack another one. */
  readonly incomplete: readonly number[];
  /** Numbers of pages that show an image of another server. */
  readonly remote: readonly number[];
  /** The index of the page that the book declares to be its cover; null: the first page, or none is declared. */
  readonly front: number | null;
}

const NOTHING = { isOfImages: false, incomplete: [], remote: [], front: null };

interface Shown {
  readonly images: ReadonlySet<ZipEntry>;
  /** Text of a document; null for an image, or where it cannot be read. */
  readonly text: string | null;
  readonly isReadable: boolean;
  /** It shows an image that is not in the archive. */
  readonly isMissing: boolean;
  /** That image is on another server. */
  readonly isRemote: boolean;
}

/** A document that is a page without an image: meant to be blank, or damaged. */
interface WithoutImage {
  readonly item: ManifestItem;
  readonly fault: Extract<PageFault, 'none' | 'missing'>;
}

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

interface Page {
  readonly shows: ZipEntry | WithoutImage;
  readonly isIncomplete: boolean;
  readonly isRemote: boolean;
}

/** Whether the documents read so far can be those of a book of images, and its pages. Gives up at the first document that cannot be one. */
class Documents {
  readonly pages = new Map<SpineRef, Page>();
  canBeImages = true;
  readonly #book: EpubPackage;
  #letters = 0;
  #images = 0;
  #worded = 0;

  constructor(book: EpubPackage) {
    this.#book = book;
  }

  add(ref: SpineRef, shown: Shown): void {
    const { item, linear } = ref;
    const [image] = shown.images;
    const showsImage = image !== undefined || shown.isMissing;
    if (image === undefined && ((!linear && !showsImage) || item.properties.includes('nav'))) return; // a table of contents, notes
    if (!shown.isReadable || shown.images.size > 1 || !this.#isWordless(shown)) this.canBeImages = false;
    if (showsImage) this.#images += 1;
    this.pages.set(ref, {
      shows: image ?? { item, fault: shown.isMissing ? 'missing' : 'none' },
      isIncomplete: !shown.isRemote && image !== undefined && shown.isMissing,
      isRemote: shown.isRemote,
    });
  }

  /** A fixed layout may have the words of an image as text above it. */
  #isWordless({ images, text: content, isMissing }: Shown): boolean {
    const { isFixed, spine } = this.#book;
    const text = content ?? '';
    if (hasPictureInside(text)) return false;
    if (isFixed) return images.size > 0 || !hasMoreLettersThan(text, DOCUMENT_MAX_LETTERS);
    const letters = lettersOf(text, DOCUMENT_MAX_LETTERS + 1);
    this.#letters += letters;
    if (images.size === 0 && !isMissing && letters > 0) this.#worded += 1;
    return letters <= DOCUMENT_MAX_LETTERS && this.#letters <= MEAN_MAX_LETTERS * spine.length;
  }

  get isOfImages(): boolean {
    const { size } = this.pages;
    const areShown = this.#images > 0 && this.#images * DOCUMENTS_PER_IMAGE >= size;
    return this.canBeImages && areShown && this.#worded * DOCUMENTS_PER_WORDS <= size;
  }
}

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
  const isBare = mayBePage && shown.images.size === 0 && !hasMoreLettersThan(text, DOCUMENT_MAX_LETTERS);
  if (!isBare) return { ...shown, text, isReadable: true, isRemote };
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
  const documents = new Documents(book);
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
  const numbersOf = (isOne: (page: Page) => boolean): number[] =>
    inOrder.flatMap((one, index) => (isOne(one) ? [index + (isCoverAdded ? 2 : 1)] : []));
  return {
    pages,
    isOfImages: true,
    isCut,
    incomplete: numbersOf(({ isIncomplete }) => isIncomplete),
    remote: numbersOf(({ isRemote }) => isRemote),
    front: declared === undefined || shownAt < 1 ? null : shownAt,
  };
};
