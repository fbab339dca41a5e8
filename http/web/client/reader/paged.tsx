// One page or one pair of pages at a time.
import { type ReadonlySignal, type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { prefetchNextBook } from './next-book.js';
import { PageBox, urlOf } from './page-box.js';
import type { Reading } from './reading.js';
import { boxesOf, withinMargins } from './rules/fit.js';
import type { Size } from './rules/pages.js';
import { planAhead } from './rules/read-ahead.js';
import type { ZoomStart } from './rules/settings.js';
import { firstPageOf, lastPageOf, onScreen, type Spread, spreadOfPage, spreadsOf } from './rules/spreads.js';
import { behaviorOf } from './scrolling.js';
import { EndCard } from './transition.js';

const PIXELS = 40e6;
const SAME_PX = 2;

const spreadsIn = (reading: Reading): readonly Spread[] => {
  const { coverAlone, wide } = reading.stored.all.value;
  const { isDouble, isRtl } = reading.layout.value;
  const options = { isDouble, isCoverAlone: coverAlone, isOffset: reading.stored.isShifted.value, wide, isRtl };
  return spreadsOf(reading.borders.sizes.value, options);
};

const boxesIn = (reading: Reading, spread: Spread): readonly Size[] => {
  const zoom = reading.zoom.value;
  const sizes = spread.map(({ size }) => size);
  const { fit, pageMargin } = reading.stored.all.value;
  return boxesOf(sizes, withinMargins(reading.screen.value, pageMargin), fit).map(({ width, height }) => ({
    width: width * zoom,
    height: height * zoom,
  }));
};

const pixelsOf = (reading: Reading, spread: Spread): Size => {
  const { density } = reading.screen.value;
  const boxes = boxesIn(reading, spread);
  return {
    width: boxes.reduce((sum, { width }) => sum + width, 0) * density,
    height: Math.max(0, ...boxes.map(({ height }) => height)) * density,
  };
};

interface PagedState {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly spreads: ReadonlySignal<readonly Spread[]>;
  readonly index: Signal<number>;
  /** Which end of a page that is larger than the window is shown first; or, if it is above 0, the share of it that is above the window. And where the program itself scrolled to. */
  readonly entry: { heading: 1 | -1; above: number; scrolledTo: number };
}

const show = (reading: Reading, state: PagedState, index: number, heading: 1 | -1): void => {
  const spread = state.spreads.value[index];
  if (spread === undefined) return;
  state.entry.heading = heading;
  state.entry.above = 0;
  if (state.index.value !== index) reading.zoom.value = 1;
  state.index.value = index;
  reading.where.value = 'pages';
  reading.anchor.value = { page: firstPageOf(spread), share: 0 };
  reading.reached(lastPageOf(spread));
};

const turn = (reading: Reading, state: PagedState, heading: 1 | -1): void => {
  const next = state.index.value + heading;
  if (next < 0) reading.where.value = 'before';
  else if (next < state.spreads.value.length) show(reading, state, next, heading);
  else {
    const last = state.spreads.value.at(-1);
    if (last !== undefined) reading.reached(lastPageOf(last));
    reading.where.value = 'after';
  }
};

/** How far a page larger than the window can still be panned in this direction, in pixels. */
const remainingPan = (element: HTMLElement, reading: Reading, heading: 1 | -1) => {
  const { scrollTop, scrollLeft, clientHeight, clientWidth, scrollHeight, scrollWidth } = element;
  const sideways = reading.layout.value.isRtl ? -heading : heading;
  return {
    sideways,
    down: heading === 1 ? scrollHeight - clientHeight - scrollTop : scrollTop,
    across: sideways === 1 ? scrollWidth - clientWidth - scrollLeft : scrollLeft,
  };
};

/** Goes through a page that is larger than the window; false when there is no more of it this way. */
const pan = (reading: Reading, state: PagedState, heading: 1 | -1): boolean => {
  const element = state.element.current;
  if (element === null) return false;
  const { scrollTop, scrollLeft, clientHeight, clientWidth, scrollHeight } = element;
  const { sideways, down, across } = remainingPan(element, reading, heading);
  const share = reading.stored.all.value.step / 100;
  const behavior = behaviorOf(reading);
  if (down > SAME_PX) {
    element.scrollTo({ top: scrollTop + heading * Math.min(down, clientHeight * share), behavior });
    return true;
  }
  if (across <= SAME_PX) return false;
  const top = heading === 1 ? 0 : scrollHeight;
  element.scrollTo({ left: scrollLeft + sideways * Math.min(across, clientWidth * share), top, behavior });
  return true;
};

const useViewHandle = (reading: Reading, state: PagedState): void => {
  const current = useRef(state);
  current.current = state;
  useEffect(() => {
    reading.view.current = {
      step: (heading) => {
        if (!pan(reading, current.current, heading)) turn(reading, current.current, heading);
      },
      goTo: (page, above = 0) => {
        const { spreads, index, entry, element } = current.current;
        const from = index.value;
        show(reading, current.current, spreadOfPage(spreads.value, page), 1);
        if (index.value !== from) entry.above = above;
        else if (element.current !== null) element.current.scrollTop = above * element.current.scrollHeight;
      },
      scroll: (share) => {
        const { element } = current.current;
        element.current?.scrollBy({ top: share * element.current.clientHeight, behavior: behaviorOf(reading) });
      },
      isAtEnd: () => {
        const { index, spreads, element } = current.current;
        if (element.current === null || index.value < spreads.value.length - 1) return false;
        const { down, across } = remainingPan(element.current, reading, 1);
        return down <= SAME_PX && across <= SAME_PX;
      },
      glide: () => false,
    };
    return () => {
      reading.view.current = null;
    };
  }, [reading]);
};

/** From the left, as a share of what is wider than the window. */
const STARTS: Readonly<Record<Exclude<ZoomStart, 'reading'>, number>> = { left: 0, center: 0.5, right: 1 };

const startOf = (start: ZoomStart, isRtl: boolean, heading: 1 | -1): number => {
  if (start !== 'reading') return STARTS[start];
  return isRtl === (heading === 1) ? 1 : 0;
};

/** Another page begins where reading does; a zoom keeps what is in the middle. */
const useEntry = (reading: Reading, state: PagedState): void => {
  const index = state.index.value;
  const zoom = reading.zoom.value;
  const before = useRef({ index: -1, zoom });
  useLayoutEffect(() => {
    const element = state.element.current;
    const last = before.current;
    before.current = { index, zoom };
    if (element === null) return;
    const { clientWidth, clientHeight, scrollWidth, scrollHeight, scrollLeft, scrollTop } = element;
    if (last.index !== index) {
      const { isRtl } = reading.layout.value;
      const { zoomStart } = reading.stored.all.value;
      element.scrollLeft = (scrollWidth - clientWidth) * startOf(zoomStart, isRtl, state.entry.heading);
      if (state.entry.above > 0) element.scrollTop = state.entry.above * scrollHeight;
      else element.scrollTop = state.entry.heading === 1 ? 0 : scrollHeight;
      state.entry.above = 0;
      state.entry.scrolledTo = element.scrollTop;
    } else if (last.zoom !== zoom) {
      const by = zoom / last.zoom;
      element.scrollLeft = (scrollLeft + clientWidth / 2) * by - clientWidth / 2;
      element.scrollTop = (scrollTop + clientHeight / 2) * by - clientHeight / 2;
    }
  }, [index, zoom, reading, state]);
};

/** The place inside a page that is longer than the window. The last page counts as read as soon as it is shown, so no place is stored for it. */
const usePlaceInPage = (reading: Reading, { element, spreads, index, entry }: PagedState): void => {
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const scrolled = (): void => {
      const [leaf, ...others] = spreads.value[index.value] ?? [];
      if (leaf === undefined || others.length > 0 || leaf.part !== 'whole' || leaf.turn !== 'none') return;
      if (reading.where.value !== 'pages' || leaf.page !== reading.anchor.peek().page) return;
      const { scrollTop, scrollHeight, clientHeight } = current;
      const isLong = reading.zoom.value === 1 && scrollHeight - clientHeight > SAME_PX;
      if (!isLong || leaf.page >= reading.opened.pages.length - 1) return;
      if (Math.abs(scrollTop - entry.scrolledTo) <= SAME_PX) return;
      entry.scrolledTo = Number.NaN; // from now on, the reader scrolls
      const above = scrollTop <= SAME_PX ? 0 : scrollTop / scrollHeight;
      reading.anchor.value = { page: leaf.page, share: 0, above };
      reading.reached(leaf.page, above, (scrollTop + clientHeight) / scrollHeight);
    };
    current.addEventListener('scroll', scrolled, { passive: true });
    return () => current.removeEventListener('scroll', scrolled);
  }, [reading]);
};

