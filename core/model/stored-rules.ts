// The rules whose results are stored: a number for each. Whoever changes what a rule yields raises its number, and the next start recomputes
// what an older number stored, in tasks (core/scan/remake.ts). What rows suffice for is recomputed from them; what needs the file marks its
// books as due. No rule is needed for what is decided once and then kept: which series a file belongs to, and what a new series is called,
// since progress, lists and locks depend on it; nor for junk among folders, which the next scan applies by itself.

export const STORED_RULES = {
  /** The keys that names and titles are sorted by (sort-key.ts, natural-key.ts, letters.ts). */
  sortKeys: 3,
  /** The facts of a book, derived from its sources: ranks, limits, and how they are merged (settle-book.ts, sources.ts, fact-limits.ts). */
  facts: 2,
  /** What a book is called, by the strategy of its library. Titles made of positions belong to `numbers`. */
  titles: 2,
  /** Where the volume, the chapter and the number (`told_number`) of a book come from (numbers.ts and the strategies of titles). */
  volumes: 4,
  /** The natural order of file names, which numbers books in their series, and the number strategies. */
  numbers: 3,
  /** What a series takes from its books and its path (settle-series.ts). */
  series: 3,
  /**
   * Which of the stored entries are pages, and their order (page-names.ts, junk.ts, natural-order.ts, page-spreads.ts). Part of cache
   * keys and tags of pages and covers. Entries that were left out before are only in the file: raise `analysis` too when one of them
   * becomes a page.
   */
  pages: 3,
  /** How an EPUB is laid out, from its outline and its page table (outline.ts). */
  epubKinds: 1,
  /** Text as it is searched and compared (search-key.ts, search-words.ts, letters.ts), and which of it is stored (rows.ts of the search). */
  words: 5,
  /** Which names are the same: of genres and tags, collections and read lists, users (name-key.ts). */
  names: 1,
  /** What is read from a file: entries, sizes and faults of pages, metadata, hashes (workers). */
  analysis: 2,
} as const;

export type StoredRule = keyof typeof STORED_RULES;

/**
 * How derived images are made, apart from the settings: how they are resized, rendered and encoded, and where borders end. Only part of cache
 * keys and tags.
 */
export const IMAGE_RULES = { page: 2, cover: 1, borders: 2, sheet: 1 } as const;

/** What is listed of an EPUB (workers/formats/epub-contents.ts). Only part of cache keys. */
export const CONTENTS_RULE = 2;
