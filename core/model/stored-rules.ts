// The rules by which things are worked out once and then stored. Whoever changes what a rule makes raises its number: what an older
// number made is made again at the next start, from rows alone, and cached images of it are never found again.

export const STORED_RULES = {
  /** Which entries of an archive are pages, and their order. Part of cache keys and tags of pages and covers. */
  pages: 2,
  /** The keys that names and titles are sorted by. */
  sortKeys: 2,
  /** Where the volume and chapter of a book come from. */
  volumes: 2,
  /** The natural order of file names, which numbers books in their series. */
  numbers: 2,
  /** Text as it is searched and compared. */
  words: 2,
} as const;

export type StoredRule = keyof typeof STORED_RULES;

/** How derived images are made, beside the settings: what is shrunk, drawn and encoded in which way. Only part of cache keys and tags. */
export const IMAGE_RULE = 1;
