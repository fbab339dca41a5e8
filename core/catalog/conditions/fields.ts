// The fields lists can be filtered by: which operators each takes, by its family, and where its values are. Pure.
import { BOOK_FORMATS } from '../../model/formats.js';
import type { AuthorRole } from '../../model/metadata.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Viewer } from '../../model/viewer.js';
import { ROLE_FIELDS } from '../book-facts.js';
import type { Family } from './tree.js';

/** A column of the row itself, or of the table that holds its text in comparable form. */
export interface ColumnPlace {
  readonly in: 'column';
  readonly table: 'book' | 'book_text' | 'book_summary' | 'series' | 'series_text';
  readonly column: string;
  /** How a client's value is written for the comparison: folded like titles, in lower case, as is, as a number, or as the year of a day. */
  readonly as: 'folded' | 'lower' | 'exact' | 'number' | 'date' | 'year';
  /** The column to use where this one has no value. */
  readonly or?: string;
  /** Every row has a value. */
  readonly always?: true;
}

/** A table with one row for each list the row is in. */
export interface MembersPlace {
  readonly in: 'members';
  readonly table: 'read_list_book' | 'collection_series';
}

/** What is true of a row or not, and found by a query of its own. */
export type Mark =
  | 'deleted'
  | 'oneShot'
  /** A series that was changed after it was added. */
  | 'changed'
  | 'failed'
  | 'unsupported'
  | 'unanalyzed'
  | 'neverAnalyzed'
  /** A cover other than that of its file is shown. */
  | 'coverChosen'
  | 'coverUploaded'
  /** One that was uploaded is not shown. */
  | 'coverSpare';

export type Place =
  | ColumnPlace
  /** Rows with this mark. */
  | { readonly in: 'marked'; readonly mark: Mark }
  /** The row itself, by its public id. */
  | { readonly in: 'own' }
  /** The lists that the row is a member of, by their ids. */
  | { readonly in: 'listed'; readonly table: MembersPlace['table'] }
  /** Who made it: for a series, also who made its books. */
  | { readonly in: 'credits' }
  /** Whether the pages of a book can be read. */
  | { readonly in: 'mediaStatus' }
  /** What a book consists of. */
  | { readonly in: 'mediaProfile' }
  /** The first place, or the second for rows without a value there. */
  | { readonly in: 'either'; readonly first: ColumnPlace; readonly second: ColumnPlace }
  /** The public id of the row's library or series. */
  | { readonly in: 'parent'; readonly parent: 'library' | 'series' }
  /** Genres or tags: the row's own and, for a book, unless `isOwn`, those of its series. */
  | { readonly in: 'terms'; readonly kind: 'genre' | 'tag'; readonly isOwn?: true }
  /** The people credited, in one of these roles or in any; for a series, also those of its books. */
  | { readonly in: 'authors'; readonly of: RowKind; readonly roles: readonly AuthorRole[] | null }
  /** The value of a book, or that of its series where it has none. */
  | { readonly in: 'inherited'; readonly column: 'publisher' | 'language' }
  /** Names of sharing tags, which only administrators may know. */
  | { readonly in: 'sharingTags' }
  /** A flag that is true for these rows; null: for no row yet. */
  | { readonly in: 'flag'; readonly rows: ColumnPlace | MembersPlace | null }
  /** One of a few words; nearly all rows have the usual one. */
  | {
      readonly in: 'oneOf';
      readonly column: ColumnPlace;
      readonly words: readonly string[];
      readonly usual: string;
    }
  /** What the user has read. */
  | { readonly in: 'progress' }
  /** Root, folder and file name. */
  | { readonly in: 'path' }
  /** How many volumes exist, compared with how many the series should have. */
  | { readonly in: 'completion' }
  /** The day on which the first book of a series came out. */
  | { readonly in: 'firstRelease' }
  /** No row has a value yet. */
  | { readonly in: 'nowhere' };

interface Field {
  readonly family: Family;
  readonly place: Place;
}

type Table = ColumnPlace['table'];

const column = (
  table: Table,
  name: string,
  as: ColumnPlace['as'],
  more: Pick<ColumnPlace, 'or' | 'always'> = {},
): ColumnPlace => ({ in: 'column', table, column: name, as, ...more });

const always = { always: true } as const;
const text = (place: Place): Field => ({ family: 'text', place });
const flag = (rows: ColumnPlace | MembersPlace | null): Field => ({ family: 'bool', place: { in: 'flag', rows } });
const number = (place: Place): Field => ({ family: 'number', place });
const parent = (of: 'library' | 'series'): Field => ({ family: 'uuid', place: { in: 'parent', parent: of } });
const terms = (kind: 'genre' | 'tag'): Field => ({ family: 'text', place: { in: 'terms', kind } });
const inherited = (name: 'publisher' | 'language'): Field => text({ in: 'inherited', column: name });

/** Everyone credited, and those in each role. */
const people = (of: RowKind) => {
  const by = (...roles: readonly AuthorRole[]): Field => text({ in: 'authors', of, roles });
  return {
    author: text({ in: 'authors', of, roles: null }),
    writer: by(...ROLE_FIELDS.writer),
    penciller: by(...ROLE_FIELDS.penciller),
    inker: by(...ROLE_FIELDS.inker),
    colorist: by(...ROLE_FIELDS.colorist),
    letterer: by(...ROLE_FIELDS.letterer),
    coverArtist: by(...ROLE_FIELDS.coverArtist),
    editor: by(...ROLE_FIELDS.editor),
    translator: by('translator'),
    illustrator: by('illustrator'),
    coAuthor: by('co_author'),
    contributor: by('contributor'),
  };
};

const OWN_ID: Field = { family: 'uuid', place: { in: 'own' } };
const READ_STATUS: Field = { family: 'status', place: { in: 'progress' } };

