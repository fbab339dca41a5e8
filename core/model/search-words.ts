// Texts as the word index stores them, and searches as it is asked for them. On top of the search key: words that a sign joins are also
// stored in one piece, decimal numbers are one token, numbers lose their leading zeros, and symbols such as emoji are tokens. A change here
// must raise STORED_RULES.words.

import { CLOSE, fold, IS_CLOSE, KEY_MAX, PIECES, RUNS } from './search-key.js';

/** A token no search contains (a private-use character): it keeps a phrase inside one part. */
export const STOP = ' \uE000 ';

/** Stands for the point of a decimal number: a digit of a dead notation, since the index splits words at real points. */
const POINT = '\u0F33';
const DECIMAL = /(?<!\p{N}|\p{N}\.)(\p{N}+)\.(\p{N}{1,2})(?!\p{N}|\.\p{N})/gu;

const LETTER = `(?![${CLOSE}])\\p{L}`;
/** Any sign but those that separate words or enclose them. */
const SIGN = '[^\\p{L}\\p{N}\\p{M}\\p{Z}\\s\\p{Ps}\\p{Pe}_,:;\u2044]';
/** The sign in `Spider-Man`, `don't`, `AT&T` and `S.H.I.E.L.D.`. */
const INNER_SIGN = new RegExp(`(?<=${LETTER})${SIGN}(?=${LETTER})`, 'gu');
const ENDS_IN_LETTER = new RegExp(`${LETTER}$`, 'u');
const ONE_SIGN = new RegExp(`^${SIGN}$`, 'u');
const LETTERS = new RegExp(`^(?:${LETTER})+$`, 'u');

const SYMBOLS = /\p{So}/gu;
/** Begins the token of a symbol: a letter that no word begins with. */
const SYMBOL = '\uA66E';
/** The index has no symbols, so the number of one is written in letters. */
const symbolToken = (symbol: string): string =>
  SYMBOL +
  (symbol.codePointAt(0) ?? 0).toString(16).replace(/\d/g, (digit) => String.fromCharCode(103 + Number(digit)));

const withoutZeros = (piece: string): string => piece.replace(/^0+(?=[0-9])/, '');

const piecesOf = (run: string): readonly string[] => (IS_CLOSE.test(run) ? [...run] : (run.match(PIECES) ?? [run]));

const plain = (text: string): string => fold(text.slice(0, KEY_MAX)).replace(DECIMAL, `$1${POINT}$2`);

const tokensOf = (text: string): string =>
  (text.replace(SYMBOLS, (symbol) => ` ${symbolToken(symbol)} `).match(RUNS) ?? [])
    .flatMap((run) => piecesOf(run).map(withoutZeros))
    .join(' ');

/** The tokens of a text, separated by spaces: the input of the word index. */
export const indexWords = (text: string): string => {
  const apart = plain(text);
  const joined = apart.replace(INNER_SIGN, '');
  return joined === apart ? tokensOf(apart) : `${tokensOf(apart)}${STOP}${tokensOf(joined)}`;
};

/** One word of a search, or words that a sign joins, or a run of characters without word spaces. */
export interface SearchTerm {
  /** Adjacent tokens. */
  readonly tokens: string;
  readonly isWord: boolean;
  /** In one piece, when it consists of letters. */
  readonly letters: string | undefined;
  /** The tokens without the signs that join words. */
  readonly joined: string | undefined;
  /** Whether it ends in a number with leading zeros: meant as it stands, not as the beginning of one. */
  readonly isWhole: boolean;
  /** The tokens that an older rule stored, where they differ. */
  readonly older: string | undefined;
}

const termOf = (runs: readonly string[]): SearchTerm => {
  const pieces = runs.flatMap(piecesOf);
  const [tokens, older] = [pieces.map(withoutZeros).join(' '), pieces.join(' ').replaceAll(POINT, ' ')];
  const whole = runs.join('');
  return {
    tokens,
    isWord: !IS_CLOSE.test(whole),
    letters: LETTERS.test(whole) ? whole : undefined,
    joined: runs.length > 1 ? piecesOf(whole).map(withoutZeros).join(' ') : undefined,
    isWhole: /^0+[0-9]/.test(pieces.at(-1) ?? ''),
    older: older === tokens ? undefined : older,
  };
};

/** What has to be found, each term once. Symbols count in a search of nothing else. */
export const searchTerms = (text: string): readonly SearchTerm[] => {
  const whole = plain(text);
  const groups: string[][] = [];
  let end = 0;
  for (const { 0: run, index } of whole.matchAll(RUNS)) {
    const last = groups.at(-1);
    const isInside =
      ONE_SIGN.test(whole.slice(end, index)) &&
      ENDS_IN_LETTER.test(last?.at(-1) ?? '') &&
      LETTERS.test([...run][0] ?? '');
    if (last !== undefined && isInside) last.push(run);
    else groups.push([run]);
    end = index + run.length;
  }
  if (groups.length === 0) groups.push(...(whole.match(SYMBOLS) ?? []).map((symbol) => [symbolToken(symbol)]));
  return [...new Map(groups.map(termOf).map((term) => [term.tokens, term])).values()];
};

/** The beginning of a word, or a word with an error, is only looked for among words of letters; shorter ones have nothing inside. */
const VOCABULARY = { min: 4, max: 40 };

/** The distinct words of index texts, without scripts that have no word spaces. */
export const vocabularyOf = (keys: readonly string[]): readonly string[] =>
  [...new Set(keys.flatMap((key) => key.split(' ')))].filter(
    (word) =>
      word.length >= VOCABULARY.min && word.length <= VOCABULARY.max && LETTERS.test(word) && !word.startsWith(SYMBOL),
  );