const useHeld = (reading: Reading, { spreads, index }: PagedState): void => {
  const sizes = useComputed(() => spreads.value.map((spread) => pixelsOf(reading, spread)));
  useSignalEffect(() => {
    const options = {
      first: index.value,
      last: index.value,
      pace: reading.pace.value,
      sizes: sizes.value,
      pixels: PIXELS,
    };
    const plan = planAhead(options);
    if (plan.wantsNextBook) prefetchNextBook(reading);
    const urlsAt = (at: number): readonly string[] => {
      const spread = spreads.value[at] ?? [];
      const boxes = boxesIn(reading, spread);
      return spread.flatMap((leaf, n) => {
        const box = boxes[n];
        return box === undefined ? [] : [urlOf(reading, leaf, box)];
      });
    };
    const [shown = 0, ...ahead] = plan.pages;
    reading.images.hold(urlsAt(shown), ahead.flatMap(urlsAt));
  });
};

const keyOf = (spread: Spread): string => spread.map(({ page, part }) => `${page}${part}`).join(' ');

const SpreadView = ({ reading, spread }: { readonly reading: Reading; readonly spread: Spread }) => {
  const boxes = boxesIn(reading, spread);
  const { isRtl } = reading.layout.value;
  const boxOf = new Map(spread.map((leaf, n) => [leaf, boxes[n]]));
  return (
    <div class="spread">
      {onScreen(spread, isRtl).map((leaf) => {
        const box = boxOf.get(leaf);
        return box === undefined ? null : (
          <PageBox key={`${leaf.page}${leaf.part}`} reading={reading} leaf={leaf} box={box} />
        );
      })}
    </div>
  );
};

