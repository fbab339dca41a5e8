// What counts as a number in a text from people or programs: `12`, `12.5`, `12,5`, `½`, full-width digits, a trailing letter. One rule
// for file names, embedded metadata and manual input. Pure; a text is truncated first, so that its length costs nothing. A change raises
// STORED_RULES.volumes and STORED_RULES.numbers.

const TEXT_MAX = 512;

const FRACTIONS: Readonly<Record<string, number>> = {
  '¼': 0.25,
  '½': 0.5,
  '¾': 0.75,
  '⅓': 0.33,
  '⅔': 0.67,
  '⅕': 0.2,
  '⅛': 0.125,
};

/** Full-width and compatibility forms become plain ones; `1½` becomes `1.5`. At most 512 characters. */
export const plainDigits = (text: string): string =>
  text
    .slice(0, TEXT_MAX)
    .replace(/(?<![\d.])(\d{0,6})([¼½¾⅓⅔⅕⅛])/g, (_, whole: string, sign: string) =>
      String(Number(whole) + (FRACTIONS[sign] ?? 0)),
    )
    .normalize('NFKC')
    .slice(0, TEXT_MAX);

/**
 * `01,02` are two numbers, and `1,000` is not a fraction: a decimal comma is followed by one digit, or by two that do not begin with zero.
 */
const AFTER_COMMA = ',(?!0\\d)\\d{1,2}(?!\\d|,\\d)';

/** Part of a pattern: a number inside other text. Four digits after a point are a year: `v05.2007`. */
export const NUMBER = `\\d{1,6}(?:\\.\\d{1,3}(?!\\d)|${AFTER_COMMA})?(?!\\d)`;

/** The value of digits found by such a pattern. */
export const valueOfDigits = (digits: string): number => Number(digits.replace(',', '.')) + 0; // -0 + 0 is 0

const ALONE = new RegExp(`^\\s{0,4}#?\\s?(-?\\d{1,9}(?:\\.\\d{1,9}|${AFTER_COMMA})?)\\s?[a-z]?\\s{0,4}$`, 'i');

/** A number that stands alone: `12`, `#12A`, `½`, `1,5`, `-1`. Null for anything else. */
export const numberOfText = (text: string | null): number | null => {
  const digits = text === null ? undefined : ALONE.exec(plainDigits(text))?.[1];
  return digits === undefined ? null : valueOfDigits(digits);
};
