// The ways in which apps name a place in a book, and conversions between them: an item of the spine (by number or href) with the share of it
// that was read, a Readium position, the share of the whole book, a page. Pure; `spine` is `Outline.spine` (catalog/outlines.ts reads it).
import type { SpineItem } from '../model/outline.js';

/** The spine of a book with the number of positions before each item. */
export interface Spine {
  readonly items: readonly SpineItem[];
  readonly before: readonly number[];
  /** Positions of the whole book. */
  readonly total: number;
}

export interface Place {
  /** Number of the item in the spine, from 0. */
  readonly index: number;
  /** Path of the item inside the archive. */
  readonly href: string;
  readonly mediaType: string;
  /** From 1, of the whole book. */
  readonly position: number;
  /** Share of the item that lies before the position: 0 at its beginning. */
  readonly progression: number;
  /** Share of the book read when the position has been read: 1 at the last one. */
  readonly totalProgression: number;
}

export const spineOf = (items: readonly SpineItem[]): Spine => {
  const before: number[] = [];
  let total = 0;
  for (const { positions } of items) {
    before.push(total);
    total += positions;
  }
  return { items, before, total };
};

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** Apps round shares, some to single precision: a share a little above that of a part is still that part's. */
const ROUNDING = 1e-6;

/** From 1: the part that a share (0 to 1) of `count` equal parts ends in. */
export const partOfShare = (share: number, count: number): number =>
  clamp(Math.ceil((share - ROUNDING) * count), 1, Math.max(1, count));

/** The last item that begins before the position. */
const indexOf = ({ before }: Spine, position: number): number => {
  let [low, high] = [0, before.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((before[middle] ?? 0) < position) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** A position outside the book is the nearest one. Undefined for a spine without items. */
export const placeOfPosition = (spine: Spine, wanted: number): Place | undefined => {
  const position = clamp(Math.round(wanted), 1, spine.total);
  const index = indexOf(spine, position);
  const item = spine.items[index];
  if (item === undefined) return undefined;
  const { href, mediaType, positions } = item;
  return {
    index,
    href,
    mediaType,
    position,
    progression: (position - 1 - (spine.before[index] ?? 0)) / positions,
    totalProgression: position / spine.total,
  };
};

/** `share`: 0 to 1, of the whole book. */
export const placeOfShare = (spine: Spine, share: number): Place | undefined =>
  placeOfPosition(spine, partOfShare(share, spine.total));

/** `index` from 0; undefined for an item that is not there. `progression`: 0 to 1, of the item. */
export const placeOfItem = (spine: Spine, index: number, progression = 0): Place | undefined => {
  const item = spine.items[index];
  if (item === undefined) return undefined;
  const within = clamp(Math.floor((progression + ROUNDING) * item.positions), 0, item.positions - 1);
  return placeOfPosition(spine, (spine.before[index] ?? 0) + within + 1);
};

/** The number of the item that an address inside the archive is of; its fragment does not matter. */
export const itemOfHref = ({ items }: Spine, href: string): number | undefined => {
  const path = href.split('#', 1)[0];
  const found = items.findIndex((item) => item.href === path);
  return found < 0 ? undefined : found;
};

export const placeOfHref = (spine: Spine, href: string, progression = 0): Place | undefined => {
  const index = itemOfHref(spine, href);
  return index === undefined ? undefined : placeOfItem(spine, index, progression);
};

/** A book that is read like a comic has images as its pages, which need not be as many as its positions. */
export const pageOfPosition = (position: number, total: number, pageCount: number): number =>
  total === pageCount ? clamp(position, 1, Math.max(1, pageCount)) : partOfShare(position / total, pageCount);

export const positionOfPage = (page: number, pageCount: number, total: number): number =>
  pageOfPosition(page, pageCount, total);
