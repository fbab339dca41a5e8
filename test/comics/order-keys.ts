// The keys that lists of the comic-server API are sorted by, each with the field of a row that it names.

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

export const folded = (text: string): string => text.toLowerCase();

export type Keys = Readonly<Record<string, Field>>;
type Field = (row: Json) => string | number;

export const BOOK_KEYS: Keys = {
  name: ({ name }) => folded(name),
  createdDate: ({ created }) => created,
  created: ({ created }) => created,
  lastModifiedDate: ({ lastModified }) => lastModified,
  lastModified: ({ lastModified }) => lastModified,
  fileLastModified: ({ fileLastModified }) => fileLastModified,
  fileSize: ({ sizeBytes }) => sizeBytes,
  'metadata.title': ({ metadata }) => folded(metadata.title),
  'metadata.numberSort': ({ metadata }) => metadata.numberSort,
  'metadata.releaseDate': ({ metadata }) => metadata.releaseDate,
  'media.pagesCount': ({ media }) => media.pagesCount,
  url: ({ url }) => url,
  fileHash: ({ fileHash }) => fileHash,
  'media.status': ({ media }) => media.status,
  'media.mediaType': ({ media }) => media.mediaType,
  'media.comment': ({ media }) => media.comment,
};

/** Other names of these fields, which apps use too. */
export const BOOK_ALIASES: Keys = {
  'metadata.number': ({ metadata }) => metadata.numberSort,
  numberSort: ({ metadata }) => metadata.numberSort,
  number: ({ metadata }) => metadata.numberSort,
  title: ({ metadata }) => folded(metadata.title),
  releaseDate: ({ metadata }) => metadata.releaseDate,
  'metadata.pagesCount': ({ media }) => media.pagesCount,
  sizeBytes: ({ sizeBytes }) => sizeBytes,
  size: ({ sizeBytes }) => sizeBytes,
};

export const SERIES_KEYS: Keys = {
  'metadata.titleSort': ({ metadata }) => folded(metadata.titleSort),
  name: ({ metadata }) => folded(metadata.titleSort),
  createdDate: ({ created }) => created,
  created: ({ created }) => created,
  lastModifiedDate: ({ lastModified }) => lastModified,
  lastModified: ({ lastModified }) => lastModified,
  'booksMetadata.releaseDate': ({ booksMetadata }) => booksMetadata.releaseDate,
  booksCount: ({ booksCount }) => booksCount,
  fileLastModified: ({ fileLastModified }) => fileLastModified,
};

export const SERIES_ALIASES: Keys = {
  titleSort: ({ metadata }) => folded(metadata.titleSort),
  'metadata.title': ({ metadata }) => folded(metadata.titleSort),
  'metadata.releaseDate': ({ booksMetadata }) => booksMetadata.releaseDate,
  releaseDate: ({ booksMetadata }) => booksMetadata.releaseDate,
};

/** When a book or a series was last read; what was never read is last from either end. */
export const READ_KEYS = {
  books: ['readDate', 'readProgress.readDate', 'readProgress.lastModified'],
  series: ['readDate', 'lastReadDate', 'readProgress.readDate', 'readProgress.lastReadDate'],
} as const;

export const LIST_KEYS: Keys = {
  name: ({ name }) => folded(name),
  createdDate: ({ createdDate }) => createdDate,
  lastModifiedDate: ({ lastModifiedDate }) => lastModifiedDate,
};
