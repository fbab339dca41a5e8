// Where the pages of a continuous strip lie. Every size is known before anything is loaded, so nothing ever moves. Along the strip only one
// coordinate matters: from the top of a vertical strip, or from the edge where reading begins of a horizontal one.
import { boxOf, type Screen } from './fit.js';
import type { Size } from './pages.js';

export const STRIP_FITS = ['fill', 'screen', 'original', 'shrink'] as const;
/** As wide as the window (as tall, if the strip lies), wholly within it, in pixels of the image, or the smaller of the first and the last. */
export type StripFit = (typeof STRIP_FITS)[number];

export interface StripOptions {
  readonly isAcross: boolean;
  readonly fit: StripFit;
  /** Empty on either side of the pages, as a share of the window: 0 to 0.4. */
  readonly padding: number;
  /** Of a page across the strip, in CSS pixels; 0 for no limit. */
  readonly most: number;
  /** Between pages, in CSS pixels. */
  readonly gap: number;
  /** After the last page. */
  readonly tail: number;
  /** 1 for as large as the fit says. */
  readonly zoom: number;
}

export interface StripLayout {
  /** Where each page begins, and at last where the strip ends. */
  readonly starts: Float64Array;
  readonly boxes: readonly Size[];
  readonly length: number;
  /** Of the window, along the strip. */
  readonly view: number;
}

/** A place that outlives a change of the layout. */
export interface Anchor {
  /** From 0. */
  readonly page: number;
  /** Share of the page, with the gap after it, that lies before the place. */
  readonly share: number;
  /** Instead of `share`, as other devices name it: the share of the page that lies above the window. */
  readonly above?: number;
}

const ENDLESS = Number.MAX_SAFE_INTEGER;

/** The room that a page may take. */
const roomOf = (screen: Screen, { isAcross, fit, padding, most, zoom }: StripOptions): Screen => {
  const full = (isAcross ? screen.height : screen.width) * (1 - 2 * padding);
  const across = (most > 0 ? Math.min(full, most) : full) * zoom;
  const along = fit === 'screen' ? (isAcross ? screen.width : screen.height) * zoom : ENDLESS;
  const density = screen.density / zoom;
  return isAcross ? { width: along, height: across, density } : { width: across, height: along, density };
};

const FIT = { fill: 'screen', screen: 'screen', original: 'original', shrink: 'shrink' } as const;

/** Whole pixels, so that no seam shows between the parts of a drawing. */
const whole = ({ width, height }: Size): Size => ({
  width: Math.max(1, Math.round(width)),
  height: Math.max(1, Math.round(height)),
});

export const stripLayout = (sizes: readonly Size[], screen: Screen, options: StripOptions): StripLayout => {
  const room = roomOf(screen, options);
  const boxes = sizes.map((size) => whole(boxOf(size, room, FIT[options.fit])));
  const starts = new Float64Array(sizes.length + 1);
  for (const [page, box] of boxes.entries()) {
    const gap = page < boxes.length - 1 ? options.gap : 0;
    starts[page + 1] = (starts[page] ?? 0) + (options.isAcross ? box.width : box.height) + gap;
  }
  const length = (starts.at(-1) ?? 0) + options.tail;
  return { starts, boxes, length, view: options.isAcross ? screen.width : screen.height };
};

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** The last page that begins at or before a position. */
export const pageAt = ({ starts }: StripLayout, position: number): number => {
  let [low, high] = [0, Math.max(0, starts.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
};

const endOf = ({ starts }: StripLayout): number => starts.at(-1) ?? 0;
const lastScroll = (layout: StripLayout): number => Math.max(0, endOf(layout) - layout.view);

/**
 * Where the reader looks while a strip is scrolled this far: a line that is at the top of the window at the beginning and at its bottom at the
 * end, so that each page is passed exactly once, also those too short to reach the top. What follows the last page does not count.
 */
export const lineAt = (layout: StripLayout, scroll: number): number => {
  const last = lastScroll(layout);
  return last === 0 ? endOf(layout) : clamp(scroll * (endOf(layout) / last), 0, endOf(layout));
};

const scrollOfLine = (layout: StripLayout, line: number): number => {
  const end = endOf(layout);
  return end === 0 ? 0 : line * (lastScroll(layout) / end);
};

export const anchorAt = (layout: StripLayout, scroll: number): Anchor => {
  const line = lineAt(layout, scroll);
  const page = pageAt(layout, line);
  const [start, end] = [layout.starts[page] ?? 0, layout.starts[page + 1] ?? 0];
  return { page, share: end > start ? clamp((line - start) / (end - start), 0, 1) : 0 };
};

/** Servers and browsers write numbers down differently; a millionth of a page is less than a pixel. */
const exact = (share: number): number => Math.round(share * 1e6) / 1e6;

/** The share of a page that is above the window. */
export const shareAbove = (layout: StripLayout, scroll: number, page: number): number => {
  const [start, end] = [layout.starts[page] ?? 0, layout.starts[page + 1] ?? 0];
  return end > start ? exact(clamp((scroll - start) / (end - start), 0, 1)) : 0;
};

export const scrollOfAnchor = (layout: StripLayout, { page, share, above = 0 }: Anchor): number => {
  const [start, end] = [layout.starts[page] ?? 0, layout.starts[page + 1] ?? 0];
  // A page that begins inside the window, or at its top, says no more than its number.
  if (above > 0) return Math.min(lastScroll(layout), start + above * (end - start));
  return scrollOfLine(layout, start + share * (end - start));
};

/** A browser rounds what it scrolls to; a line this far inside a page is still in it. */
const INSIDE = 1;

/** Brings a page to the top if that makes it the page being read; otherwise as near as does. */
export const scrollOfPage = (layout: StripLayout, page: number): number => {
  const at = clamp(page, 0, Math.max(0, layout.starts.length - 2));
  const start = layout.starts[at] ?? 0;
  const least = scrollOfLine(layout, start) + INSIDE;
  const most = scrollOfLine(layout, layout.starts[at + 1] ?? 0) - INSIDE;
  return Math.ceil(clamp(start, least, Math.max(least, most)) - (at === 0 ? INSIDE : 0));
};

/** The pages of which any part is within a stretch. */
export const pagesWithin = (layout: StripLayout, from: number, to: number): readonly [first: number, last: number] => [
  pageAt(layout, from),
  pageAt(layout, to),
];

/** The place at a position, wherever the reader looks: what stays under the fingers that zoom. */
export const spotAt = (layout: StripLayout, position: number): Anchor => {
  const page = pageAt(layout, position);
  const [start, end] = [layout.starts[page] ?? 0, layout.starts[page + 1] ?? 0];
  return { page, share: end > start ? (position - start) / (end - start) : 0 };
};

export const positionOfSpot = ({ starts }: StripLayout, { page, share }: Anchor): number => {
  const [start, end] = [starts[page] ?? 0, starts[page + 1] ?? 0];
  return start + share * (end - start);
};

/** The end of the last page is on the screen. */
export const isEndSeen = (layout: StripLayout, scroll: number): boolean =>
  scroll + layout.view >= endOf(layout) - INSIDE;
