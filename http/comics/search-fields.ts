// Searches that name fields (`genre:fantasy author:"Ann Writer"`): what is understood becomes conditions that must all pass, everything else
// is searched as words.
import type { AppBookField, AppSeriesField } from '../../core/catalog/conditions/fields.js';
import type { Clause, Comparison, Condition } from '../../core/catalog/conditions/tree.js';
import { seriesWithStatus } from './conditions/status.js';

/** Undefined: the value means nothing to this field. */
type Meaning<F extends string> = (value: string) => Condition<F> | undefined;
type Meanings<F extends string> = Readonly<Record<string, Meaning<F>>>;

export interface FieldSearch<F extends string> {
  /** The words that are left. */
  readonly words: string;
  readonly conditions: readonly Condition<F>[];
}

const passes = <F extends string>(field: F, test: Clause<F>['test']): Clause<F> => ({ field, test, negated: false });

const part =
  <F extends string>(field: F): Meaning<F> =>
  (value) =>
    passes(field, { kind: 'contains', value });

const whole =
  <F extends string>(field: F): Meaning<F> =>
  (value) =>
    passes(field, { kind: 'is', value });

const RANGE = /^\[\s*(\S+)\s+TO\s+(\S+)\s*\]$/i;

/** A value, or `[A TO B]` with both ends included; a star leaves an end open. */
const between =
  <F extends string>(field: F, first: (text: string) => number, last: (text: string) => number): Meaning<F> =>
  (value) => {
    const [, from = value, to = value] = RANGE.exec(value) ?? [];
    const [least, most] = [first(from), last(to)];
    const comparisons: Comparison[] = [
      ...(from === '*' ? [] : [{ sign: '>=', value: least } as const]),
      ...(to === '*' ? [] : [{ sign: '<=', value: most } as const]),
    ];
    const isNumber = comparisons.length > 0 && comparisons.every((one) => Number.isFinite(one.value));
    return isNumber ? passes(field, { kind: 'range', comparisons }) : undefined;
  };

const DAY = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?\*?$/;

/** Days are stored as one number, with zeros for what is not known; `rest` stands for what the text leaves open. */
const dayOf =
  (rest: '00' | '99') =>
  (text: string): number => {
    const [, year, month = rest, day = rest] = DAY.exec(text) ?? [];
    return year === undefined ? Number.NaN : Number(`${year}${month}${day}`);
  };

const WORDS_OF_READ: Readonly<Record<string, string>> = {
  true: 'read',
  false: 'unread',
  read: 'read',
  unread: 'unread',
  in_progress: 'in_progress',
};

const readAs: Meaning<'readStatus'> = (value) => {
  const word = value.toLowerCase();
  const status = Object.hasOwn(WORDS_OF_READ, word) ? WORDS_OF_READ[word] : undefined;
  return status === undefined ? undefined : passes('readStatus', { kind: 'is', value: status });
};

const MEDIA_STATUSES: ReadonlySet<string> = new Set(['unknown', 'error', 'ready', 'unsupported', 'outdated']);

const mediaStatus: Meaning<'mediaStatus'> = (value) =>
  MEDIA_STATUSES.has(value.toLowerCase())
    ? passes('mediaStatus', { kind: 'is', value: value.toLowerCase() })
    : undefined;

const SHARED = {
  genre: part('genre'),
  tag: part('tag'),
  publisher: part('publisher'),
  language: whole('language'),
  author: part('author'),
  writer: part('writer'),
  penciller: part('penciller'),
  inker: part('inker'),
  colorist: part('colorist'),
  letterer: part('letterer'),
  cover: part('coverArtist'),
  editor: part('editor'),
  translator: part('translator'),
  read: readAs,
  release_date: between('released', dayOf('00'), dayOf('99')),
} satisfies Meanings<AppBookField & AppSeriesField>;

export const BOOK_SEARCH: Meanings<AppBookField> = { ...SHARED, title: part('title'), status: mediaStatus };

export const SERIES_SEARCH: Meanings<AppSeriesField> = {
  ...SHARED,
  title: part('name'),
  status: seriesWithStatus,
  book_count: between('bookCount', Number, Number),
};

const NAMED = /(?<=^|\s)([a-z_]{2,20}):(?:"([^"]{1,500})"|(\[[^\]]{1,100}\])|([^\s"[]\S{0,500}))(?=\s|$)/gi;
/** More than anybody types. */
const CONDITIONS_MAX = 16;

/** An ISBN is among the words that are searched. */
const isIsbn = (name: string): boolean => name === 'isbn';

export const fieldsIn = <F extends string>(search: string, meanings: Meanings<F>): FieldSearch<F> => {
  const conditions: Condition<F>[] = [];
  const words = search.replace(NAMED, (all: string, named: string, quoted?: string, range?: string, bare?: string) => {
    const name = named.toLowerCase();
    const value = (quoted ?? range ?? bare ?? '').trim();
    if (isIsbn(name)) return value;
    const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined;
    const condition = value === '' || conditions.length >= CONDITIONS_MAX ? undefined : meaning?.(value);
    if (condition === undefined) return all;
    conditions.push(condition);
    return '';
  });
  return { words: words.trim(), conditions };
};

/** `where` with what a search names. */
export const withFields = <F extends string>(
  search: string | null | undefined,
  where: Condition<F> | undefined,
  meanings: Meanings<F>,
): { readonly words: string | null | undefined; readonly where: Condition<F> | undefined } => {
  const { words, conditions } = fieldsIn(search ?? '', meanings);
  if (conditions.length === 0) return { words: words === (search ?? '').trim() ? search : words, where };
  return { words, where: { allOf: [...(where === undefined ? [] : [where]), ...conditions] } };
};
