// Words of the catalog that a search may mean besides those it begins: words that contain what was typed, and words that differ by one
// typing error. They are looked up among the distinct words, of which there are few, and then searched for as they are. Whether a word is
// looked up never depends on what is found: the words of hidden books would show.

import type { Reads } from '../../store/db.js';
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

const CONTAINING = `SELECT w.word FROM search_word_trigram t CROSS JOIN search_word w ON w.id = t.rowid
  WHERE t.search_word_trigram MATCH ?`;
const BEGINNING = 'SELECT word FROM search_word WHERE word >= ? AND word < ?';

/**
 * Words with one half of the letters: an error is in the other half, or swaps the letters between them. Without the beginning of a word,
 * the word is about as long.
 */
const comparedWith = async (reads: Reads, typed: string, isBegun: boolean): Promise<readonly string[]> => {
  const letters = [...typed];
  const half = letters.length >> 1;
  const [first, second] = [letters.slice(0, half).join(''), letters.slice(half).join('')];
  const longest = isBegun ? LETTERS_MAX : letters.length + 1;
  return reads.json<string[]>(
    `SELECT json_group_array(word) FROM (SELECT word FROM (
       ${BEGINNING} UNION ${CONTAINING} AND instr(w.word, ?) > 0 UNION SELECT word FROM search_word WHERE word IN (SELECT value FROM json_each(?)))
     WHERE length(word) BETWEEN ? AND ? LIMIT ${COMPARED_MAX})`,
    [
      first,
      `${first}\u{10FFFF}`,
      trigramMatch(second),
      second,
      JSON.stringify(swapsOf(letters)),
      letters.length - 1,
      longest,
    ],
  );
};

const containing = (reads: Reads, typed: string): Promise<string[]> =>
  reads.json<string[]>(
    `SELECT json_group_array(word) FROM (${CONTAINING} AND instr(w.word, ?) > 1 ORDER BY length(w.word), w.word LIMIT ${WORDS_MAX})`,
    [trigramMatch(typed), typed],
  );

const nearWord = async (reads: Reads, typed: string): Promise<readonly string[]> => {
  const { length } = [...typed];
  if (length < INSIDE_MIN || length > LETTERS_MAX) return [];
  const isBegun = length >= BEGINNING_MIN;
  const mistyped =
    length < ERROR_MIN
      ? []
      : (await comparedWith(reads, typed, isBegun)).filter((word) => differsByOne(typed, word, isBegun));
  const found = new Set([...mistyped, ...(await containing(reads, typed))]);
  return [...found].filter((word) => !word.startsWith(typed)).sort(byLength);
};

const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** Per word of a search, the others that it may mean, the shortest first. */
export const nearWords = async (
  reads: Reads,
  typed: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const near = new Map<string, readonly string[]>();
  const most = Math.floor(WORDS_MAX / Math.max(1, typed.length));
  for (const word of typed) near.set(word, (await nearWord(reads, word)).slice(0, most));
  return near;
};
