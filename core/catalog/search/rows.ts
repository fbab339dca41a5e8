// What waiting rows are searched and compared by. Pure: from the contents of the tables to the contents of the indexes.

import { stemOf } from '../../model/formats.js';
import { isbnForms } from '../../model/isbn.js';
import type { Author } from '../../model/metadata.js';
import { caseKey } from '../../model/search-key.js';
import { indexWords, STOP } from '../../model/search-words.js';
import { parseFacts } from '../book-facts.js';

export interface BookSource {
  readonly id: number;
  readonly title: string;
  readonly fileName: string;
  readonly series: string;
  readonly facts: string | null;
  /** JSON lists of names. */
  readonly genres: string;
  readonly tags: string;
}

export interface SeriesSource {
  readonly id: number;
  readonly name: string;
  readonly titleSort: string | null;
  readonly path: string;
  readonly summary: string | null;
  readonly publisher: string | null;
  readonly language: string | null;
  readonly authors: string | null;
  readonly genres: string;
  readonly tags: string;
  /** Its other titles: a JSON list. */
  readonly titles: string;
}

const keyOrNull = (text: string | null): string | null => (text === null ? null : caseKey(text));

/** Duplicate parts are kept once; parts that equal text indexed elsewhere are dropped. */
const together = (parts: readonly (string | null)[], beside: readonly string[]): string => {
  const keys = new Set(parts.map((part) => (part === null ? '' : indexWords(part))));
  for (const known of ['', ...beside]) keys.delete(known);
  return [...keys].join(STOP);
};

/** Year, month and day as one number that sorts; unknown parts come first. */
const releasedOf = (year: number | null, month: number | null, day: number | null): number | null =>
  year === null ? null : year * 10_000 + (month ?? 0) * 100 + (day ?? 0);

/** A book is found by the title that lists show and by the one in its file, which may differ (strategy `filename`). */
const titleWords = (shown: string, given: string | null): string => {
  const [first, second] = [indexWords(shown), indexWords(given ?? '')];
  return first.includes(second) ? first : `${first} ${second}`;
};

const namesIn = (list: string): readonly string[] => JSON.parse(list) as string[];

export const bookRow = ({ id, title, fileName, series, facts: text, genres, tags }: BookSource) => {
  const facts = parseFacts(text);
  const words = titleWords(title, facts.title);
  return {
    id,
    released: releasedOf(facts.year, facts.month, facts.day),
    title: caseKey(title),
    sort: keyOrNull(facts.titleSort),
    type: facts.bookType,
    publisher: keyOrNull(facts.publisher),
    language: keyOrNull(facts.languageIso),
    summary: keyOrNull(facts.summary),
    words,
    series: indexWords(series),
    rest: together(
      [
        stemOf(fileName),
        facts.series,
        facts.number,
        facts.subtitle,
        facts.originalTitle,
        ...facts.authors.map(({ name }) => name),
        facts.publisher,
        ...isbnForms(facts.isbns ?? ''),
        ...namesIn(genres),
        ...namesIn(tags),
      ],
      [words],
    ),
  };
};

const namesOf = (authors: string | null): readonly string[] =>
  authors === null ? [] : (JSON.parse(authors) as Author[]).map(({ name }) => name);

/** A series is found by each of its titles, as by its own. */
export const seriesRow = (source: SeriesSource) => {
  const titles = [source.name, ...namesIn(source.titles)];
  const authors = namesOf(source.authors);
  const folder = source.path.slice(source.path.lastIndexOf('/') + 1);
  return {
    id: source.id,
    name: caseKey(source.name),
    titleSort: keyOrNull(source.titleSort),
    summary: keyOrNull(source.summary),
    publisher: keyOrNull(source.publisher),
    language: keyOrNull(source.language),
    authors: authors.length === 0 ? null : JSON.stringify(authors.map(caseKey)),
    words: together(titles, []),
    rest: together(
      [source.titleSort, folder, ...authors, source.publisher, ...namesIn(source.genres), ...namesIn(source.tags)],
      titles.map(indexWords),
    ),
  };
};
