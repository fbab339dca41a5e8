// Turns a query, as a user typed it, into expressions for the word index. They are valid for any input: they contain only quoted runs of
// letters and digits.
import { AppError } from '../../model/errors.js';
import { isbnOf } from '../../model/isbn.js';
import { indexWords, type SearchTerm, searchTerms } from '../../model/search-words.js';
import { nearWords, type WordReads } from './near-words.js';
import { phrase } from './trigrams.js';

const QUERY_MAX = 1000;
/** More words than anybody types; the rest of a long text adds nothing. */
const TERMS_MAX = 32;
/** Shorter words are rarely two, longer ones would be looked up at too many places. */
const SPLIT = { min: 4, max: 20 };

/** Expressions for one search; what `whole` finds comes first. All are empty for a query that no index can contain. */
export interface Match {
  /** Every word as a whole. */
  readonly whole: string;
  /** Every word as a whole or by its beginning. */
  readonly begun: string;
  /** Also the inside of words, and words with a typing error. */
  readonly all: string;
  /** Expressions that find the same as `all` together. */
  readonly anyOf: readonly string[];
}

type Forms = Omit<Match, 'anyOf'>;

type Near = ReadonlyMap<string, readonly string[]>;

const either = (...forms: readonly string[]): string =>
  forms.length === 1 ? (forms[0] ?? '') : `(${forms.join(' OR ')})`;

/** A word that a title may have as two: `spiderman` for `Spider Man`. */
const splitsOf = (letters: string | undefined): readonly string[] => {
  const all = [...(letters ?? '')];
  if (all.length < SPLIT.min || all.length > SPLIT.max) return [];
  return all.slice(1).map((_, at) => phrase(`${all.slice(0, at + 1).join('')} ${all.slice(at + 1).join('')}`));
};

/** Two words in one piece, as a title may have them: `spider man` for `Spiderman`. */
const together = (first: SearchTerm | undefined, second: SearchTerm | undefined): readonly string[] =>
  first?.letters === undefined || second?.letters === undefined ? [] : [first.letters + second.letters];

/**
 * To find a beginning, the index merges the rows of all words that have it before it looks at the other words. Nearly every book has a
 * number that begins with `1`: 20 ms per 100,000 books.
 */
const ENDS_IN_ONE_DIGIT = /(?:^| )\p{N}$/u;

const formsOf = (terms: readonly SearchTerm[], at: number, near: Near): Forms => {
  const [before, term, after] = [terms[at - 1], terms[at] as SearchTerm, terms[at + 1]];
  const { tokens, isWord, joined, older, letters, isWhole } = term;
  if (!isWord) return { whole: phrase(tokens), begun: phrase(tokens), all: phrase(tokens) };
  const own = [tokens, ...(joined === undefined ? [] : [joined])];
  const forms = [...new Set([...own, ...together(before, term), ...together(term, after)])].map(phrase);
  const splits = splitsOf(letters);
  const isExact = isWhole || (terms.length > 1 && ENDS_IN_ONE_DIGIT.test(tokens));
  const begun = [
    ...(isExact ? forms : forms.map((form) => `${form}*`)),
    ...splits,
    ...(older === undefined ? [] : [ENDS_IN_ONE_DIGIT.test(older) ? phrase(older) : `${phrase(older)}*`]),
  ];
  const others = (near.get(letters ?? '') ?? []).map(phrase);
  return { whole: either(...forms, ...splits), begun: either(...begun), all: either(...begun, ...others) };
};

/** An ISBN is found with and without hyphens, which separate its parts. */
const isbnForm = (query: string): readonly string[] => {
  const isbn = isbnOf(query);
  return isbn === null ? [] : [phrase(indexWords(isbn))];
};

const termsOf = (query: string, at: string): readonly SearchTerm[] => {
  if (query.length > QUERY_MAX) {
    const message = `must be text of at most ${QUERY_MAX} characters`;
    throw new AppError('BadRequest', `Invalid search: it ${message}.`, [{ path: at, message }]);
  }
  return searchTerms(query).slice(0, TERMS_MAX);
};

const isBlank = (query: string | null | undefined): query is null | undefined | '' => (query ?? '').trim() === '';

/** The index visits each alternative of an expression for every row, so many of them are faster in several expressions. */
const ALTERNATIVES_MAX = 16;

const inParts = (words: readonly string[]): readonly string[] =>
  Array.from({ length: Math.ceil(words.length / ALTERNATIVES_MAX) }, (_, at) =>
    either(...words.slice(at * ALTERNATIVES_MAX, (at + 1) * ALTERNATIVES_MAX).map(phrase)),
  );

const NOTHING: Match = { whole: '', begun: '', all: '', anyOf: [] };

/** `at` is the client's name for the query. Null: no query (blank). */
export const matchOf = (
  query: string | null | undefined,
  at = 'fullTextSearch',
  near: Near = new Map(),
): Match | null => {
  if (isBlank(query)) return null;
  const terms = termsOf(query, at);
  if (terms.length === 0) return NOTHING;
  const forms = terms.map((_, index) => formsOf(terms, index, near));
  const isbn = isbnForm(query);
  const all = (of: keyof Forms): string => either(...isbn, `(${forms.map((form) => form[of]).join(' AND ')})`);
  const found = { whole: all('whole'), begun: all('begun'), all: all('all') };
  const [only, ...more] = terms;
  const others = more.length === 0 ? (near.get(only?.letters ?? '') ?? []) : [];
  return { ...found, anyOf: others.length === 0 ? [found.all] : [found.begun, ...inParts(others)] };
};

/** The same, with the words of the catalog that are near those of the query. */
export const matchIn = async (
  reads: WordReads,
  query: string | null | undefined,
  at?: string,
): Promise<Match | null> => {
  if (isBlank(query)) return null;
  const typed = termsOf(query, at ?? 'fullTextSearch').flatMap(({ letters }) => letters ?? []);
  return matchOf(query, at, await nearWords(reads, typed));
};
