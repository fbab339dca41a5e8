// Expressions for indexes of trigrams.

const TRIGRAMS_MAX = 12;

/** One phrase: its tokens are adjacent, and nothing in it is an operator. */
export const phrase = (tokens: string): string => `"${tokens.replaceAll('"', '""')}"`;

/** Trigrams of the value, evenly spread when there are many: enough to leave few candidates. At least three characters. */
export const trigramMatch = (value: string): string => {
  const characters = [...value];
  const last = characters.length - 3;
  const step = Math.max(1, Math.ceil((last + 1) / TRIGRAMS_MAX));
  const starts = new Set(Array.from({ length: Math.ceil((last + 1) / step) }, (_, n) => n * step).concat(last));
  const trigrams = new Set([...starts].map((start) => characters.slice(start, start + 3).join('')));
  return [...trigrams].map(phrase).join(' ');
};
