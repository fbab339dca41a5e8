// ISBNs: finding them, checking their check digit, writing them without hyphens.

const TEXT_MAX = 100;

/** What the check digit has to be, from the digits before it. */
const lastOfThirteen = (digits: string): string =>
  String(
    (10 - ([...digits.slice(0, 12)].reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10)) %
      10,
  );

const lastOfTen = (digits: string): string => {
  const last =
    (11 - ([...digits.slice(0, 9)].reduce((sum, digit, at) => sum + Number(digit) * (10 - at), 0) % 11)) % 11;
  return last === 10 ? 'X' : String(last);
};

const digitsOf = (text: string): string =>
  text
    .trim()
    .replace(/^(?:urn:)?(?:isbn|ean|gtin)(?:[-_ ]?1[03](?=[\s:=]))?[\s:=]*/i, '')
    .replace(/[\s\u2010-\u2015-]/g, '')
    .toUpperCase();

/** Why digits are not an ISBN; undefined when they are one. */
const faultIn = (digits: string): string | undefined => {
  const isThirteen = /^\d{13}$/.test(digits);
  if (!isThirteen && !/^\d{9}[\dX]$/.test(digits)) return 'an ISBN has 10 or 13 digits';
  if (isThirteen && !/^97[89]/.test(digits)) return 'an ISBN of 13 digits starts with 978 or 979';
  // 0000000000 was never assigned, though its check digit is right.
  if (/^0{10}$/.test(digits)) return 'it is all zeros';
  const last = isThirteen ? lastOfThirteen(digits) : lastOfTen(digits);
  return digits.endsWith(last) ? undefined : `its last digit must be ${last}`;
};

/** `urn:isbn:978-3-16-148410-0` is `9783161484100`; null for anything that is not an ISBN as a whole. */
export const isbnOf = (text: string): string | null => {
  const digits = text.length > TEXT_MAX ? '' : digitsOf(text);
  return faultIn(digits) === undefined ? digits : null;
};

/** Why a text is not an ISBN, for the person who typed it; undefined when it is one. */
export const isbnFault = (text: string): string | undefined => faultIn(text.length > TEXT_MAX ? '' : digitsOf(text));

const IN_PROSE =
  /(ISBN(?:[-_ ]?1[03](?=[\s:=]))?[\s:=]{0,3})?(?<![\d-])((?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dX])(?![\d-])/gi;

/** ISBNs inside running text. Ten digits alone are too often something else: they need the word before them. */
export const isbnsIn = (prose: string): readonly string[] => [
  ...new Set(
    [...prose.matchAll(IN_PROSE)].flatMap(([, word, digits = '']) => {
      const isbn = isbnOf(digits);
      return isbn !== null && (word !== undefined || isbn.length === 13) ? [isbn] : [];
    }),
  ),
];

/** All valid ISBNs, each once, joined as the contract requires; null when there are none. */
export const joinIsbns = (candidates: readonly string[]): string | null => {
  const found = new Set(candidates.flatMap((one) => isbnOf(one) ?? []));
  return found.size === 0 ? null : [...found].join(', ');
};

const thirteenOf = (isbn: string): string => {
  const digits = `978${isbn.slice(0, 9)}`;
  return digits + lastOfThirteen(digits);
};

/** Joined ISBNs, each in both forms that it has: one of 13 digits that starts with 979 has no shorter form. */
export const isbnForms = (joined: string): readonly string[] =>
  joined.split(', ').flatMap((isbn) => {
    if (isbn.length === 10) return [isbn, thirteenOf(isbn)];
    return isbn.startsWith('978') ? [isbn, isbn.slice(3, 12) + lastOfTen(isbn.slice(3, 12))] : [isbn];
  });
