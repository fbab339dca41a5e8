// Which pages are shown together: pairs of a printed book, with covers and wide pages alone, found from the sizes of the pages.
import { isWide, type Size } from './pages.js';

export const WIDE_MODES = ['whole', 'split', 'split-swapped', 'turned', 'turned-left'] as const;
/** What becomes of a wide page: shown whole, as two halves, as two halves in the other order, or rotated to the right or the left. */
export type WideMode = (typeof WIDE_MODES)[number];

export type Part = 'whole' | 'left' | 'right';
/** By 90 degrees, or not at all. */
export type Turn = 'none' | 'right' | 'left';

/** One image on the screen. */
export interface Leaf {
  /** From 0. */
  readonly page: number;
  readonly part: Part;
  readonly turn: Turn;
  /** Of what is shown. */
  readonly size: Size;
}

/** In reading order; `onScreen` says where they lie. */
export type Spread = readonly Leaf[];

export interface SpreadOptions {
  readonly isDouble: boolean;
  readonly isCoverAlone: boolean;
  /** Moves the pairs by one page from where they were found to belong. */
  readonly isOffset: boolean;
  readonly wide: WideMode;
  readonly isRtl: boolean;
}

const whole = (page: number, size: Size): Leaf => ({ page, part: 'whole', turn: 'none', size });

const turned = (page: number, { width, height }: Size, turn: Turn): Leaf => ({
  page,
  part: 'whole',
  turn,
  size: { width: height, height: width },
});

const halves = (page: number, { width, height }: Size, order: readonly Part[]): readonly Leaf[] =>
  order.map((part) => ({ page, part, turn: 'none', size: { width: width / 2, height } }));

const LEFT_FIRST = ['left', 'right'] as const;
const RIGHT_FIRST = ['right', 'left'] as const;

const WIDE = {
  whole: (page, size) => [whole(page, size)],
  split: (page, size, isRtl) => halves(page, size, isRtl ? RIGHT_FIRST : LEFT_FIRST),
  'split-swapped': (page, size, isRtl) => halves(page, size, isRtl ? LEFT_FIRST : RIGHT_FIRST),
  turned: (page, size) => [turned(page, size, 'right')],
  'turned-left': (page, size) => [turned(page, size, 'left')],
} satisfies Record<WideMode, (page: number, size: Size, isRtl: boolean) => readonly Leaf[]>;

/**
 * Whether the first pair begins one page later. A wide page lies on a left and a right page, so the pages before it are whole pairs. If one is
 * left over, it is the first: a title page scanned without its blank back.
 */
const isFoundOffset = (sizes: readonly Size[], isCoverAlone: boolean): boolean => {
  const first = sizes.findIndex(isWide);
  const before = first - (isCoverAlone ? 1 : 0);
  return before > 0 && before % 2 === 1;
};

const pairsOf = (sizes: readonly Size[], { isCoverAlone, isOffset }: SpreadOptions): readonly Spread[] => {
  const start = isCoverAlone ? 1 : 0;
  const alone = isFoundOffset(sizes, isCoverAlone) !== isOffset ? start : -1;
  const spreads: Leaf[][] = [];
  let open: Leaf[] | undefined;
  for (const [page, size] of sizes.entries()) {
    const leaf = whole(page, size);
    if (isWide(size) || page === alone || (isCoverAlone && page === 0)) {
      spreads.push([leaf]);
      open = undefined;
    } else if (open === undefined) {
      open = [leaf];
      spreads.push(open);
    } else {
      open.push(leaf);
      open = undefined;
    }
  }
  return spreads;
};

/** Two pages at a time show a wide page as it was printed, so it is split or turned only where pages come one by one. */
export const spreadsOf = (sizes: readonly Size[], options: SpreadOptions): readonly Spread[] =>
  options.isDouble
    ? pairsOf(sizes, options)
    : sizes.flatMap((size, page) =>
        (isWide(size) ? WIDE[options.wide](page, size, options.isRtl) : [whole(page, size)]).map((leaf) => [leaf]),
      );

/** The first spread that shows a page; the last one for a page after all others. */
export const spreadOfPage = (spreads: readonly Spread[], page: number): number => {
  const found = spreads.findIndex((spread) => spread.some((leaf) => leaf.page >= page));
  return found < 0 ? Math.max(0, spreads.length - 1) : found;
};

/** The page that counts as read while a spread is shown. */
export const lastPageOf = (spread: Spread): number => Math.max(0, ...spread.map(({ page }) => page));
export const firstPageOf = (spread: Spread): number => Math.min(...spread.map(({ page }) => page));

/** From left to right. */
export const onScreen = (spread: Spread, isRtl: boolean): Spread => (isRtl ? [...spread].reverse() : spread);
