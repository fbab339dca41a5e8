// Series as answers show them: rows, metadata, locks, full records, alternate titles.
import Type, { type TBoolean } from 'typebox';
import { SERIES_LOCKS, type SeriesLock } from '../../../core/catalog/series-record.js';
import { SERIES_STATUSES } from '../../../core/model/metadata.js';
import { anyObject, id, number, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { DIRECTIONS } from './book.js';
import { Author } from './book-metadata.js';
import { pageOf } from './paging.js';
import { Term } from './taxonomy.js';

const NOT_HERE = 'Always null: there is no such feature.';
const never = Type.Null({ description: NOT_HERE });

const identityFields = { id: id(), libraryId: id(), libraryName: text('Comics') };

const nameFields = {
  title: text('Amber Harbor'),
  titleSort: text('amber harbor'),
  summary: orNull(text('A harbour town, and what the fog leaves behind.')),
  publisher: orNull(text('Harbour House')),
  year: orNull(whole(2019)),
  readingDirection: orNull(word(DIRECTIONS)),
};

const stateFields = {
  path: text('Amber Harbor', 'The folder, relative to the library folder.'),
  bookCount: whole(12),
  unreadCount: whole(5),
  localMaxVolume: orNull(whole(3)),
  localMaxChapter: orNull(number(24.5)),
  volumesOwned: whole(3),
  hasCustomCover: yes(false, 'Whether it has an uploaded cover, even one that is not shown.'),
  selectedCoverSource: orNull(
    text(
      'custom',
      'custom for an uploaded cover, book:<uuid> for the cover of a book; null for the cover from the files.',
    ),
  ),
  tracked: yes(false),
  upstreamChapterGap: never,
  upstreamVolumeGap: never,
  upstreamGapProvider: never,
  wantToRead: yes(false),
  createdAt: time(),
  updatedAt: time(),
};

const seriesFields = { ...identityFields, ...nameFields, ...stateFields };

/** SeriesDto. */
export const Series = record('Series', seriesFields);
export const SeriesPage = pageOf('SeriesPage', Series);

/** There is no name for a lock of links here. */
type NamedLock = Exclude<SeriesLock, 'links'>;
type LockName = NamedLock extends infer L extends string ? (L extends 'authors' ? 'authorsJsonLock' : L) : never;

const lockName = (lock: NamedLock): LockName => (lock === 'authors' ? 'authorsJsonLock' : lock);

export const SERIES_LOCK_NAMES: ReadonlyMap<LockName, SeriesLock> = new Map(
  SERIES_LOCKS.filter((lock) => lock !== 'links').map((lock) => [lockName(lock), lock]),
);

/** MetadataLocks. */
export const SeriesLocks = record(
  'SeriesLocks',
  Object.fromEntries([...SERIES_LOCK_NAMES.keys()].map((name) => [name, yes(false)])) as Readonly<
    Record<LockName, TBoolean>
  >,
);

const metadataFields = {
  ...nameFields,
  imprint: orNull(text('Fog Line')),
  status: orNull(word(SERIES_STATUSES)),
  language: orNull(text('en')),
  ageRating: orNull(whole(12)),
  totalVolumeCount: orNull(whole(4)),
  totalChapterCount: orNull(number(30)),
  authors: orNull(Type.Array(Author)),
  customMetadata: orNull(anyObject("Fields of the users' own, exactly as they were entered.")),
  locks: SeriesLocks,
  createdAt: time(),
  updatedAt: time(),
};

/** AlternateTitleDto. */
export const AlternateTitle = record('AlternateTitle', {
  id: id(),
  seriesId: id(),
  label: text('Japanese'),
  title: text('Kohaku no minato'),
  createdAt: time(),
  updatedAt: time(),
});

export const AlternateTitles = record('AlternateTitles', { titles: Type.Array(AlternateTitle) });

const ExternalLink = record('ExternalLink', {
  id: id(),
  seriesId: id(),
  sourceName: text('example.org'),
  url: text('https://example.org/amber-harbor'),
  externalId: orNull(text('18436', 'For links to Comic Vine, the id of the series there.')),
  createdAt: time(),
  updatedAt: time(),
});

const nothingYet = Type.Array(anyObject(), { maxItems: 0, description: 'Always empty: there is no such feature.' });

const listFields = {
  alternateTitles: Type.Array(AlternateTitle),
  externalLinks: Type.Array(ExternalLink),
  externalRatings: nothingYet,
  genres: Type.Array(Term),
  tags: Type.Array(Term),
};

/** SeriesMetadataResponse: the answer to a change. */
export const ChangedSeries = record('ChangedSeries', { id: id(), ...metadataFields });

/** FullSeriesMetadataResponse. */
export const SeriesMetadata = record('SeriesMetadata', { seriesId: id(), ...metadataFields, ...listFields });

const metadata = record('SeriesFields', metadataFields);

export const SeriesDetail = record('SeriesDetail', { ...seriesFields, metadata });

/** FullSeriesResponse. */
export const FullSeries = record('FullSeries', {
  ...identityFields,
  ...stateFields,
  readCount: whole(2, 'How many times the caller has read all of it: the lowest count among its books.'),
  lastCompletedAt: orNull(time()),
  ...listFields,
  externalIds: nothingYet,
  metadata,
});

export const FullSeriesPage = pageOf('FullSeriesPage', FullSeries);

export const SeriesUpdate = record('SeriesUpdate', { id: id(), title: text('Amber Harbor'), updatedAt: time() });

export const Letter = record('Letter', { group: text('a'), count: whole(3) });
