// Merges several descriptions of one book: the earlier source takes precedence, field by field.
import { limitedMetadata } from '../../core/model/fact-limits.js';
import {
  type BookFacts,
  type EmbeddedMetadata,
  NO_BOOK_FACTS,
  NO_SERIES_FACTS,
  type SeriesFacts,
} from '../../core/model/metadata.js';
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

/** Facts as metadata, within the limits of a book; null when there are none. */
export const embedded = (book: Partial<BookFacts>, series: Partial<SeriesFacts>): EmbeddedMetadata | null => {
  const whole = {
    book: { ...NO_BOOK_FACTS, ...tidiedFacts(book) },
    series: { ...NO_SERIES_FACTS, ...tidiedFacts(series) },
  };
  return saysNothing(whole.book) && saysNothing(whole.series) ? null : limitedMetadata(whole);
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
  const merged = found
    .slice(1)
    .reduce<EmbeddedMetadata | null>((first, second) => first && fillGaps(first, second), found[0] ?? null);
  return merged === null || (saysNothing(merged.book) && saysNothing(merged.series)) ? null : limitedMetadata(merged);
};
