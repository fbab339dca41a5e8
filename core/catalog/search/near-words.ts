// Words of the catalog that a search may mean besides those it begins: words that contain what was typed, and words that differ by one
// typing error. They are looked up among the distinct words, of which there are few, and then searched for as they are. Whether a word is
// looked up never depends on what is found: the words of hidden books would show.

import type { Bind, Reads } from '../../store/db.js';
import type { KeptResults } from '../query/kept-counts.js';
import { trigramMatch } from './trigrams.js';

/** Fewer letters are in too many words. */
const INSIDE_MIN = 3;
/** Shorter words become other words by one letter. */
const ERROR_MIN = 5;
/** From this length, the beginning of a word may have an error too. */
const BEGINNING_MIN = 7;
/** Nobody types longer words. */
const LETTERS_MAX = 40;
/** What one search may add, shared by its words: the index visits each of them for every row. */
const WORDS_MAX = 200;
/** Words that are compared with one that was typed. */
const COMPARED_MAX = 20_000;

const startsWith = (letters: readonly string[], start: readonly string[]): boolean =>
  start.every((letter, at) => letters[at] === letter);

/** By one letter more, less or other, or by two neighbours in the other order. `isBegun`: so does a word that goes on after that. */
export const differsByOne = (typed: string, word: string, isBegun: boolean): boolean => {
  const [given, own] = [[...typed], [...word]];
  let at = 0;
  while (at < given.length && given[at] === own[at]) at += 1;
  const fits = (rest: readonly string[], owned: readonly string[]): boolean =>
    startsWith(owned, rest) && (isBegun || owned.length === rest.length);
  const [next, nextOwn] = [given.slice(at + 1), own.slice(at + 1)];
  if (fits(next, nextOwn) || fits(next, own.slice(at)) || fits(given.slice(at), nextOwn)) return true;
  const isSwapped = given[at] !== undefined && given[at] === own[at + 1] && given[at + 1] === own[at];
  return isSwapped && fits(given.slice(at + 2), own.slice(at + 2));
};

/** The typed letters with each two neighbours in the other order. */
const swapsOf = (letters: readonly string[]): readonly string[] =>
  letters
    .slice(1)
    .map((letter, at) => [...letters.slice(0, at), letter, letters[at], ...letters.slice(at + 2)].join(''));

interface Query {
  readonly sql: string;
  readonly binds: readonly Bind[];
}

const CONTAINING = `SELECT w.word FROM search_word_trigram t CROSS JOIN search_word w ON w.id = t.rowid
  WHERE t.search_word_trigram MATCH ?`;
const BEGINNING = 'SELECT word FROM search_word WHERE word >= ? AND word < ?';

/**
 * Words with one half of the letters: an error is in the other half, or swaps the letters between them. Without the beginning of a word,
 * the word is about as long.
 */
const comparedWith = (letters: readonly string[], isBegun: boolean): Query => {
  const half = letters.length >> 1;
  const [first, second] = [letters.slice(0, half).join(''), letters.slice(half).join('')];
  const longest = isBegun ? LETTERS_MAX : letters.length + 1;
  return {
    sql: `SELECT word FROM (
       ${BEGINNING} UNION ${CONTAINING} AND instr(w.word, ?) > 0 UNION SELECT word FROM search_word WHERE word IN (SELECT value FROM json_each(?)))
     WHERE length(word) BETWEEN ? AND ? LIMIT ${COMPARED_MAX}`,
    binds: [
      first,
      `${first}\u{10FFFF}`,
      trigramMatch(second),
      second,
      JSON.stringify(swapsOf(letters)),
      letters.length - 1,
      longest,
    ],
  };
};

const containing = (typed: string): Query => ({
  sql: `${CONTAINING} AND instr(w.word, ?) > 1 ORDER BY length(w.word), w.word LIMIT ${WORDS_MAX}`,
  binds: [trigramMatch(typed), typed],
});

const NO_WORDS: Query = { sql: 'SELECT word FROM search_word WHERE false', binds: [] };

/** One statement for both, since these take little longer than a way to the database. */
const nearWord = async (reads: Reads, typed: string): Promise<readonly string[]> => {
  const letters = [...typed];
  const isBegun = letters.length >= BEGINNING_MIN;
  const queries = [letters.length < ERROR_MIN ? NO_WORDS : comparedWith(letters, isBegun), containing(typed)];
  const lists = queries.map(({ sql }) => `(SELECT json_group_array(word) FROM (${sql}))`);
  const [compared = [], inside = []] = await reads.json<string[][]>(
    `SELECT json_array(${lists.map((list) => `json(${list})`).join(', ')})`,
    queries.flatMap(({ binds }) => binds),
  );
  const found = new Set([...compared.filter((word) => differsByOne(typed, word, isBegun)), ...inside]);
  return [...found].filter((word) => !word.startsWith(typed)).sort(byLength);
};

const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

const isLookedUp = (typed: string): boolean => {
  const { length } = [...typed];
  return length >= INSIDE_MIN && length <= LETTERS_MAX;
};

export interface WordReads {
  readonly reads: Reads;
  /** What was looked up for earlier pages. */
  readonly known: KeptResults<readonly string[]>;
}

/** Per word of a search, the others that it may mean, the shortest first. */
export const nearWords = async (
  { reads, known }: WordReads,
  typed: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const near = new Map<string, readonly string[]>();
  const most = Math.floor(WORDS_MAX / Math.max(1, typed.length));
  for (const word of typed.filter(isLookedUp))
    near.set(word, (await known.of(word, () => nearWord(reads, word))).slice(0, most));
  return near;
};
