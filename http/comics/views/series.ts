// Series as the comic-server API shows them.
import type { ReadingDirection } from '../../../core/catalog/libraries.js';
import type { SeriesLock } from '../../../core/catalog/series-record.js';
import type { SeriesStatus } from '../../../core/model/metadata.js';
import type { SeriesRecord } from '../../../core/reading/app-series.js';
import type { Wire } from '../../surface/wire.js';
import type { SERIES_STATUSES, Series as SeriesSchema } from '../schemas/series.js';
import { authorsView, byRole } from './people.js';
import { dateOrNull, idText, moment } from './text.js';

type View = Wire<typeof SeriesSchema>;

/** Clients know no other word. */
const STATUSES: Readonly<Record<SeriesStatus, (typeof SERIES_STATUSES)[number]>> = {
  ended: 'ENDED',
  ongoing: 'ONGOING',
  abandoned: 'ABANDONED',
  hiatus: 'HIATUS',
  unknown: 'ONGOING',
};

const DIRECTIONS = {
  ltr: 'LEFT_TO_RIGHT',
  rtl: 'RIGHT_TO_LEFT',
  ttb: 'VERTICAL',
  webtoon: 'WEBTOON',
} as const satisfies Readonly<Record<ReadingDirection, string>>;

const metadataView = ({ metadata, genres, tags, titles, sharingTags }: SeriesRecord): View['metadata'] => {
  const isLocked = (name: SeriesLock): boolean => metadata.locks.includes(name);
  return {
    status: STATUSES[metadata.status ?? 'unknown'],
    statusLock: isLocked('status'),
    title: metadata.title,
    titleLock: isLocked('title'),
    titleSort: metadata.titleSort ?? metadata.title,
    titleSortLock: isLocked('titleSort'),
    summary: metadata.summary ?? '',
    summaryLock: isLocked('summary'),
    readingDirection: metadata.readingDirection === null ? '' : DIRECTIONS[metadata.readingDirection],
    readingDirectionLock: isLocked('readingDirection'),
    publisher: metadata.publisher ?? '',
    publisherLock: isLocked('publisher'),
    ageRating: metadata.ageRating,
    ageRatingLock: isLocked('ageRating'),
    language: metadata.language ?? '',
    languageLock: isLocked('language'),
    genres,
    genresLock: isLocked('genres'),
    tags,
    tagsLock: isLocked('tags'),
    totalBookCount: metadata.totalVolumeCount,
    totalBookCountLock: isLocked('totalVolumeCount'),
    sharingLabels: sharingTags,
    sharingLabelsLock: false,
    links: (metadata.links ?? []).map(({ source, url }) => ({ label: source, url })),
    linksLock: isLocked('links'),
    alternateTitles: titles.map(({ label, title }) => ({ label, title })),
    alternateTitlesLock: isLocked('alternateTitles'),
    created: moment(metadata.createdAt),
    lastModified: moment(metadata.updatedAt),
  };
};

/** The tags of a series include those of its books. */
const booksView = (record: SeriesRecord): View['booksMetadata'] => ({
  authors: authorsView(byRole(record.people)),
  tags: record.tags,
  releaseDate: dateOrNull(record.released),
  summary: record.summary ?? '',
  summaryNumber: record.summaryNumber ?? '',
  created: moment(record.metadata.createdAt),
  lastModified: moment(record.metadata.updatedAt),
});

/** The folder, or the file of a series that is a single one. */
const nameOf = (path: string, title: string): string => {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === '' ? title : last;
};

export const seriesView = (record: SeriesRecord): View => {
  const { series, inProgressCount } = record;
  return {
    id: idText(series.id),
    libraryId: idText(series.libraryId),
    name: nameOf(series.path, series.name),
    url: record.place,
    created: moment(series.createdAt),
    lastModified: moment(series.updatedAt),
    fileLastModified: moment(record.fileTime ?? series.updatedAt),
    booksCount: series.bookCount,
    booksReadCount: series.completedCount,
    booksUnreadCount: Math.max(0, series.bookCount - series.completedCount - inProgressCount),
    booksInProgressCount: inProgressCount,
    metadata: metadataView(record),
    booksMetadata: booksView(record),
    deleted: series.bookCount === 0,
    oneshot: record.isOneshot,
  };
};
