// Progression documents as reading apps send them (readium.org/architecture, locators): what of them is read, and which page and share of
// a book they name.
import type { Book } from '../catalog/books.js';
import type { ProgressChange } from './completion.js';
import { pageOfPosition, placeOfHref, type Spine } from './places.js';

/** The parts of a document that say where in the book it is. */
export interface Named {
  /** From 1, of the whole book. */
  readonly position?: number | undefined;
  /** 0 to 1, of the whole book. */
  readonly totalProgression?: number | undefined;
  /** 0 to 1, of the item. */
  readonly progression?: number | undefined;
  readonly href?: string | undefined;
}

interface Locator extends Named {
  readonly locations?: Named | undefined;
}

/** Of a document that was checked when it was stored. */
export const namedIn = (document: unknown): Named => {
  const { locator } = document as { readonly locator?: Locator };
  return { ...locator?.locations, href: locator?.href };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Apps name a part by its path in the book, or by its address: whole, or from the host on. */
const pathIn = (href: string): string => {
  const address = /\/resource\/(.+)$/.exec(href)?.[1];
  return address === undefined ? href : decoded(address.split(/[?#]/, 1)[0] ?? '');
};

const PAGE = /\/pages\/(\d{1,9})(?:[/?#]|$)/;

const inEpub = ({ position, totalProgression, progression, href }: Named, book: Book, spine: Spine): ProgressChange => {
  const isWithin = position !== undefined && position >= 1 && position <= spine.total;
  if (isWithin)
    return { currentPage: pageOfPosition(position, spine.total, book.pageCount), percentage: totalProgression };
  if (totalProgression !== undefined || href === undefined) return { percentage: totalProgression };
  const place = placeOfHref(spine, pathIn(href), progression) ?? placeOfHref(spine, decoded(href), progression);
  if (place === undefined) return {};
  const currentPage = pageOfPosition(place.position, spine.total, book.pageCount);
  return { currentPage, percentage: place.totalProgression };
};

/** Apps count pages in their own ways: one beyond the last is ignored, and the share determines the page. */
const inPages = ({ position, totalProgression, href = '' }: Named, { pageCount }: Book): ProgressChange => {
  const page = position ?? (totalProgression === undefined ? Number(PAGE.exec(href)?.[1] ?? 0) : 0);
  return {
    currentPage: page >= 1 && page <= pageCount ? page : undefined,
    percentage: totalProgression,
  };
};

/** `spine`: of an EPUB whose contents are known. */
export const changeNamed = (named: Named, book: Book, spine: Spine | null): ProgressChange =>
  spine === null ? inPages(named, book) : inEpub(named, book, spine);

/** Whether the positions of the book count: where they name its pages and shares, its outline need not be read. */
export const needsSpine = (book: Book, { position, totalProgression }: Named): boolean =>
  book.format === 'epub' &&
  ((position !== undefined && book.epubKind === 'images') ||
    (position === undefined && totalProgression === undefined));
