// Books of the comic-server API, and their pages. Clients read them as closed records: every field is there, and no other.
import Type from 'typebox';
import { number, orNull, record, text, whole, word, yes } from '../../surface/wire.js';
import { Author, date, id, lockOf, moment, WebLink } from './fields.js';
import { pageOf } from './page.js';

export const MEDIA_STATUSES = ['UNKNOWN', 'ERROR', 'READY', 'UNSUPPORTED', 'OUTDATED'] as const;
export const MEDIA_PROFILES = ['DIVINA', 'PDF', 'EPUB'] as const;

const Media = record('ComicMedia', {
  status: word(MEDIA_STATUSES),
  mediaType: text('application/zip'),
  pagesCount: whole(28),
  comment: text('', 'Why it cannot be read.'),
  epubDivinaCompatible: yes(false),
  epubIsKepub: yes(false),
  mediaProfile: word(MEDIA_PROFILES),
});

const BookMetadata = record('ComicBookMetadata', {
  title: text('Amber Harbor 001'),
  titleLock: lockOf(),
  summary: text('A harbour town, and what the fog leaves behind.'),
  summaryLock: lockOf(),
  number: text('1', 'A number, as text.'),
  numberLock: lockOf(),
  numberSort: number(1),
  numberSortLock: lockOf(),
  releaseDate: orNull(date()),
  releaseDateLock: lockOf(),
  authors: Type.Array(Author),
  authorsLock: lockOf(),
  tags: Type.Array(text('harbour')),
  tagsLock: lockOf(),
  isbn: text('9783161484100'),
  isbnLock: lockOf(),
  links: Type.Array(WebLink),
  linksLock: lockOf(),
  created: moment(),
  lastModified: moment(),
});

const ReadProgress = record('ComicReadProgress', {
  page: whole(12),
  completed: yes(false),
  readDate: moment(),
  created: moment(),
  lastModified: moment(),
  deviceId: text(''),
  deviceName: text(''),
});

export const Book = record('ComicBook', {
  id: id(),
  seriesId: id(),
  seriesTitle: text('Amber Harbor'),
  libraryId: id(),
  name: text('Amber Harbor 001', 'Its file, without the extension.'),
  url: text('/library/Amber Harbor/Amber Harbor 001.cbz'),
  number: whole(1),
  created: moment(),
  lastModified: moment(),
  fileLastModified: moment(),
  sizeBytes: whole(31_457_280),
  size: text('30 MiB'),
  media: Media,
  metadata: BookMetadata,
  readProgress: orNull(ReadProgress),
  deleted: yes(false),
  fileHash: text('8f14e45fceea167a'),
  oneshot: yes(false),
});

export const BookPage = pageOf('ComicBookPage', Book);

export const PageOfBook = record('ComicPage', {
  number: whole(1, 'Starts at 1.'),
  fileName: text('001.jpg'),
  mediaType: text('image/jpeg', 'The type that is sent.'),
  width: whole(1988, '0 where it is not known.'),
  height: whole(3056),
  sizeBytes: whole(1_048_576),
  size: text('1 MiB'),
});
