// Series as shown on the wire.

import type { AlternateTitle } from '../../../core/catalog/alternate-titles.js';
import { sourceOf } from '../../../core/catalog/covers/shown.js';
import type { Series } from '../../../core/catalog/series.js';
import type { SeriesLock, SeriesMetadata } from '../../../core/catalog/series-record.js';
import type { Term } from '../../../core/catalog/taxonomy.js';
import type { Link } from '../../../core/model/metadata.js';
import type { FullSeries } from '../../../core/reading/full-records.js';
import type { Wire } from '../../surface/wire.js';
import {
  type AlternateTitle as AlternateTitleSchema,
  type ChangedSeries,
  type FullSeries as FullSeriesSchema,
  SERIES_LOCK_NAMES,
  type SeriesDetail,
  type SeriesLocks,
  type SeriesMetadata as SeriesMetadataSchema,
  type Series as SeriesSchema,
} from '../schemas/series.js';
import { termView } from './taxonomy.js';
import { instant, instantOrNull } from './time.js';

/** SeriesDto. Fields of features that do not exist here are null, as in lists of servers without them. */
export const seriesView = (series: Series): Wire<typeof SeriesSchema> => ({
  id: series.id,
  libraryId: series.libraryId,
  libraryName: series.libraryName,
  title: series.name,
  titleSort: series.titleSort ?? series.name,
  path: series.path,
  summary: series.summary,
  publisher: series.publisher,
  year: series.year,
  readingDirection: series.readingDirection,
  bookCount: series.bookCount,
  unreadCount: series.bookCount - series.completedCount,
  localMaxVolume: series.maxVolume,
  localMaxChapter: series.maxChapter,
  volumesOwned: series.volumeCount,
  hasCustomCover: series.hasUploadedCover,
  selectedCoverSource: sourceOf(series.coverSource),
  tracked: false,
  upstreamChapterGap: null,
  upstreamVolumeGap: null,
  upstreamGapProvider: null,
  wantToRead: series.wanted,
  createdAt: instant(series.createdAt),
  updatedAt: instant(series.updatedAt),
});

/** Fields that the series record, the full record and the metadata record share. */
const fieldsView = (metadata: SeriesMetadata) => ({
  title: metadata.title,
  titleSort: metadata.titleSort ?? metadata.title,
  summary: metadata.summary,
  publisher: metadata.publisher,
  imprint: metadata.imprint,
  status: metadata.status,
  year: metadata.year,
  language: metadata.language,
  ageRating: metadata.ageRating,
  readingDirection: metadata.readingDirection,
  totalVolumeCount: metadata.totalVolumeCount,
  totalChapterCount: metadata.totalChapterCount,
  authors: metadata.authors,
  customMetadata: metadata.customMetadata,
  locks: seriesLocksView(metadata.locks),
  createdAt: instant(metadata.createdAt),
  updatedAt: instant(metadata.updatedAt),
});

type SeriesLocksView = Wire<typeof SeriesLocks>;

export const seriesLocksView = (locks: readonly SeriesLock[]): SeriesLocksView =>
  Object.fromEntries([...SERIES_LOCK_NAMES].map(([name, lock]) => [name, locks.includes(lock)])) as SeriesLocksView;

/** Comic Vine calls a series a volume: `4050-` and a number. */
const comicVineIdIn = ({ source, url }: Link): string | null =>
  source === 'comicvine' ? (/\/4050-(\d{1,12})(?:\/|$)/.exec(url)?.[1] ?? null) : null;

const linksView = ({ id, links }: SeriesMetadata) =>
  (links ?? []).map((link) => ({
    id: link.id,
    seriesId: id,
    sourceName: link.source,
    url: link.url,
    externalId: comicVineIdIn(link),
    createdAt: instant(link.createdAt),
    updatedAt: instant(link.createdAt),
  }));

/** AlternateTitleDto. */
export const alternateTitleView = (title: AlternateTitle): Wire<typeof AlternateTitleSchema> => ({
  id: title.id,
  seriesId: title.seriesId,
  label: title.label,
  title: title.title,
  createdAt: instant(title.createdAt),
  updatedAt: instant(title.updatedAt),
});

/** What a series is shown with in addition to its row. */
export interface SeriesParts {
  readonly metadata: SeriesMetadata;
  readonly genres: readonly Term[];
  readonly tags: readonly Term[];
  readonly titles: readonly AlternateTitle[];
}

/** Lists that the metadata record and the full record share; those of features that do not exist here are empty. */
const listsView = ({ metadata, genres, tags, titles }: SeriesParts) => ({
  alternateTitles: titles.map(alternateTitleView),
  externalLinks: linksView(metadata),
  externalRatings: [],
  genres: genres.map(termView),
  tags: tags.map(termView),
});

/** The answer to a metadata change. */
export const changedSeriesView = (metadata: SeriesMetadata): Wire<typeof ChangedSeries> => ({
  id: metadata.id,
  ...fieldsView(metadata),
});

/** GET /series/{id}/metadata. */
export const seriesMetadataView = (parts: SeriesParts): Wire<typeof SeriesMetadataSchema> => ({
  seriesId: parts.metadata.id,
  ...fieldsView(parts.metadata),
  ...listsView(parts),
});

/** GET /series/{id}: SeriesDto with one additional field. */
export const seriesDetailView = (series: Series, metadata: SeriesMetadata): Wire<typeof SeriesDetail> => ({
  ...seriesView(series),
  metadata: fieldsView(metadata),
});

/** FullSeriesResponse: fields of the metadata are not repeated. */
export const seriesFullView = ({ series, history, ...parts }: FullSeries): Wire<typeof FullSeriesSchema> => {
  const {
    title: _title,
    titleSort: _titleSort,
    summary: _summary,
    publisher: _publisher,
    year: _year,
    readingDirection: _readingDirection,
    ...own
  } = seriesView(series);
  return {
    ...own,
    readCount: history.count,
    lastCompletedAt: instantOrNull(history.lastCompletedAt),
    ...listsView(parts),
    externalIds: [],
    metadata: fieldsView(parts.metadata),
  };
};
