// Letters that no Unicode normal form decomposes, as people type them without a special keyboard. In lower case. A change raises
// STORED_RULES.sortKeys and STORED_RULES.words.

const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ς: 'σ',
};
const SPECIAL = /[ßæœøđðłıþς]/g;

export const plainLetters = (lowerCase: string): string =>
  lowerCase.replace(SPECIAL, (letter) => PLAIN[letter] ?? letter);
