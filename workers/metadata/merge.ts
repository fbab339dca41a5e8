// Merges several descriptions of one book: the earlier source takes precedence, field by field.
import { limitedMetadata } from '../../core/model/fact-limits.js';
import {
  type BookFacts,
  type EmbeddedMetadata,
  NO_BOOK_FACTS,
  NO_SERIES_FACTS,
  type SeriesFacts,
} from '../../core/model/metadata.js';

const isSilent = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const saysNothing = (facts: BookFacts | SeriesFacts): boolean => Object.values(facts).every(isSilent);

/** Facts as metadata, within the limits of a book; null when there are none. */
export const embedded = (book: Partial<BookFacts>, series: Partial<SeriesFacts>): EmbeddedMetadata | null => {
  const whole = { book: { ...NO_BOOK_FACTS, ...book }, series: { ...NO_SERIES_FACTS, ...series } };
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
