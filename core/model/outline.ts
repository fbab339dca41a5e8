// The inner structure of a book that has one: its reading order and its table of contents. Stored for clients that show text.

/** An entry of a table of contents. */
export interface OutlineEntry {
  readonly title: string;
  /** EPUB: path inside the archive, perhaps with a fragment. PDF: `page=N`, 1-based. */
  readonly href: string;
  readonly children: readonly OutlineEntry[];
}

/** One document of the reading order (EPUB 3.3, 5.7). */
export interface SpineItem {
  readonly href: string;
  readonly mediaType: string;
  /** Positions of about 1,024 bytes each, at least one. */
  readonly positions: number;
  readonly linear: boolean;
}

/** How an EPUB is laid out: text that flows, fixed pages, or fixed pages that are one image each, which is read like a comic. */
export const EPUB_KINDS = ['reflowable', 'fixed', 'images'] as const;
export type EpubKind = (typeof EPUB_KINDS)[number];

export interface Outline {
  readonly layout: 'reflowable' | 'fixed';
  readonly direction: 'ltr' | 'rtl' | null;
  /** Path of the package document; '' where there is none. */
  readonly packagePath: string;
  /** Third-party encryption (DRM): metadata can be read, content cannot. */
  readonly isProtected: boolean;
  readonly spine: readonly SpineItem[];
  readonly toc: readonly OutlineEntry[];
  /** Each document of the reading order is one page of the book. Unknown for a PDF, and where an earlier version read the book. */
  readonly hasPages?: boolean;
}

/** `pages` counts the images of the book. */
export const epubKindOf = (
  { layout, isProtected, spine, hasPages }: Pick<Outline, 'layout' | 'isProtected' | 'spine' | 'hasPages'>,
  pages: number,
): EpubKind => {
  if (hasPages === true) return 'images';
  if (layout === 'reflowable') return 'reflowable';
  return !isProtected && pages > 0 && pages >= spine.length ? 'images' : 'fixed';
};
