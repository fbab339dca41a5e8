// Filters of walls as a tree: groups of which all, any or none of the parts have to hold, and clauses about one field. They stand in the
// address in the very words of the API. Knows no document.

export type Match = 'all' | 'any' | 'none';

export interface Clause {
  readonly field: FieldName;
  readonly operator: string;
  /** As it is typed or chosen; '' where the operator takes none. */
  readonly value: string;
}

export interface Group {
  readonly match: Match;
  readonly parts: readonly Part[];
}

export type Part = Clause | Group;

export const isGroup = (part: Part): part is Group => 'match' in part;

/** What a field is about, which decides how its value is given and compared. */
export type FieldKind = 'library' | 'word' | 'name' | 'text' | 'number' | 'date' | 'flag';

export const OPERATORS = {
  library: ['is', 'isNot'],
  word: ['is', 'isNot'],
  name: ['is', 'isNot', 'contains', 'isNull', 'isNotNull'],
  text: ['contains', 'doesNotContain', 'beginsWith', 'is', 'isNot'],
  number: ['is', 'gte', 'lte', 'isNull', 'isNotNull'],
  date: ['onOrAfter', 'onOrBefore'],
  flag: ['isTrue', 'isFalse'],
} as const satisfies Readonly<Record<FieldKind, readonly string[]>>;

const WITHOUT_VALUE: ReadonlySet<string> = new Set(['isNull', 'isNotNull', 'isTrue', 'isFalse']);
export const takesValue = (operator: string): boolean => !WITHOUT_VALUE.has(operator);

export const WORDS = {
  readStatus: ['unread', 'in_progress', 'read'],
  status: ['ongoing', 'ended', 'hiatus', 'abandoned', 'unknown'],
  format: ['cbz', 'cbr', 'cbt', 'epub', 'pdf'],
  bookType: [
    'comic',
    'manga',
    'novel',
    'novella',
    'anthology',
    'artbook',
    'oneshot',
    'omnibus',
    'graphic_novel',
    'magazine',
  ],
} as const;

/** Fields that match people in one role, each with that role. */
export const ROLE_OF = {
  writer: 'writer',
  penciller: 'penciller',
  inker: 'inker',
  colorist: 'colorist',
  letterer: 'letterer',
  coverArtist: 'cover_artist',
  editor: 'editor',
  translator: 'translator',
  illustrator: 'illustrator',
  coAuthor: 'co_author',
  contributor: 'contributor',
} as const;

export type RoleField = keyof typeof ROLE_OF;
export const isRoleField = (field: FieldName): field is RoleField => Object.hasOwn(ROLE_OF, field);
/** Whether a field matches people. */
export const isOfPeople = (field: FieldName): boolean => field === 'author' || isRoleField(field);

const PEOPLE = {
  author: 'name',
  ...(Object.fromEntries(Object.keys(ROLE_OF).map((field) => [field, 'name'])) as Readonly<Record<RoleField, 'name'>>),
} as const;

const SERIES = {
  libraryId: 'library',
  readStatus: 'word',
  genre: 'name',
  tag: 'name',
  ...PEOPLE,
  publisher: 'name',
  language: 'name',
  status: 'word',
  year: 'number',
  ageRating: 'number',
  title: 'text',
  completion: 'flag',
  inCollection: 'flag',
  dateAdded: 'date',
} as const satisfies Readonly<Record<string, FieldKind>>;

const BOOKS = {
  libraryId: 'library',
  readStatus: 'word',
  genre: 'name',
  tag: 'name',
  ...PEOPLE,
  publisher: 'name',
  language: 'name',
  year: 'number',
  title: 'text',
  format: 'word',
  bookType: 'word',
  pageCount: 'number',
  inReadList: 'flag',
  hasError: 'flag',
  dateAdded: 'date',
} as const satisfies Readonly<Record<string, FieldKind>>;

export type WallOf = 'series' | 'books';
export type FieldName = keyof typeof SERIES | keyof typeof BOOKS;

const FIELDS: Readonly<Record<WallOf, Readonly<Partial<Record<FieldName, FieldKind>>>>> = {
  series: SERIES,
  books: BOOKS,
};

export const fieldsOf = (of: WallOf): readonly FieldName[] => Object.keys(FIELDS[of]) as FieldName[];

