// Series as the wire shows them.
import type { Series } from '../../core/catalog/series.js';
import { instant } from './time.js';

/** SeriesDto. Fields of features that do not exist here are null, as in lists of servers without them. */
export const seriesView = (series: Series) => ({
  id: series.id,
  libraryId: series.libraryId,
  libraryName: series.libraryName,
  title: series.name,
  titleSort: series.nameSort,
  path: series.path,
  summary: null,
  publisher: null,
  year: null,
  readingDirection: series.readingDirection,
  bookCount: series.bookCount,
  unreadCount: series.bookCount - series.completedCount,
  localMaxVolume: series.maxVolume,
  localMaxChapter: series.maxChapter,
  volumesOwned: null,
  hasCustomCover: false,
  selectedCoverSource: null,
  tracked: false,
  upstreamChapterGap: null,
  upstreamVolumeGap: null,
  upstreamGapProvider: null,
  wantToRead: null,
  createdAt: instant(series.createdAt),
  updatedAt: instant(series.updatedAt),
});
