// Whether a name has what was searched for: for lists that are short enough to need no index.
import { indexWords, type SearchTerm, searchTerms } from './search-words.js';

/** Shorter words are rarely two: `ann` would be found in Titan North. */
const JOINED_MIN = 4;

const inOnePiece = (tokens: string): string => tokens.replaceAll(' ', '');

const has = (words: string, { tokens, joined, older, isWhole }: SearchTerm): boolean => {
  if (older !== undefined && words.includes(older)) return true;
  if (isWhole) return ` ${words} `.includes(` ${tokens} `);
  const piece = inOnePiece(tokens);
  if (words.includes(tokens) || (joined !== undefined && words.includes(joined))) return true;
  return piece.length >= JOINED_MIN && inOnePiece(words).includes(piece);
};

/** A name passes if it has every word, or has it inside a word or across signs and spaces. Undefined for a text without words. */
export const nameTest = (text: string): ((name: string) => boolean) | undefined => {
  const terms = searchTerms(text);
  if (terms.length === 0) return undefined;
  return (name) => {
    const words = indexWords(name);
    return terms.every((term) => has(words, term));
  };
};

/** All names for a text without words. */
export const named = <T>(items: readonly T[], text: string | undefined, nameOf: (item: T) => string): readonly T[] => {
  const test = nameTest(text ?? '');
  return test === undefined ? items : items.filter((item) => test(nameOf(item)));
};
