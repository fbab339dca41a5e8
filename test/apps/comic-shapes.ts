// The objects of the comic-server API as its strictest clients read them (closed objects, 32-bit counts, every key there). Apps that need
// less name their own fields in their files.
import {
  closed,
  type Fields,
  filledText,
  int,
  listOf,
  long,
  matching,
  number,
  oneOf,
  orNull,
  type Reader,
  record,
  text,
  yesNo,
} from './strict.js';

/** Without a fraction or an offset. */
export const timestamp = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
export const date = matching(/^\d{4}-\d\d-\d\d$/);
/** Apps take a dash in an id for a separator. */
export const id = matching(/^[^-/?#&=\s]+$/);

/** The list of what somebody wants to read is among the sets under a name of its own. */
const setId = matching(/^(?:want-to-read|[^-/?#&=\s]+)$/);

export const author = closed({ name: filledText, role: matching(/^[a-z][a-z ]*$/) });
export const webLink = closed({ label: text, url: text });

/** `name: reader` and `nameLock: boolean`. */
const locked = (fields: Fields): Fields => ({
  ...fields,
  ...Object.fromEntries(Object.keys(fields).map((name) => [`${name}Lock`, yesNo])),
});

export const readProgress = closed({
  page: int,
  completed: yesNo,
  readDate: timestamp,
  deviceId: text,
  deviceName: text,
  created: timestamp,
  lastModified: timestamp,
});

export const media = closed({
  status: oneOf('UNKNOWN', 'ERROR', 'READY', 'UNSUPPORTED', 'OUTDATED'),
  mediaType: text,
  mediaProfile: oneOf('DIVINA', 'PDF', 'EPUB', ''),
  pagesCount: int,
  comment: text,
  epubDivinaCompatible: yesNo,
  epubIsKepub: yesNo,
});

export const book = closed({
  id,
  seriesId: id,
  seriesTitle: text,
  libraryId: id,
  name: filledText,
  url: text,
  number: int,
  created: timestamp,
  lastModified: timestamp,
  fileLastModified: timestamp,
  sizeBytes: long,
  size: filledText,
  media,
  metadata: closed({
    ...locked({
      title: filledText,
      summary: text,
      number: text,
      numberSort: number,
      releaseDate: orNull(date),
      authors: listOf(author),
      tags: listOf(text),
      isbn: text,
      links: listOf(webLink),
    }),
    created: timestamp,
    lastModified: timestamp,
  }),
  readProgress: orNull(readProgress),
  deleted: yesNo,
  oneshot: yesNo,
  fileHash: text,
});

export const series = closed({
  id,
  libraryId: id,
  name: filledText,
  url: text,
  created: timestamp,
  lastModified: timestamp,
  fileLastModified: timestamp,
  booksCount: int,
  booksReadCount: int,
  booksUnreadCount: int,
  booksInProgressCount: int,
  metadata: closed({
    ...locked({
      status: oneOf('ENDED', 'ONGOING', 'ABANDONED', 'HIATUS'),
      title: filledText,
      alternateTitles: listOf(closed({ label: text, title: text })),
      titleSort: filledText,
      summary: text,
      readingDirection: oneOf('', 'LEFT_TO_RIGHT', 'RIGHT_TO_LEFT', 'VERTICAL', 'WEBTOON'),
      publisher: text,
      ageRating: orNull(int),
      language: text,
      genres: listOf(text),
      tags: listOf(text),
      totalBookCount: orNull(int),
      sharingLabels: listOf(text),
      links: listOf(webLink),
    }),
    created: timestamp,
    lastModified: timestamp,
  }),
  booksMetadata: closed({
    authors: listOf(author),
    tags: listOf(text),
    releaseDate: orNull(date),
    summary: text,
    summaryNumber: text,
    created: timestamp,
    lastModified: timestamp,
  }),
  deleted: yesNo,
  oneshot: yesNo,
});

export const bookPage = closed({
  number: int,
  fileName: filledText,
  mediaType: filledText,
  width: int,
  height: int,
  sizeBytes: int,
  size: text,
});

const SWITCHES = [
  'importComicInfoBook',
  'importComicInfoSeries',
  'importComicInfoCollection',
  'importComicInfoReadList',
  'importComicInfoSeriesAppendVolume',
  'importEpubBook',
  'importEpubSeries',
  'importMylarSeries',
  'importLocalArtwork',
  'importBarcodeIsbn',
  'scanForceModifiedTime',
  'scanOnStartup',
  'scanCbx',
  'scanPdf',
  'scanEpub',
  'repairExtensions',
  'convertToCbz',
  'emptyTrashAfterScan',
  'hashFiles',
  'hashPages',
  'hashKoreader',
  'analyzeDimensions',
  'unavailable',
];

export const library = closed({
  id,
  name: filledText,
  root: text,
  ...Object.fromEntries(SWITCHES.map((name) => [name, yesNo])),
  scanInterval: oneOf('DISABLED', 'HOURLY', 'EVERY_6H', 'EVERY_12H', 'DAILY', 'WEEKLY'),
  scanDirectoryExclusions: listOf(text),
  seriesCover: oneOf('FIRST', 'FIRST_UNREAD_OR_FIRST', 'FIRST_UNREAD_OR_LAST', 'LAST'),
  oneshotsDirectory: orNull(text),
});

/** Clients leave fields that later versions added. */
export const user = record({
  id: filledText,
  email: filledText,
  roles: listOf(text),
  sharedAllLibraries: yesNo,
  sharedLibrariesIds: listOf(id),
  labelsAllow: listOf(text),
  labelsExclude: listOf(text),
  ageRestriction: orNull(closed({ age: int, restriction: oneOf('ALLOW_ONLY', 'EXCLUDE') })),
});

export const collection = closed({
  id: setId,
  name: filledText,
  ordered: yesNo,
  seriesIds: listOf(id),
  createdDate: timestamp,
  lastModifiedDate: timestamp,
  filtered: yesNo,
});

export const readList = closed({
  id: setId,
  name: filledText,
  summary: text,
  ordered: yesNo,
  bookIds: listOf(id),
  createdDate: timestamp,
  lastModifiedDate: timestamp,
  filtered: yesNo,
});

const sort = closed({ sorted: yesNo, unsorted: yesNo, empty: yesNo });

export const pageOf = (content: Reader): Reader =>
  closed({
    content: listOf(content),
    pageable: closed({ sort, pageNumber: int, pageSize: int, offset: int, paged: yesNo, unpaged: yesNo }),
    sort,
    totalElements: int,
    totalPages: int,
    last: yesNo,
    first: yesNo,
    number: int,
    numberOfElements: int,
    size: int,
    empty: yesNo,
  });

export const tachiyomiCounts: Fields = {
  booksCount: int,
  booksReadCount: int,
  booksUnreadCount: int,
  booksInProgressCount: int,
};
export const seriesTracking = record({
  ...tachiyomiCounts,
  lastReadContinuousNumberSort: number,
  maxNumberSort: number,
});
export const readListTracking = record({ ...tachiyomiCounts, lastReadContinuousIndex: int });
