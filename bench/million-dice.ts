// Random values for the generated database, the same in every run: numbers, ids, words and names.
import { seeded } from './corpus.js';

const SYLLABLES = 'ka lo mi ra tén sha vor él du rin ost bay cru del éau fir gon hul'.split(' ');
const CJK = [...'進撃巨人鬼滅刃海賊王全職獵名探偵東京喰種約束夢幻島剣士龍虎風雲山川花の物語が冒険ピカ'];
const WORDS = 3000;
const CJK_SHARE = 0.2;

export interface Dice {
  /** From 0 to less than 1. */
  share(): number;
  below(limit: number): number;
  /** Small numbers far more often than large ones. */
  skewed(limit: number): number;
  /** 32 hex digits. */
  id(): string;
  word(): string;
  name(): string;
}

export const diceFrom = (seed: number): Dice => {
  const share = seeded(seed);
  const below = (limit: number): number => Math.floor(share() * limit);
  const skewed = (limit: number): number => Math.floor(limit * share() ** 3);
  const syllables = (): string =>
    Array.from({ length: 2 + below(2) }, () => SYLLABLES[below(SYLLABLES.length)] ?? '').join('');
  const made = (): string => {
    const text = syllables();
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  const words = [...Array.from({ length: WORDS }, made), 'Chronicles', 'Épée', 'Dragon', 'The'];
  const cjk = (): string => Array.from({ length: 2 + below(4) }, () => CJK[below(CJK.length)] ?? '').join('');
  const word = (): string => words[skewed(words.length)] ?? '';
  return {
    share,
    below,
    skewed,
    id: () =>
      Array.from({ length: 4 }, () =>
        below(2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      ).join(''),
    word,
    name: () => (share() < CJK_SHARE ? cjk() : `${word()} ${word()}`),
  };
};
