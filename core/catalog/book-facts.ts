// The facts of a book: their fields, locks and stored form, how a user changes them, and what lists show of them. Pure.
import { type Author, type AuthorRole, type BookFacts, NO_BOOK_FACTS } from '../model/metadata.js';
import { numberOfText } from '../model/numbers.js';
import { sortKeyOf } from '../model/sort-key.js';

export interface StoredFacts extends BookFacts {
  /** Free form, only ever set by users: no file contains it. */
  readonly customMetadata: Readonly<Record<string, unknown>> | null;
}

export const NO_FACTS: StoredFacts = { ...NO_BOOK_FACTS, customMetadata: null };

/**
 * Fields that show authors as text, each with the roles it shows. Writing one replaces the authors of these roles; new names get the first
 * role. An author without a specific role, as in EPUB and PDF files, is shown as a writer, which is where apps look.
 */
export const ROLE_FIELDS = {
  writer: ['writer', 'author'],
  penciller: ['penciller'],
  inker: ['inker'],
  colorist: ['colorist'],
  letterer: ['letterer'],
  coverArtist: ['cover_artist'],
  editor: ['editor'],
} as const satisfies Readonly<Record<string, readonly [AuthorRole, ...AuthorRole[]]>>;

export type RoleField = keyof typeof ROLE_FIELDS;
export type FactField = keyof StoredFacts;

export const FACT_FIELDS = Object.keys(NO_FACTS) as readonly FactField[];
export const ROLE_FIELD_NAMES = Object.keys(ROLE_FIELDS) as readonly RoleField[];

export const isRoleField = (field: string): field is RoleField => Object.hasOwn(ROLE_FIELDS, field);

/** True for null, an empty list and an absent value: none of them says anything. */
export const isSilent = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

const isIn = (field: RoleField, { role }: Author): boolean =>
  (ROLE_FIELDS[field] as readonly AuthorRole[]).includes(role);

/** The authors whose roles these fields show. */
export const authorsIn = (authors: readonly Author[], fields: readonly RoleField[]): readonly Author[] =>
  authors.filter((one) => fields.some((field) => isIn(field, one)));

/** The names a field shows, each once. */
export const namesIn = (authors: readonly Author[], field: RoleField): readonly string[] => [
  ...new Set(authors.filter((one) => isIn(field, one)).map(({ name }) => name)),
];

/** What can be locked: each fact, the authors of one role, the cover, and the two lists of terms. */
export type BookLock = FactField | RoleField | 'cover' | 'genres' | 'tags';

export const BOOK_LOCKS: readonly BookLock[] = [...FACT_FIELDS, ...ROLE_FIELD_NAMES, 'cover', 'genres', 'tags'];

/** Absent keeps, null clears, a value sets. */
export type FactChange = { readonly [K in FactField]?: StoredFacts[K] | null | undefined };
export type RoleChange = { readonly [K in RoleField]?: string | null | undefined };

export const parseFacts = (text: string | null): StoredFacts =>
  text === null ? NO_FACTS : { ...NO_FACTS, ...(JSON.parse(text) as Partial<StoredFacts>) };

/** Stores only known facts, always in the same order: most books have few. */
export const packFacts = (facts: Partial<StoredFacts>): string =>
  JSON.stringify(
    Object.fromEntries(FACT_FIELDS.filter((field) => !isSilent(facts[field])).map((field) => [field, facts[field]])),
  );

export const parseLocks = <L extends string>(text: string | null): ReadonlySet<L> =>
  new Set(text === null ? [] : (JSON.parse(text) as L[]));

/** People already listed keep their role and sort name. */
const peopleOf = (text: string | null, field: RoleField, present: readonly Author[]): readonly Author[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => present.find((one) => one.name === name) ?? { name, role: ROLE_FIELDS[field][0], sortName: null });

const withRoles = (authors: readonly Author[], roles: RoleChange, known: readonly Author[]): readonly Author[] =>
  ROLE_FIELD_NAMES.reduce((all, field) => {
    const text = roles[field];
    if (text === undefined) return all;
    const present = all.concat(known).filter((one) => isIn(field, one));
    return [...all.filter((one) => !isIn(field, one)), ...peopleOf(text, field, present)];
  }, authors);

/** The facts after a user's change. A cleared field gets the value of an unknown one. */
export const applyChange = (stored: StoredFacts, change: FactChange, roles: RoleChange): StoredFacts => {
  const set = FACT_FIELDS.filter((field) => change[field] !== undefined);
  const facts = {
    ...stored,
    ...(Object.fromEntries(set.map((field) => [field, change[field] ?? NO_FACTS[field]])) as Partial<StoredFacts>),
  };
  return { ...facts, authors: withRoles(facts.authors, roles, stored.authors) };
};

/** Fields that were given a value and so become locked. Clearing a field does not change its lock. */
export const fieldsSet = (change: FactChange, roles: RoleChange): readonly BookLock[] => [
  ...FACT_FIELDS.filter((field) => change[field] !== undefined && change[field] !== null),
  ...ROLE_FIELD_NAMES.filter((field) => roles[field] !== undefined && roles[field] !== null),
];

export interface BookColumns {
  /** Null: leave it; it is set when the series is numbered. */
  readonly title: string | null;
  readonly titleSort: string | null;
  readonly number: number | null;
  /** With its fraction. */
  readonly toldNumber: number | null;
  readonly volume: number | null;
  readonly chapter: number | null;
}

/** Integer columns refuse anything else, and one book must not stop its batch. */
const wholePart = (value: number | null): number | null =>
  value !== null && Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : null;

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

/** What the strategy of the library makes of a book. */
export interface ByStrategy {
  readonly title: string | null;
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly number: number | null;
}

/** A sort title belongs to its title: it applies when that title is shown, or when a user set it. */
const givenSort = (title: string | null, facts: StoredFacts, locks: ReadonlySet<BookLock>): string | null =>
  locks.has('titleSort') || title === facts.title ? facts.titleSort : null;

/** The key that sorts a book with this title; null while neither is known. */
export const bookSortKey = (title: string | null, facts: StoredFacts, locks: ReadonlySet<BookLock>): string | null => {
  const given = givenSort(title, facts, locks);
  return given === null && title === null ? null : sortKeyOf(given, title ?? '');
};

/** The columns that lists sort by and show: the user's value, else that of the library's strategy. */
export const columnsOf = (facts: StoredFacts, locks: ReadonlySet<BookLock>, by: ByStrategy): BookColumns => {
  const title = locks.has('title') ? (facts.title ?? by.title) : by.title;
  return {
    title,
    titleSort: bookSortKey(title, facts, locks),
    number: wholePart(numberOfText(facts.number)),
    toldNumber: by.number,
    volume: wholePart(locks.has('volume') ? facts.volume : by.volume),
    chapter: finite(locks.has('chapter') ? facts.chapter : by.chapter),
  };
};
