// Taps, swipes, pinches, wheels and dragging with the mouse, told apart and turned into what they mean.

import { run, setZoom } from './actions.js';
import type { Reading } from './reading.js';
import type { Action } from './rules/keys.js';
import { zoneAt, zonesOf } from './rules/tap-zones.js';

const TAP = { px: 12, ms: 600 };
const SWIPE = { px: 48, ms: 700 };
/** A swipe must be this many times as long along its axis as across it. */
const AXIS_RATIO = 1.5;
const DOUBLE = { ms: 280, px: 40, zoom: 2 };
const WHEEL_ZOOM = 1.0025;

interface Press {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly atMs: number;
  readonly isMouse: boolean;
  hasMoved: boolean;
}

/** Buttons, links and fields have their own taps. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, input, select, dialog, label, .end-card') !== null;

const scrollerIn = (stage: HTMLElement): HTMLElement | null => stage.querySelector<HTMLElement>('.paged, .strip');

const tapped = (reading: Reading, stage: HTMLElement, x: number, y: number): 'menu' | 'other' => {
  const { left, top, width, height } = stage.getBoundingClientRect();
  const { zones: preset, ownZones: own, zonesFlip: flip } = reading.stored.all.value;
  const zones = zonesOf({ preset, own, flip, isRtl: reading.layout.value.isRtl });
  const action = zoneAt(zones, (x - left) / width, (y - top) / height);
  if (action === 'next' || action === 'previous') run(reading, action);
  return action === 'menu' ? 'menu' : 'other';
};

/** Where the menu is, one tap waits for a second: twice is a zoom. Elsewhere a tap turns the page at once. */
const menuTaps = (reading: Reading) => {
  let first: { readonly x: number; readonly y: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  return (x: number, y: number): void => {
    if (first !== undefined && Math.hypot(x - first.x, y - first.y) < DOUBLE.px) {
      clearTimeout(first.timer);
      first = undefined;
      setZoom(reading, reading.zoom.value === 1 ? DOUBLE.zoom : 1);
      return;
    }
    const timer = setTimeout(() => {
      first = undefined;
      run(reading, 'menu');
    }, DOUBLE.ms);
    first = { x, y, timer };
  };
};

/** The action for a swipe of this distance; none if the page scrolls in that direction. */
const swipeOf = (reading: Reading, stage: HTMLElement, dx: number, dy: number): Action | undefined => {
  const { mode } = reading.layout.value;
  const scroller = scrollerIn(stage);
  if (scroller === null) return undefined;
  const [isSideways, isUpright] = [Math.abs(dx) > Math.abs(dy) * AXIS_RATIO, Math.abs(dy) > Math.abs(dx) * AXIS_RATIO];
  if (mode === 'paged' && isSideways && scroller.scrollWidth <= scroller.clientWidth + 1)
    return dx < 0 ? 'turn-right' : 'turn-left';
  if (mode === 'paged-down' && isUpright && scroller.scrollHeight <= scroller.clientHeight + 1)
    return dy < 0 ? 'next' : 'previous';
  return undefined;
};

interface Pinch {
  readonly distance: number;
  readonly zoom: number;
}

const distanceOf = (touches: TouchList): number => {
  const [a, b] = [touches[0], touches[1]];
  return a === undefined || b === undefined ? 0 : Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
};

/** Two fingers zoom; the browser is kept from zooming the whole page. */
const followPinches = (reading: Reading, stage: HTMLElement, signal: AbortSignal): { isOn: boolean } => {
  const state = { isOn: false };
  let start: Pinch | undefined;
  const begin = ({ touches }: TouchEvent): void => {
    if (touches.length !== 2) return;
    state.isOn = true;
    start = { distance: distanceOf(touches), zoom: reading.zoom.value };
  };
  const move = (event: TouchEvent): void => {
    if (start === undefined || event.touches.length !== 2) return;
    event.preventDefault();
    setZoom(reading, (start.zoom * distanceOf(event.touches)) / Math.max(1, start.distance));
  };
  const end = ({ touches }: TouchEvent): void => {
    if (touches.length < 2) start = undefined;
    if (touches.length === 0) state.isOn = false;
  };
  stage.addEventListener('touchstart', begin, { passive: true, signal });
  stage.addEventListener('touchmove', move, { passive: false, signal });
  stage.addEventListener('touchend', end, { signal });
  stage.addEventListener('touchcancel', end, { signal });
  return state;
};

/**
 * Touch events, since browsers stop sending pointer events once they take a gesture for scrolling, even where nothing scrolls. A swipe may
 * start anywhere, even on a button: only a finger that does not move presses it.
 */
const followSwipes = (reading: Reading, stage: HTMLElement, signal: AbortSignal): void => {
  let start: { readonly x: number; readonly y: number; readonly atMs: number } | undefined;
  const begin = ({ touches, timeStamp: atMs }: TouchEvent): void => {
    const finger = touches.length === 1 ? touches[0] : undefined;
    start = finger === undefined ? undefined : { x: finger.clientX, y: finger.clientY, atMs };
  };
  // Otherwise a browser may take a horizontal swipe for its own back gesture.
  const move = (event: TouchEvent): void => {
    const finger = event.touches[0];
    if (start === undefined || finger === undefined || !event.cancelable) return;
    const [dx, dy] = [finger.clientX - start.x, finger.clientY - start.y];
    if (swipeOf(reading, stage, dx, dy) !== undefined) event.preventDefault();
  };
  const end = ({ changedTouches, timeStamp }: TouchEvent): void => {
    const [from, finger] = [start, changedTouches[0]];
    start = undefined;
    if (from === undefined || finger === undefined || timeStamp - from.atMs >= SWIPE.ms) return;
    const [dx, dy] = [finger.clientX - from.x, finger.clientY - from.y];
    const action = Math.hypot(dx, dy) > SWIPE.px ? swipeOf(reading, stage, dx, dy) : undefined;
    if (action !== undefined && reading.stored.all.value.swipe) run(reading, action);
  };
  stage.addEventListener('touchstart', begin, { passive: true, signal });
  stage.addEventListener('touchmove', move, { passive: false, signal });
  stage.addEventListener('touchend', end, { signal });
};

const followWheel = (reading: Reading, stage: HTMLElement, signal: AbortSignal): void => {
  const wheel = (event: WheelEvent): void => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    setZoom(reading, reading.zoom.value * WHEEL_ZOOM ** -event.deltaY);
  };
  stage.addEventListener('wheel', wheel, { passive: false, signal });
};

