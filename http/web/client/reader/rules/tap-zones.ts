// What a tap does, by where it lands: nine fields of the screen.

export const ZONE_ACTIONS = ['next', 'previous', 'menu', 'none'] as const;
export type ZoneAction = (typeof ZONE_ACTIONS)[number];

/** Three rows from the top, each from the left, as a book is read that goes from left to right. */
export type ZoneGrid = readonly ZoneAction[];

export const SIDE = 3;

const LETTERS: Readonly<Record<string, ZoneAction>> = { n: 'next', p: 'previous', m: 'menu', '.': 'none' };

const grid = (letters: string): ZoneGrid => [...letters].map((letter) => LETTERS[letter] ?? 'none');

export const PRESETS = {
  sides: grid('pmnpmnpmn'),
  corner: grid('ppppmnnnn'),
  'mostly-next': grid('mmmpnnpnn'),
  edges: grid('nmnnmnnpn'),
  stacked: grid('pppmmmnnn'),
  off: grid('mmmmmmmmm'),
} as const satisfies Record<string, ZoneGrid>;

export type Preset = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[];

export const FLIPS = ['none', 'sideways', 'upside-down', 'both'] as const;
export type Flip = (typeof FLIPS)[number];

export interface ZoneOptions {
  readonly preset: Preset | 'own';
  readonly own: ZoneGrid;
  readonly flip: Flip;
  /** What leads on lies where reading leads: on the left then. */
  readonly isRtl: boolean;
}

const isGrid = (given: ZoneGrid): boolean => given.length === SIDE * SIDE;

/** The zones as configured. */
export const chosenZones = ({ preset, own }: Pick<ZoneOptions, 'preset' | 'own'>): ZoneGrid =>
  preset !== 'own' ? PRESETS[preset] : isGrid(own) ? own : PRESETS.sides;

export const hasMenu = (zones: ZoneGrid): boolean => zones.includes('menu');

const MIDDLE = (SIDE * SIDE - 1) / 2;

/** Without a menu zone, touch users could not change the zones back, so the middle opens the menu. */
const withMenu = (zones: ZoneGrid): ZoneGrid =>
  hasMenu(zones) ? zones : zones.map((action, index) => (index === MIDDLE ? 'menu' : action));

/** As it lies on the screen. */
export const zonesOf = ({ preset, own, flip, isRtl }: ZoneOptions): ZoneGrid => {
  const fields = withMenu(chosenZones({ preset, own }));
  const isMirrored = (flip === 'sideways' || flip === 'both') !== isRtl;
  const isUpsideDown = flip === 'upside-down' || flip === 'both';
  return fields.map((_, index) => {
    const [row, column] = [Math.floor(index / SIDE), index % SIDE];
    const from = (isUpsideDown ? SIDE - 1 - row : row) * SIDE + (isMirrored ? SIDE - 1 - column : column);
    return fields[from] ?? 'none';
  });
};

const third = (share: number): number => Math.min(SIDE - 1, Math.max(0, Math.floor(share * SIDE)));

/** `x` and `y`: shares of the screen. */
export const zoneAt = (zones: ZoneGrid, x: number, y: number): ZoneAction =>
  zones[third(y) * SIDE + third(x)] ?? 'none';
