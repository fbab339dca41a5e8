// What the reader says, in English.
import type { Action } from '../reader/rules/keys.js';
import type { Missing } from '../reader/rules/missing-books.js';
import type { Device, OverriddenBy, Scope } from '../reader/rules/profiles.js';
import type { ZoneAction } from '../reader/rules/tap-zones.js';
import { settingsEn } from './reader-settings-en.js';

const KEY_NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageDown: 'Page Down',
  PageUp: 'Page Up',
  Escape: 'Esc',
};

const MISSING: Readonly<Record<Missing['kind'], readonly [one: string, many: string]>> = {
  chapter: ['Chapter', 'Chapters'],
  number: ['Number', 'Numbers'],
  volume: ['Volume', 'Volumes'],
};

const ROWS = ['Top', 'Middle', 'Bottom'];
const COLUMNS = ['left', 'middle', 'right'];

export const readerEn = {
  page: {
    region: 'Pages',
    alt: (page: number): string => `Page ${page}`,
    /** More than one where a pair of pages is shown. */
    of: (first: number, last: number, count: number): string =>
      first === last ? `Page ${last} of ${count}` : `Pages ${first}–${last} of ${count}`,
    short: (first: number, last: number, count: number): string =>
      first === last ? `${last} / ${count}` : `${first}–${last} / ${count}`,
    goTo: (page: number): string => `Go to page ${page}`,
    jump: (count: number): string => `Page number (1 to ${count})`,
    go: 'Go to page',
    failed: (page: number): string => `Page ${page} could not be loaded.`,
    again: 'Try again',
    none: 'This book has no pages that can be shown yet.',
    ofText: 'This book consists of text. So far, only books made of images can be read here.',
  },
  bar: {
    back: 'Leave the book',
    close: 'Close',
    settings: 'Reader settings',
    pages: 'All pages',
    keys: 'Keyboard shortcuts',
    fullscreen: 'Full screen',
    incognito: 'Read without saving progress',
    nextBook: 'Next book',
    previousBook: 'Previous book',
    page: 'Page',
    place: (position: number, total: number): string => `${position} of ${total}`,
  },
  end: {
    after: 'After the last page',
    before: 'Before the first page',
    finished: (title: string): string => `End of ${title}`,
    begins: (title: string): string => `Beginning of ${title}`,
    next: 'Next',
    previous: 'Previous',
    scrollOn: 'Scroll on to read it.',
    openNext: 'Read the next book',
    openPrevious: 'Go to the previous book',
    isRead: 'You have read this book already.',
    lastOf: (series: string): string => `There is no later book in ${series}.`,
    firstOf: (series: string): string => `There is no earlier book in ${series}.`,
    unknown: 'The next and previous books could not be loaded.',
    lastInList: 'This was the last book of the read list.',
    firstInList: 'This is the first book of the read list.',
    show: 'Show this book',
    leave: 'Leave the book',
    units: {
      volume: 'A whole volume, not a chapter.',
      chapter: 'A single chapter, not a volume.',
      extra: 'An extra, outside the numbering.',
    },
    others: {
      translator: (name: string): string => `Another translator: ${name}.`,
      language: (name: string): string => `In another language: ${name}.`,
    },
    missing: ({ kind, from, to }: Missing): string =>
      from === to ? `${MISSING[kind][0]} ${from} is missing.` : `${MISSING[kind][1]} ${from} to ${to} are missing.`,
  },
  otherDevice: {
    furthestPage: (page: number): string => `You have read up to page ${page} on another device. Go there?`,
    furtherInPage: 'You have read further into this page on another device. Go there?',
    go: 'Go there',
    stay: 'Stay here',
  },
  wholePage:
    'This page is not cropped: it has no even borders, or would lose more than 40% of its width or height, or half its area.',
  note: {
    incognito: 'Progress is not being saved',
    notIncognito: 'Progress is being saved again',
    running: 'Auto-advance on',
    stopped: 'Auto-advance off',
    start: 'Start auto-advance',
    stop: 'Stop auto-advance',
    speed: (pixels: number): string => `${pixels} pixels per second`,
    seconds: (seconds: number): string => `${seconds} s per page`,
    offset: 'Pairs shifted by one page',
    notOffset: 'Pairs as detected',
  },
  groups: {
    layout: 'Pages',
    size: 'Size',
    look: 'Screen',
    colour: 'Colours',
    touch: 'Touch',
    auto: 'Auto-advance',
    books: 'Next book',
  },
  ...settingsEn,
  incognitoExplained: 'In this window, until you switch it off.',
  target: {
    legend: 'Apply changes to',
    scope: 'Scope',
    device: 'Devices',
    scopes: {
      series: (name: string): string => name,
      library: (name: string): string => `All of ${name}`,
      everything: (_: string): string => 'Everything I read',
    } satisfies Record<Scope, (name: string) => string>,
    devices: { phone: 'On phones', tablet: 'On tablets', desktop: 'On computers' } satisfies Record<Device, string>,
    anyDevice: 'On all devices',
    unstored: 'The settings could not be saved. They apply for now.',
    isSet: 'Set here.',
    hidden: {
      series: 'This series has its own value; a change here replaces it.',
      library: 'This library has its own value; a change here replaces it.',
      device: 'This kind of device has its own value; a change here replaces it.',
    } satisfies Record<OverriddenBy, string>,
    reset: 'Reset these settings',
    wasReset: 'Reset.',
  },
  zones: {
    legend: 'What a tap does',
    show: 'Show the zones',
    hide: 'Hide the zones',
    middle: 'No zone opens the menu, so the middle one does.',
    field: (index: number, action: string): string =>
      `${ROWS[Math.floor(index / 3)]}, ${COLUMNS[index % 3]}: ${action}`,
    actions: { next: 'Next', previous: 'Back', menu: 'Menu', none: 'Nothing' } satisfies Record<ZoneAction, string>,
  },
  keys: {
    hint: 'Choose + and press a key to add it. Choose a key to remove it.',
    press: 'Press a key',
    reset: 'Restore the default keys',
    add: (action: string): string => `Add a key: ${action}`,
    remove: (combo: string, action: string): string => `Remove ${combo}: ${action}`,
    taken: (combo: string, action: string): string => `${combo} no longer means: ${action}.`,
    name: (combo: string): string =>
      combo
        .split(/\+(?=.)/)
        .map((part) => KEY_NAMES[part] ?? part)
        .join(' '),
  },
  actions: {
    next: 'Forward',
    previous: 'Back',
    'turn-left': 'Turn to the left',
    'turn-right': 'Turn to the right',
    'scroll-down': 'Scroll down',
    'scroll-up': 'Scroll up',
    first: 'First page',
    last: 'Last page',
    'next-book': 'Next book',
    'previous-book': 'Previous book',
    pages: 'All pages',
    menu: 'Menu',
    settings: 'Settings',
    help: 'Keyboard shortcuts',
    fullscreen: 'Full screen',
    mode: 'Pages or strip',
    fit: 'Change fit',
    double: 'One or two pages',
    offset: 'Shift pairs by one page',
    direction: 'Change direction',
    'zoom-in': 'Zoom in',
    'zoom-out': 'Zoom out',
    'zoom-reset': 'Reset zoom',
    'auto-scroll': 'Auto-advance',
    faster: 'Faster',
    slower: 'Slower',
    incognito: 'Read without saving progress',
    close: 'Leave the book',
  } satisfies Record<Action, string> as Readonly<Record<Action, string>>,
};

/** Every language says all that English says. */
export type ReaderMessages = typeof readerEn;
