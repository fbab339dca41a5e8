// Which sources say something about a book, and which one wins when several do. A new source is one row of SOURCES.
import type { Author, BookFacts, SeriesFacts } from '../model/metadata.js';
import type { BookLock, FactField, RoleField, StoredFacts } from './book-facts.js';

export interface Source {
  /** Stored in rows: never reuse it for another source. */
  readonly id: number;
  /** The lowest rank that has a value wins. */
  readonly rank: number;
  /** Fields for which this source has a different rank. */
  readonly fields?: { readonly [K in FactField]?: number };
}

export type Ranks<Name extends string = string> = Readonly<Record<Name, Source>>;

/**
 * The sources whose facts are stored. What a path says is computed when needed; the library's strategy decides whether title, volume and
 * chapter come from the path or the file (rules/titles.ts). What the user set always wins.
 */
export const SOURCES = {
  user: { id: 0, rank: 0 },
  file: { id: 1, rank: 20 },
} as const satisfies Ranks;

type SourceName = keyof typeof SOURCES;
/** Sources that may be read again and then say something new. */
export type ReadSource = Exclude<SourceName, 'user'>;

/** A field that is present was set, locked or cleared by a user; null or an empty list means empty. A role holds its authors. */
export type UserSays = { readonly [K in FactField]?: StoredFacts[K] | null } & {
  readonly [R in RoleField]?: readonly Author[];
};

/** What one source says; silent fields are absent. */
export interface Said {
  readonly facts: Partial<BookFacts>;
  /** About the series of the book, genres and tags included. */
  readonly series: Partial<SeriesFacts>;
  /** False for rows older than this table: the source may have more to say. */
  readonly isComplete: boolean;
}

/** All that is stored about one book. */
export interface BookState {
  readonly user: UserSays;
  readonly said: ReadonlyMap<ReadSource, Said>;
  readonly locks: ReadonlySet<BookLock>;
  /** The result, as last stored. */
  readonly facts: StoredFacts;
  /** True when anything is stored already. Only such a book can have older genres or tags. */
  readonly isStored: boolean;
  /** Ids of the sources that have a row. */
  readonly rows: readonly number[];
}
