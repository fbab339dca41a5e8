// What the reader says, in English.
import type { Action } from '../reader/rules/keys.js';
import type { Missing } from '../reader/rules/missing-books.js';
import type { Device, OverriddenBy, Scope } from '../reader/rules/profiles.js';
import type { RangeSetting, Setting, Settings } from '../reader/rules/settings.js';
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
  },
  end: {
    after: 'After the last page',
    before: 'Before the first page',
    finished: (title: string): string => `End of ${title}`,
    begins: (title: string): string => `Beginning of ${title}`,
    next: 'Next',
    previous: 'Previous',
    openNext: 'Read the next book',
    openPrevious: 'Go to the previous book',
    isRead: 'You have read this book already.',
    lastOf: (series: string): string => `There is no later book in ${series}.`,
    firstOf: (series: string): string => `There is no earlier book in ${series}.`,
    show: 'Show this book',
    leave: 'Leave the book',
    missing: ({ kind, from, to }: Missing): string =>
      from === to ? `${MISSING[kind][0]} ${from} is missing.` : `${MISSING[kind][1]} ${from} to ${to} are missing.`,
  },
  otherDevice: {
    said: (page: number): string => `You have read up to page ${page} on another device. Go there?`,
    go: 'Go there',
    stay: 'Stay here',
  },
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
  settings: {
    mode: 'Show as',
    direction: 'Direction',
    pairs: 'Pages at a time',
    coverAlone: 'Cover on its own',
    shifted: 'Shift pairs by one page',
    wide: 'Wide pages',
    fit: 'Fit',
    stripFit: 'Fit',
    crop: 'Crop borders',
    stripCrop: 'Crop borders',
    padding: 'Margin',
    stripMost: 'Maximum width',
    gap: 'Space between pages',
    background: 'Background',
    zones: 'Tap zones',
    ownZones: 'Custom zones',
    zonesFlip: 'Mirror zones',
    swipe: 'Swipe to turn pages',
    zoomStart: 'Large pages start',
    keys: 'Keyboard shortcuts',
    step: 'Scroll per key press or tap',
    autoSeconds: 'Time per page',
    autoSpeed: 'Speed',
    skipRead: 'Skip books I have read',
    skipDuplicates: 'Skip duplicates of books I have read',
    bar: 'Progress bar',
    pageNumber: 'Page number',
    animate: 'Smooth scrolling',
    awake: 'Keep the screen on',
    brightness: 'Brightness',
    contrast: 'Contrast',
    saturation: 'Saturation',
    sepia: 'Sepia',
    grey: 'Greyscale',
    hue: 'Hue',
    invert: 'Invert colours',
    ink: 'For e-ink screens',
    flashEvery: 'E-ink: flash white',
  } satisfies Record<Setting, string> as Readonly<Record<Setting, string>>,
  /** For settings whose effect is not visible at once. */
  explained: {
    pairs: 'Two fit if the window is wider than it is tall, and not too short.',
    shifted: 'For this book only, on all devices.',
    wide: 'For pages that are wider than they are tall.',
    zoomStart: 'For pages that are larger than the window.',
    crop: 'Hides blank borders, on pages that have any.',
    stripCrop: 'Hides blank borders, on pages that have any.',
    stripMost: 'Takes effect only in wider windows.',
    step: 'As a share of the window, for pages that are larger than it.',
    zonesFlip: 'See the result with “Show the zones”.',
    swipe: 'With a finger, on touchscreens.',
    skipDuplicates: 'On the way to the next or previous book.',
    skipRead: 'On the way to the next or previous book.',
    animate: 'When scrolling with keys or taps.',
    awake: 'While a book is open.',
    ink: 'Nothing fades or moves.',
    flashEvery: 'Clears ghosting from earlier pages, if “For e-ink screens” is on.',
  } satisfies Partial<Record<Setting, string>> as Readonly<Partial<Record<Setting, string>>>,
  incognitoExplained: 'In this window, until you switch it off.',
  options: {
    mode: {
      auto: 'Automatic',
      paged: 'Pages',
      'paged-down': 'Pages, vertical',
      strip: 'Strip',
      'strip-across': 'Strip, horizontal',
    },
    direction: { auto: 'Automatic', ltr: 'Left to right', rtl: 'Right to left' },
    pairs: { auto: 'Two if they fit', single: 'One page', double: 'Two pages' },
    wide: { whole: 'Whole', split: 'Split in two', 'split-swapped': 'Split in two, swapped', turned: 'Rotated' },
    fit: {
      screen: 'Whole page',
      width: 'Width',
      height: 'Height',
      original: 'Original size',
      stretch: 'Stretch',
      shrink: 'Shrink only',
    },
    stripFit: { fill: 'Fill', screen: 'Whole page', original: 'Original size', shrink: 'Shrink only' },
    background: { theme: 'Same as the theme', black: 'Black', grey: 'Grey', white: 'White', page: 'Same as the page' },
    zones: {
      sides: 'Left and right',
      corner: 'Corner',
      'mostly-next': 'Mostly next',
      edges: 'Next on both edges',
      stacked: 'Top and bottom',
      off: 'Menu only',
      own: 'Custom',
    },
    zonesFlip: { none: 'No', sideways: 'Left and right', 'upside-down': 'Top and bottom', both: 'Both' },
    zoomStart: { reading: 'Where reading starts', left: 'On the left', center: 'In the middle', right: 'On the right' },
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
      value === 0 ? 'Never' : value === 1 ? 'Every page' : `Every ${text} pages`,
  } satisfies Record<RangeSetting, Unit> as Readonly<Record<RangeSetting, Unit>>,
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
    middle: 'No zone opens the menu, so the middle does.',
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
