// Names as text that sorts naturally by comparing characters: one rule for files, pages, titles and names, so that all orders agree. Case,
// width and accents are folded, and numbers are written so that their order is that of their values. Whoever changes this raises
// STORED_RULES.sortKeys, numbers and pages.
import { plainLetters } from './letters.js';
import { AFTER_LAST, COUNTERS, plainNumerals, RAISED } from './numerals.js';

/** Between folders; sorts before anything in a name, so that `a/2` comes before `a b/1`. */
export const SEPARATOR = '\u0001';
/** Before a number that follows text; sorts before any text, so that `Batman 2` comes before `Batman & Robin 1`. */
const NUMBER_MARK = '\t';
/** After a number. A fraction comes after everything else that has the same whole number: `Vol 1`, `Vol 1話`, `Vol 1.5`. */
const WHOLE_MARK = ',';
const FRACTION_MARK = '.';
const LONG_MARK = ':';

export const DIGIT_WIDTH = 10;
const NINES = '9'.repeat(DIGIT_WIDTH);
const ZEROS = '0'.repeat(DIGIT_WIDTH);
const LENGTH_WIDTH = 6;
const MOST_ZEROS = 9;

/** Accents and the optional vowel points of Hebrew and Arabic. In other scripts, marks are letters of their own. */
const ACCENTS =
  /(?:(?=\p{M})(?![\u3099\u309A])[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}])+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one
const NOT_PLAIN = /[^\u0001 -~]| {2}|(?:^|\u0001) /;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one
const LEADING_SPACES = /(?<=^|\u0001) +/g;
/** Hyphens and dashes of all widths, which names mix. The minus sign is already a hyphen here. */
const DASHES = /[\u2010-\u2015\u2E3A\u2E3B\uFE58\uFE63\uFF0D]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: in names they would be taken for the marks above
const SPACES = /[\s\u0000\u0002-\u001F]+/g;

/** Tenths as a number that may have a fraction of its own, so that `1¼` comes between `1.2` and `1.3`. */
const FRACTIONS: Readonly<Record<string, string>> = {
  '½': '.5',
  '⅓': '.3.3',
  '⅔': '.6.7',
  '¼': '.2.5',
  '¾': '.7.5',
  '⅕': '.2',
  '⅖': '.4',
  '⅗': '.6',
  '⅘': '.8',
  '⅙': '.1.7',
  '⅚': '.8.3',
  '⅐': '.1.4',
  '⅛': '.1.25',
  '⅜': '.3.75',
  '⅝': '.6.25',
  '⅞': '.8.75',
  '⅑': '.1.1',
  '⅒': '.1',
  '↉': '.0',
};
const FRACTION_SIGN = /(?<=(\d)?)[½⅓⅔¼¾⅕-⅞⅐⅑⅒↉]/g;

/** 上中下 and 前後 give the part of a work at the end of a name, alone or with a counter. */
const PARTS: Readonly<Record<string, string>> = { 上: '上1', 前: '上1', 中: '上2', 下: '上3', 後: '上3', 后: '上3' };
const PART = new RegExp(`[上中下前後后](?=[${COUNTERS}]?${AFTER_LAST})`, 'g');
const HAS_PART = /[上中下前後后]/;

const foldSigns = (text: string): string => {
  const plain = plainNumerals(text.replace(RAISED, (raised) => `^${raised}`)).replace(
    FRACTION_SIGN,
    (sign, digit: string | undefined) => `${digit === undefined ? '0' : ''}${FRACTIONS[sign]}`,
  );
  const folded = plainLetters(plain.normalize('NFKD').replace(ACCENTS, '').toLowerCase())
    .normalize('NFC') // composes Hangul syllables and kana again
    .replace(SPACES, ' ')
    .replace(LEADING_SPACES, '')
    .replace(DASHES, '-');
  return HAS_PART.test(folded) ? folded.replace(PART, (sign) => PARTS[sign] ?? sign) : folded;
};

/** Case, width, accents and the notations of numbers folded. Most names are plain ASCII, which needs little. */
export const foldName = (text: string): string => (NOT_PLAIN.test(text) ? foldSigns(text) : text.toLowerCase());

