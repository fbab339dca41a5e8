// The metadata of two series that are one. Pure. What a user set for the one that stays counts; of the other, what users set besides.
import { FIELDS, SERIES_LOCKS, type SeriesMetadata } from './series-record.js';
import type { Cleared } from './settle-series.js';

/** It decides who may see the series, so it is not merged like a text: the higher one counts, and whoever merges sees to that. */
const RATING = 'ageRating';

/** `from` is merged into `to`. Genres, tags and alternate titles are rows of their own; here are only their locks. */
export const mergedSeries = (from: SeriesMetadata, to: SeriesMetadata): SeriesMetadata => {
  const gained = from.locks.filter((lock) => lock !== RATING && !to.locks.includes(lock));
  const locks = SERIES_LOCKS.filter((lock) => gained.includes(lock) || to.locks.includes(lock));
  const set = FIELDS.filter((field) => gained.includes(field)).map((field) => [field, from[field]]);
  const emptied = Object.entries(from.cleared ?? {}).filter(
    ([field]) =>
      field !== RATING && !locks.some((lock) => lock === field) && to.cleared?.[field as keyof Cleared] === undefined,
  );
  const isCustom = from.customMetadata !== null || to.customMetadata !== null;
  const merged: SeriesMetadata = {
    ...to,
    titleSort: to.titleSort ?? from.titleSort,
    totalChapterCount: to.totalChapterCount ?? from.totalChapterCount,
    links: gained.includes('links') ? from.links : to.links,
    ...Object.fromEntries([...emptied.map(([field]) => [field, null]), ...set]),
    // Keys of the other one besides, even if both set some.
    customMetadata: isCustom ? { ...from.customMetadata, ...to.customMetadata } : null,
    locks,
  };
  const cleared = Object.entries({ ...Object.fromEntries(emptied), ...to.cleared }).filter(
    ([field]) => !locks.some((lock) => lock === field),
  );
  return { ...merged, cleared: cleared.length === 0 ? null : (Object.fromEntries(cleared) as Cleared) };
};
