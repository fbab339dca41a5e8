// Volume, chapter and bare numbers in file names, in the words of several languages and East Asian counters. Pure. A name is truncated first,
// so its length costs nothing. If you change this file, raise STORED_RULES.titles, volumes and numbers.

import { boundedByCount } from '../../model/bounded-map.js';
import {
  CHAPTER_COUNTERS,
  CHAPTER_ORDINALS,
  CHAPTER_WORDS,
  EPISODE_WORDS,
  ISSUE_WORDS,
  NUMBER_MARKS,
  PART_WORDS,
  VOLUME_COUNTERS,
  VOLUME_ORDINALS,
  VOLUME_WORDS,
} from '../../model/number-words.js';
import { NUMBER, plainDigits, valueOfDigits } from '../../model/numbers.js';
import { afterSeries } from './after-series.js';

/** No letter or digit of an alphabet before it, so that `Nov 3` is not a volume and `ac12` not a chapter; a kanji before it is fine. */
const EDGE = '(?<![0-9a-z\\u00c0-\\u024f\\u0370-\\u052f])';
/** What may be between a word and its number; a hyphen only after a word, as in `name-of-series-chapter-12`. */
const GAP = '(?:\\.?[\\s_]{0,4}|(?<=\\p{L}{2})-(?=\\d))';
/** A letter after the number ends the match, unless it is a version (`v2`), an extra (`x1`), a chapter mark, or one as in `12a` or `12s`. */
const CLEAR = '(?!(?!(?:v|x|c|ch|ep?)\\.?\\d|[abd-fs](?![a-z]))[a-z])';

const word = (words: string): RegExp => new RegExp(`${EDGE}(?:${words})${GAP}(${NUMBER})${CLEAR}`, 'iu');

const VOLUME = word(VOLUME_WORDS);
/** `v01c003` has no gap: a volume before the chapter mark is boundary enough. */
const CHAPTER = new RegExp(
  `(?:${EDGE}|(?<=${EDGE}v(?:ol)?\\.?\\d{1,4}))(?!(?<=\\()C\\d{2,3}\\))(?:${CHAPTER_WORDS})${GAP}(${NUMBER})${CLEAR}`,
  'iu',
);
/** `(C97)` is a fair (Comiket) where fan books are sold, and `c2c` a scan from cover to cover: no chapters. */
const NO_CHAPTER = /\(C\d{2,3}\)|(?<![A-Za-z\d])[Cc]2[Cc](?![A-Za-z\d])/g;
const ISSUE = word(ISSUE_WORDS);
/** `Tex n. 12 - 100 pistole` */
const ABBREVIATED = new RegExp(`${EDGE}(?:n|${NUMBER_MARKS})\\.[\\s_]{0,4}(${NUMBER})${CLEAR}`, 'i');
/** `Tex no 12 - 100 pistole` and `Tex nr12`, and at the beginning. */
const WEAKLY_MARKED = new RegExp(`${EDGE}(?:(?:${NUMBER_MARKS})|n(?=\\.))${GAP}(${NUMBER})${CLEAR}(?!-\\p{L})`, 'iu');
const PART = word(PART_WORDS);
const EPISODE = word(EPISODE_WORDS);
const HASH = new RegExp(`#\\s?(-?(?:${NUMBER}|\\d{7,9}(?!\\d)))`);
const OF = /(?<![\w.,])(\d{1,4})(?: ?(?:of|\/) ?\d{1,4}| (?:von|van|di|de|sur|из) \d{1,3})(?!\d)/i;
const IN_BRACKETS = new RegExp(`\\(\\s?(${NUMBER})\\s?\\)`, 'g');

