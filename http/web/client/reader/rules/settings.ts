// How a person wants to read: every setting of the reader, its default, and the values it may have. Profiles hold parts of it.
import { FITS, type Fit } from './fit.js';
import { ACTIONS, type Action } from './keys.js';
import { WIDE_MODES, type WideMode } from './spreads.js';
import { STRIP_FITS, type StripFit } from './strip-layout.js';
import {
  FLIPS,
  type Flip,
  PRESET_NAMES,
  PRESETS,
  type Preset,
  SIDE,
  ZONE_ACTIONS,
  type ZoneGrid,
} from './tap-zones.js';

export const MODES = ['auto', 'paged', 'paged-down', 'strip', 'strip-across'] as const;
export type Mode = (typeof MODES)[number];
export const DIRECTIONS = ['auto', 'ltr', 'rtl'] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const PAIRS = ['single', 'double', 'auto'] as const;
export type Pairs = (typeof PAIRS)[number];
export const BACKGROUNDS = ['theme', 'black', 'grey', 'white', 'page'] as const;
export type Background = (typeof BACKGROUNDS)[number];
export const BARS = ['bottom', 'top', 'left', 'right', 'hidden'] as const;
export type Bar = (typeof BARS)[number];
export const ZOOM_STARTS = ['reading', 'left', 'center', 'right'] as const;
/** Where a page larger than the window begins. */
export type ZoomStart = (typeof ZOOM_STARTS)[number];

export interface Settings {
  readonly mode: Mode;
  readonly direction: Direction;
  readonly pairs: Pairs;
  readonly coverAlone: boolean;
  /** The ids of books whose pairs are shifted by one page from where they were detected; only series profiles have them. */
  readonly shifted: readonly string[];
  readonly wide: WideMode;
  readonly fit: Fit;
  /** Crop the borders of pages; strips have a setting of their own. */
  readonly crop: boolean;
  readonly stripCrop: boolean;
  readonly stripFit: StripFit;
  /** The margins on either side of pages, and of strips, in per cent of the window. */
  readonly pageMargin: number;
  readonly padding: number;
  /** CSS pixels; 0 for no limit. */
  readonly stripMost: number;
  /** Between the pages of a strip, in CSS pixels. */
  readonly gap: number;
  readonly background: Background;
  readonly zones: Preset | 'own';
  readonly ownZones: ZoneGrid;
  readonly zonesFlip: Flip;
  readonly swipe: boolean;
  readonly zoomStart: ZoomStart;
  readonly keys: Readonly<Partial<Record<Action, readonly string[]>>>;
  /** Per cent of the window for each key. */
  readonly step: number;
  /** Seconds that a page stays. */
  readonly autoSeconds: number;
  /** CSS pixels a second, along a strip. */
  readonly autoSpeed: number;
  /** What the next and previous book skip: books already read, and duplicates of books already read. */
  readonly skipRead: boolean;
  readonly skipDuplicates: boolean;
  readonly bar: Bar;
  /** CSS pixels. */
  readonly barSize: number;
  readonly pageNumber: boolean;
  readonly animate: boolean;
  readonly awake: boolean;
  /** Per cent. */
  readonly brightness: number;
  readonly contrast: number;
  readonly saturation: number;
  readonly sepia: number;
  readonly grey: number;
  /** Degrees. */
  readonly hue: number;
  readonly invert: boolean;
  /** For screens of electronic paper: nothing moves. */
  readonly ink: boolean;
  /** A blank flash after this many turns, which clears what is left of earlier pages; 0 for none. */
  readonly flashEvery: number;
}

export type Setting = keyof Settings;

export const DEFAULTS: Settings = {
  mode: 'auto',
  direction: 'auto',
  pairs: 'auto',
  coverAlone: true,
  shifted: [],
  wide: 'whole',
  fit: 'screen',
  crop: false,
  stripCrop: false,
  stripFit: 'fill',
  pageMargin: 0,
  padding: 0,
  stripMost: 900,
  gap: 0,
  background: 'black',
  zones: 'sides',
  ownZones: PRESETS.sides,
  zonesFlip: 'none',
  swipe: true,
  zoomStart: 'reading',
  keys: {},
  step: 75,
  autoSeconds: 10,
  autoSpeed: 60,
  skipRead: false,
  skipDuplicates: true,
  bar: 'bottom',
  barSize: 3,
  pageNumber: true,
  animate: true,
  awake: true,
  brightness: 100,
  contrast: 100,
  saturation: 100,
  sepia: 0,
  grey: 0,
  hue: 0,
  invert: false,
  ink: false,
  flashEvery: 0,
};

/** Undefined for what is not a value of the setting. */
type Read<T> = (given: unknown) => T | undefined;

