// The rules whose results are computed once and stored. A change of a rule's results must raise its number: results of an older number are
// recomputed at the next start, from rows alone, and images cached under it are never found again.

export const STORED_RULES = {
  /** Which entries of an archive are pages, and their order. Part of cache keys and tags of pages and covers. */
  pages: 2,
  /** The keys by which names and titles are sorted. */
  sortKeys: 2,
  /** Where the volume and chapter of a book come from. */
  volumes: 2,
  /** The natural order of file names, which numbers books in their series. */
  numbers: 2,
  /** Text as it is searched and compared. */
  words: 2,
} as const;

export type StoredRule = keyof typeof STORED_RULES;

/** How derived images are made, apart from the settings: how they are resized, rendered and encoded. Only part of cache keys and tags. */
export const IMAGE_RULE = 1;
