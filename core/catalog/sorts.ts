// The orders lists can be sorted in, and the names clients may use for them. Nearly each has an index that the list walks in order;
// ties end at the row key, so pages never repeat or skip a row.

/** A column of the row itself. */
export interface ColumnSort {
  readonly column: string;
  /** Rows without a value are last in both directions. */
  readonly nullsLast?: true;
}

export const BOOK_COLUMN_SORTS = {
  title: { column: 'title_sort' },
  number: { column: 'exact_number', nullsLast: true },
  file_size: { column: 'file_size' },
  page_count: { column: 'page_count' },
  created_at: { column: 'created_at' },
  modified_at: { column: 'file_mtime' },
  filename: { column: 'file_name' },
  release_date: { column: 'released', nullsLast: true },
} as const satisfies Readonly<Record<string, ColumnSort>>;

/** Sort orders that only the surfaces for reader apps have. */
export const APP_BOOK_COLUMN_SORTS = {
  sort_number: { column: 'sort_number' },
  updated_at: { column: 'updated_at' },
  /** The name of the file without regard to case. */
  name: { column: 'name_key' },
} as const satisfies Readonly<Record<string, ColumnSort>>;

export const SERIES_COLUMN_SORTS = {
  name: { column: 'name_sort' },
  date_added: { column: 'created_at' },
  date_updated: { column: 'updated_at' },
  release_date: { column: 'year', nullsLast: true },
  book_count: { column: 'book_count' },
  file_size: { column: 'file_size' },
  filename: { column: 'path' },
  page_count: { column: 'page_count' },
} as const satisfies Readonly<Record<string, ColumnSort>>;

/** Orders of reader apps that no index holds (sql/computed-orders.ts). */
export type ComputedBookSort = 'path' | 'file_hash' | 'media_status' | 'media_type' | 'media_comment';

export type BookSort =
  | keyof typeof BOOK_COLUMN_SORTS
  | keyof typeof APP_BOOK_COLUMN_SORTS
  | ComputedBookSort
  | 'series'
  | 'last_read'
  | 'relevance';
export type SeriesSort = keyof typeof SERIES_COLUMN_SORTS | 'date_read' | 'file_time' | 'relevance';

type Names<S extends string> = Readonly<Record<string, S>>;

const own = <S extends string>(sorts: Readonly<Record<S, ColumnSort>>): Names<S> =>
  Object.fromEntries((Object.keys(sorts) as S[]).map((name) => [name, name]));

export const BOOK_SORTS: Names<BookSort> = {
  ...own(BOOK_COLUMN_SORTS),
  titleSort: 'title',
  chapter_number: 'number',
  date_added: 'created_at',
  series: 'series',
  last_read: 'last_read',
  read_date: 'last_read',
};

/** No series has a rating yet, so these orders are the order of names. */
const RATINGS: Names<SeriesSort> = {
  rating: 'name',
  user_rating: 'name',
  community_rating: 'name',
  avg_rating: 'name',
  external_rating: 'name',
};

export const SERIES_SORTS: Names<SeriesSort> = {
  ...own(SERIES_COLUMN_SORTS),
  title: 'name',
  titleSort: 'name',
  created_at: 'date_added',
  updated_at: 'date_updated',
  year: 'release_date',
  date_read: 'date_read',
  ...RATINGS,
};

/** Best match first, in either direction; only for searches. */
export const RELEVANCE = { relevance: 'relevance', score: 'relevance' } as const;

export interface Order<S extends string> {
  readonly sort: S;
  readonly descending: boolean;
}
