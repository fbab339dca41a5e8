// The pages of a book as one continuous strip, down or across. Boxes are where they are from the beginning; only those near the window
// exist, and nothing moves when an image arrives.
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Reading } from './reading.js';
import {
  anchorAt,
  isEndSeen,
  positionOfSpot,
  type StripLayout,
  scrollOfAnchor,
  scrollOfPage,
  shareAbove,
  spotAt,
  stripLayout,
} from './rules/strip-layout.js';
import { type Axis, acrossAxis, behaviorOf, DOWN } from './scrolling.js';
import { useStripFlow } from './strip-flow.js';
import { usePageElements } from './strip-pages.js';
import { EndCard, followNeighbour } from './transition.js';

/** The page about the next book, as a share of the window. */
const TAIL = 0.8;
/** Scroll positions are rounded to fractions of a pixel. */
const SAME_PX = 2;

const layoutOf = (reading: Reading): StripLayout => {
  const { stripFit: fit, padding, stripMost: most, gap } = reading.stored.all.value;
  const isAcross = reading.layout.value.mode === 'strip-across';
  const screen = reading.screen.value;
  const tail = Math.round((isAcross ? screen.width : screen.height) * TAIL);
  const options = {
    isAcross,
    fit,
    padding: padding / 100,
    most: isAcross ? 0 : most,
    gap,
    tail,
    zoom: reading.zoom.value,
  };
  return stripLayout(reading.borders.sizes.value, screen, options);
};

interface StripState {
  readonly element: { readonly current: HTMLDivElement | null };
  readonly layout: ReadonlySignal<StripLayout>;
  readonly axis: ReadonlySignal<Axis>;
  readonly scroll: { value: number };
  /** Where the program scrolled to: the scroll event that follows does not count as reading. */
  readonly own: { at: number };
  /** The scroll position at which the menu was first seen; null while it is hidden. */
  readonly menu: { from: number | null };
  /** Whether the end of the book has been on the screen, since the last page was reached. */
  readonly end: { isSeen: boolean };
  /** Where a smooth scroll is going. */
  readonly aim: { at: number; untilMs: number };
}

const placeAt = (state: StripState, position: number, behavior: ScrollBehavior = 'instant'): void => {
  const element = state.element.current;
  if (element === null) return;
  if (behavior === 'instant') state.own.at = position;
  element.scrollTo(state.axis.value.options(position, behavior));
  if (behavior === 'instant') state.scroll.value = state.axis.value.read(element);
};

/** What a person's scrolling means. */
const report = (reading: Reading, state: StripState): void => {
  const [layout, scroll] = [state.layout.value, state.scroll.value];
  const anchor = anchorAt(layout, scroll);
  reading.anchor.value = anchor;
  const last = reading.opened.pages.length - 1;
  // The last page counts as read once its end has been seen, even if it is the only page; scrolling up in it changes nothing.
  state.end.isSeen = isEndSeen(layout, scroll) || (state.end.isSeen && anchor.page === last);
  if (state.end.isSeen) reading.reached(last);
  else
    reading.reached(
      anchor.page,
      shareAbove(layout, scroll, anchor.page),
      shareAbove(layout, scroll + layout.view, anchor.page),
    );
};

const SMOOTH_MS = 600;

const moveBy = (reading: Reading, state: StripState, delta: number): void => {
  const element = state.element.current;
  if (element === null) return;
  const behavior = behaviorOf(reading);
  const now = performance.now();
  // Keys pressed while it still moves add up.
  const from = now < state.aim.untilMs ? state.aim.at : state.axis.value.read(element);
  const to = Math.min(Math.max(0, from + delta), Math.max(0, state.layout.value.length - state.layout.value.view));
  Object.assign(state.aim, { at: to, untilMs: behavior === 'smooth' ? now + SMOOTH_MS : 0 });
  element.scrollTo(state.axis.value.options(to, behavior));
};

const jumpTo = (reading: Reading, state: StripState, page: number, above = 0): void => {
  const layout = state.layout.value;
  reading.where.value = 'pages';
  state.aim.untilMs = 0;
  placeAt(state, above > 0 ? scrollOfAnchor(layout, { page, share: 0, above }) : scrollOfPage(layout, page));
  report(reading, state);
};

const useViewHandle = (reading: Reading, state: StripState): void => {
  useEffect(() => {
    const viewOf = (): number => state.layout.value.view;
    const isAtStart = (): boolean => state.scroll.value < SAME_PX;
    const isAtEnd = (): boolean => state.scroll.value + viewOf() >= state.layout.value.length - SAME_PX;
    const isLastSeen = (): boolean => isEndSeen(state.layout.value, state.scroll.value);
    reading.view.current = {
      step: (heading) => {
        if (heading === -1 && isAtStart()) reading.where.value = 'before';
        else if (heading === 1 && isAtEnd()) followNeighbour(reading, 1);
        else moveBy(reading, state, (heading * viewOf() * reading.stored.all.value.step) / 100);
      },
      goTo: (page, above) => jumpTo(reading, state, page, above),
      scroll: (share) => moveBy(reading, state, share * viewOf()),
      isAtEnd: isLastSeen,
      glide: (pixels) => {
        if (isLastSeen() || state.element.current === null) return false;
        state.element.current.scrollTo(
          state.axis.value.options(state.axis.value.read(state.element.current) + pixels, 'instant'),
        );
        return true;
      },
    };
    return () => {
      reading.view.current = null;
    };
  }, [reading, state]);
};

