// Merges several descriptions of one book: the earlier source takes precedence, field by field.
import { limitedMetadata } from '../../core/model/fact-limits.js';
import type { Note } from '../../core/model/jobs.js';
import {
  type BookFacts,
  type EmbeddedMetadata,
  NO_BOOK_FACTS,
  NO_SERIES_FACTS,
  type SeriesFacts,
} from '../../core/model/metadata.js';
import { unknownLanguages } from './language.js';
import { oneLine } from './xml-node.js';

const isSilent = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const saysNothing = (facts: BookFacts | SeriesFacts): boolean => Object.values(facts).every(isSilent);

/** Texts that keep their lines, and addresses, in which white space would be an error. */
const AS_WRITTEN = new Set(['summary', 'url']);

/** The same value with every name, title and term on one line; empty texts count as absent. */
const tidied = (value: unknown, field: string): unknown => {
  if (typeof value === 'string') return AS_WRITTEN.has(field) ? value : oneLine(value) || null;
  if (Array.isArray(value)) return value.map((one) => tidied(one, field)).filter((one) => one !== null);
  return typeof value === 'object' && value !== null ? tidiedFacts(value) : value;
};

const tidiedFacts = <Facts extends object>(facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).map(([field, value]) => [field, tidied(value, field)])) as Facts;

const withUnknown = (facts: EmbeddedMetadata, unknown: readonly string[]): EmbeddedMetadata =>
  unknown.length === 0 ? facts : { ...facts, unknownLanguages: unknown };

/** True when it would not even lead to a remark. */
const isEmpty = ({ book, series, unknownLanguages: unknown = [] }: EmbeddedMetadata): boolean =>
  unknown.length === 0 && saysNothing(book) && saysNothing(series);

/** Facts as metadata, within the limits of a book; null when there are none. `languages`: its languages as they are written. */
export const embedded = (
  book: Partial<BookFacts>,
  series: Partial<SeriesFacts>,
  languages: readonly (string | null)[] = [],
): EmbeddedMetadata | null => {
  const unknown = (book.languageIso ?? null) === null ? unknownLanguages(languages) : [];
  const whole = {
    book: { ...NO_BOOK_FACTS, ...tidiedFacts(book) },
    series: { ...NO_SERIES_FACTS, ...tidiedFacts(series) },
  };
  return isEmpty(withUnknown(whole, unknown)) ? null : withUnknown(limitedMetadata(whole), unknown);
};

const statedFacts = <Facts extends object>(facts: Facts): Partial<Facts> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => !isSilent(value))) as Partial<Facts>;

/** A month or day belongs to its year: it is not combined with the year of another source. */
const ofSameYear = (first: BookFacts, second: BookFacts): BookFacts =>
  first.year === null || first.year === second.year ? second : { ...second, month: null, day: null };

const fillGaps = (first: EmbeddedMetadata, second: EmbeddedMetadata): EmbeddedMetadata => ({
  book: { ...ofSameYear(first.book, second.book), ...statedFacts(first.book) },
  series: { ...second.series, ...statedFacts(first.series) },
});

export const mergeMetadata = (...sources: readonly (EmbeddedMetadata | null)[]): EmbeddedMetadata | null => {
  const found = sources.filter((source) => source !== null);
  const unknown = found.flatMap(({ unknownLanguages: some = [] }) => some);
  const merged = found
    .slice(1)
    .reduce<EmbeddedMetadata | null>((first, second) => first && fillGaps(first, second), found[0] ?? null);
  if (merged === null || isEmpty(withUnknown(merged, unknown))) return null;
  return withUnknown(limitedMetadata(merged), unknown);
};

const NO_METADATA: EmbeddedMetadata = { book: NO_BOOK_FACTS, series: NO_SERIES_FACTS };

export interface ReportedMetadata {
  readonly metadata: EmbeddedMetadata | null;
  readonly metadataNotes: readonly Note[];
}

const LISTED_MAX = 3;

/** What is stored of metadata, and what its book says about the rest. */
export const reported = (found: EmbeddedMetadata | null): ReportedMetadata => {
  const { unknownLanguages: unknown = [], ...facts } = found ?? NO_METADATA;
  const metadata = isEmpty(facts) ? null : facts;
  if (unknown.length === 0) return { metadata, metadataNotes: [] };
  const names = [...new Set(unknown)].slice(0, LISTED_MAX).map((name) => `“${name}”`);
  const message = `The language in its metadata is unknown and was ignored: ${names.join(', ')}. Use a code such as en, ja or pt-BR.`;
  return { metadata, metadataNotes: [{ type: 'metadata', message }] };
};
