// Sort name to column. Each has an index whose order the list walks; ties end at the id, so that pages never repeat or skip a row.

export const BOOK_SORTS = {
  title: 'title_sort',
  number: 'number',
  file_size: 'file_size',
  page_count: 'page_count',
  created_at: 'created_at',
  modified_at: 'file_mtime',
} as const;

export const SERIES_SORTS = {
  name: 'name_sort',
  date_added: 'created_at',
  date_updated: 'updated_at',
  book_count: 'book_count',
  file_size: 'file_size',
  filename: 'path',
  page_count: 'page_count',
} as const;

export type BookSort = keyof typeof BOOK_SORTS;
export type SeriesSort = keyof typeof SERIES_SORTS;

export interface Order<S extends string> {
  readonly sort: S;
  readonly descending: boolean;
}

/** The order of a list as the index has it: the column, then library and id, all in one direction. */
export const orderBy = (column: string, descending: boolean, alias = ''): string => {
  const direction = descending ? 'DESC' : 'ASC';
  const prefix = alias === '' ? '' : `${alias}.`;
  return [column, 'library_id', 'id'].map((name) => `${prefix}${name} ${direction}`).join(', ');
};
