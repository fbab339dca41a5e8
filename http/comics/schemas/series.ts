// Series of the comic-server API. Clients read them as closed records: every field is there, and no other.
import Type from 'typebox';
import { orNull, record, text, whole, word, yes } from '../../surface/wire.js';
import { Author, date, id, lockOf, moment, WebLink } from './fields.js';
import { pageOf } from './page.js';

export const SERIES_STATUSES = ['ENDED', 'ONGOING', 'ABANDONED', 'HIATUS'] as const;

const DIRECTIONS = ['', 'LEFT_TO_RIGHT', 'RIGHT_TO_LEFT', 'VERTICAL', 'WEBTOON'] as const;

const SeriesMetadata = record('ComicSeriesMetadata', {
  status: word(SERIES_STATUSES),
  statusLock: lockOf(),
  title: text('Amber Harbor'),
  titleLock: lockOf(),
  titleSort: text('Amber Harbor'),
  titleSortLock: lockOf(),
  summary: text('A harbour town, and what the fog leaves behind.'),
  summaryLock: lockOf(),
  readingDirection: word(DIRECTIONS),
  readingDirectionLock: lockOf(),
  publisher: text('Harbor House'),
  publisherLock: lockOf(),
  ageRating: orNull(whole(12)),
  ageRatingLock: lockOf(),
  language: text('en'),
  languageLock: lockOf(),
  genres: Type.Array(text('Mystery')),
  genresLock: lockOf(),
  tags: Type.Array(text('harbour')),
  tagsLock: lockOf(),
  totalBookCount: orNull(whole(12)),
  totalBookCountLock: lockOf(),
  sharingLabels: Type.Array(text('adults'), { description: 'Empty except for administrators.' }),
  sharingLabelsLock: lockOf(),
  links: Type.Array(WebLink),
  linksLock: lockOf(),
  alternateTitles: Type.Array(record('ComicAlternateTitle', { label: text('Japanese'), title: text('琥珀の港') })),
  alternateTitlesLock: lockOf(),
  created: moment(),
  lastModified: moment(),
});

const BooksMetadata = record('ComicBooksMetadata', {
  authors: Type.Array(Author),
  tags: Type.Array(text('harbour')),
  releaseDate: orNull(date()),
  summary: text('The fog comes in.', 'From one of its first books.'),
  summaryNumber: text('1', 'The number of that book.'),
  created: moment(),
  lastModified: moment(),
});

export const Series = record('ComicSeries', {
  id: id(),
  libraryId: id(),
  name: text('Amber Harbor (2019)', 'Its folder.'),
  url: text('/library/Amber Harbor (2019)'),
  created: moment(),
  lastModified: moment(),
  fileLastModified: moment(),
  booksCount: whole(5),
  booksReadCount: whole(2),
  booksUnreadCount: whole(2),
  booksInProgressCount: whole(1),
  metadata: SeriesMetadata,
  booksMetadata: BooksMetadata,
  deleted: yes(false),
  oneshot: yes(false),
});

export const SeriesPage = pageOf('ComicSeriesPage', Series);

/** How many series begin with a character. */
export const Group = record('ComicGroup', { group: text('a'), count: whole(4) });
