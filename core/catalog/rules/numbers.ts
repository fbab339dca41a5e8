// Volume, chapter and bare numbers in file names, in English words and East Asian counters. Pure. A name is truncated first, so its length
// costs nothing. If you change this file, raise STORED_RULES.volumes and STORED_RULES.numbers.

import { NUMBER, plainDigits, valueOfDigits } from '../../model/numbers.js';

const KANJI_DIGITS = '〇一二三四五六七八九';
const KANJI = '[〇零一二三四五六七八九十]';

/** Up to 99, in both notations: `十二` and `一二`. */
const kanjiValue = (text: string): number => {
  const digits = text.replaceAll('零', '〇');
  const [tens, ones, ...rest] = digits.split('十');
  const value = (part: string): number => Number([...part].map((sign) => KANJI_DIGITS.indexOf(sign)).join(''));
  if (ones === undefined || tens === undefined) return digits.length > 2 ? Number.NaN : value(digits);
  if (rest.length > 0 || tens.length > 1 || ones.length > 1) return Number.NaN;
  return (tens === '' ? 1 : value(tens)) * 10 + value(ones === '' ? '〇' : ones);
};

/** No letter or digit of an alphabet before it, so that `Nov 3` is not a volume and `ac12` not a chapter; a kanji before it is fine. */
const EDGE = '(?<![0-9a-z\\u00c0-\\u024f\\u0370-\\u052f])';
/** What may be between a word and its number. */
const GAP = '\\.?[\\s_]{0,4}';
/** A letter after the number ends the match, unless it is a version (`v2`), an extra (`x1`), a chapter mark or one letter as in `12a`. */
const CLEAR = '(?!(?!(?:v|x|c|ch|ep?)\\.?\\d|[abd-f](?![a-z]))[a-z])';

const word = (words: string, number = NUMBER): RegExp =>
  new RegExp(`${EDGE}(?:${words})${GAP}(${number})${CLEAR}`, 'i');

const VOLUME_WORDS = 'volumes?|vols?|v';
const CHAPTER_WORDS = 'chapters?|chp?|c';
const VOLUME = word(VOLUME_WORDS);
/** `v01c003` has no gap: a volume before the chapter mark is boundary enough. */
const CHAPTER = new RegExp(
  `(?:${EDGE}|(?<=${EDGE}v(?:ol)?\\.?\\d{1,4}))(?!(?<=\\()C\\d{2,3}\\))(?:${CHAPTER_WORDS})${GAP}(${NUMBER})${CLEAR}`,
  'i',
);
/** `(C97)` is a fair (Comiket) where fan books are sold, not a chapter. */
const FAIR = /\(C\d{2,3}\)/g;
const PART = word('part|pt');
const EPISODE = word('episode|ep');
const HASH = new RegExp(`#\\s?(-?${NUMBER})`);
const OF = /(?<![\w.,])(\d{1,4}) ?(?:of|\/) ?\d{1,4}(?!\d)/i;
const IN_BRACKETS = new RegExp(`\\(\\s?(${NUMBER})\\s?\\)`, 'g');
const BARE = `(?<![\\w.,#]|\\d[-–.~/])(${NUMBER})(?:\\s?[-–~]\\s?${NUMBER})?[a-f]?`;
const AT_END = new RegExp(`${BARE}\\s{0,4}$`, 'i');
const BEFORE_BRACKET = new RegExp(`${BARE}\\s{0,4}(?=[[({【「])`, 'gi');
const AT_START = new RegExp(`^(${NUMBER})(?=\\s?[-–]\\s|\\.\\s|_)`);

/** `第12巻`, `第十二巻`, `1-3巻`; `全12巻` gives the total and is not a volume. */
const counter = (signs: string): RegExp =>
  new RegExp(
    `(?:(?<![\\d.全])(?:[第제] ?)?(?<!全 ?)(${NUMBER})(?: ?[-–~〜] ?${NUMBER})? ?|(?:第 ?|(?<![\\p{Script=Han}]))(${KANJI}{1,4}) ?)(?:${signs})`,
    'u',
  );
const VOLUME_COUNTER = counter('巻|卷|册|冊|권');
const CHAPTER_COUNTER = counter('話|话|章|回|화|장');

const numeric = (found: RegExpExecArray | null): number | null => {
  const [, digits, kanji] = found ?? [];
  if (digits !== undefined) return valueOfDigits(digits);
  const value = kanji === undefined ? Number.NaN : kanjiValue(kanji);
  return Number.isNaN(value) ? null : value;
};

const isYear = (text: string): boolean => /^(?:19|20)\d\d$/.test(text);

/** The first number a pattern finds that is not a year: `(2019)` says when, not which. */
const notYear = (pattern: RegExp, text: string): number | null => {
  for (const found of text.matchAll(pattern))
    if (found[1] !== undefined && !isYear(found[1])) return valueOfDigits(found[1]);
  return null;
};

const wordOrCounter = (text: string, words: RegExp, signs: RegExp): number | null =>
  numeric(words.exec(text)) ?? numeric(signs.exec(text));

const volumeNumber = (text: string): number | null => wordOrCounter(text, VOLUME, VOLUME_COUNTER);

const chapterNumber = (text: string): number | null => wordOrCounter(text.replace(FAIR, ' '), CHAPTER, CHAPTER_COUNTER);

/** The volume in a name; fractional volumes do not count. */
export const volumeIn = (stem: string): number | null => {
  const found = volumeNumber(plainDigits(stem));
  return found === null || Number.isInteger(found) ? found : null;
};

export const chapterIn = (stem: string): number | null => chapterNumber(plainDigits(stem));

/** The number of a book in its series, from its name: the clearest mark wins, a bare number is the last resort. */
export const numberIn = (stem: string): number | null => {
  const text = plainDigits(stem);
  return (
    numeric(HASH.exec(text)) ??
    volumeNumber(text) ??
    chapterNumber(text) ??
    numeric(PART.exec(text)) ??
    numeric(EPISODE.exec(text)) ??
    numeric(OF.exec(text)) ??
    notYear(IN_BRACKETS, text) ??
    notYear(new RegExp(AT_END, 'gi'), text) ??
    notYear(BEFORE_BRACKET, text) ??
    notYear(new RegExp(AT_START, 'g'), text)
  );
};

/** The volume of a folder whose name is nothing else: `Volume 2`, `v02`, `第2巻`. */
export const pureVolume = (folder: string): number | null => {
  const found = /^(?:volume|vol|v)\.?[\s_]{0,4}(\d{1,6})$|^第? ?(\d{1,6}) ?[巻卷册冊]$|^제? ?(\d{1,6}) ?권$/i.exec(
    plainDigits(folder).trim(),
  );
  const digits = found?.[1] ?? found?.[2] ?? found?.[3];
  return digits === undefined ? null : Number(digits);
};

const FIRST = new RegExp(`(?<!\\d)(${NUMBER})`);

/** The first number of any kind in a name: the chapter, where every file is a chapter. */
export const firstNumberIn = (stem: string): number | null => numeric(FIRST.exec(plainDigits(stem)));