const drag = (stage: HTMLElement, event: PointerEvent): void => {
  const scroller = scrollerIn(stage);
  scroller?.scrollBy({ left: -event.movementX, top: -event.movementY, behavior: 'instant' });
};

export const followGestures = (reading: Reading, stage: HTMLElement): (() => void) => {
  const control = new AbortController();
  const { signal } = control;
  const pinch = followPinches(reading, stage, signal);
  const menu = menuTaps(reading);
  let press: Press | undefined;
  followWheel(reading, stage, signal);
  followSwipes(reading, stage, signal);
  const down = (event: PointerEvent): void => {
    if (!event.isPrimary || event.button !== 0 || isControl(event.target)) return;
    const { pointerId: id, clientX: x, clientY: y, pointerType } = event;
    press = { id, x, y, atMs: event.timeStamp, isMouse: pointerType === 'mouse', hasMoved: false };
  };
  const move = (event: PointerEvent): void => {
    if (press === undefined || event.pointerId !== press.id) return;
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > TAP.px) press.hasMoved = true;
    if (press.hasMoved && press.isMouse) drag(stage, event);
  };
  const up = (event: PointerEvent): void => {
    const last = press;
    press = undefined;
    if (last === undefined || event.pointerId !== last.id || pinch.isOn) return;
    if (last.hasMoved || event.timeStamp - last.atMs >= TAP.ms) return;
    if (tapped(reading, stage, event.clientX, event.clientY) === 'menu') menu(event.clientX, event.clientY);
  };
  stage.addEventListener('pointerdown', down, { signal });
  stage.addEventListener('pointermove', move, { signal });
  stage.addEventListener('pointerup', up, { signal });
  stage.addEventListener(
    'pointercancel',
    () => {
      press = undefined;
    },
    { signal },
  );
  return () => control.abort();
};
