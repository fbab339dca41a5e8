// Who says something about a book, and who is believed where several do. A new source is one row of SOURCES.
import type { Author, BookFacts, SeriesFacts } from '../model/metadata.js';
import type { BookLock, FactField, RoleField, StoredFacts } from './book-facts.js';

export interface Source {
  /** Stored in rows: never given to another source. */
  readonly id: number;
  /** The lowest number that says something wins. */
  readonly rank: number;
  /** Fields in which this source ranks otherwise. */
  readonly fields?: { readonly [K in FactField]?: number };
}

export type Ranks<Name extends string = string> = Readonly<Record<Name, Source>>;

/**
 * What was said and is stored. What a path says is computed whenever it is needed: which of both a title, volume and chapter come from is
 * decided by the strategy of the library (rules/titles.ts). What the user set wins everywhere.
 */
export const SOURCES = {
  user: { id: 0, rank: 0 },
  file: { id: 1, rank: 20 },
} as const satisfies Ranks;

type SourceName = keyof typeof SOURCES;
/** Sources that are read again at some time, and may then say something new. */
export type ReadSource = Exclude<SourceName, 'user'>;

/** A field that is there was set, locked or cleared by somebody; null, or an empty list: it is empty. A role has its authors. */
export type UserSays = { readonly [K in FactField]?: StoredFacts[K] | null } & {
  readonly [R in RoleField]?: readonly Author[];
};

/** What one source says; silent fields are absent. */
export interface Said {
  readonly facts: Partial<BookFacts>;
  /** Of the series of the book, its genres and tags included. */
  readonly series: Partial<SeriesFacts>;
  /** False for rows older than this table: the source may say more. */
  readonly isComplete: boolean;
}

/** All that is stored about one book. */
export interface BookState {
  readonly user: UserSays;
  readonly said: ReadonlyMap<ReadSource, Said>;
  readonly locks: ReadonlySet<BookLock>;
  /** What follows from it, as it was stored last. */
  readonly facts: StoredFacts;
  /** True when anything is stored already. Only such a book can have genres or tags from before. */
  readonly isStored: boolean;
  /** Ids of the sources that have a row. */
  readonly rows: readonly number[];
}
