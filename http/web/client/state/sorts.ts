// The orders in which walls show series and books. Knows no document.
import type { WallOf } from './filters.js';

/** The default order comes first. */
export const SORTS = {
  series: [
    'name,asc',
    'date_added,desc',
    'date_updated,desc',
    'date_read,desc',
    'release_date,desc',
    'book_count,desc',
  ],
  books: ['series,asc', 'title,asc', 'date_added,desc', 'last_read,desc', 'release_date,desc', 'page_count,desc'],
} as const;
export type Sort = (typeof SORTS)[WallOf][number];

/** By wall, its names for orders that the other wall calls differently; the defaults are left out. */
const NAMES: Readonly<Record<WallOf, Readonly<Record<string, Sort>>>> = {
  books: { 'date_read,desc': 'last_read,desc' },
  series: { 'last_read,desc': 'date_read,desc' },
};

/** The given order, or the default if the wall does not have it. */
export const sortIn = (of: WallOf, given: string | null): Sort =>
  SORTS[of].find((one) => one === given) ?? SORTS[of][0];

/** As it stands in the address, where the default is left out. */
export const sortText = (of: WallOf, sort: Sort): string => (sort === SORTS[of][0] ? '' : sort);

/** The order of a wall that comes closest to one of the other wall. The defaults, series by name and books by series, correspond. */
export const sortFor = (of: WallOf, sort: Sort): Sort => sortIn(of, NAMES[of][sort] ?? sort);
