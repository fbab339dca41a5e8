// The rendered pages of a strip: those on the screen, and those likely to be needed next.
import { type ReadonlySignal, useComputed, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { HeldImage } from './images.js';
import { prefetchNextBook } from './next-book.js';
import { PageBox, urlOf } from './page-box.js';
import type { Reading } from './reading.js';
import type { Size } from './rules/pages.js';
import { planAhead } from './rules/read-ahead.js';
import type { Leaf } from './rules/spreads.js';
import { pagesWithin, type StripLayout } from './rules/strip-layout.js';

/** Decoded pixels that may be kept besides those on the screen, four bytes each. */
const PIXELS = 10e6;

const leafOf = (page: number, size: Size): Leaf => ({ page, part: 'whole', turn: 'none', size });

/** The pixels of images as requested, at most. */
const decodedSizes = ({ boxes }: StripLayout, density: number): readonly Size[] =>
  boxes.map(({ width, height }) => ({ width: width * density, height: height * density }));

/**
 * A page as it is drawn: one that meets the next reaches a pixel below it. With a fraction of a pixel of the screen to a pixel of the page,
 * its edge may lie inside a pixel of the screen, where the background would show as a line.
 */
const drawn = ({ boxes, starts }: StripLayout, page: number, isAcross: boolean): Size | undefined => {
  const box = boxes[page];
  if (box === undefined || page === boxes.length - 1) return box;
  const room = (starts[page + 1] ?? 0) - (starts[page] ?? 0);
  if (room > (isAcross ? box.width : box.height)) return box; // there is a gap
  return isAcross ? { ...box, width: box.width + 1 } : { ...box, height: box.height + 1 };
};

/** Nothing is stretched where pixels of the page are whole pixels of the screen. */
const drawnIn = (reading: Reading, layout: StripLayout, page: number): Size | undefined =>
  Number.isInteger(reading.screen.value.density)
    ? layout.boxes[page]
    : drawn(layout, page, reading.layout.value.mode === 'strip-across');

interface Place {
  readonly layout: ReadonlySignal<StripLayout>;
  readonly scroll: { readonly value: number };
}

const numbersIn = (text: string): readonly number[] => (text === '' ? [] : text.split(' ').map(Number));

/** The pages to render, in order; those around the window are loaded first. */
const usePages = (reading: Reading, state: Place): readonly number[] => {
  const range = useComputed(() => {
    const { layout, scroll } = state;
    const [first, last] = pagesWithin(layout.value, scroll.value, scroll.value + layout.value.view);
    return `${first} ${last}`;
  });
  const plan = useComputed(() => {
    const [first = 0, last = 0] = numbersIn(range.value);
    const sizes = decodedSizes(state.layout.value, reading.screen.value.density);
    return planAhead({ first, last, pace: reading.pace.value, sizes, pixels: PIXELS });
  });
  // As strings, so that an equal plan triggers no update.
  const urgent = useComputed(() => plan.value.pages.join(' '));
  const inOrder = useComputed(() => [...plan.value.pages].sort((a, b) => a - b).join(' '));
  const wantsNextBook = useComputed(() => plan.value.wantsNextBook);
  useSignalEffect(() => {
    if (wantsNextBook.value) prefetchNextBook(reading);
  });
  useSignalEffect(() => {
    const layout = state.layout.value;
    const urlsOf = (pages: readonly number[]): readonly string[] =>
      pages.flatMap((page) => {
        const [box, size] = [drawnIn(reading, layout, page), reading.borders.sizes.value[page]];
        return box === undefined || size === undefined ? [] : [urlOf(reading, leafOf(page, size), box)];
      });
    const [first = 0, last = 0] = numbersIn(range.value);
    const pages = numbersIn(urgent.value);
    const count = last - first + 1;
    reading.images.hold(urlsOf(pages.slice(0, count)), urlsOf(pages.slice(count)));
  });
  return numbersIn(inOrder.value);
};

const px = (value: number): string => `${value}px`;

const placed = (layout: StripLayout, page: number, isAcross: boolean): Readonly<Record<string, string>> => {
  const start = px(layout.starts[page] ?? 0);
  return isAcross ? { insetInlineStart: start } : { insetBlockStart: start };
};

interface PageElement {
  readonly layout: StripLayout;
  /** A new one if the page was released and is needed again. */
  readonly held: HeldImage;
  readonly element: JSX.Element;
}

/**
 * The pages as elements. One that stays is the same object in the next render and is skipped there: scrolling creates only the pages that
 * come into range.
 */
const useElements = (reading: Reading, layout: StripLayout, shown: readonly number[]): readonly JSX.Element[] => {
  const before = useRef<ReadonlyMap<number, PageElement>>(new Map());
  const sizes = reading.borders.sizes.value;
  const isAcross = reading.layout.value.mode === 'strip-across';
  const now = new Map<number, PageElement>();
  for (const page of shown) {
    const [size, box, known] = [sizes[page], drawnIn(reading, layout, page), before.current.get(page)];
    if (size === undefined || box === undefined) continue;
    const leaf = leafOf(page, size);
    const held = reading.images.at(urlOf(reading, leaf, box));
    const isSame = known?.layout === layout && known.held === held;
    const style = placed(layout, page, isAcross);
    const element = <PageBox key={page} reading={reading} leaf={leaf} box={box} style={style} />;
    now.set(page, isSame ? known : { layout, held, element });
  }
  before.current = now;
  return [...now.values()].map(({ element }) => element);
};

export const usePageElements = (reading: Reading, place: Place): readonly JSX.Element[] =>
  useElements(reading, place.layout.value, usePages(reading, place));
