// What a book (or a sidecar file) says about itself, whatever its format. Plain data: crosses threads and is stored as JSON.

/** Roles of BookMetadataDto; an unknown role becomes `contributor`. */
export const AUTHOR_ROLES = [
  'author',
  'co_author',
  'editor',
  'translator',
  'illustrator',
  'contributor',
  'writer',
  'penciller',
  'inker',
  'colorist',
  'letterer',
  'cover_artist',
] as const;

export type AuthorRole = (typeof AUTHOR_ROLES)[number];

export interface Author {
  readonly name: string;
  readonly role: AuthorRole;
  readonly sortName: string | null;
}

export const BOOK_TYPES = [
  'comic',
  'manga',
  'novel',
  'novella',
  'anthology',
  'artbook',
  'oneshot',
  'omnibus',
  'graphic_novel',
  'magazine',
] as const;

export type BookType = (typeof BOOK_TYPES)[number];

export interface Award {
  readonly name: string;
  readonly won: boolean;
  readonly category: string | null;
  readonly year: number | null;
}

export const SERIES_STATUSES = ['ongoing', 'ended', 'hiatus', 'abandoned', 'unknown'] as const;
export type SeriesStatus = (typeof SERIES_STATUSES)[number];

export interface Link {
  /** Where it was found or where it leads: `comicinfo`, `comicvine`, a host name. */
  readonly source: string;
  readonly url: string;
}

/** Facts about one book. Null (or an empty list) where the source is silent. */
export interface BookFacts {
  readonly title: string | null;
  readonly titleSort: string | null;
  readonly subtitle: string | null;
  readonly originalTitle: string | null;
  /** Name of the series as given by the file; shown, never used to group books. */
  readonly series: string | null;
  /** Issue or chapter number as text: `12`, `1.5`, `½`, `12A`. */
  readonly number: string | null;
  readonly volume: number | null;
  readonly chapter: number | null;
  /** How many issues the series has, according to the file. */
  readonly count: number | null;
  readonly seriesPosition: number | null;
  readonly seriesTotal: number | null;
  readonly summary: string | null;
  readonly publisher: string | null;
  readonly imprint: string | null;
  /** All genres in one text, joined by `, `. */
  readonly genre: string | null;
  readonly subjects: readonly string[];
  readonly edition: string | null;
  readonly formatDetail: string | null;
  /** ISBNs without hyphens, joined by `, `. */
  readonly isbns: string | null;
  /** BCP 47 or ISO 639-1. */
  readonly languageIso: string | null;
  readonly translator: string | null;
  readonly bookType: BookType | null;
  readonly authors: readonly Author[];
  readonly awards: readonly Award[];
  readonly blackAndWhite: boolean | null;
  readonly manga: boolean | null;
  readonly pageCount: number | null;
  readonly year: number | null;
  /** 1 to 12. */
  readonly month: number | null;
  /** 1 to 31. */
  readonly day: number | null;
  readonly originalYear: number | null;
  readonly storyArcs: readonly string[];
  readonly characters: readonly string[];
  readonly teams: readonly string[];
  readonly locations: readonly string[];
  /** The lowest age that the book is meant for. */
  readonly ageRating: number | null;
  readonly links: readonly Link[];
}

/** Facts a file gives about the series it belongs to. */
export interface SeriesFacts {
  readonly title: string | null;
  readonly summary: string | null;
  readonly publisher: string | null;
  readonly imprint: string | null;
  readonly year: number | null;
  readonly status: SeriesStatus | null;
  readonly language: string | null;
  readonly ageRating: number | null;
  readonly readingDirection: 'ltr' | 'rtl' | 'ttb' | 'webtoon' | null;
  readonly totalVolumeCount: number | null;
  readonly genres: readonly string[];
  readonly tags: readonly string[];
  readonly links: readonly Link[];
}

/** What was not understood of metadata. */
export interface Unknown {
  /** As they are written. */
  readonly languages: readonly string[];
  readonly ageRatings: readonly string[];
  /** Names of the documents that end too early or cannot be read. */
  readonly incomplete: readonly string[];
}

export interface EmbeddedMetadata {
  readonly book: BookFacts;
  readonly series: SeriesFacts;
  /** Only until it is stored: what its reader did not understand. */
  readonly unknown?: Unknown;
}

export const NO_BOOK_FACTS: BookFacts = {
  title: null,
  titleSort: null,
  subtitle: null,
  originalTitle: null,
  series: null,
  number: null,
  volume: null,
  chapter: null,
  count: null,
  seriesPosition: null,
  seriesTotal: null,
  summary: null,
  publisher: null,
  imprint: null,
  genre: null,
  subjects: [],
  edition: null,
  formatDetail: null,
  isbns: null,
  languageIso: null,
  translator: null,
  bookType: null,
  authors: [],
  awards: [],
  blackAndWhite: null,
  manga: null,
  pageCount: null,
  year: null,
  month: null,
  day: null,
  originalYear: null,
  storyArcs: [],
  characters: [],
  teams: [],
  locations: [],
  ageRating: null,
  links: [],
};

export const NO_SERIES_FACTS: SeriesFacts = {
  title: null,
  summary: null,
  publisher: null,
  imprint: null,
  year: null,
  status: null,
  language: null,
  ageRating: null,
  readingDirection: null,
  totalVolumeCount: null,
  genres: [],
  tags: [],
  links: [],
};