const START = '(?<![\\w.,#]|\\d[-–.~/])';
const RANGE = `(?:\\s?[-–~]\\s?${NUMBER})?`;
/** A variant, or an event: `100a`, `1AU`, `12.NOW`. */
const SUFFIX = '(?:[a-f]|au|\\.[a-z]{2,5})?(?![a-z])';
const BARE = `${START}(${NUMBER})${RANGE}${SUFFIX}`;
const AT_END = new RegExp(`${BARE}\\s{0,4}$`, 'gi');
const BEFORE_BRACKET = new RegExp(`${BARE}\\s{0,4}(?=[[({【「])`, 'gi');
/** Brackets before it, often with the group that made the file, are no title. */
const AT_START = new RegExp(
  `^(?:(?:\\[[^\\]]{0,60}\\]|【[^】]{0,60}】)[\\s_]{0,3}){0,2}(${NUMBER})(?=\\s?[-–]\\s|\\.\\s|_)`,
  'g',
);
/** `Batman 012 - The End`: nobody pads a number that is part of a title. Three digits before a dash are an issue, too. */
const PADDED = new RegExp(
  `${START}(0\\d{1,3}(?:\\.\\d{1,2}(?!\\d))?|\\d{3}(?=\\s-\\s))${RANGE}${SUFFIX}(?![\\w]|[-–.,~/]\\d)`,
  'gi',
);
/** Most names have neither, and are not searched for numbers with words. */
const MAYBE_PADDED = /0\d|\d{3}\s-/;
/** `Thorgal - 7 - Child of the Stars` */
const BETWEEN_DASHES = new RegExp(`(?<=\\s[-–]\\s{1,2})(${NUMBER})(?=\\s{1,2}[-–]\\s{1,2}[^\\s\\d])`, 'g');
/** `Vol 3 27 (2017)` */
const AFTER_VOLUME = new RegExp(
  `${EDGE}(?:${VOLUME_WORDS})${GAP}\\d{1,4}\\s{1,4}(${NUMBER})${SUFFIX}(?=\\s{0,4}(?:$|[[({]|-\\s))`,
  'giu',
);
/** `-1`, as some issues are numbered. In `Saga -01` and `Saga -2`, the hyphen separates; natural-key.ts orders by the same rule. */
const NEGATIVE = /(?<=\s)(-1)(?=\s{0,4}(?:$|[[({]))/;
const NEGATIVE_AFTER_VOLUME = new RegExp(`${EDGE}(?:${VOLUME_WORDS})${GAP}\\d{1,4}\\s{0,3}${NEGATIVE.source}`, 'iu');
const NEGATIVE_AFTER_SERIES = new RegExp(`^\\s{0,3}${NEGATIVE.source}`);
/** Directly after the name of the series. */
const FIRST_AFTER_SERIES = new RegExp(
  `^[\\s.]{0,4}(?:[-–:]\\s{0,4})?(${NUMBER})${SUFFIX}(?=\\s{0,4}(?:$|[[({【「]|[-–:,]\\s)|\\s{1,4}(?:${VOLUME_WORDS})[.\\s\\d])`,
  'gi',
);
/** `Saga 12 2nd printing`: what follows tells nothing, but the number comes first. */
const LOOSE_AFTER_SERIES = new RegExp(`^[\\s.]{0,4}(?:[-–:]\\s{0,4})?(${NUMBER})${SUFFIX}(?=\\s)`, 'gi');
/** `The Saga 182 1974 c2c`, as names with points for spaces often are. */
const BEFORE_YEAR = new RegExp(`${BARE}(?=\\s{1,4}(?:19|20)\\d\\d(?!\\w))`, 'gi');

/** `第12巻`, `1-3巻`; `全12巻` gives the total and is not a volume. */
const counter = (signs: string): RegExp =>
  new RegExp(`(?<![\\d.全])(?:[第제] ?)?(?<!全 ?)(${NUMBER})(?: ?[-–~〜] ?${NUMBER})? ?(?:${signs})`, 'u');
const VOLUME_COUNTER = counter(VOLUME_COUNTERS);
const CHAPTER_COUNTER = counter(CHAPTER_COUNTERS);

/** `12 глава`, `12. Bölüm`, `12-я глава`. In `Cilt 2 Bölüm 15`, the number of a word follows it. */
const ordinal = (words: string): RegExp =>
  new RegExp(`(?<![\\d.,#])(${NUMBER})(?:\\.|-\\p{L}{1,2})?[\\s_]{0,2}(?:${words})(?!\\p{L}|[\\s_.]{0,4}\\d)`, 'iu');
const VOLUME_ORDINAL = ordinal(VOLUME_ORDINALS);
const CHAPTER_ORDINAL = ordinal(CHAPTER_ORDINALS);

const MARKED = [VOLUME, CHAPTER, PART, EPISODE, OF, VOLUME_COUNTER, CHAPTER_COUNTER].map(
  ({ source, flags }) => new RegExp(`${source}${RANGE}`, `g${flags}`),
);

/** `Tome VII`: capitals after a whole word, since `Tom i Jerry` and `Part X` are titles. */
const ROMAN_VOLUME = new RegExp(
  `${EDGE}(?:[Vv]ol(?:ume)?\\.?|VOL(?:UME)?\\.?|[Tt]om[eo]|TOM[EO]|[Bb]and|BAND)[\\s_]{1,4}(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})(?![\\p{L}\\d])`,
  'u',
);
const ONES = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'];

const romanVolume = (text: string): number | null => {
  const [, tens = '', ones = ''] = ROMAN_VOLUME.exec(text) ?? [];
  return tens === '' && ones === '' ? null : tens.length * 10 + ONES.indexOf(ones);
};

const numeric = (found: RegExpExecArray | null): number | null =>
  found?.[1] === undefined ? null : valueOfDigits(found[1]);

const isYear = (text: string): boolean => /^(?:19|20)\d\d$/.test(text);

/** The first number a pattern finds that is not a year: `(2019)` says when, not which. */
const notYear = (pattern: RegExp, text: string): number | null => {
  pattern.lastIndex = 0; // `matchAll` would copy the pattern each time
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    if (found[1] !== undefined && !isYear(found[1])) return valueOfDigits(found[1]);
  return null;
};

/** Without the other number and its word, so that `3 том 12 глава` is not volume 12, nor `12 глава 3 том` chapter 3. */
const volumeNumber = (text: string): number | null => {
  const rest = CHAPTER.test(text) ? text : text.replace(CHAPTER_ORDINAL, ' ');
  const named = numeric(VOLUME.exec(rest)) ?? numeric(VOLUME_COUNTER.exec(rest)) ?? romanVolume(rest);
  return named ?? numeric(VOLUME_ORDINAL.exec(rest));
};

const chapterNumber = (text: string): number | null => {
  const known = text.replace(NO_CHAPTER, ' ');
  const rest = VOLUME.test(known) ? known : known.replace(VOLUME_ORDINAL, ' ');
  return numeric(CHAPTER.exec(rest)) ?? numeric(CHAPTER_COUNTER.exec(rest)) ?? numeric(CHAPTER_ORDINAL.exec(rest));
};

/**
 * Words separated by spaces: `_` never belongs to a number, and `.` does not where it stands for every space, also the one after the name of
 * the series.
 */
const spaced = (text: string, isAfterSeries: boolean): string => {
  const words = text.replaceAll('_', ' ');
  if (/\s/.test(text)) return words;
  const rest = isAfterSeries ? words.replace(/^\./, ' ') : words;
  return rest.replace(/(?<=[\p{L}\d)\]])\.(?!(?<=\d\.)\d{1,3}(?!\d))/gu, ' ');
};

/** Outside the numbers that have a word or a counter. */
const paddedNumber = (text: string): number | null => {
  const known = text.replace(NO_CHAPTER, ' ');
  if (!MAYBE_PADDED.test(known)) return null;
  return notYear(
    PADDED,
    MARKED.reduce((rest, pattern) => rest.replace(pattern, ' # '), known),
  );
};

/** A number without a word before it that takes precedence over a volume or part elsewhere in the name. */
const plainIssue = (text: string, isAfterSeries: boolean): number | null =>
  numeric(NEGATIVE_AFTER_VOLUME.exec(text)) ??
  notYear(AFTER_VOLUME, text) ??
  (isAfterSeries ? numeric(NEGATIVE_AFTER_SERIES.exec(text)) : null) ??
  (isAfterSeries ? notYear(FIRST_AFTER_SERIES, text) : null) ??
  paddedNumber(text);

const IN_ANY_BRACKETS = /\[[^\]]*\]|【[^】]*】|\([^)]*\)/g;

