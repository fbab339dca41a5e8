// What is known of a book beyond its row, as answers show it: metadata, locks, full records.
import Type, { type TBoolean } from 'typebox';
import { BOOK_LOCKS, type BookLock, ROLE_FIELD_NAMES, type RoleField } from '../../../core/catalog/book-facts.js';
import { REMARK_TYPES } from '../../../core/model/jobs.js';
import { AUTHOR_ROLES, BOOK_TYPES } from '../../../core/model/metadata.js';
import { anyObject, id, number, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { Book, bookFields, sharedBookFields } from './book.js';
import { pageOf } from './paging.js';
import { Term } from './taxonomy.js';

export const Author = record('Author', {
  name: text('Ann Example'),
  role: word(AUTHOR_ROLES),
  sortName: orNull(text('Example, Ann')),
});

const Award = record('Award', {
  name: text('Best Series'),
  won: yes(true),
  category: orNull(text('Comics')),
  year: orNull(whole(2019)),
});

const names = Type.Array(text('Ann Example'));
const textOrNull = orNull(text('text'));

const peopleFields = {
  writers: names,
  pencillers: names,
  inkers: names,
  colorists: names,
  letterers: names,
  coverArtists: names,
  editors: names,
};

const peopleTexts = Object.fromEntries(
  ROLE_FIELD_NAMES.map((field) => [field, orNull(text('Ann Example, Bo Example'))]),
) as Readonly<Record<RoleField, typeof textOrNull>>;

const factFields = {
  title: orNull(text('The Fog')),
  subtitle: textOrNull,
  originalTitle: textOrNull,
  summary: textOrNull,
  publisher: orNull(text('Harbour House')),
  imprint: textOrNull,
  genre: orNull(text('Adventure, Mystery')),
  edition: textOrNull,
  formatDetail: textOrNull,
  number: orNull(text('1')),
  isbns: orNull(text('9783161484100')),
  languageIso: orNull(text('en')),
  translator: textOrNull,
  bookType: Type.Optional(word(BOOK_TYPES, 'Left out when it is not known.')),
  authors: Type.Array(Author),
  awards: Type.Array(Award),
  ...peopleFields,
  subjects: orNull(Type.Array(text('Harbours'))),
  blackAndWhite: orNull(yes(false)),
  manga: orNull(yes(false)),
  volume: orNull(whole(1)),
  chapter: orNull(number(4.5)),
  count: orNull(whole(12, 'How many issues the series has, according to the file.')),
  seriesPosition: orNull(number(1)),
  seriesTotal: orNull(whole(12)),
  originalYear: orNull(whole(1998)),
  year: orNull(whole(2019)),
  month: orNull(whole(4)),
  day: orNull(whole(17)),
  storyArcs: Type.Array(text('The Long Fog')),
  characters: Type.Array(text('Captain Comet')),
  teams: Type.Array(text('The Harbour Watch')),
  locations: Type.Array(text('Lantern Bay')),
  ageRating: orNull(whole(12, 'The lowest age that the book is meant for, according to its file.')),
  links: Type.Array(record('BookLink', { source: text('comicinfo'), url: text('https://example.org/1') })),
  releaseDate: orNull(time('The first instant of the day; a missing month or day counts as the first.')),
  customMetadata: orNull(anyObject("Fields of the users' own, exactly as they were entered.")),
};

/** Facts that cannot be changed here, so that there is nothing to lock. Apps of the comic-server API change and lock links. */
const OF_FILES = ['storyArcs', 'characters', 'teams', 'locations', 'ageRating', 'links'] as const satisfies BookLock[];

type OwnLock = Exclude<BookLock, (typeof OF_FILES)[number]>;

const isOwn = (lock: BookLock): lock is OwnLock => !OF_FILES.some((one) => one === lock);

/** Field to flag. Lists of people and awards have the names that their columns once had. */
type LockName = OwnLock extends infer L extends string
  ? L extends 'authors' | 'awards'
    ? `${L}JsonLock`
    : `${L}Lock`
  : never;

const lockName = (lock: OwnLock): LockName =>
  lock === 'authors' || lock === 'awards' ? `${lock}JsonLock` : `${lock}Lock`;

export const BOOK_LOCK_NAMES: ReadonlyMap<LockName, BookLock> = new Map(
  BOOK_LOCKS.filter(isOwn).map((lock) => [lockName(lock), lock]),
);

export const BookLocks = record(
  'BookLocks',
  Object.fromEntries([...BOOK_LOCK_NAMES.keys()].map((name) => [name, yes(false)])) as Readonly<
    Record<LockName, TBoolean>
  >,
);

const metadataFields = {
  id: id(),
  bookId: id(),
  series: orNull(text('Amber Harbor', 'As given in the file; books are not grouped by it.')),
  pageCount: orNull(whole(28)),
  ...factFields,
};

/** BookMetadataDto. */
export const BookMetadata = record('BookMetadata', metadataFields);

const writtenFields = { ...peopleTexts, titleSort: textOrNull, locks: BookLocks, createdAt: time(), updatedAt: time() };

/** BookMetadataResponse: the answer to a change, which may have left nothing. */
export const ChangedBookMetadata = record('ChangedBookMetadata', {
  ...metadataFields,
  id: orNull(id('Null while nothing is known of the book.')),
  ...writtenFields,
});

/** The row, and the same again as `book`: some apps read one, some the other. */
export const BookDetail = record('BookDetail', {
  ...bookFields,
  book: Book,
  metadata: orNull(BookMetadata),
  remarks: Type.Array(
    record('BookRemark', {
      errorType: word(REMARK_TYPES),
      message: text('1 of 28 pages cannot be shown. Page 3: The image is damaged.'),
    }),
  ),
});

/** FullBookResponse. */
export const FullBook = record('FullBook', {
  ...sharedBookFields,
  readCount: whole(2, 'How many times the caller has read it to its end.'),
  lastCompletedAt: orNull(time()),
  genres: Type.Array(Term),
  tags: Type.Array(Term),
  metadata: record('FullBookMetadata', { ...factFields, ...writtenFields }),
});

export const FullBookPage = pageOf('FullBookPage', FullBook);
