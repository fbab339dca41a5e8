// The rows that lists, terms, collections and search are about; also the names of their tables.
export type RowKind = 'book' | 'series';
