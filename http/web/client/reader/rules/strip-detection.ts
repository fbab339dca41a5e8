// Whether a book is one long strip, cut into pages, told from the sizes of its pages.
import { knownSize, type ListedPage, ratioOf } from './pages.js';

/** Fewer pages say nothing unless they are very tall. */
const KNOWN_MIN = 3;
/**
 * Even single pages this tall are read from top to bottom: shown whole, they would be at most a third as wide as the window is high. A
 * printed page is at most twice as tall as it is wide, and even a column of four wide panels is less tall than this.
 */
const VERY_TALL = 3;
/** No printed page is twice as tall as it is wide. */
const TALL = 2;
const TALL_SHARE = 0.5;
/** Strips cut by height rather than between panels: as wide as each other, upright, and of very different heights. */
const SLICES = { sameWidth: 0.9, ratio: 1.2, spread: 1.6 };

const most = (values: readonly number[]): number => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(0, ...counts.values());
};

export const looksLikeStrip = (pages: readonly ListedPage[]): boolean => {
  // Covers of strips are often drawn like those of printed books.
  const told = pages.slice(pages.length > KNOWN_MIN ? 1 : 0);
  const sizes = told.flatMap((page) => knownSize(page) ?? []);
  const ratios = sizes.map(ratioOf).sort((a, b) => a - b);
  if (sizes.length < KNOWN_MIN)
    return sizes.length > 0 && sizes.length * 2 >= told.length && ratios.every((ratio) => ratio >= VERY_TALL);
  if (ratios.filter((ratio) => ratio >= TALL).length >= ratios.length * TALL_SHARE) return true;
  const at = (share: number): number => ratios[Math.floor((ratios.length - 1) * share)] ?? 0;
  const isEvenlyWide = most(sizes.map(({ width }) => width)) >= sizes.length * SLICES.sameWidth;
  return isEvenlyWide && at(0.5) >= SLICES.ratio && at(0.9) >= at(0.1) * SLICES.spread;
};
