// A strip goes on into the next book: whoever has reached its end and scrolls on opens it, as by its button.
import { useEffect } from 'preact/hooks';
import type { Reading } from './reading.js';
import { type Axis, DOWN } from './scrolling.js';
import { flowsOn, openNeighbour } from './transition.js';

/** Scrolled beyond the end, in CSS pixels. */
const ON_PX = 100;
/** The end was reached this long before, so that a fling does not run past what is said there. */
const REST_MS = 250;
const SAME_PX = 2;

interface Scroller {
  readonly element: { readonly current: HTMLElement | null };
  readonly axis: { readonly value: Axis };
}

interface Finger {
  readonly x: number;
  readonly y: number;
}

/** How far along the strip, towards its end. */
const alongOf = (reading: Reading, axis: Axis, right: number, down: number): number => {
  if (axis === DOWN) return down;
  if (Math.abs(down) > Math.abs(right)) return down;
  return reading.layout.value.isRtl ? -right : right;
};

const isAtEnd = (element: HTMLElement, axis: Axis): boolean => {
  const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
  const room = axis === DOWN ? scrollHeight - clientHeight : scrollWidth - clientWidth;
  return axis.read(element) >= room - SAME_PX;
};

const follow = (reading: Reading, element: HTMLElement, axisNow: () => Axis): (() => void) => {
  const control = new AbortController();
  const opts = { passive: true, signal: control.signal } as const;
  let reachedMs: number | undefined;
  let pulledPx = 0;
  let finger: Finger | undefined;
  const look = (): boolean => {
    if (!isAtEnd(element, axisNow())) {
      reachedMs = undefined;
      pulledPx = 0;
      return false;
    }
    reachedMs ??= performance.now();
    return performance.now() - reachedMs >= REST_MS;
  };
  const openAfter = (px: number): void => {
    if (px < ON_PX || !flowsOn(reading)) return;
    control.abort();
    openNeighbour(reading, 1);
  };
  const wheel = ({ deltaX, deltaY, ctrlKey }: WheelEvent): void => {
    const px = alongOf(reading, axisNow(), deltaX, deltaY);
    if (!look() || ctrlKey || px <= 0) pulledPx = 0;
    else {
      pulledPx += px;
      openAfter(pulledPx);
    }
  };
  const begin = ({ touches }: TouchEvent): void => {
    const touch = touches.length === 1 ? touches[0] : undefined;
    finger = touch !== undefined && look() ? { x: touch.clientX, y: touch.clientY } : undefined;
  };
  const move = ({ touches }: TouchEvent): void => {
    const touch = touches.length === 1 ? touches[0] : undefined;
    if (finger === undefined || touch === undefined || !look()) return;
    openAfter(alongOf(reading, axisNow(), finger.x - touch.clientX, finger.y - touch.clientY));
  };
  look();
  element.addEventListener('scroll', () => void look(), opts);
  element.addEventListener('wheel', wheel, opts);
  element.addEventListener('touchstart', begin, opts);
  element.addEventListener('touchmove', move, opts);
  return () => control.abort();
};

export const useStripFlow = (reading: Reading, { element, axis }: Scroller): void => {
  useEffect(() => {
    const { current } = element;
    return current === null ? undefined : follow(reading, current, () => axis.value);
  }, [reading, element, axis]);
};
