// The word that somebody may have meant: the closest of those there are.

/** Insertions, deletions, replacements and swaps of adjacent characters between two words (optimal string alignment). */
const distance = (a: string, b: string): number => {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const step = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      next.push(swapped ? Math.min(step, (before[j - 2] ?? 0) + 1) : step);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
};

const COMPARED_CHARS = 100;

/** Of something else altogether, the closest word would only puzzle. */
const FAR = 1 / 3;

/** The word that was probably meant: one that begins so, or the closest; undefined where none is close. */
export const suggestionFor = (...of: Parameters<typeof closestOf>): string | undefined => {
  const [sought] = of;
  const { word, steps } = closestOf(...of);
  const isClose = steps <= Math.max(1, Math.min(sought.length, COMPARED_CHARS) * FAR);
  return isClose || word.startsWith(sought) ? word : undefined;
};

/**
 * The closest of some words by edit distance, ignoring case; `steps` is the distance. The first wins a tie. `shortOf` gives another form of a
 * word that may have been meant: a name without its group.
 */
export const closestOf = (
  word: string,
  words: readonly string[],
  shortOf: (candidate: string) => string = (candidate) => candidate,
): { readonly word: string; readonly steps: number } => {
  const sought = word.slice(0, COMPARED_CHARS).toLowerCase();
  const stepsTo = (candidate: string): number => distance(sought, candidate.toLowerCase());
  return words
    .map((candidate) => ({ word: candidate, steps: Math.min(stepsTo(candidate), stepsTo(shortOf(candidate))) }))
    .reduce((best, next) => (next.steps < best.steps ? next : best), { word: words[0] ?? '', steps: Infinity });
};