export const Paged = ({ reading }: { readonly reading: Reading }) => {
  const element = useRef<HTMLDivElement>(null);
  const spreads = useComputed(() => spreadsIn(reading));
  const index = useSignal(spreadOfPage(spreads.peek(), reading.anchor.peek().page));
  const entry = useRef<PagedState['entry']>({ heading: 1, above: reading.anchor.peek().above ?? 0, scrolledTo: 0 });
  const state: PagedState = { element, spreads, index, entry: entry.current };
  useSignalEffect(() => {
    // Other pairs: the page that was being read is in one of them.
    const now = spreads.value;
    const shown = now[index.peek()];
    const { page, above = 0 } = reading.anchor.peek();
    if (shown?.some((leaf) => leaf.page === page) === true) return;
    entry.current.above = above;
    index.value = spreadOfPage(now, page);
  });
  useSignalEffect(() => {
    const shown = spreads.value[index.value] ?? [];
    reading.pair.value = shown.length > 1 ? [firstPageOf(shown), lastPageOf(shown)] : null;
    return () => {
      reading.pair.value = null;
    };
  });
  useViewHandle(reading, state);
  useEntry(reading, state);
  usePlaceInPage(reading, state);
  useHeld(reading, state);
  const spread = spreads.value[index.value];
  const where = reading.where.value;
  return (
    <div class="paged" ref={element}>
      {where === 'pages' && spread !== undefined && (
        <SpreadView key={keyOf(spread)} reading={reading} spread={spread} />
      )}
      {where !== 'pages' && <EndCard reading={reading} heading={where === 'after' ? 1 : -1} />}
    </div>
  );
};
