// Sort keys as text: SQLite offers no collation of ours, so order is computed here once and stored.

const MARKS = /\p{M}+/gu;
const ARTICLE = /^(?:the|a|an)\s+(?=\S)/;
const DIGITS = /\d+/g;
const SPACES = /\s+/g;
const DIGIT_WIDTH = 10;
const KEY_MAX = 256;

/** Accents, case and width folded; a leading English article dropped; digits padded, so that 2 comes before 10. At most 256 characters. */
export const sortKey = (text: string): string => {
  const folded = text.slice(0, KEY_MAX).normalize('NFKD').replace(MARKS, '').toLowerCase().replace(SPACES, ' ').trim();
  const plain = folded.replace(ARTICLE, '');
  return plain
    .replace(DIGITS, (digits) => digits.replace(/^0+(?=\d)/, '').padStart(DIGIT_WIDTH, '0'))
    .slice(0, KEY_MAX);
};
