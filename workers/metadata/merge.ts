// Merges several descriptions of one book: the earlier source takes precedence, field by field.
import { limitedMetadata } from '../../core/model/fact-limits.js';
import type { Note } from '../../core/model/jobs.js';
import {
  type BookFacts,
  type EmbeddedMetadata,
  NO_BOOK_FACTS,
  NO_SERIES_FACTS,
  type SeriesFacts,
  type Unknown,
} from '../../core/model/metadata.js';
import { ADULT, unknownAgeRatings } from './age-rating.js';
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

const isKnown = (unknown: Unknown): boolean => Object.values(unknown).every(isSilent);

const withUnknown = (facts: EmbeddedMetadata, unknown: Unknown): EmbeddedMetadata =>
  isKnown(unknown) ? facts : { ...facts, unknown };

const ALL_KNOWN: Unknown = { languages: [], ageRatings: [], incomplete: [] };

/** True when it would not even lead to a remark. */
const isEmpty = ({ book, series, unknown = ALL_KNOWN }: EmbeddedMetadata): boolean =>
  isKnown(unknown) && saysNothing(book) && saysNothing(series);

/** Values as they are written. */
interface Written {
  readonly languages?: readonly (string | null)[];
  readonly ageRating?: string | null;
  /** The name of the document, if it is incomplete. */
  readonly incomplete?: string | null;
}

/** Facts as metadata, within the limits of a book; null when there are none. */
export const embedded = (
  book: Partial<BookFacts>,
  series: Partial<SeriesFacts>,
  { languages = [], ageRating = null, incomplete = null }: Written = {},
): EmbeddedMetadata | null => {
  const unknown = {
    languages: (book.languageIso ?? null) === null ? unknownLanguages(languages) : [],
    ageRatings: unknownAgeRatings(ageRating),
    incomplete: incomplete === null ? [] : [incomplete],
  };
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
  const unknown = {
    languages: found.flatMap((one) => one.unknown?.languages ?? []),
    ageRatings: found.flatMap((one) => one.unknown?.ageRatings ?? []),
    incomplete: found.flatMap((one) => one.unknown?.incomplete ?? []),
  };
  const merged = found
    .slice(1)
    .reduce<EmbeddedMetadata | null>((first, second) => first && fillGaps(first, second), found[0] ?? null);
  if (merged === null || isEmpty(withUnknown(merged, unknown))) return null;
  if (found.length === 1) return merged; // each source is within the limits
  return withUnknown(limitedMetadata(merged), unknown);
};

const NO_METADATA: EmbeddedMetadata = { book: NO_BOOK_FACTS, series: NO_SERIES_FACTS };

/** A document of which nothing could be read. */
export const unreadMetadata = (name: string): EmbeddedMetadata => ({
  ...NO_METADATA,
  unknown: { ...ALL_KNOWN, incomplete: [name] },
});

export interface ReportedMetadata {
  readonly metadata: EmbeddedMetadata | null;
  readonly metadataNotes: readonly Note[];
}

const LISTED_MAX = 3;

const quoted = (texts: readonly string[]): string =>
  [...new Set(texts)]
    .slice(0, LISTED_MAX)
    .map((text) => `“${text}”`)
    .join(', ');

/** What is stored of metadata, and what its book says about the rest. */
export const reported = (found: EmbeddedMetadata | null): ReportedMetadata => {
  const { unknown = ALL_KNOWN, ...facts } = found ?? NO_METADATA;
  const messages = [
    ...(unknown.incomplete.length === 0
      ? []
      : [
          `Some of its metadata is cut off, damaged or encrypted, so only the readable part is used: ${quoted(unknown.incomplete)}. Save it again with the program that wrote it.`,
        ]),
    ...(unknown.languages.length === 0
      ? []
      : [
          `The language in its metadata is unknown and was ignored: ${quoted(unknown.languages)}. Use a code such as en, ja or pt-BR.`,
        ]),
    ...(unknown.ageRatings.length === 0
      ? []
      : [
          `The age rating in its metadata is unknown and counts as ${ADULT}: ${quoted(unknown.ageRatings)}. Use an age such as 12+, or a rating of ComicInfo such as Teen.`,
        ]),
  ];
  return {
    metadata: isEmpty(facts) ? null : facts,
    metadataNotes: messages.map((message): Note => ({ type: 'metadata', message })),
  };
};
