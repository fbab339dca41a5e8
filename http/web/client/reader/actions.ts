// What the reader can be told to do, by keys, taps and buttons alike.
import { r } from '../messages/reader-messages.js';
import { toggleFullscreen } from './fullscreen.js';
import type { Panel, Reading } from './reading.js';
import { FITS } from './rules/fit.js';
import type { Action } from './rules/keys.js';
import { BOUNDS, type Settings } from './rules/settings.js';
import { STRIP_FITS } from './rules/strip-layout.js';
import { followNeighbour, leaveBook, openNeighbour } from './transition.js';

const step = (reading: Reading, heading: 1 | -1): void => {
  const where = reading.where.value;
  if (where === 'pages') reading.view.current?.step(heading);
  else if ((where === 'after') === (heading === 1)) followNeighbour(reading, heading);
  else reading.where.value = 'pages';
};

/** Left and right as seen on the screen, whatever the reading direction. */
const turn = (reading: Reading, side: 1 | -1): void =>
  step(reading, reading.layout.value.isRtl === (side === 1) ? -1 : 1);

/** What the arrows up and down do: they scroll where there is something to scroll, and turn pages that are turned up and down. */
const scroll = (reading: Reading, heading: 1 | -1): void => {
  if (reading.layout.value.mode === 'paged-down') step(reading, heading);
  else reading.view.current?.scroll((heading * reading.stored.all.value.step) / 100);
};

const after = <T>(all: readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;

const say = (reading: Reading, text: string): void => {
  reading.note.value = text;
};

const change = (reading: Reading, changed: Partial<Settings>, text: string): void => {
  reading.stored.changeSeries(changed);
  say(reading, text);
};

const isStrip = (reading: Reading): boolean => reading.layout.value.mode.startsWith('strip');

const MODES = ['paged', 'paged-down', 'strip', 'strip-across'] as const;

const nextFit = (reading: Reading): void => {
  const { fit, stripFit } = reading.stored.all.value;
  if (isStrip(reading)) {
    const next = after(STRIP_FITS, stripFit);
    change(reading, { stripFit: next }, r.options.stripFit[next]);
  } else {
    const next = after(FITS, fit);
    change(reading, { fit: next }, r.options.fit[next]);
  }
};

const ZOOM = { step: 1.25, max: 5 };
/** A strip can also become narrower. */
export const zoomMin = (reading: Reading): number => (isStrip(reading) ? 0.5 : 1);

export const setZoom = (reading: Reading, zoom: number): void => {
  reading.zoom.value = Math.min(ZOOM.max, Math.max(zoomMin(reading), zoom));
};

const faster = (reading: Reading, sign: 1 | -1): void => {
  const { autoSpeed, autoSeconds } = reading.stored.all.value;
  if (isStrip(reading)) {
    const { min, max, step: by } = BOUNDS.autoSpeed;
    const next = Math.min(max, Math.max(min, autoSpeed + sign * by));
    change(reading, { autoSpeed: next }, r.note.speed(next));
  } else {
    const next = Math.min(BOUNDS.autoSeconds.max, Math.max(BOUNDS.autoSeconds.min, autoSeconds - sign));
    change(reading, { autoSeconds: next }, r.note.seconds(next));
  }
};

const open = (reading: Reading, panel: Panel): void => {
  reading.panel.value = reading.panel.value === panel ? null : panel;
};

export const toggleIncognito = (reading: Reading): void => {
  reading.isIncognito.value = !reading.isIncognito.value;
  say(reading, reading.isIncognito.value ? r.note.incognito : r.note.notIncognito);
};

const RUN: Readonly<Record<Action, (reading: Reading) => void>> = {
  next: (reading) => step(reading, 1),
  previous: (reading) => step(reading, -1),
  'turn-left': (reading) => turn(reading, -1),
  'turn-right': (reading) => turn(reading, 1),
  'scroll-down': (reading) => scroll(reading, 1),
  'scroll-up': (reading) => scroll(reading, -1),
  first: (reading) => reading.view.current?.goTo(0),
  last: (reading) => reading.view.current?.goTo(reading.opened.pages.length - 1),
  'next-book': (reading) => openNeighbour(reading, 1),
  'previous-book': (reading) => openNeighbour(reading, -1),
  pages: (reading) => open(reading, 'pages'),
  menu: (reading) => {
    reading.isMenuShown.value = !reading.isMenuShown.value;
  },
  settings: (reading) => open(reading, 'settings'),
  help: (reading) => open(reading, 'keys'),
  fullscreen: () => toggleFullscreen(),
  mode: (reading) => {
    const next = after(MODES, reading.layout.value.mode);
    change(reading, { mode: next }, r.options.mode[next]);
  },
  fit: nextFit,
  double: (reading) => {
    const next = reading.layout.value.isDouble ? 'single' : 'double';
    change(reading, { pairs: next }, r.options.pairs[next]);
  },
  offset: (reading) => {
    const next = !reading.stored.isShifted.value;
    reading.stored.shift(next);
    say(reading, next ? r.note.offset : r.note.notOffset);
  },
  direction: (reading) => {
    const next = reading.layout.value.isRtl ? 'ltr' : 'rtl';
    change(reading, { direction: next }, r.options.direction[next]);
  },
  'zoom-in': (reading) => setZoom(reading, reading.zoom.value * ZOOM.step),
  'zoom-out': (reading) => setZoom(reading, reading.zoom.value / ZOOM.step),
  'zoom-reset': (reading) => setZoom(reading, 1),
  'auto-scroll': (reading) => {
    reading.isAutoAdvancing.value = !reading.isAutoAdvancing.value;
    reading.isMenuShown.value = false;
    say(reading, reading.isAutoAdvancing.value ? r.note.running : r.note.stopped);
  },
  faster: (reading) => faster(reading, 1),
  slower: (reading) => faster(reading, -1),
  incognito: toggleIncognito,
  close: (reading) => {
    if (reading.areZonesShown.value) reading.areZonesShown.value = false;
    else if (reading.zoom.value !== 1) reading.zoom.value = 1;
    else leaveBook(reading);
  },
};

/** Reading on hides the menu. */
const PUTS_MENU_AWAY: ReadonlySet<Action> = new Set(['next', 'previous', 'turn-left', 'turn-right']);

export const run = (reading: Reading, action: Action): void => {
  if (PUTS_MENU_AWAY.has(action)) reading.isMenuShown.value = false;
  RUN[action](reading);
};