/** At the beginning of a name, it may be a title: `No. 6`. */
const abbreviatedNumber = (text: string, isAfterSeries: boolean): number | null => {
  const found = ABBREVIATED.exec(text);
  const before = text.slice(0, found?.index ?? 0).replace(IN_ANY_BRACKETS, ' ');
  return isAfterSeries || /[\p{L}\p{N}]/u.test(before) ? numeric(found) : null;
};

const numberInText = (text: string, isAfterSeries: boolean): number | null => {
  const words = spaced(text, isAfterSeries);
  return (
    numeric(HASH.exec(text)) ??
    numeric(ISSUE.exec(text)) ??
    abbreviatedNumber(text, isAfterSeries) ??
    plainIssue(words, isAfterSeries) ??
    volumeNumber(text) ??
    chapterNumber(text) ??
    numeric(PART.exec(text)) ??
    numeric(EPISODE.exec(text)) ??
    numeric(OF.exec(text)) ??
    numeric(NEGATIVE.exec(words)) ??
    notYear(BETWEEN_DASHES, words) ??
    notYear(IN_BRACKETS, text) ??
    numeric(WEAKLY_MARKED.exec(text)) ??
    notYear(AT_END, words) ??
    notYear(BEFORE_BRACKET, words) ??
    notYear(AT_START, text) ??
    notYear(BEFORE_YEAR, words) ??
    (isAfterSeries ? notYear(LOOSE_AFTER_SERIES, words) : null)
  );
};

