// What a file name says after the name of its series, whose own digits are no number of a book: `Zom 100 002`. Pure. If you change it, raise
// STORED_RULES.titles, volumes and numbers.

const IS_SIGN = /[\p{L}\p{N}]/u;
const IS_LATIN = /[0-9a-z]/;
const ASCII_END = 0x80;

/** Letters and digits of any script; the usual ones need no pattern. */
const isSign = (sign: string): boolean => {
  const code = sign.charCodeAt(0);
  if (code >= ASCII_END) return IS_SIGN.test(sign);
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
};

const signAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

/** The names of scan groups often come first. */
const LEADING_BRACKETS = /^(?:\s*(?:\[[^\]]*\]|【[^】]*】|\([^)]*\)))+/;
const BRACKETS = /\[[^\]]*\]|【[^】]*】|\([^)]*\)/g;

/** Where the name ends in the text, regardless of word separators; null if the text does not begin with it. */
const endOf = (name: string, text: string): number | null => {
  let at = 0;
  let last = '';
  for (const sign of name) {
    if (!isSign(sign)) continue;
    while (at < text.length && !isSign(signAt(text, at))) at += 1;
    if (!text.startsWith(sign, at)) return null;
    at += sign.length;
    last = sign;
  }
  if (last === '' || (IS_LATIN.test(last) && IS_LATIN.test(text.charAt(at)))) return null;
  return at;
};

/** Null if the name of the series does not come first, or nothing follows. Both texts have plain digits. */
export const afterSeries = (text: string, seriesName: string): string | null => {
  const start = LEADING_BRACKETS.exec(text)?.[0].length ?? 0;
  const [whole, lower] = [text.slice(start), text.slice(start).toLowerCase()];
  if (lower.length !== whole.length) return null; // a few letters change their length
  const name = seriesName.toLowerCase();
  const end = endOf(name, lower) ?? endOf(name.replace(BRACKETS, ' '), lower);
  const rest = end === null ? '' : whole.slice(end);
  return IS_SIGN.test(rest) ? rest : null;
};
