// Whether the documents of an EPUB read like the pages of a comic: nearly all show one image, and there is hardly any text.
import type { PageFault } from '../../core/model/page-table.js';
import { type EpubPackage, guideHref, type ManifestItem, type SpineRef } from './epub-package.js';
import type { EpubEntries } from './epub-paths.js';
import { hasMoreLettersThan, hasPictureInside, lettersOf } from './epub-text.js';
import type { ZipEntry } from './zip-entry.js';

/** Letters that a document may have along with its image: a caption, not a paragraph of a story. */
export const DOCUMENT_MAX_LETTERS = 200;
/** Letters of all documents with images, for each document: a word such as `Page`, not the line below a picture of a children's book. */
const MEAN_MAX_LETTERS = 16;
/** Letters of all documents without images: a long copyright page and a page of thanks, not an essay. */
const TEXT_MAX_LETTERS = 3000;
/** The same for each document of a book that does not say that it is fixed: a story below a dozen pictures has more. */
const TEXT_MEAN_MAX_LETTERS = 100;
/** Of so many documents one may have words instead of an image: a heading of each chapter, but not a text on every other page. */
const DOCUMENTS_PER_TEXT = 8;
/** The same where a fixed layout is declared, for more words than a caption. */
const FIXED_DOCUMENTS_PER_TEXT = 5;
/** Of so many documents one must show an image. */
const DOCUMENTS_PER_IMAGE = 2;
/** Of so many documents one may show both halves of a spread. */
const DOCUMENTS_PER_SPREAD = 10;

export interface Shown {
  readonly images: ReadonlySet<ZipEntry>;
  /** Text of a document; null for an image, or where it cannot be read. */
  readonly text: string | null;
  readonly isReadable: boolean;
  /** It shows an image that is not in the archive. */
  readonly isMissing: boolean;
  /** That image is on another server. */
  readonly isRemote: boolean;
}

/** A document that is a page without an image: blank or of text, or damaged. */
export interface WithoutImage {
  readonly item: ManifestItem;
  readonly fault: Extract<PageFault, 'none' | 'missing'>;
}

export interface DocumentPage {
  readonly shows: ZipEntry | WithoutImage;
  readonly isIncomplete: boolean;
  readonly isRemote: boolean;
  /** A blank page that stands for text. */
  readonly isText: boolean;
}

/** The document that an EPUB 2 names as its table of contents. One that contains it among other things has a fragment. */
const contentsIn = (entries: EpubEntries, book: EpubPackage): ZipEntry | undefined => {
  const href = guideHref(book, 'toc');
  const path = href === '' || href.includes('#') ? undefined : entries.resolve(book.path, href);
  return path === undefined ? undefined : entries.at(path);
};

/** The pages of a book of images, as far as its documents can be those of one. Gives up at the first document that cannot. */
export class Documents {
  /** Those of each document: none of a table of contents, two of a spread. */
  readonly pages = new Map<SpineRef, readonly DocumentPage[]>();
  canBeImages = true;
  readonly #book: EpubPackage;
  readonly #contents: ZipEntry | undefined;
  readonly #entries: EpubEntries;
  #captionLetters = 0;
  #textLetters = 0;
  #withImage = 0;
  #spreads = 0;
  #texts = 0;

  constructor(entries: EpubEntries, book: EpubPackage) {
    this.#book = book;
    this.#entries = entries;
    this.#contents = contentsIn(entries, book);
  }

  #isContents({ properties, path }: ManifestItem): boolean {
    if (properties.includes('nav')) return true;
    return this.#contents !== undefined && this.#entries.at(path) === this.#contents;
  }

  add(ref: SpineRef, shown: Shown): void {
    const { item, linear } = ref;
    const { images, isMissing, isRemote, isReadable } = shown;
    const text = shown.text ?? '';
    const showsImage = images.size > 0 || isMissing;
    if (images.size === 0 && ((!linear && !showsImage) || this.#isContents(item))) return; // a table of contents, notes
    if (showsImage) this.#withImage += 1;
    const canBePage = showsImage ? this.#isPicture(images.size, text) : this.#isLittleText(text);
    if (!isReadable || hasPictureInside(text) || !canBePage) this.canBeImages = false;
    const isText = !showsImage && hasMoreLettersThan(text, 0);
    const isIncomplete = !isRemote && images.size > 0 && isMissing;
    const shows = images.size > 0 ? [...images] : [{ item, fault: isMissing ? 'missing' : 'none' } as const];
    this.pages.set(
      ref,
      shows.map((one) => ({ shows: one, isIncomplete, isRemote, isText })),
    );
  }

  /** A fixed layout may have the words of an image as text above it. */
  #isPicture(images: number, text: string): boolean {
    const { isFixed, spine } = this.#book;
    if (images === 2) this.#spreads += 1;
    if (images > 2 || this.#spreads * DOCUMENTS_PER_SPREAD > spine.length) return false;
    if (isFixed) return true;
    const letters = lettersOf(text, DOCUMENT_MAX_LETTERS + 1);
    this.#captionLetters += letters;
    return letters <= DOCUMENT_MAX_LETTERS && this.#captionLetters <= MEAN_MAX_LETTERS * spine.length;
  }

  #isLittleText(text: string): boolean {
    const { isFixed, spine } = this.#book;
    const most = isFixed ? TEXT_MAX_LETTERS : Math.min(TEXT_MAX_LETTERS, TEXT_MEAN_MAX_LETTERS * spine.length);
    const letters = lettersOf(text, most + 1);
    if (letters === 0 || (isFixed && letters <= DOCUMENT_MAX_LETTERS)) return true;
    this.#texts += 1;
    this.#textLetters += letters;
    return this.#textLetters <= most;
  }

  get isOfImages(): boolean {
    const { size } = this.pages;
    const most = this.#book.isFixed ? Math.max(1, size / FIXED_DOCUMENTS_PER_TEXT) : size / DOCUMENTS_PER_TEXT;
    const areShown = this.#withImage > 0 && this.#withImage * DOCUMENTS_PER_IMAGE >= size;
    return this.canBeImages && areShown && this.#texts <= most;
  }
}

/** It may show its image by a style sheet: there is nothing else to see. */
export const isBare = (images: ReadonlySet<ZipEntry>, text: string): boolean =>
  images.size === 0 && !hasMoreLettersThan(text, DOCUMENT_MAX_LETTERS);
