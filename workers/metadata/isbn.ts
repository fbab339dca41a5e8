// ISBNs: found, checked by their last digit, written without hyphens.

const isThirteen = (digits: string): boolean =>
  /^97[89]\d{10}$/.test(digits) &&
  [...digits].reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;

const isTen = (digits: string): boolean =>
  /^\d{9}[\dX]$/.test(digits) &&
  [...digits].reduce((sum, digit, index) => sum + (digit === 'X' ? 10 : Number(digit)) * (10 - index), 0) % 11 === 0;

/** `urn:isbn:978-3-16-148410-0` is `9783161484100`; null for anything that is not an ISBN as a whole. */
export const isbnOf = (text: string): string | null => {
  if (text.length > 100) return null;
  const digits = text
    .trim()
    .replace(/^(?:urn:)?(?:isbn|ean|gtin)(?:[-_ ]?1[03](?=[\s:=]))?[\s:=]*/i, '')
    .replace(/[\s\u2010-\u2015-]/g, '')
    .toUpperCase();
  // Twelve nines and the like pass the sum of ten digits; nobody was given 0000000000.
  return isThirteen(digits) || (isTen(digits) && !/^0{10}$/.test(digits)) ? digits : null;
};

const IN_PROSE =
  /(ISBN(?:[-_ ]?1[03](?=[\s:=]))?[\s:=]{0,3})?(?<![\d-])((?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dX])(?![\d-])/gi;

/** ISBNs in a sentence. Ten digits alone are too often something else: they need the word before them. */
export const isbnsIn = (prose: string): readonly string[] => [
  ...new Set(
    [...prose.matchAll(IN_PROSE)].flatMap(([, word, digits = '']) => {
      const isbn = isbnOf(digits);
      return isbn !== null && (word !== undefined || isbn.length === 13) ? [isbn] : [];
    }),
  ),
];

/** All that are ISBNs, each once, joined as the contract wants them; null when none is. */
export const joinIsbns = (candidates: readonly string[]): string | null => {
  const found = new Set(candidates.flatMap((one) => isbnOf(one) ?? []));
  return found.size === 0 ? null : [...found].join(', ');
};
