// Metadata of books as shown on the wire: BookMetadataDto, the full record, and lock flags.

import {
  type BookLock,
  NO_FACTS,
  namesIn,
  ROLE_FIELDS,
  type RoleField,
  type StoredFacts,
} from '../../../core/catalog/book-facts.js';
import { type BookMetadata, shownMetadata } from '../../../core/catalog/book-metadata.js';
import type { Book } from '../../../core/catalog/books.js';
import { releaseDayOf } from '../../../core/catalog/release-date.js';
import type { Note } from '../../../core/model/jobs.js';
import type { Author } from '../../../core/model/metadata.js';
import type { FullBook } from '../../../core/reading/full-records.js';
import type { Wire } from '../../surface/wire.js';
import {
  BOOK_LOCK_NAMES,
  type BookDetail,
  type BookLocks,
  type BookMetadata as BookMetadataSchema,
  type ChangedBookMetadata,
  type FullBook as FullBookSchema,
} from '../schemas/book-metadata.js';
import { bookView } from './book.js';
import { termView } from './taxonomy.js';
import { instant, instantOrNull } from './time.js';

const ROLES = Object.keys(ROLE_FIELDS) as readonly RoleField[];

/** The lists derived from the authors. */
const peopleView = (authors: readonly Author[]) => ({
  writers: namesIn(authors, 'writer'),
  pencillers: namesIn(authors, 'penciller'),
  inkers: namesIn(authors, 'inker'),
  colorists: namesIn(authors, 'colorist'),
  letterers: namesIn(authors, 'letterer'),
  coverArtists: namesIn(authors, 'coverArtist'),
  editors: namesIn(authors, 'editor'),
});

/** The same people as text, one field per role. */
const peopleTextView = (authors: readonly Author[]) =>
  Object.fromEntries(ROLES.map((field) => [field, namesIn(authors, field).join(', ') || null])) as Readonly<
    Record<RoleField, string | null>
  >;

/** The first instant of the day. */
export const releaseDateOf = (facts: Pick<StoredFacts, 'year' | 'month' | 'day'>): string | null => {
  const day = releaseDayOf(facts);
  return day === null ? null : `${day}T00:00:00.000Z`;
};

/** Fields that both records of a book's metadata have. */
const factsView = (facts: StoredFacts) => ({
  title: facts.title,
  subtitle: facts.subtitle,
  originalTitle: facts.originalTitle,
  summary: facts.summary,
  publisher: facts.publisher,
  imprint: facts.imprint,
  genre: facts.genre,
  edition: facts.edition,
  formatDetail: facts.formatDetail,
  number: facts.number,
  isbns: facts.isbns,
  languageIso: facts.languageIso,
  translator: facts.translator,
  bookType: facts.bookType ?? undefined, // omitted: the contract does not allow null here
  authors: facts.authors,
  awards: facts.awards,
  ...peopleView(facts.authors),
  subjects: facts.subjects.length === 0 ? null : facts.subjects,
  blackAndWhite: facts.blackAndWhite,
  manga: facts.manga,
  volume: facts.volume,
  chapter: facts.chapter,
  count: facts.count,
  seriesPosition: facts.seriesPosition,
  seriesTotal: facts.seriesTotal,
  originalYear: facts.originalYear,
  year: facts.year,
  month: facts.month,
  day: facts.day,
  storyArcs: facts.storyArcs,
  characters: facts.characters,
  teams: facts.teams,
  locations: facts.locations,
  ageRating: facts.ageRating,
  links: facts.links,
  releaseDate: releaseDateOf(facts),
  customMetadata: facts.customMetadata,
});

const recordView = (bookId: string, facts: StoredFacts) => ({
  bookId,
  series: facts.series,
  pageCount: facts.pageCount,
  ...factsView(facts),
});

/** BookMetadataDto. */
export const bookMetadataView = (bookId: string, { id, facts }: BookMetadata): Wire<typeof BookMetadataSchema> => ({
  id,
  ...recordView(bookId, facts),
});

type BookLocksView = Wire<typeof BookLocks>;

export const bookLocksView = (locks: ReadonlySet<BookLock>): BookLocksView =>
  Object.fromEntries([...BOOK_LOCK_NAMES].map(([name, lock]) => [name, locks.has(lock)])) as BookLocksView;

/** What users may write besides the facts, with its times: those of the book while nothing is known of it. */
const writtenView = (book: Book, metadata: BookMetadata | null) => {
  const facts = metadata?.facts ?? NO_FACTS;
  return {
    ...peopleTextView(facts.authors),
    titleSort: facts.titleSort,
    locks: bookLocksView(metadata?.locks ?? new Set()),
    createdAt: instant(metadata?.createdAt ?? book.createdAt),
    updatedAt: instant(metadata?.updatedAt ?? book.updatedAt),
  };
};

/** The answer to a metadata change: the record with its people as text, its locks and times. */
export const changedMetadataView = (book: Book, metadata: BookMetadata | null): Wire<typeof ChangedBookMetadata> => ({
  ...recordView(book.id, metadata?.facts ?? NO_FACTS),
  id: metadata?.id ?? null,
  ...writtenView(book, metadata),
});

interface DetailedBook {
  readonly book: Book;
  readonly metadata: BookMetadata | null;
  readonly remarks: readonly Note[];
}

/** GET /books/{id}: BookDto with the metadata, plus the same again as `book`: some apps read one, some the other. */
export const bookDetailView = (
  userId: string,
  { book, metadata: stored, remarks }: DetailedBook,
): Wire<typeof BookDetail> => {
  const shown = bookView(userId)(book);
  const metadata = shownMetadata(book, stored);
  return {
    ...shown,
    book: shown,
    metadata: metadata === null ? null : bookMetadataView(book.id, metadata),
    remarks: remarks.map(({ type, message }) => ({ errorType: type, message })),
  };
};

/** The full record. */
export const bookFullView =
  (userId: string) =>
  ({ book, metadata, genres, tags, history }: FullBook): Wire<typeof FullBookSchema> => {
    const { volume: _volume, chapter: _chapter, summary: _summary, ...own } = bookView(userId)(book);
    return {
      ...own,
      readCount: history.count,
      lastCompletedAt: instantOrNull(history.lastCompletedAt),
      genres: genres.map(termView),
      tags: tags.map(termView),
      metadata: { ...factsView(metadata?.facts ?? NO_FACTS), ...writtenView(book, metadata) },
    };
  };
