// What trackers read.
import { number, record, whole } from '../../surface/wire.js';

const counts = {
  booksCount: whole(5),
  booksReadCount: whole(2),
  booksUnreadCount: whole(2),
  booksInProgressCount: whole(1),
};

export const SeriesTrack = record('ComicSeriesTrack', {
  ...counts,
  lastReadContinuousNumberSort: number(2, 'The number of the last book read before the first that is not; 0 for none.'),
  maxNumberSort: number(5),
});

export const ListTrack = record('ComicListTrack', {
  ...counts,
  lastReadContinuousIndex: whole(2, 'How many of the first books are read without a gap.'),
});
