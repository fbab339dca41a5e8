// Age ratings as files write them: words of many scales and scripts, or an age somewhere in the text. What is not understood counts as adult:
// a rating hides a book from those it is not for, and a word that nobody here knows must not show it.
import { plainWord } from './values.js';

export const ADULT = 18;
const HIGHEST = 21;

/** The ratings of ComicInfo, MetronInfo, CoMet and publishers, of films, games and manga catalogues, and words for them in other languages. */
const WORDS: Readonly<Record<number, readonly string[]>> = {
  0: [
    ...[
      'everyone',
      'all',
      'all ages',
      'early childhood',
      'kids to adults',
      'kids',
      'children',
      'g',
      'general',
      'general audience',
    ],
    ...[
      'general audiences',
      'e',
      'u',
      'safe',
      'tout public',
      'pour tous',
      'para todos',
      'para todos los públicos',
      'per tutti',
      'livre',
    ],
    ...[
      'ohne altersbeschränkung',
      'для всех',
      '全年齢',
      '全年齢対象',
      '一般',
      '全年龄',
      '全年齡',
      '普遍級',
      '전체',
      '전체 이용가',
      '전체이용가',
    ],
  ],
  6: ['保護級'],
  8: ['pg'],
  13: ['teen', 't', 'young adult', 'suggestive'],
  15: ['teen plus', 'teen+', 't+', 'm', 'ma', '輔導級', 'parental advisory'],
  17: ['mature', 'mature audiences', 'mature readers', 'r', 'restricted', 'tv-ma', 'ecchi'],
  [ADULT]: [
    ...[
      'adult',
      'adults',
      'adults only',
      'adult only',
      'ao',
      'explicit',
      'explicit content',
      'x',
      'xxx',
      'hentai',
      'nsfw',
      'erotica',
    ],
    ...[
      'pornographic',
      'porn',
      'adulte',
      'adultes',
      'adultos',
      'solo adultos',
      'adulti',
      'solo adulti',
      'erwachsene',
      'nur für erwachsene',
    ],
    ...[
      'взрослые',
      'для взрослых',
      '成人',
      '成人向け',
      '成年',
      '成年向け',
      '成人限定',
      '限制級',
      '限制级',
      'r指定',
      '十八禁',
      '성인',
      '청소년 이용불가',
      '청소년이용불가',
    ],
  ],
};

const AGES: ReadonlyMap<string, number> = new Map(
  Object.entries(WORDS).flatMap(([age, words]) => words.map((word): [string, number] => [word, Number(age)])),
);

/** Words that say that there is no rating. */
const UNRATED: ReadonlySet<string> = new Set([
  ...[
    '',
    'unknown',
    'rating pending',
    'pending',
    'rp',
    'not rated',
    'not yet rated',
    'unrated',
    'no rating',
    'nr',
    'none',
    'null',
    'n/a',
  ],
  ...['na', '-', '?', 'undefined', '未定', '不明', '未分级', '未分級'],
]);

/** `Ages 18+`, `PG-13`, `18禁`; of several ages the highest. A year or another long number is none. */
const ageIn = (text: string): number | undefined => {
  const ages = [...text.matchAll(/(?<!\d)\d{1,2}(?!\d)/g)]
    .map(([digits]) => Number(digits))
    .filter((age) => age <= HIGHEST);
  return ages.length === 0 ? undefined : Math.max(...ages);
};

/** Shorter words mean something only by themselves. */
const LETTERS_MIN = 3;

const isLatinOrCyrillic = (word: string): boolean => /^[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(word);

/** All words in one pattern, the longest first: `young adult` and `kids to adults` do not mean adults. Scripts without spaces have no bounds. */
const ANY_WORD = new RegExp(
  [...AGES.keys()]
    .filter((word) => word.length >= LETTERS_MIN || !isLatinOrCyrillic(word))
    .sort((one, other) => other.length - one.length)
    .map((word) => {
      const escaped = word.replace(/[+?.*()[\]{}|^$\\]/g, '\\$&');
      return isLatinOrCyrillic(word) ? `(?<!\\p{L})${escaped}(?!\\p{L})` : escaped;
    })
    .join('|'),
  'gu',
);

/** A word for this age or above is not lowered by a number, which may be that of a volume (`Hentai 3`, `Mature, vol. 2`). */
const STRICT_AGE = 15;

const strictestIn = (text: string): number =>
  Math.max(0, ...[...text.matchAll(ANY_WORD)].map(([word]) => AGES.get(word) ?? 0).filter((age) => age >= STRICT_AGE));

const understood = (text: string): number | undefined => {
  const plain = text.replace(/^rated?[ :]+/, '');
  const known = AGES.get(plain);
  if (known !== undefined) return known;
  const age = ageIn(plain);
  return age === undefined ? undefined : Math.max(age, strictestIn(plain));
};

/** Years, as far as a user must be to see the book; null: not rated. */
export const ageOf = (value: string | null): number | null => {
  const text = plainWord(value);
  return UNRATED.has(text) ? null : (understood(text) ?? ADULT);
};

const SHOWN_MAX = 40;

/** The text, if it is one that `ageOf` can only take for the worst. */
export const unknownAgeRatings = (value: string | null): readonly string[] => {
  const text = plainWord(value);
  return UNRATED.has(text) || understood(text) !== undefined ? [] : [(value ?? '').trim().slice(0, SHOWN_MAX)];
};