const padded = (digits: string): string => {
  const value = digits.charCodeAt(0) === 48 ? digits.replace(/^0+(?=\d)/, '') : digits;
  if (value.length <= DIGIT_WIDTH) return ZEROS.slice(value.length) + value;
  return NINES + LONG_MARK + String(value.length).padStart(LENGTH_WIDTH, '0') + value;
};

/** `1.9` comes before `1.10`, as in numbered parts, but `1.05` before `1.5`, as in decimals: more zeros come first. */
const fraction = (digits: string): string => {
  const zeros = /^0*(?=\d)/.exec(digits)?.[0].length ?? 0;
  return FRACTION_MARK + String(MOST_ZEROS - Math.min(zeros, MOST_ZEROS)) + padded(digits);
};

const THOUSANDS = /^(?:[1-9]\d{0,2}(?:,\d{3}){2,}|[1-9],\d{3})(?=$|\.)/;
/** Digits with fractions after points, or one after a decimal comma (see numbers.ts). */
const NUMBER = /(\d+)((?:\.\d+)+|,(?!0\d)\d{1,2}(?!\d|,\d))?/g;

const withFractions = (digits: string, mark: string): string => {
  const plain = digits.replace(THOUSANDS, (groups) => groups.replaceAll(',', ''));
  const key = plain.replace(NUMBER, (_, whole: string, rest: string | undefined, at: number) => {
    const fractions = rest === undefined ? '' : rest.slice(1).split('.').map(fraction).join('');
    return `${at === 0 ? '' : NUMBER_MARK}${padded(whole)}${fractions}${WHOLE_MARK}`;
  });
  return mark + key;
};

/** `.5` is 0.5, `Vol.5` is not. */
const BARE_FRACTION = /(?<![\p{L}\p{N}.)\]])\.(?=\d)/gu;
const DIGITS = /\d+(?:[.,]\d+)*/g;
/**
 * Issue -1 comes before 0, and so does any number after `#-`. Other numbers after a hyphen are more often not negative: `scan -2`. The rule is
 * that of file names (rules/numbers.ts).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one
const NEGATIVE = /(?<=#)-(\d{1,9})(?![\d,]|\.\d)|(?<=[ _])-(1)(?=[ _]*(?:$|[\u0001([{]))/g;
const HAS_NEGATIVE = /[ _#]-\d/;
const LAST_LETTER = 'j'.charCodeAt(0);

/** Letters stand for digits, in reverse, so that -2 comes before -1. */
const negativeKey = (_: string, marked: string | undefined, one: string): string => {
  const digits = padded(marked ?? one).replace(/\d/g, (digit) => String.fromCharCode(LAST_LETTER - Number(digit)));
  return `${NUMBER_MARK}-${digits}${WHOLE_MARK}`;
};

const COMPOSED = /[.,]/;

/** `n. 5` is the same as `n.5`. */
const SPACE_AFTER_POINT = /(?<=\p{L}\.) +(?=\d)/gu;

const plainPoints = (text: string): string =>
  (text.includes('. ') ? text.replace(SPACE_AFTER_POINT, '') : text).replace(BARE_FRACTION, '0.');

/** The key of a folded name. A number at the beginning of a name or folder compares with text as its digits do. */
export const numberedKey = (folded: string): string => {
  const positive = HAS_NEGATIVE.test(folded) ? folded.replace(NEGATIVE, negativeKey) : folded;
  const text = positive.includes('.') ? plainPoints(positive) : positive;
  return text.replace(DIGITS, (digits, at: number) => {
    const mark = at === 0 || text.charAt(at - 1) === SEPARATOR ? '' : NUMBER_MARK;
    return COMPOSED.test(digits) ? withFractions(digits, mark) : mark + padded(digits) + WHOLE_MARK;
  });
};

const SURROGATE = /[\uD800-\uDFFF]/;

/** By code points, as SQLite compares: characters beyond U+FFFF come last. */
const compareWide = (a: string, b: string): number => {
  const [x, y] = [[...a], [...b]];
  for (let at = 0; at < Math.min(x.length, y.length); at += 1) {
    const order = (x[at]?.codePointAt(0) ?? 0) - (y[at]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return x.length - y.length;
};

export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  if (SURROGATE.test(a) || SURROGATE.test(b)) return compareWide(a, b);
  return a < b ? -1 : 1;
};
