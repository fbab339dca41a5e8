// Whether a name matches a search, for lists that are short enough to need no index.
import { indexWords, type SearchTerm, searchTerms } from './search-words.js';

/** Shorter words are not sought across spaces: `ann` would be found in Titan North. */
const JOINED_MIN = 4;

const inOnePiece = (tokens: string): string => tokens.replaceAll(' ', '');

const has = (words: string, { tokens, joined, older, isWhole }: SearchTerm): boolean => {
  if (older !== undefined && words.includes(older)) return true;
  if (isWhole) return ` ${words} `.includes(` ${tokens} `);
  const piece = inOnePiece(tokens);
  if (words.includes(tokens) || (joined !== undefined && words.includes(joined))) return true;
  return piece.length >= JOINED_MIN && inOnePiece(words).includes(piece);
};

/** A name passes if it has every word of the text: as a word, inside one, or across signs and spaces. Undefined if there are no words. */
export const nameTest = (text: string): ((name: string) => boolean) | undefined => {
  const terms = searchTerms(text);
  if (terms.length === 0) return undefined;
  return (name) => {
    const words = indexWords(name);
    return terms.every((term) => has(words, term));
  };
};

/** The items whose name passes; all of them for a text without words. */
export const named = <T>(items: readonly T[], text: string | undefined, nameOf: (item: T) => string): readonly T[] => {
  const test = nameTest(text ?? '');
  return test === undefined ? items : items.filter((item) => test(nameOf(item)));
};
