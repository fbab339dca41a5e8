// What the reader says, in English.
import type { Action } from '../reader/rules/keys.js';
import type { Missing } from '../reader/rules/missing-books.js';
import type { Device, Scope } from '../reader/rules/profiles.js';
import type { Measure, Setting, Settings } from '../reader/rules/settings.js';
import type { ZoneAction } from '../reader/rules/tap-zones.js';

type Unit = (value: number, text: string) => string;

const percent: Unit = (_, text) => `${text}%`;
const pixels: Unit = (_, text) => `${text} px`;

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
    of: (page: number, count: number): string => `Page ${page} of ${count}`,
    short: (page: number, count: number): string => `${page} / ${count}`,
    goTo: (page: number): string => `Go to page ${page}`,
    failed: (page: number): string => `Page ${page} could not be loaded.`,
    again: 'Try again',
    none: 'This book has no pages that can be shown yet.',
    ofText: 'This book is text. Only books of pictures can be read here so far.',
  },
  bar: {
    back: 'Leave the book',
    close: 'Close',
    settings: 'Settings of the reader',
    pages: 'All pages',
    keys: 'Keys',
    fullscreen: 'Full screen',
    incognito: 'Read without keeping progress',
    nextBook: 'Next book',
    previousBook: 'Previous book',
    page: 'Page',
  },
  end: {
    after: 'After the last page',
    before: 'Before the first page',
    finished: (title: string): string => `End of ${title}`,
    begins: (title: string): string => `Beginning of ${title}`,
    next: 'Next',
    previous: 'Before this',
    openNext: 'Read the next book',
    openPrevious: 'Go to the previous book',
    isRead: 'You have read this book already.',
    lastOf: (series: string): string => `There is no later book of ${series}.`,
    firstOf: (series: string): string => `There is no earlier book of ${series}.`,
    show: 'Show this book',
    leave: 'Leave the book',
    missing: ({ kind, from, to }: Missing): string =>
      from === to ? `${MISSING[kind][0]} ${from} is missing.` : `${MISSING[kind][1]} ${from} to ${to} are missing.`,
  },
  elsewhere: {
    said: (page: number): string => `You have read to page ${page} on another device. Go there?`,
    go: 'Go there',
    stay: 'Stay here',
  },
  note: {
    incognito: 'Progress is not kept',
    notIncognito: 'Progress is kept again',
    running: 'Moving by itself',
    stopped: 'Stopped',
    start: 'Start moving',
    stop: 'Stop moving',
    speed: (pixels: number): string => `${pixels} pixels per second`,
    seconds: (seconds: number): string => `${seconds} s per page`,
    offset: 'Pairs moved by one page',
    notOffset: 'Pairs as they were found',
  },
  groups: {
    layout: 'Pages',
    size: 'Size',
    look: 'Screen',
    colour: 'Colours',
    touch: 'Touch',
    auto: 'By itself',
    books: 'Next book',
  },
  settings: {
    mode: 'Show as',
    direction: 'Direction',
    pairs: 'At a time',
    coverAlone: 'Cover alone',
    offset: 'Move pairs by one page',
    wide: 'Wide pages',
    fit: 'Fit',
    stripFit: 'Fit',
    crop: 'Crop borders',
    stripCrop: 'Crop borders',
    padding: 'Margin',
    stripMost: 'Widest',
    gap: 'Space between pages',
    background: 'Background',
    zones: 'Tap zones',
    ownZones: 'Own zones',
    zonesFlip: 'Swap sides',
    swipe: 'Swipe to turn pages',
    zoomStart: 'Large pages begin',
    keys: 'Keys',
    step: 'Scroll per key or tap',
    autoSeconds: 'Time per page',
    autoSpeed: 'Speed',
    skipRead: 'Skip books I have read',
    skipDuplicates: 'Skip duplicates of books I have read',
    bar: 'Progress line',
    pageNumber: 'Page number',
    animate: 'Smooth scrolling',
    awake: 'Keep the screen on',
    brightness: 'Brightness',
    contrast: 'Contrast',
    saturation: 'Saturation',
    sepia: 'Sepia',
    grey: 'Grey',
    hue: 'Hue',
    invert: 'Invert',
    ink: 'For e-ink screens',
    flashEvery: 'E-ink: flash white',
  } satisfies Record<Setting, string> as Readonly<Record<Setting, string>>,
  options: {
    mode: {
      auto: 'As the book says',
      paged: 'Pages',
      'paged-down': 'Pages, turned down',
      strip: 'Strip',
      'strip-across': 'Strip, sideways',
    },
    direction: { auto: 'As the book says', ltr: 'Left to right', rtl: 'Right to left' },
    pairs: { auto: 'Two if there is room', single: 'One page', double: 'Two pages' },
    wide: { whole: 'Whole', split: 'In two halves', 'split-swapped': 'In two halves, swapped', turned: 'Turned' },
    fit: {
      screen: 'Whole page',
      width: 'Width',
      height: 'Height',
      original: 'Original size',
      stretch: 'Stretch',
      shrink: 'Shrink only',
    },
    stripFit: { fill: 'Fill', screen: 'Whole page', original: 'Original size', shrink: 'Shrink only' },
    background: { theme: 'Like the rest', black: 'Black', grey: 'Grey', white: 'White', page: 'Like the page' },
    zones: {
      sides: 'Left and right',
      corner: 'Corner',
      'mostly-next': 'Mostly next',
      edges: 'Both edges next',
      stacked: 'Top and bottom',
      off: 'Menu only',
      own: 'Own',
    },
    zonesFlip: { none: 'No', sideways: 'Left and right', 'upside-down': 'Top and bottom', both: 'Both' },
    zoomStart: { reading: 'On the reading side', left: 'On the left', center: 'In the middle', right: 'On the right' },
    bar: { bottom: 'Bottom', top: 'Top', left: 'Left', right: 'Right', hidden: 'None' },
  } satisfies {
    readonly [Key in Setting]?: Settings[Key] extends string ? Readonly<Record<Settings[Key], string>> : never;
  },
  units: {
    padding: percent,
    stripMost: (value: number, text: string): string => (value === 0 ? 'No limit' : `${text} px`),
    gap: pixels,
    step: percent,
    autoSeconds: (_: number, text: string): string => `${text} s`,
    autoSpeed: (_: number, text: string): string => `${text} px/s`,
    brightness: percent,
    contrast: percent,
    saturation: percent,
    sepia: percent,
    grey: percent,
    hue: (_: number, text: string): string => `${text}°`,
    flashEvery: (value: number, text: string): string =>
      value === 0 ? 'Never' : value === 1 ? 'Each page' : `Every ${text} pages`,
  } satisfies Record<Measure, Unit> as Readonly<Record<Measure, Unit>>,
  target: {
    legend: 'Changes hold for',
    scope: 'For what',
    device: 'On what',
    scopes: {
      series: (name: string): string => name,
      library: (name: string): string => `All of ${name}`,
      everything: (_: string): string => 'Everything I read',
    } satisfies Record<Scope, (name: string) => string>,
    devices: { phone: 'On phones', tablet: 'On tablets', desktop: 'On computers' } satisfies Record<Device, string>,
    anyDevice: 'On all devices',
    unstored: 'The settings could not be stored; they hold for now.',
    reset: 'Reset these settings',
    wasReset: 'Reset.',
  },
  zones: {
    legend: 'What a tap does',
    show: 'Show the zones',
    hide: 'Hide the zones',
    field: (index: number, action: string): string =>
      `${ROWS[Math.floor(index / 3)]}, ${COLUMNS[index % 3]}: ${action}`,
    actions: { next: 'Next', previous: 'Back', menu: 'Menu', none: 'Nothing' } satisfies Record<ZoneAction, string>,
  },
  keys: {
    hint: 'Choose + and press a key to add it. Choose a key to remove it.',
    press: 'Press a key',
    reset: 'Restore all keys',
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
    help: 'Keys',
    fullscreen: 'Full screen',
    mode: 'Show as pages or strip',
    fit: 'Next fit',
    double: 'One or two pages',
    offset: 'Move pairs by one page',
    direction: 'Change direction',
    'zoom-in': 'Larger',
    'zoom-out': 'Smaller',
    'zoom-reset': 'Usual size',
    'auto-scroll': 'Move by itself',
    faster: 'Faster',
    slower: 'Slower',
    incognito: 'Read without keeping progress',
    close: 'Leave the book',
  } satisfies Record<Action, string> as Readonly<Record<Action, string>>,
};

/** Every language says all that English says. */
export type ReaderMessages = typeof readerEn;
