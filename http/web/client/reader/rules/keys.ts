// Keys of the reader: what can be bound, what is bound, and which bindings contradict each other.

export const ACTIONS = [
  'next',
  'previous',
  'turn-left',
  'turn-right',
  'scroll-down',
  'scroll-up',
  'first',
  'last',
  'next-book',
  'previous-book',
  'pages',
  'menu',
  'settings',
  'help',
  'fullscreen',
  'mode',
  'fit',
  'double',
  'offset',
  'direction',
  'zoom-in',
  'zoom-out',
  'zoom-reset',
  'auto-scroll',
  'faster',
  'slower',
  'incognito',
  'close',
] as const;

export type Action = (typeof ACTIONS)[number];

/** The keys of an action as `comboOf` writes them. */
export type Bindings = Readonly<Record<Action, readonly string[]>>;

export const DEFAULT_KEYS: Bindings = {
  next: ['Space', 'PageDown', 'J'],
  previous: ['Shift+Space', 'PageUp', 'K'],
  'turn-left': ['ArrowLeft'],
  'turn-right': ['ArrowRight'],
  'scroll-down': ['ArrowDown'],
  'scroll-up': ['ArrowUp'],
  first: ['Home'],
  last: ['End'],
  'next-book': ['Shift+N'],
  'previous-book': ['Shift+P'],
  pages: ['G'],
  menu: ['M', 'Enter'],
  settings: ['S'],
  help: ['?', 'H'],
  fullscreen: ['F'],
  mode: ['V'],
  fit: ['C'],
  double: ['D'],
  offset: ['O'],
  direction: ['R'],
  'zoom-in': ['+', '='],
  'zoom-out': ['-'],
  'zoom-reset': ['0'],
  'auto-scroll': ['A'],
  faster: ['.'],
  slower: [','],
  incognito: ['I'],
  close: ['Escape'],
};

export interface Pressed {
  readonly key: string;
  /** The key by its place on a keyboard for English. */
  readonly code: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta']);
const COMBO_MAX = 40;

/** Undefined for a modifier alone. Shift is part of a sign that it makes (`?`), but not of a letter or a named key. */
export const comboOf = ({ key, shiftKey, ctrlKey, altKey, metaKey }: Omit<Pressed, 'code'>): string | undefined => {
  if (MODIFIERS.has(key) || key === '' || key === 'Dead' || key === 'Unidentified') return undefined;
  const isLetter = key.length > 0 && key.toLowerCase() !== key.toUpperCase();
  const name = key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key;
  const isSign = key.length === 1 && key !== ' ' && !isLetter;
  const before = [ctrlKey && 'Ctrl', altKey && 'Alt', metaKey && 'Meta', shiftKey && !isSign && 'Shift'];
  return [...before.filter((one) => one !== false), name].join('+');
};

const isCombo = (given: unknown): given is string =>
  typeof given === 'string' && given.length > 0 && given.length <= COMBO_MAX;

/** What a person bound replaces the keys that an action has by itself. */
export const bindingsOf = (own: Readonly<Partial<Record<Action, readonly string[]>>>): Bindings => {
  const all = ACTIONS.map((action) => [action, own[action]?.filter(isCombo) ?? DEFAULT_KEYS[action]] as const);
  return Object.fromEntries(all) as unknown as Bindings;
};

/** The first action in the order of the table, if a key is bound twice. */
export const actionOf = (bindings: Bindings, combo: string): Action | undefined =>
  ACTIONS.find((action) => bindings[action].includes(combo));

const LETTER = /^Key([A-Z])$/;
const LATIN = /^\p{Script=Latin}$/u;

/** With a layout for another script, or while an input method takes the key: the letter at the same place in English. */
const latinComboOf = (pressed: Pressed): string | undefined => {
  const [, letter] = LETTER.exec(pressed.code) ?? [];
  return letter === undefined || LATIN.test(pressed.key) ? undefined : comboOf({ ...pressed, key: letter });
};

/** What a key does. What it types counts before its place, since anything can be bound. */
export const actionOfPress = (bindings: Bindings, pressed: Pressed): Action | undefined =>
  [comboOf(pressed), latinComboOf(pressed)]
    .flatMap((combo) => (combo === undefined ? [] : (actionOf(bindings, combo) ?? [])))
    .at(0);

export interface Conflict {
  readonly combo: string;
  readonly actions: readonly Action[];
}

export const conflictsIn = (bindings: Bindings): readonly Conflict[] => {
  const byCombo = new Map<string, Action[]>();
  for (const action of ACTIONS)
    for (const combo of new Set(bindings[action])) byCombo.set(combo, [...(byCombo.get(combo) ?? []), action]);
  return [...byCombo].filter(([, actions]) => actions.length > 1).map(([combo, actions]) => ({ combo, actions }));
};

/** Binds a key to an action, and takes it from the others: a key does one thing. */
export const bound = (bindings: Bindings, action: Action, combo: string): Bindings =>
  Object.fromEntries(
    ACTIONS.map((one) => {
      const others = bindings[one].filter((each) => each !== combo);
      return [one, one === action ? [...others, combo] : others];
    }),
  ) as unknown as Bindings;

export const unbound = (bindings: Bindings, action: Action, combo: string): Bindings => ({
  ...bindings,
  [action]: bindings[action].filter((each) => each !== combo),
});

/** Only what differs from the keys that actions have by themselves, for a profile. */
export const ownKeys = (bindings: Bindings): Partial<Record<Action, readonly string[]>> =>
  Object.fromEntries(
    ACTIONS.filter((action) => bindings[action].join(' ') !== DEFAULT_KEYS[action].join(' ')).map((action) => [
      action,
      bindings[action],
    ]),
  );