const TITLE = column('book_text', 'title', 'folded', always);

const BOOK = {
  libraryId: parent('library'),
  seriesId: parent('series'),
  genre: terms('genre'),
  tag: terms('tag'),
  title: text(TITLE),
  titleSort: text({ in: 'either', first: column('book_text', 'sort', 'folded'), second: TITLE }),
  summary: text(column('book_summary', 'summary', 'folded')),
  ...people('book'),
  publisher: inherited('publisher'),
  language: inherited('language'),
  year: number(column('book', 'released', 'year')),
  readStatus: READ_STATUS,
  hasError: flag(column('book', 'analysis_error', 'exact')),
  inReadList: flag({ in: 'members', table: 'read_list_book' }),
  bookType: text(column('book_text', 'type', 'exact')),
  format: text({ in: 'oneOf', column: column('book', 'format', 'exact'), words: BOOK_FORMATS, usual: 'cbz' }),
  path: text({ in: 'path' }),
  pageCount: number(column('book', 'page_count', 'number', always)),
  dateAdded: { family: 'date', place: column('book', 'created_at', 'date', always) },
} as const satisfies Readonly<Record<string, Field>>;

const SERIES = {
  libraryId: parent('library'),
  name: text(column('series_text', 'name', 'folded', always)),
  titleSort: text(column('series_text', 'title_sort', 'folded', { or: 'name' })),
  summary: text(column('series_text', 'summary', 'folded')),
  publisher: text(column('series_text', 'publisher', 'folded')),
  language: text(column('series_text', 'language', 'folded')),
  status: text(column('series', 'status', 'lower')),
  genre: terms('genre'),
  tag: terms('tag'),
  sharingTag: text({ in: 'sharingTags' }),
  readStatus: READ_STATUS,
  ...people('series'),
  path: text(column('series', 'path', 'exact')),
  year: number(column('series', 'year', 'number')),
  ageRating: number(column('series', 'age_rating', 'number')),
  userRating: number({ in: 'nowhere' }),
  communityRating: number({ in: 'nowhere' }),
  hasUserRating: flag(null),
  isTracked: flag(null),
  inCollection: flag({ in: 'members', table: 'collection_series' }),
  hasExternalSourceId: flag(null),
  completion: { family: 'bool', place: { in: 'completion' } },
  dateAdded: { family: 'date', place: column('series', 'created_at', 'date') },
} as const satisfies Readonly<Record<string, Field>>;

export type BookField = keyof typeof BOOK;
export type SeriesField = keyof typeof SERIES;

const mark = (of: Mark): Field => ({ family: 'bool', place: { in: 'marked', mark: of } });

/** Fields of surfaces that have a grammar of their own. */
const APP_BOOK = {
  ...BOOK,
  id: OWN_ID,
  ownTag: text({ in: 'terms', kind: 'tag', isOwn: true }),
  credit: text({ in: 'credits' }),
  readListId: { family: 'uuid', place: { in: 'listed', table: 'read_list_book' } },
  deleted: mark('deleted'),
  oneShot: mark('oneShot'),
  mediaStatus: { family: 'status', place: { in: 'mediaStatus' } },
  mediaProfile: { family: 'status', place: { in: 'mediaProfile' } },
  coverChosen: mark('coverChosen'),
  coverUploaded: mark('coverUploaded'),
  coverSpare: mark('coverSpare'),
  /** The one that reader apps are shown. */
  number: number(column('book', 'sort_number', 'number', always)),
  /** Year, month and day as one number; zeros for what is not known. */
  released: number(column('book', 'released', 'number')),
} as const satisfies Readonly<Record<string, Field>>;

const APP_SERIES = {
  ...SERIES,
  id: OWN_ID,
  credit: text({ in: 'credits' }),
  collectionId: { family: 'uuid', place: { in: 'listed', table: 'collection_series' } },
  /** Nobody is shown a series without books. */
  deleted: flag(null),
  oneShot: mark('oneShot'),
  changed: mark('changed'),
  bookCount: number(column('series', 'book_count', 'number', always)),
  /** As for books. */
  released: number({ in: 'firstRelease' }),
} as const satisfies Readonly<Record<string, Field>>;

export type AppBookField = keyof typeof APP_BOOK;
export type AppSeriesField = keyof typeof APP_SERIES;

type Named<F extends string> = Field & { readonly field: F };
/** By the name a client may write; a field may have several. */
export type Fields<F extends string> = Readonly<Record<F, Named<F>> & Record<string, Named<F>>>;

const named = <F extends string>(fields: Readonly<Record<F, Field>>): Fields<F> =>
  Object.fromEntries(
    (Object.entries(fields) as [F, Field][]).map(([field, one]) => [field, { field, ...one }]),
  ) as Fields<F>;

export const BOOK_FIELDS: Fields<BookField> = named(BOOK);
export const SERIES_FIELDS: Fields<SeriesField> = { ...named(SERIES), title: { field: 'name', ...SERIES.name } };

export const APP_BOOK_FIELDS: Fields<AppBookField> = named(APP_BOOK);
const APP_SERIES_FIELDS: Fields<AppSeriesField> = named(APP_SERIES);

/** For everybody but administrators: the same fields, as if no series had a sharing tag. */
const UNSHARED_FIELDS: Fields<AppSeriesField> = {
  ...APP_SERIES_FIELDS,
  sharingTag: { ...APP_SERIES_FIELDS.sharingTag, place: { in: 'nowhere' } },
};

export const seriesFieldsFor = ({ administers }: Pick<Viewer, 'administers'>): Fields<AppSeriesField> =>
  administers ? APP_SERIES_FIELDS : UNSHARED_FIELDS;
