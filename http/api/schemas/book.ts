// Books, their pages and the progress in them, as answers show them.
import Type from 'typebox';
import { BOOK_FORMATS } from '../../../core/model/formats.js';
import { EPUB_KINDS } from '../../../core/model/outline.js';
import { id, number, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

export const DIRECTIONS = ['ltr', 'rtl', 'ttb', 'webtoon'] as const;

/** ReadProgressResponse. */
export const Progress = record('Progress', {
  id: id(),
  bookId: id(),
  userId: id(),
  currentPage: whole(12, 'Starts at 1; for an EPUB, a position.'),
  pageOffset: orNull(
    number(0.48, 'The share of currentPage that is above the window, from 0 to 1; null when it is not known.'),
  ),
  completed: yes(false),
  completedAt: orNull(time()),
  progressPercentage: orNull(number(0.43, 'From 0 to 1, for books whose progress is a fraction.')),
  startedAt: time(),
  updatedAt: time(),
});

const ownFields = {
  id: id(),
  libraryId: id(),
  libraryName: text('Comics'),
  seriesId: id(),
  seriesName: text('Amber Harbor'),
  title: text('Amber Harbor 001'),
  titleSort: orNull(text('amber harbor 001')),
  number: orNull(number(1)),
  displayNumber: orNull(
    text(
      '12.5',
      'The number of the issue as its metadata or the name of its file states it, such as 12.5 or 1AU, without `#` and leading zeros, however the library numbers its books; null if neither states one.',
    ),
  ),
};

const positionFields = { volume: orNull(whole(1)), chapter: orNull(number(4.5)) };

const fileFields = {
  pageCount: whole(
    28,
    'For an EPUB of text, the number of its positions, in which progress is counted. It then has fewer pages that can be requested as images.',
  ),
  fileFormat: word(BOOK_FORMATS),
  epubKind: orNull(
    word(
      EPUB_KINDS,
      'How an EPUB is laid out. The pages of one that consists of images can be shown like those of a comic.',
    ),
  ),
  fileSize: whole(31_457_280, 'In bytes.'),
  fileHash: text(
    '8f14e45fceea167a',
    'Empty until the file has been hashed: when it is analysed or, on a slow disk and for large files that are not books, some time later.',
  ),
  koreaderHash: orNull(text('3b5d5c3712955042212316173ccf37be')),
  path: text('/library/Amber Harbor/Amber Harbor 001.cbz'),
  analyzed: yes(true),
  analysisError: orNull(text('The file is damaged.', 'Why the book cannot be read.')),
  deleted: yes(false, 'Whether the file is missing from disk.'),
  readingDirection: word(DIRECTIONS),
};

const stateFields = {
  wantToRead: yes(false),
  readProgress: Type.Optional(Progress),
  createdAt: time(),
  updatedAt: time(),
};

/** What a full record repeats; position and summary are in its metadata. */
export const sharedBookFields = { ...ownFields, ...fileFields, ...stateFields };

export const bookFields = {
  ...ownFields,
  ...positionFields,
  ...fileFields,
  summary: orNull(text('A harbour town, and what the fog leaves behind.')),
  ...stateFields,
};

/** BookDto. */
export const Book = record('Book', bookFields);
export const BookPage = pageOf('BookPage', Book);

export const AdjacentBooks = record('AdjacentBooks', { prev: Type.Optional(Book), next: Type.Optional(Book) });

const ContentBox = record('ContentBox', { left: whole(96), top: whole(120), width: whole(1796), height: whole(2816) });

/** PageDto. */
export const PageOfBook = record('Page', {
  id: id("Stays the same as long as the book's pages do not change."),
  bookId: id(),
  pageNumber: whole(1, 'Starts at 1.'),
  fileName: text('001.jpg'),
  fileFormat: text('jpg'),
  fileSize: whole(1_048_576, 'In bytes.'),
  width: orNull(whole(1988)),
  height: orNull(whole(3056)),
  contentBox: orNull(ContentBox),
  fault: orNull(text('The image is damaged.', 'Why the page cannot be shown.')),
});

export const BookUpdate = record('BookUpdate', {
  id: id(),
  title: text('Amber Harbor 001'),
  number: orNull(number(1)),
  updatedAt: time(),
});
