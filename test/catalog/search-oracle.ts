// What a search finds, decided slowly and one character at a time: no index, and no expression of the program but how letters are folded.

import { fold } from '../../core/model/search-key.js';

const CLOSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const SEPARATES = /[\p{L}\p{N}\p{M}\p{Z}\s\p{Ps}\p{Pe}_,:;\u2044]/u;

type Kind = 'letters' | 'digits' | 'close' | 'other';

const kindOf = (char: string): Kind => {
  if (/\p{L}/u.test(char)) return CLOSE.test(char) ? 'close' : 'letters';
  if (!/\p{N}/u.test(char)) return 'other';
  return CLOSE.test(char) ? 'close' : 'digits';
};

interface Piece {
  readonly kind: Kind;
  readonly text: string;
}

/** Text as pieces of one kind; each character of a script without word spaces is a piece, as is every sign. */
const piecesOf = (text: string): Piece[] => {
  const pieces: { kind: Kind; text: string }[] = [];
  for (const char of fold(text)) {
    const kind = kindOf(char);
    const last = pieces.at(-1);
    if (last?.kind === kind && kind !== 'other' && kind !== 'close') last.text += char;
    else pieces.push({ kind, text: char });
  }
  return pieces;
};

const isPoint = (piece: Piece | undefined): boolean => piece?.text === '.';
const isDigits = (piece: Piece | undefined): boolean => piece?.kind === 'digits';

/** A point makes a decimal number of one or two decimal places, unless there are more points. */
const withDecimals = (pieces: readonly Piece[]): Piece[] => {
  const result: Piece[] = [];
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] as Piece;
    const [point, decimals, next, afterNext] = pieces.slice(at + 1, at + 5);
    const isSecond = isPoint(pieces[at - 1]) && isDigits(pieces[at - 2]);
    const isDecimal =
      isDigits(piece) && !isSecond && isPoint(point) && isDigits(decimals) && [...(decimals?.text ?? '')].length <= 2;
    if (isDecimal && !(isPoint(next) && isDigits(afterNext))) {
      result.push({ kind: 'digits', text: `${piece.text}.${decimals?.text}` });
      at += 2;
    } else result.push(piece);
  }
  return result;
};

const withoutZeros = (text: string): string => {
  let plain = text;
  while (plain.startsWith('0') && /^[0-9]$/.test(plain[1] ?? '')) plain = plain.slice(1);
  return plain;
};

/** Whether a sign at this place joins two words. */
const joins = (pieces: readonly Piece[], at: number): boolean =>
  pieces[at]?.kind === 'other' &&
  !SEPARATES.test(pieces[at]?.text ?? '') &&
  pieces[at - 1]?.kind === 'letters' &&
  pieces[at + 1]?.kind === 'letters';

const wordsOf = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ kind, text }) => {
    if (kind === 'other') return /\p{So}/u.test(text) ? [text] : [];
    return [withoutZeros(text)];
  });

const readOf = (text: string): Piece[] => withDecimals(piecesOf(text));

/** Letters on both sides of a sign that was left out are one word. */
const inOnePiece = (pieces: readonly Piece[]): Piece[] => {
  const words: { kind: Kind; text: string }[] = [];
  for (const { kind, text } of pieces) {
    const last = words.at(-1);
    if (last?.kind === 'letters' && kind === 'letters') last.text += text;
    else words.push({ kind, text });
  }
  return words;
};

/** The text as it is, and with the signs inside its words removed. */
export const partsOf = (text: string): readonly string[][] => {
  const pieces = readOf(text);
  const joined = pieces.filter((_, at) => !joins(pieces, at));
  return [wordsOf(pieces), wordsOf(inOnePiece(joined))];
};

/** Words of a search that a sign joins are together, as are letters and digits that touch; a number of `0…` is exact. */
interface Asked {
  readonly pieces: readonly Piece[];
  readonly isExact: boolean;
}

const askedOf = (query: string): Asked[] => {
  const pieces = readOf(query);
  const groups: Piece[][] = [];
  let isOpen = false;
  for (const [at, piece] of pieces.entries()) {
    if (piece.kind === 'other') {
      isOpen = joins(pieces, at) && isOpen;
      continue;
    }
    const last = groups.at(-1);
    const before = last?.at(-1)?.kind;
    if (isOpen && last !== undefined && (before === 'close') === (piece.kind === 'close')) last.push(piece);
    else groups.push([piece]);
    isOpen = true;
  }
  const symbols = pieces.filter(({ text }) => /\p{So}/u.test(text)).map((piece) => [piece]);
  return (groups.length === 0 ? symbols : groups).map((group) => ({
    pieces: group,
    isExact: /^0+[0-9]/.test(group.at(-1)?.text ?? ''),
  }));
};

