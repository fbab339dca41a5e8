// Converts numbers written without the digits 0 to 9 to plain digits: the digits of every script, Roman numerals and circled numbers that are single
// characters, East Asian numerals. Pure. Whoever changes this raises STORED_RULES.sortKeys, titles, volumes, numbers and pages.

import { isAscii } from './ascii.js';

const DIGIT = /\p{Nd}/u;
const FOREIGN_DIGITS = /[^\P{Nd}0-9]/gu;

/** Unicode stores the digits of a script in order, and several such rows may follow each other. */
const digitValue = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
};

const ROMAN_SIGNS = /[\u2160-\u217F]+/g;
const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1000 };

const romanValue = (signs: string): number => {
  const values = [...signs.normalize('NFKC').toLowerCase()].map((letter) => ROMAN[letter] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
};

/** First and last character, and the value of the first: circled, in brackets, with a full stop. */
const ENCLOSED: readonly (readonly [first: number, last: number, value: number])[] = [
  [0x2460, 0x2473, 1],
  [0x2474, 0x2487, 1],
  [0x2488, 0x249b, 1],
  [0x24ea, 0x24ea, 0],
  [0x24eb, 0x24f4, 11],
  [0x24f5, 0x24fe, 1],
  [0x24ff, 0x24ff, 0],
  [0x2776, 0x277f, 1],
  [0x2780, 0x2789, 1],
  [0x278a, 0x2793, 1],
  [0x3251, 0x325f, 21],
  [0x32b1, 0x32bf, 36],
];
const ENCLOSED_SIGNS = /[\u2460-\u249B\u24EA-\u24FF\u2776-\u2793\u3251-\u325F\u32B1-\u32BF]/g;

const enclosedValue = (sign: string): number => {
  const code = sign.charCodeAt(0);
  const row = ENCLOSED.find(([first, last]) => code >= first && code <= last);
  return row === undefined ? 0 : code - row[0] + row[2];
};

/** Everyday and formal numerals; each row holds those of one digit. */
const KANJI_DIGITS = [
  '〇零',
  '一壱壹弌',
  '二弐貳贰弍',
  '三参參叁弎',
  '四肆',
  '五伍',
  '六陸陆',
  '七柒漆',
  '八捌',
  '九玖',
];
const KANJI_UNITS: Readonly<Record<string, number>> = {
  十: 10,
  拾: 10,
  百: 100,
  佰: 100,
  千: 1000,
  仟: 1000,
};
const KANJI = `[${KANJI_DIGITS.join('')}${Object.keys(KANJI_UNITS).join('')}]`;
/** Counters that are used for books. */
export const COUNTERS = '話话巻卷册冊集回章部篇編编節节幕号號期季輯辑頁页';
/** What may follow the last character of a name: nothing, the next folder, or a bracket. */
export const AFTER_LAST = '(?=\\s*(?:$|[/\\u0001()[\\]{}（）［］【】「」『』〔〕《》〈〉]))';
/**
 * 一 and the like are parts of many words, so they are numbers only after 第, before a counter, standing alone, or as the last sign.
 */
const KANJI_NUMBERS = new RegExp(
  `(?<=第\\s?)${KANJI}+|(?<!\\p{Script=Han})${KANJI}+(?=\\s?[${COUNTERS}]|(?![\\p{L}\\p{N}]))|(?<!${KANJI})[〇一二三四五六七八九十]+${AFTER_LAST}`,
  'gu',
);
const HAS_KANJI = new RegExp(KANJI);

const kanjiDigit = (sign: string): number => KANJI_DIGITS.findIndex((signs) => signs.includes(sign));

/** `百二十三`, with the units from large to small; null for what is no number, such as `二三十`. */
const withUnits = (signs: string): string | null => {
  let total = 0;
  let digit: number | null = null;
  let lastUnit = Number.POSITIVE_INFINITY;
  for (const sign of signs) {
    const unit = KANJI_UNITS[sign];
    if (unit === undefined) {
      if (digit !== null && digit !== 0) return null;
      digit = kanjiDigit(sign);
    } else {
      if (unit >= lastUnit || digit === 0) return null;
      total += (digit ?? 1) * unit;
      [digit, lastUnit] = [null, unit];
    }
  }
  return String(total + (digit ?? 0));
};

/** Both notations: `十二` and `一二`. */
const kanjiNumber = (signs: string): string | null =>
  [...signs].some((sign) => sign in KANJI_UNITS) ? withUnits(signs) : [...signs].map(kanjiDigit).join('');

/** Keeps adjacent numbers apart: `1Ⅱ` is not 12. */
const apart = (digits: string, signs: string, at: number, text: string): string => {
  const before = /\p{N}/u.test(text.charAt(at - 1)) ? ' ' : '';
  const after = /[0-9]/.test(text.charAt(at + signs.length)) ? ' ' : '';
  return `${before}${digits}${after}`;
};

/** A number in small raised or lowered digits after another is not part of it: `10²` is not 102. */
export const RAISED = /(?<=\p{Nd})[\u00B2\u00B3\u00B9\u2070\u2074-\u2079\u2080-\u2089]+/gu;

/** The text with its numbers in plain digits. Fractions as single signs are left to the caller. */
export const plainNumerals = (text: string): string => {
  if (isAscii(text)) return text;
  const plain = text
    .replace(FOREIGN_DIGITS, digitValue)
    .replaceAll('\u2212', '-')
    .replaceAll('\u066B', '.')
    .replaceAll('\u066C', ',')
    .replace(ROMAN_SIGNS, (signs, at: number, whole: string) => apart(String(romanValue(signs)), signs, at, whole))
    .replace(ENCLOSED_SIGNS, (sign, at: number, whole: string) => apart(String(enclosedValue(sign)), sign, at, whole));
  if (!HAS_KANJI.test(plain)) return plain;
  return plain.replace(KANJI_NUMBERS, (signs, at: number, whole: string) =>
    apart(kanjiNumber(signs) ?? signs, signs, at, whole),
  );
};
