// A wall of covers, however many: rows have one height, known before anything is loaded, so only those near the window exist, and nothing
// ever moves. Cards are loaded in blocks.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { takeScroll } from '../state/router.js';
import { moveByArrows } from './arrow-keys.js';
import { useSavedFocus } from './saved-focus.js';

interface Measures {
  readonly columns: number;
  readonly cardPx: number;
  readonly rowPx: number;
  /** From the top of the document to the wall. */
  readonly topPx: number;
}

const CARD_MIN_PX = 138;
const CARD_SMALL_PX = 92;
const GAP_PX = 14;
/** Below a cover: two lines of a title, one about it, and the space to the next row. */
const BELOW_PX = 88;
const ROWS_AROUND = 2;

const measured = (wall: HTMLElement): Measures => {
  const width = wall.clientWidth;
  const least = width < 500 ? CARD_SMALL_PX : CARD_MIN_PX;
  const columns = Math.max(2, Math.floor((width + GAP_PX) / (least + GAP_PX)));
  const cardPx = (width - GAP_PX * (columns - 1)) / columns;
  return {
    columns,
    cardPx,
    rowPx: Math.round(cardPx * 1.5) + BELOW_PX,
    topPx: wall.getBoundingClientRect().top + scrollY,
  };
};

const placesIn = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

/** Includes the card that has the focus, wherever it is: removing its element would lose the focus. In order, so that no element moves. */
const withHeld = (places: readonly number[], held: number | null): readonly number[] => {
  const [first, last] = [places[0], places.at(-1)];
  if (held === null || first === undefined || last === undefined) return places;
  if (held < first) return [held, ...places];
  return held > last ? [...places, held] : places;
};

const placeOf = (element: EventTarget | null): number | null => {
  const item = element instanceof Element ? element.closest('li[aria-posinset]') : null;
  return item === null ? null : Number(item.getAttribute('aria-posinset')) - 1;
};

const styleAt = (place: number, { columns, cardPx, rowPx }: Measures): Readonly<Record<string, string>> => ({
  inlineSize: `${cardPx}px`,
  insetInlineStart: `${(place % columns) * (cardPx + GAP_PX)}px`,
  transform: `translateY(${Math.floor(place / columns) * rowPx}px)`,
});

export interface WallProps {
  readonly total: number;
  /** What stands at a place, or null while it is not loaded. */
  readonly card: (index: number) => ComponentChildren;
  /** Called with the places that are to be seen. */
  readonly onSeen?: (from: number, to: number) => void;
  /** A position to scroll to, once. `focuses`: its card gets the focus too. */
  readonly jump?: { readonly to: number; readonly focuses?: true } | null;
  readonly label: string;
}

export const Wall = ({ total, card, onSeen, jump = null, label }: WallProps) => {
  const wall = useRef<HTMLUListElement>(null);
  const measures = useSignal<Measures | null>(null);
  const top = useSignal(scrollY);
  const held = useSignal<number | null>(null);
  const latest = useRef(onSeen);
  latest.current = onSeen;
  useSavedFocus(wall);

  useEffect(() => {
    const measure = (): void => {
      if (wall.current !== null) measures.value = measured(wall.current);
    };
    const scroll = (): void => {
      top.value = scrollY;
    };
    measure();
    const saved = takeScroll();
    if (saved > 0) requestAnimationFrame(() => scrollTo(0, saved));
    const observer = new ResizeObserver(measure);
    if (wall.current?.parentElement) observer.observe(wall.current.parentElement);
    addEventListener('resize', measure);
    addEventListener('scroll', scroll, { passive: true });
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
      removeEventListener('scroll', scroll);
    };
  }, [measures, top]);

  useEffect(() => {
    const known = measures.peek();
    if (jump === null || known === null) return undefined;
    scrollTo(0, known.topPx - 72 + Math.floor(jump.to / known.columns) * known.rowPx);
    if (jump.focuses !== true) return undefined;
    held.value = jump.to; // so that it exists, wherever it is
    const focus = (): void =>
      wall.current?.querySelector<HTMLElement>(`[aria-posinset="${jump.to + 1}"] a`)?.focus({ preventScroll: true });
    const frame = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(frame);
  }, [jump, measures, held]);

  const first = useComputed(() => {
    const known = measures.value;
    return known === null ? 0 : Math.max(0, Math.floor((top.value - known.topPx) / known.rowPx) - ROWS_AROUND);
  });
  useSignalEffect(() => {
    const known = measures.value;
    if (known === null) return;
    const from = first.value * known.columns;
    latest.current?.(from, from + (Math.ceil(innerHeight / known.rowPx) + 2 * ROWS_AROUND + 1) * known.columns);
  });

  const known = measures.value;
  const rows = known === null ? 0 : Math.ceil(total / known.columns);
  const shown = known === null ? 0 : Math.ceil(innerHeight / known.rowPx) + 2 * ROWS_AROUND + 1;
  const from = Math.min(first.value, Math.max(0, rows - shown));
  return (
    <ul
      ref={wall}
      class="wall"
      aria-label={label}
      style={{ blockSize: `${rows * (known?.rowPx ?? 0)}px` }}
      onKeyDown={moveByArrows}
      onFocusIn={({ target }) => {
        held.value = placeOf(target);
      }}
      onFocusOut={({ relatedTarget }) => {
        held.value = placeOf(relatedTarget);
      }}
    >
      {known !== null &&
        withHeld(
          placesIn(from * known.columns, Math.min(total, (from + shown) * known.columns)),
          held.value !== null && held.value < total ? held.value : null,
        ).map((place) => (
          <li key={place} aria-setsize={total} aria-posinset={place + 1} style={styleAt(place, known)}>
            {card(place) ?? <span class="cover" />}
          </li>
        ))}
    </ul>
  );
};