/** The place of the reader survives every change of the layout, and what lies under fingers that zoom stays there. */
const useKeptPlace = (reading: Reading, state: StripState): void => {
  const before = useRef<StripLayout | null>(null);
  const zoom = useRef(reading.zoom.value);
  const layout = state.layout.value;
  useLayoutEffect(() => {
    const isZoomed = zoom.current !== reading.zoom.value;
    zoom.current = reading.zoom.value;
    if (before.current !== null && isZoomed) {
      const middle = layout.view / 2;
      placeAt(state, positionOfSpot(layout, spotAt(before.current, state.scroll.value + middle)) - middle);
      reading.anchor.value = anchorAt(layout, state.scroll.value);
    } else placeAt(state, Math.round(scrollOfAnchor(layout, reading.anchor.value)));
    const { current } = state.element;
    if (current !== null && state.axis.value === DOWN)
      current.scrollLeft = (current.scrollWidth - current.clientWidth) / 2;
    before.current = layout;
  }, [layout, reading, state]);
};

/** Scrolling this share of the window hides the menu; a finger that touches down may scroll a few pixels. */
const MENU_HIDE_SHARE = 0.1;

const hideMenu = (reading: Reading, { layout, scroll, menu }: StripState): void => {
  if (!reading.isMenuShown.peek()) menu.from = null;
  else if (menu.from === null) menu.from = scroll.value;
  else if (Math.abs(scroll.value - menu.from) > layout.value.view * MENU_HIDE_SHARE) reading.isMenuShown.value = false;
};

const onScroll = (reading: Reading, state: StripState): void => {
  const element = state.element.current;
  if (element === null) return;
  const { layout, axis, own, scroll } = state;
  // A window that changes its size scrolls before we know of it.
  if (Math.abs((axis.value === DOWN ? element.clientHeight : element.clientWidth) - layout.value.view) > 1) return;
  scroll.value = axis.value.read(element);
  const isOwn = Math.abs(scroll.value - own.at) < SAME_PX;
  own.at = Number.NaN;
  if (isOwn) return;
  report(reading, state);
  hideMenu(reading, state);
};

const useStripState = (reading: Reading): StripState => {
  const element = useRef<HTMLDivElement>(null);
  const scroll = useSignal(0);
  const layout = useComputed(() => layoutOf(reading));
  const axis = useComputed(() =>
    reading.layout.value.mode === 'strip-across' ? acrossAxis(reading.layout.value.isRtl) : DOWN,
  );
  return useMemo(
    () => ({
      element,
      layout,
      axis,
      scroll,
      own: { at: Number.NaN },
      menu: { from: null },
      end: { isSeen: false },
      aim: { at: 0, untilMs: 0 },
    }),
    [layout, axis, scroll],
  );
};

const px = (value: number): string => `${value}px`;

/** A wheel turns downwards, also beside a strip that lies. */
const wheelAcross = (event: WheelEvent, state: StripState): void => {
  if (event.ctrlKey || state.axis.value === DOWN || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
  const element = state.element.current;
  element?.scrollTo(state.axis.value.options(state.axis.value.read(element) + event.deltaY, 'instant'));
};

const useTail = (reading: Reading, layout: StripLayout, isAcross: boolean): JSX.Element =>
  useMemo(() => {
    const [at, length] = [px(layout.starts.at(-1) ?? 0), px(layout.view * TAIL)];
    return (
      <div class="strip-tail" style={isAcross ? { insetInlineStart: at, width: length } : { top: at, height: length }}>
        <EndCard reading={reading} heading={1} />
      </div>
    );
  }, [reading, layout, isAcross]);

export const Strip = ({ reading }: { readonly reading: Reading }) => {
  const state = useStripState(reading);
  const { mode, isRtl } = reading.layout.value;
  const isAcross = mode === 'strip-across';
  const layout = state.layout.value;
  useKeptPlace(reading, state);
  useViewHandle(reading, state);
  useStripFlow(reading, state);
  const pages = usePageElements(reading, state);
  const tail = useTail(reading, layout, isAcross);
  const widest = isAcross ? 0 : Math.max(0, ...layout.boxes.map(({ width }) => width));
  const size = isAcross
    ? { width: px(layout.length), height: '100%' }
    : { height: px(layout.length), minWidth: px(widest) };
  return (
    <div
      class={`strip ${isAcross ? 'across' : 'down'}`}
      ref={state.element}
      style={{ direction: isAcross && isRtl ? 'rtl' : 'ltr' }}
      onScroll={() => onScroll(reading, state)}
      onWheel={(event) => wheelAcross(event, state)}
    >
      <div class="strip-pages" style={size}>
        {pages}
        {tail}
      </div>
    </div>
  );
};
