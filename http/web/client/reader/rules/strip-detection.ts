// Whether a book is one long strip, cut into pages, told from the sizes of its pages.
import { knownSize, type ListedPage, ratioOf } from './pages.js';

/** Fewer pages say nothing. */
const KNOWN_MIN = 3;
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
  const sizes = pages.slice(pages.length > KNOWN_MIN ? 1 : 0).flatMap((page) => knownSize(page) ?? []);
  if (sizes.length < KNOWN_MIN) return false;
  const ratios = sizes.map(ratioOf).sort((a, b) => a - b);
  if (ratios.filter((ratio) => ratio >= TALL).length >= ratios.length * TALL_SHARE) return true;
  const at = (share: number): number => ratios[Math.floor((ratios.length - 1) * share)] ?? 0;
  const isEvenlyWide = most(sizes.map(({ width }) => width)) >= sizes.length * SLICES.sameWidth;
  return isEvenlyWide && at(0.5) >= SLICES.ratio && at(0.9) >= at(0.1) * SLICES.spread;
};