/** The second, third … edition of a scan: `012v2`. Such marks have one digit: `c01v03` has a volume. */
const ATTACHED_VERSION = /(?<=\d)v[2-9](?![\p{L}\p{N}]|\.\d{1,2}(?!\d))/giu;
/** Whether one of the two may match. */
const MAYBE_VERSION = /v\.?[2-9]/i;
const BRACKETED_VERSION = /[[({【]\s?v\.?[2-9]\s?[\])}】]/gi;

/** A mark in brackets after a number is the version of a release; without a number before it, it is the volume: `Saga (v2)`. */
const withoutVersions = (text: string, isAfterSeries: boolean): string =>
  MAYBE_VERSION.test(text) ? withoutMarks(text, isAfterSeries) : text;

const withoutMarks = (text: string, isAfterSeries: boolean): string =>
  text
    .replace(ATTACHED_VERSION, '')
    .replace(BRACKETED_VERSION, (mark, at: number, whole: string) =>
      numberInText(whole.slice(0, at), isAfterSeries) === null ? mark : ' ',
    );

interface NameText {
  readonly text: string;
  readonly isAfterSeries: boolean;
}

const TEXTS_MAX = 50;
const texts = boundedByCount<string, NameText>(TEXTS_MAX);

/** Remembers the latest: volume, chapter and number of a name are looked for one after the other. */
const textOf = (stem: string, seriesName: string): NameText => {
  const key = `${seriesName}\0${stem}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const made = textAfter(stem, seriesName);
  texts.set(key, made);
  return made;
};

/** What follows the name of the series, if the name of the file begins with that; without versions. */
const textAfter = (stem: string, seriesName: string): NameText => {
  const whole = plainDigits(stem);
  const rest = afterSeries(whole, plainDigits(seriesName));
  const isAfterSeries = rest !== null;
  return { text: withoutVersions(rest ?? whole, isAfterSeries), isAfterSeries };
};

/** In what follows the name of the series, else in the whole name: `Saga v2 001` in the folder `Saga v2`. */
const afterSeriesFirst = (stem: string, seriesName: string, read: (text: string) => number | null): number | null => {
  const { text, isAfterSeries } = textOf(stem, seriesName);
  return read(text) ?? (isAfterSeries ? read(textOf(stem, '').text) : null);
};

/** The volume in a name; fractional volumes do not count. */
export const volumeIn = (stem: string, seriesName = ''): number | null => {
  const found = afterSeriesFirst(stem, seriesName, volumeNumber);
  return found === null || Number.isInteger(found) ? found : null;
};

export const chapterIn = (stem: string, seriesName = ''): number | null =>
  afterSeriesFirst(stem, seriesName, chapterNumber);

/**
 * The number of a book in its series, from its name: the clearest form wins, a bare number is the last resort. If the name begins with that of
 * the series, only what follows counts.
 */
export const numberIn = (stem: string, seriesName = ''): number | null => {
  const { text, isAfterSeries } = textOf(stem, seriesName);
  return numberInText(text, isAfterSeries);
};

/** The volume of a folder whose name is nothing else: `Volume 2`, `v02`, `Tome 2`, `第2巻`. */
const PURE_VOLUME = new RegExp(
  `^(?:${VOLUME_WORDS})\\.?[\\s_]{0,4}(\\d{1,6})$|^第? ?(\\d{1,6}) ?[巻卷册冊集]$|^제? ?(\\d{1,6}) ?권$`,
  'i',
);

export const pureVolume = (folder: string): number | null => {
  const found = PURE_VOLUME.exec(plainDigits(folder).trim());
  const digits = found?.[1] ?? found?.[2] ?? found?.[3];
  return digits === undefined ? null : Number(digits);
};

const FIRST = new RegExp(`(?<!\\d)(${NUMBER})`);

/** The first number of any kind in a name, after that of the series: the chapter, where every file is a chapter. */
export const firstNumberIn = (stem: string, seriesName = ''): number | null => {
  const { text, isAfterSeries } = textOf(stem, seriesName);
  const negative = isAfterSeries ? NEGATIVE_AFTER_SERIES.exec(spaced(text, true)) : null;
  return numeric(negative) ?? numeric(FIRST.exec(text));
};