const isClose = ({ pieces }: Asked): boolean => pieces[0]?.kind === 'close';
const lettersOf = (asked: Asked | undefined): string | undefined =>
  asked?.pieces.every(({ kind }) => kind === 'letters') ? asked.pieces.map(({ text }) => text).join('') : undefined;

const holds = (part: readonly string[], words: readonly string[], isBegun: boolean): boolean =>
  part.some((_, start) =>
    words.every((word, at) => {
      const other = part[start + at];
      return isBegun && at === words.length - 1 ? other?.startsWith(word) === true : other === word;
    }),
  );

const endsInOneDigit = (words: readonly string[]): boolean => /^\p{N}$/u.test(words.at(-1) ?? '');

const found = (asked: readonly Asked[], at: number, parts: readonly string[][]): boolean => {
  const [term, before, after] = [asked[at] as Asked, asked[at - 1], asked[at + 1]];
  const words = term.pieces.map(({ text }) => withoutZeros(text));
  if (isClose(term)) return parts.some((part) => holds(part, words, false));
  const own = lettersOf(term);
  const pairs = [
    [lettersOf(before), own],
    [own, lettersOf(after)],
  ].flatMap(([a, b]) => (a === undefined || b === undefined ? [] : [[a + b]]));
  const letters = [...(own ?? '')];
  const isSplit = letters.length >= 4 && letters.length <= 20;
  const splits = isSplit
    ? letters.slice(1).map((_, cut) => [letters.slice(0, cut + 1).join(''), letters.slice(cut + 1).join('')])
    : [];
  const isBegun = !term.isExact && !(asked.length > 1 && endsInOneDigit(words));
  return (
    [words, wordsOf(inOnePiece(term.pieces)), ...pairs].some((form) =>
      parts.some((part) => holds(part, form, isBegun)),
    ) ||
    splits.some((form) => parts.some((part) => holds(part, form, false))) ||
    parts.some((part) => holds(part, olderWords(term), !endsInOneDigit(olderWords(term)))) ||
    (own !== undefined && parts.some((part) => part.some((word) => isNear(own, word))))
  );
};

/** As an older rule stored them: with leading zeros, and decimals as a number of their own. */
const olderWords = ({ pieces }: Asked): string[] => pieces.flatMap(({ text }) => text.split('.'));

const keyOf = ({ pieces }: Asked): string => pieces.map(({ text }) => withoutZeros(text)).join(' ');

/** The distance of two words in letters, counting two neighbours in the other order as one. */
const distance = (a: readonly string[], b: readonly string[]): number => {
  const rows: number[][] = [];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 0; i <= a.length; i += 1) {
    rows.push([]);
    for (let j = 0; j <= b.length; j += 1) {
      const steps = i === 0 || j === 0 ? [i + j] : [at(i - 1, j) + 1, at(i, j - 1) + 1];
      if (i > 0 && j > 0) steps.push(at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) steps.push(at(i - 2, j - 2) + 1);
      (rows[i] as number[])[j] = Math.min(...steps);
    }
  }
  return at(a.length, b.length);
};

/** Whether a word of letters is one that was meant: what was typed is in it, or it differs by one letter. */
const isNear = (typed: string, word: string): boolean => {
  const [given, own] = [[...typed], [...word]];
  if (own.length < 4 || own.length > 40 || given.length < 3 || given.length > 40) return false;
  if (own.some((char) => kindOf(char) !== 'letters')) return false;
  if (word.includes(typed)) return true;
  if (given.length < 5) return false;
  if (distance(given, own) <= 1) return true;
  return (
    given.length >= 7 &&
    own.some((_, end) => distance(given, own.slice(0, end)) <= 1 && isEditOnly(given, own.slice(0, end)))
  );
};

/** Of a word that goes on, letters in the other order are only found where both are in one half. */
const isEditOnly = (given: readonly string[], start: readonly string[]): boolean => {
  const half = given.length >> 1;
  const [a, b] = [given[half - 1], given[half]];
  return !(given.length === start.length && a !== b && a === start[half] && b === start[half - 1]);
};

/** Each term of a query is in one of the parts of a row. */
export const findsIn = (query: string, parts: readonly string[][]): boolean => {
  const asked = [...new Map(askedOf(query).map((term) => [keyOf(term), term])).values()];
  return asked.length > 0 && asked.every((_, at) => found(asked, at, parts));
};

export const finds = (query: string | undefined, texts: readonly string[]): boolean =>
  query === undefined || query.trim() === '' || findsIn(query, texts.flatMap(partsOf));