const KINDS: Readonly<Partial<Record<string, FieldKind>>> = { ...SERIES, ...BOOKS };
export const kindOf = (field: FieldName): FieldKind => KINDS[field] ?? 'text';

export const NO_FILTER: Group = { match: 'all', parts: [] };

/** A clause about a field before anything was chosen. */
export const clauseOf = (field: FieldName): Clause => ({ field, operator: OPERATORS[kindOf(field)][0], value: '' });

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The value as the API takes it; undefined where there is none that fits. */
const givenOf = ({ field, value }: Clause): unknown => {
  const kind = kindOf(field);
  if (kind === 'number') return value.trim() === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);
  if (kind === 'date') return DAY.test(value) ? new Date(`${value}T00:00:00`).toISOString() : undefined;
  return value.trim() === '' ? undefined : value.trim();
};

/** How the API names the groups. */
const GROUPS = { all: 'allOf', any: 'anyOf', none: 'noneOf' } as const satisfies Readonly<Record<Match, string>>;
export const MATCHES = Object.keys(GROUPS) as readonly Match[];

/** As the API takes it. */
export type Condition = Readonly<Record<string, unknown>>;

/** Null for what is still incomplete: clauses without a value, and groups that contain nothing else. */
export const conditionOf = (part: Part): Condition | null => {
  if (isGroup(part)) {
    const parts = part.parts.map(conditionOf).filter((one) => one !== null);
    return parts.length === 0 ? null : { [GROUPS[part.match]]: parts };
  }
  const { field, operator } = part;
  if (!takesValue(operator)) return { [field]: { operator } };
  const value = givenOf(part);
  return value === undefined ? null : { [field]: { operator, value } };
};

/** As it stands in the address; '' for no filter. */
export const textOf = (group: Group): string => {
  const condition = conditionOf(group);
  return condition === null ? '' : JSON.stringify(condition);
};

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typedOf = (field: FieldName, value: unknown): string => {
  if (kindOf(field) !== 'date' || typeof value !== 'string') return String(value ?? '');
  const at = new Date(value);
  const two = (number: number): string => String(number).padStart(2, '0');
  return Number.isNaN(at.getTime()) ? '' : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

const LEVELS_MAX = 6;

/** What does not fit the wall, or is no condition of ours, is left out. */
const partIn = (of: WallOf, value: unknown, level: number): Part | null => {
  if (!isPlain(value) || level > LEVELS_MAX) return null;
  const [[name, inner] = ['', null]] = Object.entries(value);
  const match = MATCHES.find((one) => GROUPS[one] === name);
  if (match !== undefined && Array.isArray(inner)) {
    const parts = inner.map((one) => partIn(of, one, level + 1)).filter((one) => one !== null);
    return { match, parts };
  }
  const field = fieldsOf(of).find((one) => one === name);
  if (field === undefined || !isPlain(inner)) return null;
  const operator = OPERATORS[kindOf(field)].find((one) => one === inner.operator);
  return operator === undefined ? null : { field, operator, value: typedOf(field, inner.value) };
};

/** The filter in an address. */
export const filterIn = (of: WallOf, text: string | null): Group => {
  if (text === null) return NO_FILTER;
  try {
    const part = partIn(of, JSON.parse(text), 0);
    if (part === null) return NO_FILTER;
    return isGroup(part) ? part : { match: 'all', parts: [part] };
  } catch {
    return NO_FILTER;
  }
};

/** The part of a filter that the other wall has fields for, without groups that this empties. */
export const filterFor = (of: WallOf, filter: Group): Group => ({
  ...filter,
  parts: filter.parts.flatMap((part): readonly Part[] => {
    if (!isGroup(part)) return Object.hasOwn(FIELDS[of], part.field) ? [part] : [];
    const inner = filterFor(of, part);
    return inner.parts.length === 0 ? [] : [inner];
  }),
});

export const withPart = (group: Group, place: number, part: Part): Group => ({
  ...group,
  parts: group.parts.map((one, at) => (at === place ? part : one)),
});

export const withoutPart = (group: Group, place: number): Group => ({
  ...group,
  parts: group.parts.filter((_, at) => at !== place),
});
