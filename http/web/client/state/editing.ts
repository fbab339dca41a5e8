// The metadata of a series or book as it is edited: its fields, what stands in them, which are locked, and what a change sends.
import {
  type Author,
  booksFull,
  booksGenresPut,
  booksLocksPut,
  booksMetadataPatch,
  booksTagsPut,
  seriesFull,
  seriesGenresPut,
  seriesLocksPut,
  seriesMetadataPatch,
  seriesTagsPut,
  type Term,
} from './api.js';
import { WORDS } from './filters.js';
import type { RequestOptions } from './lists.js';

export type Editable = 'series' | 'books';

export type FieldKind = 'line' | 'text' | 'whole' | 'number' | 'word' | 'names' | 'people';

export interface EditField {
  readonly name: EditName;
  readonly kind: FieldKind;
  /** The flag of its lock. */
  readonly lock: string;
  readonly words?: readonly string[];
  readonly max?: number;
}

export type EditName =
  | 'title'
  | 'titleSort'
  | 'subtitle'
  | 'number'
  | 'volume'
  | 'chapter'
  | 'summary'
  | 'authors'
  | 'genres'
  | 'tags'
  | 'publisher'
  | 'imprint'
  | 'status'
  | 'year'
  | 'month'
  | 'day'
  | 'language'
  | 'languageIso'
  | 'ageRating'
  | 'readingDirection'
  | 'totalVolumeCount'
  | 'totalChapterCount'
  | 'bookType'
  | 'isbns'
  | 'edition';

type Shape = Omit<EditField, 'name' | 'lock'>;

const line: Shape = { kind: 'line' };
const whole = (max: number): Shape => ({ kind: 'whole', max });
const COUNT_MAX = 2 ** 31 - 1;

const SHARED = {
  title: line,
  titleSort: line,
} as const;

const PEOPLE = {
  authors: { kind: 'people' },
  genres: { kind: 'names' },
  tags: { kind: 'names' },
  publisher: line,
  imprint: line,
} as const;

const SHAPES: Readonly<Record<Editable, Readonly<Partial<Record<EditName, Shape>>>>> = {
  series: {
    ...SHARED,
    summary: { kind: 'text' },
    ...PEOPLE,
    status: { kind: 'word', words: WORDS.status },
    year: whole(9999),
    language: line,
    ageRating: whole(120),
    readingDirection: { kind: 'word', words: ['ltr', 'rtl', 'ttb', 'webtoon'] },
    totalVolumeCount: whole(COUNT_MAX),
    totalChapterCount: { kind: 'number' },
  },
  books: {
    ...SHARED,
    subtitle: line,
    number: line,
    volume: whole(COUNT_MAX),
    chapter: { kind: 'number' },
    summary: { kind: 'text' },
    ...PEOPLE,
    year: whole(9999),
    month: whole(12),
    day: whole(31),
    languageIso: line,
    bookType: { kind: 'word', words: WORDS.bookType },
    isbns: line,
    edition: line,
  },
};

/** Lists of people have the name that their column once had. */
const lockOf = (of: Editable, name: EditName): string => {
  if (name === 'authors') return 'authorsJsonLock';
  return of === 'books' ? `${name}Lock` : name;
};

export const editFieldsOf = (of: Editable): readonly EditField[] =>
  (Object.entries(SHAPES[of]) as [EditName, Shape][]).map(([name, shape]) => ({
    name,
    lock: lockOf(of, name),
    ...shape,
  }));

export interface Person {
  readonly name: string;
  readonly role: Author['role'];
  readonly sortName: string | null;
}

/** What stands in a field: text as it is typed, or people. */
export type Value = string | readonly Person[];

export interface Edited {
  readonly values: ReadonlyMap<EditName, Value>;
  readonly locks: ReadonlyMap<EditName, boolean>;
}

const named = (terms: readonly Term[]): string => terms.map(({ name }) => name).join('\n');

const typed = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

interface Loaded {
  readonly genres: readonly Term[];
  readonly tags: readonly Term[];
  readonly metadata: { readonly authors: readonly Author[] | null; readonly locks: object };
}

const recordOf = (of: Editable, { genres, tags, metadata }: Loaded): Edited => {
  const facts = metadata as unknown as Readonly<Record<string, unknown>>;
  const locks = metadata.locks as Readonly<Record<string, boolean>>;
  const values = new Map<EditName, Value>();
  const locked = new Map<EditName, boolean>();
  for (const { name, lock } of editFieldsOf(of)) {
    locked.set(name, locks[lock] === true);
    if (name === 'authors') values.set(name, metadata.authors ?? []);
    else if (name === 'genres') values.set(name, named(genres));
    else if (name === 'tags') values.set(name, named(tags));
    else values.set(name, typed(facts[name]));
  }
  return { values, locks: locked };
};

export const recordFor = async (of: Editable, id: string, opts: RequestOptions): Promise<Edited> =>
  of === 'series' ? recordOf(of, await seriesFull({ id }, opts)) : recordOf(of, await booksFull({ id }, opts));

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((one) => one.trim())
      .filter(Boolean),
  ),
];

/** As the API takes it; null clears the field. */
const sentOf = ({ kind }: EditField, value: Value): unknown => {
  if (typeof value !== 'string') {
    const people = value.filter(({ name }) => name.trim() !== '');
    return people.length === 0 ? null : people;
  }
  if (value.trim() === '') return null;
  return kind === 'whole' || kind === 'number' ? Number(value) : value;
};

export const isSame = (a: Value | undefined, b: Value | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

const SEND = {
  series: {
    metadata: (id: string, body: object) => seriesMetadataPatch({ id, body }),
    genres: (id: string, genres: string[]) => seriesGenresPut({ id, body: { genres } }),
    tags: (id: string, tags: string[]) => seriesTagsPut({ id, body: { tags } }),
    locks: (id: string, body: object) => seriesLocksPut({ id, body }),
  },
  books: {
    metadata: (id: string, body: object) => booksMetadataPatch({ id, body }),
    genres: (id: string, genres: string[]) => booksGenresPut({ id, body: { genres } }),
    tags: (id: string, tags: string[]) => booksTagsPut({ id, body: { tags } }),
    locks: (id: string, body: object) => booksLocksPut({ id, body }),
  },
} as const;

/** Sends what differs: values first, which locks them, and then the locks as they are wanted. */
export const store = async (of: Editable, id: string, before: Edited, after: Edited): Promise<void> => {
  const send = SEND[of];
  const fields = editFieldsOf(of);
  const changed = fields.filter(({ name }) => !isSame(before.values.get(name), after.values.get(name)));
  const facts = changed.filter(({ kind }) => kind !== 'names');
  if (facts.length > 0)
    await send.metadata(
      id,
      Object.fromEntries(facts.map((field) => [field.name, sentOf(field, after.values.get(field.name) ?? '')])),
    );
  for (const { name } of changed)
    if (name === 'genres' || name === 'tags') await send[name](id, linesOf(String(after.values.get(name) ?? '')));
  const turned = fields.filter(
    ({ name }) => changed.some((one) => one.name === name) || before.locks.get(name) !== after.locks.get(name),
  );
  if (turned.length > 0)
    await send.locks(id, Object.fromEntries(turned.map(({ name, lock }) => [lock, after.locks.get(name) === true])));
};