const oneOf =
  <T extends string>(words: readonly T[]): Read<T> =>
  (given) =>
    words.find((word) => word === given);

const flag: Read<boolean> = (given) => (typeof given === 'boolean' ? given : undefined);

export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

export const BOUNDS = {
  pageMargin: { min: 0, max: 40, step: 1 },
  padding: { min: 0, max: 40, step: 1 },
  stripMost: { min: 0, max: 2400, step: 50 },
  gap: { min: 0, max: 80, step: 1 },
  step: { min: 10, max: 100, step: 5 },
  autoSeconds: { min: 1, max: 120, step: 1 },
  autoSpeed: { min: 10, max: 600, step: 10 },
  barSize: { min: 1, max: 12, step: 1 },
  brightness: { min: 20, max: 150, step: 5 },
  contrast: { min: 50, max: 200, step: 5 },
  saturation: { min: 0, max: 200, step: 5 },
  sepia: { min: 0, max: 100, step: 5 },
  grey: { min: 0, max: 100, step: 5 },
  hue: { min: 0, max: 355, step: 5 },
  flashEvery: { min: 0, max: 20, step: 1 },
} as const satisfies Partial<Record<Setting, Bounds>>;

export type RangeSetting = keyof typeof BOUNDS;

const bounded =
  ({ min, max }: Bounds): Read<number> =>
  (given) =>
    typeof given === 'number' && Number.isFinite(given) ? Math.min(max, Math.max(min, given)) : undefined;

const readGrid: Read<ZoneGrid> = (given) => {
  if (!Array.isArray(given) || given.length !== SIDE * SIDE) return undefined;
  const fields = given.map(oneOf(ZONE_ACTIONS));
  return fields.some((field) => field === undefined) ? undefined : fields.map((field) => field ?? 'none');
};

const readIds: Read<readonly string[]> = (given) =>
  Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : undefined;

/** Of one action. */
const KEYS_MAX = 8;

const readKeys: Read<Settings['keys']> = (given) => {
  if (typeof given !== 'object' || given === null) return undefined;
  const found = ACTIONS.flatMap((action) => {
    const combos: unknown = (given as Readonly<Record<string, unknown>>)[action];
    if (!Array.isArray(combos)) return [];
    const texts = combos.filter((one): one is string => typeof one === 'string').slice(0, KEYS_MAX);
    return [[action, texts] as const];
  });
  return Object.fromEntries(found);
};

const READ: { readonly [Key in Setting]: Read<Settings[Key]> } = {
  mode: oneOf(MODES),
  direction: oneOf(DIRECTIONS),
  pairs: oneOf(PAIRS),
  coverAlone: flag,
  shifted: readIds,
  wide: oneOf(WIDE_MODES),
  fit: oneOf(FITS),
  crop: flag,
  stripCrop: flag,
  stripFit: oneOf(STRIP_FITS),
  pageMargin: bounded(BOUNDS.pageMargin),
  padding: bounded(BOUNDS.padding),
  stripMost: bounded(BOUNDS.stripMost),
  gap: bounded(BOUNDS.gap),
  background: oneOf(BACKGROUNDS),
  zones: oneOf([...PRESET_NAMES, 'own'] as const),
  ownZones: readGrid,
  zonesFlip: oneOf(FLIPS),
  swipe: flag,
  zoomStart: oneOf(ZOOM_STARTS),
  keys: readKeys,
  step: bounded(BOUNDS.step),
  autoSeconds: bounded(BOUNDS.autoSeconds),
  autoSpeed: bounded(BOUNDS.autoSpeed),
  skipRead: flag,
  skipDuplicates: flag,
  bar: oneOf(BARS),
  barSize: bounded(BOUNDS.barSize),
  pageNumber: flag,
  animate: flag,
  awake: flag,
  brightness: bounded(BOUNDS.brightness),
  contrast: bounded(BOUNDS.contrast),
  saturation: bounded(BOUNDS.saturation),
  sepia: bounded(BOUNDS.sepia),
  grey: bounded(BOUNDS.grey),
  hue: bounded(BOUNDS.hue),
  invert: flag,
  ink: flag,
  flashEvery: bounded(BOUNDS.flashEvery),
};

export const SETTINGS = Object.keys(READ) as readonly Setting[];

/** The settings in a stored value that have a meaning; another client, or a later version, may have stored others. */
export const settingsIn = (stored: unknown): Partial<Settings> => {
  if (typeof stored !== 'object' || stored === null) return {};
  const given = stored as Readonly<Record<string, unknown>>;
  const found = SETTINGS.flatMap((key) => {
    const value = READ[key](given[key]);
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(found);
};
