// How much metadata one book may carry, whoever wrote it. Pure. Far more than real files contain: only broken or malicious ones are cut.
import type { BookFacts, EmbeddedMetadata, SeriesFacts } from './metadata.js';

/** In characters (UTF-16 units); for lists, in items. The API refuses values beyond a limit; values from files are cut. */
export const FACT_LIMITS = {
  /** A number, a language. Truncated, it would mean something else, so a longer one counts as absent. */
  word: 50,
  /** A title, a publisher, a person. */
  name: 500,
  /** Several names in one text. */
  names: 10_000,
  summary: 20_000,
  url: 2000,
  authors: 500,
  subjects: 500,
  awards: 200,
  terms: 500,
  links: 100,
} as const;

/** For the facts of a book, and separately for what it says about its series: as JSON in UTF-8. */
export const FACTS_BYTES_MAX = 65_536;

export const bytesOfFacts = (facts: object): number => Buffer.byteLength(JSON.stringify(facts));

/** Never splits a character. */
const cut = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, /[\ud800-\udbff]/.test(text[max - 1] ?? '') ? max - 1 : max).trimEnd();

/** Never splits a name. */
const cutNames = (text: string, max: number): string => {
  if (text.length <= max) return text;
  const end = text.lastIndexOf(',', max);
  return cut(text, end > 0 ? end : max);
};

type Limit<T> = (value: T) => T;
type Limits<T> = { readonly [K in keyof T]?: Limit<T[K]> };

const ofText =
  (change: (text: string) => string | null): Limit<string | null> =>
  (value) =>
    value === null ? null : change(value);

const word = ofText((text) => (text.length <= FACT_LIMITS.word ? text : null));
const name = ofText((text) => cut(text, FACT_LIMITS.name));
const names = ofText((text) => cutNames(text, FACT_LIMITS.names));
const summary = ofText((text) => cut(text, FACT_LIMITS.summary));

const listOf =
  (max: number): Limit<readonly string[]> =>
  (list) =>
    list.slice(0, max).map((one) => cut(one, FACT_LIMITS.name));

const links = (list: SeriesFacts['links']): SeriesFacts['links'] =>
  list.filter(({ url }) => url.length <= FACT_LIMITS.url).slice(0, FACT_LIMITS.links);

const BOOK: Limits<BookFacts> = {
  title: name,
  titleSort: name,
  subtitle: name,
  originalTitle: name,
  series: name,
  number: word,
  summary,
  publisher: name,
  imprint: name,
  genre: names,
  subjects: listOf(FACT_LIMITS.subjects),
  edition: name,
  formatDetail: name,
  isbns: names,
  languageIso: word,
  translator: names,
  storyArcs: listOf(FACT_LIMITS.terms),
  characters: listOf(FACT_LIMITS.terms),
  teams: listOf(FACT_LIMITS.terms),
  locations: listOf(FACT_LIMITS.terms),
  links,
  authors: (list) =>
    list
      .slice(0, FACT_LIMITS.authors)
      .map((one) => ({ ...one, name: cut(one.name, FACT_LIMITS.name), sortName: name(one.sortName) })),
};

const SERIES: Limits<SeriesFacts> = {
  title: name,
  summary,
  publisher: name,
  imprint: name,
  language: word,
  genres: listOf(FACT_LIMITS.terms),
  tags: listOf(FACT_LIMITS.terms),
  links,
};

const half = (value: unknown): unknown => {
  if (typeof value === 'string') return cut(value, Math.floor(value.length / 2));
  return Array.isArray(value) ? value.slice(0, Math.floor(value.length / 2)) : null;
};

/** No character of JSON takes more bytes in UTF-8. */
const CHARACTER_BYTES_MAX = 3;
/** Halves the largest field until they fit together. Measured one by one only where they might not. */
const fitting = (facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (JSON.stringify(facts).length * CHARACTER_BYTES_MAX < FACTS_BYTES_MAX / 2) return facts;
  const sizes = new Map(Object.entries(facts).map(([field, value]) => [field, bytesOfFacts({ [field]: value })]));
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const left = { ...facts };
  while (total > FACTS_BYTES_MAX) {
    const [field, size] = [...sizes].reduce((most, one) => (one[1] > most[1] ? one : most));
    left[field] = half(left[field]);
    const now = bytesOfFacts({ [field]: left[field] });
    sizes.set(field, now);
    total += now - size;
  }
  return left;
};

const limited = <T extends object>(limits: Limits<T>, facts: Partial<T>): Readonly<Record<string, unknown>> => {
  const limit = (field: string, value: unknown): unknown => {
    const own = limits[field as keyof T] as Limit<unknown> | undefined;
    return own === undefined || value === undefined ? value : own(value);
  };
  return fitting(Object.fromEntries(Object.entries(facts).map(([field, value]) => [field, limit(field, value)])));
};

export const limitedBook = <T extends Partial<BookFacts>>(facts: T): T => limited(BOOK, facts) as T;
export const limitedSeries = <T extends Partial<SeriesFacts>>(facts: T): T => limited(SERIES, facts) as T;

export const limitedMetadata = ({ book, series }: EmbeddedMetadata): EmbeddedMetadata => ({
  book: limitedBook(book),
  series: limitedSeries(series),
});
