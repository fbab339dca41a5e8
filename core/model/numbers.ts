// What counts as a number in a text from people or programs: `12`, `12.5`, `12,5`, `.5`, `½`, `1,000,000`, digits of every script, letters
// after it. One rule for file names, embedded metadata and manual input;
// what precedes or follows numbers is in number-words.ts. Pure; a text is truncated first, so that its length costs nothing.
// A change raises STORED_RULES.volumes and STORED_RULES.numbers.
import { isAscii } from './ascii.js';
import {
  CHAPTER_COUNTERS,
  CHAPTER_WORDS,
  EPISODE_WORDS,
  ISSUE_WORDS,
  NUMBER_MARKS,
  PART_WORDS,
  VOLUME_COUNTERS,
  VOLUME_WORDS,
} from './number-words.js';
import { plainNumerals, RAISED } from './numerals.js';

const TEXT_MAX = 512;

const FRACTIONS: Readonly<Record<string, number>> = {
  '¼': 0.25,
  '½': 0.5,
  '¾': 0.75,
  '⅓': 0.33,
  '⅔': 0.67,
  '⅕': 0.2,
  '⅖': 0.4,
  '⅗': 0.6,
  '⅘': 0.8,
  '⅙': 0.17,
  '⅚': 0.83,
  '⅛': 0.125,
  '⅜': 0.375,
  '⅝': 0.625,
  '⅞': 0.875,
};

/** Notations of numbers become plain ones; `1½` becomes `1.5`, and `№` a `#`. At most 512 characters. */
export const plainDigits = (text: string): string => (isAscii(text) ? text.slice(0, TEXT_MAX) : withPlainDigits(text));

const withPlainDigits = (text: string): string =>
  plainNumerals(text.slice(0, TEXT_MAX).replace(RAISED, ''))
    .replace(/(?<![\d.])(\d{0,6})([¼½¾⅓⅔⅕-⅞])/g, (signs, whole: string, sign: string) =>
      sign in FRACTIONS ? String(Number(whole) + (FRACTIONS[sign] ?? 0)) : signs,
    )
    .replace(/№|\b[Nn]\.?[º°]/g, '#')
    .normalize('NFKC')
    .slice(0, TEXT_MAX);

/**
 * `01,02` are two numbers, and `1,000` is a thousand: a decimal comma is followed by one digit, or by two that do not begin with zero.
 */
const AFTER_COMMA = ',(?!0\\d)\\d{1,2}(?!\\d|,\\d)';
/** `1,000` and `1,000,000`, but not `001,002`. */
const THOUSANDS = '(?:[1-9]\\d{0,2}(?:,\\d{3}){2}|[1-9],\\d{3})(?![\\d,])';
/** `.5`, but not the end of `Vol.5`. */
const BARE_FRACTION = '(?<![\\w.)\\]])\\.\\d{1,3}(?![\\d.])';

/** Part of a pattern: a number inside other text. Four digits after a point are a year: `v05.2007`. */
export const NUMBER = `(?:${BARE_FRACTION}|${THOUSANDS}|\\d{1,6}(?:\\.\\d{1,3}(?!\\d)|${AFTER_COMMA})?(?!\\d))`;

const IS_THOUSANDS = new RegExp(`^-?${THOUSANDS}$`);

/** The value of digits found by such a pattern. */
export const valueOfDigits = (digits: string): number =>
  Number(IS_THOUSANDS.test(digits) ? digits.replaceAll(',', '') : digits.replace(',', '.')) + 0; // -0 + 0 is 0

/** Letters of a variant or an event: `12a`, `1AU`, `12.NOW`, `080.BEY`. */
const ALONE = new RegExp(
  `^\\s{0,4}#?\\s?(-?(?:\\.\\d{1,9}|${THOUSANDS}|\\d{1,9}(?:\\.\\d{1,9}|${AFTER_COMMA})?))(?:\\s?[a-z]|\\.?[a-z]{1,6})?\\s{0,4}$`,
  'i',
);

/** `No. 7` only where nothing else can be meant: `No. 6` is the name of a series. */
const WORDS = [
  VOLUME_WORDS,
  CHAPTER_WORDS,
  ISSUE_WORDS,
  PART_WORDS,
  EPISODE_WORDS,
  `n(?=\\.)|(?:${NUMBER_MARKS})(?=[.\\s])`,
].join('|');
/** With the words that numbers have in names: `Vol. 2`, `第3話`, `2巻`, `Chapter 12-13`, `2 of 5`. */
const WITH_WORDS = new RegExp(
  `^\\s{0,4}(?:(?:${WORDS})\\.?[\\s_]{0,4}#?|[第제])?\\s?(${NUMBER})(?:\\s?[-–~〜]\\s?${NUMBER})?` +
    `(?:\\s?(?:${VOLUME_COUNTERS}|${CHAPTER_COUNTERS}|[号號期호])|\\s?\\(?(?:of|/)\\s?\\d{1,4}\\)?)?\\s{0,4}$`,
  'iu',
);
/** The half issue of comics; `2/5` is the second of five. */
const HALF = /^\s{0,4}#?\s?(?:(\d{1,6})\s{1,2})?1\s?[/\u2044]\s?2\s{0,4}$/;

const halfOf = (text: string): number | null => {
  const found = HALF.exec(text);
  return found === null ? null : Number(found[1] ?? 0) + 0.5;
};

/** A number without other text: `12`, `#12A`, `½`, `1/2`, `1,5`, `-1`, `第3話`. Null for anything else. */
export const numberOfText = (text: string | null): number | null => {
  if (text === null) return null;
  const plain = plainDigits(text);
  const digits = ALONE.exec(plain)?.[1];
  if (digits !== undefined) return valueOfDigits(digits);
  const marked = WITH_WORDS.exec(plain)?.[1];
  return halfOf(plain) ?? (marked === undefined ? null : valueOfDigits(marked));
};

const PADDING = /^#?\s*0*(?=\d)/;

/** The number of an issue as it is shown: without `#` and zeros that only pad it, and otherwise as the metadata has it (`1AU`). */
export const displayNumber = (own: string | number | null): string | null =>
  own === null ? null : String(own).trim().replace(PADDING, '');
