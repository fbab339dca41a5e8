// Reads the configuration: defaults, then the file, the environment and the command line.
// The valid keys are in http/config/config-keys.ts; the meaning of a value is known to the code that uses it.
import { AppError } from '../../core/model/errors.js';
import { SETTING_KEYS } from '../../core/settings/setting-keys.js';
import { closestOf, suggestionFor } from './closest.js';
import { treeOf } from './config-file.js';
import {
  type Config,
  expectationOf,
  generalOf,
  isKeyName,
  isNamed,
  KEY_NAMES,
  type Key,
  type KeyName,
  keyOf,
  pathOfVariable,
  sizeOf,
  variableOf,
} from './config-keys.js';
import { build, presets, type Value } from './config-values.js';
import { fits, type Shape } from './shapes.js';
import { signOnFaults, takeSecrets } from './sign-on-faults.js';
import { tracingFaults } from './tracing-faults.js';

export type { Config } from './config-keys.js';

/** A value from the command line. */
export interface Override {
  readonly key: KeyName;
  readonly text: string;
  /** Where it came from, for the message: 'option --port'. */
  readonly from: string;
}

export interface ConfigSources {
  /** The file of `--config`; null when none was named. */
  readonly file: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly overrides: readonly Override[];
}

/** One value as it was given, in the form a file would give it. */
interface Given {
  /** The name of the key; of a key with a name that the owner chooses, with that name. */
  readonly path: string;
  readonly key: KeyName;
  readonly raw: unknown;
  readonly from: string;
}

interface Layer {
  readonly given: readonly Given[];
  /** Messages: all of them are shown, so that one start shows every mistake. */
  readonly faults: readonly string[];
}

const PREFIX = 'SVC_';
/** Names the file as `--config` does. */
const FILE_VARIABLE = 'SVC_CONFIG';
/** The one flat name among the variables, required by the contract. */
const FLAT: Readonly<Record<string, KeyName>> = { SVC_ENCRYPTION_KEY: 'auth.encryption_key' };
const VARIABLES: ReadonlyMap<string, KeyName> = new Map([
  ...KEY_NAMES.map((name) => [variableOf(name), name] as const),
  ...Object.entries(FLAT),
]);
const SHOWN_CHARS = 60;

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value as a short phrase for a message. */
const shown = (raw: unknown): string => {
  if (raw === null || raw === undefined) return 'nothing';
  if (Array.isArray(raw)) return `the list ${JSON.stringify(raw).slice(0, SHOWN_CHARS)}`;
  if (typeof raw === 'object') return 'a group of keys';
  if (typeof raw !== 'string') return `the ${typeof raw} ${String(raw)}`;
  return JSON.stringify(raw.length > SHOWN_CHARS ? `${raw.slice(0, SHOWN_CHARS)}…` : raw);
};

const YES = ['true', 'yes', 'on', '1'];
const NO = ['false', 'no', 'off', '0'];

const readList = (text: string): unknown => {
  if (!text.trimStart().startsWith('['))
    return text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON after all: the text itself is refused below, with the same message as any wrong value.
    return text;
  }
};

/** A variable or an option is only text: converted to what a file would contain. */
const rawOf = (key: Key, text: string): unknown => {
  const word = text.trim();
  if (key.type === 'list') return readList(text);
  if (key.type === 'flag') return YES.includes(word.toLowerCase()) || (NO.includes(word.toLowerCase()) ? false : text);
  if (key.type === 'ratio') return /^(?:\d+|\d*\.\d+)$/.test(word) ? Number(word) : text;
  if (key.type !== 'whole' && key.type !== 'bytes') return text;
  return /^[+-]?\d+$/.test(word) ? Number(word) : text;
};

/** One text is a list of one, as in a variable. */
const entriesOf = (raw: unknown): readonly unknown[] | undefined => {
  if (typeof raw === 'string') return [raw];
  return Array.isArray(raw) ? raw : undefined;
};

const isEntry = ({ shape }: { readonly shape: Shape }, word: unknown): word is string =>
  typeof word === 'string' && fits(shape, word);

/** The value if it is valid, else undefined. */
const accepted = (key: Key, raw: unknown): Value | undefined => {
  switch (key.type) {
    case 'text':
      if (raw === null) return key.preset === null ? null : undefined;
      return typeof raw === 'string' && fits(key.shape, raw) ? raw : undefined;
    case 'ratio':
      return typeof raw === 'number' && raw >= 0 && raw <= 1 ? raw : undefined;
    case 'flag':
      return typeof raw === 'boolean' ? raw : undefined;
    case 'choice':
      return key.words.find((word) => word === raw);
    case 'list': {
      const all = entriesOf(raw);
      const words = all?.filter((word): word is string => isEntry(key, word));
      return words !== undefined && words.length === all?.length ? Object.freeze(words) : undefined;
    }
    case 'whole':
    case 'bytes': {
      const number = key.type === 'bytes' && typeof raw === 'string' ? sizeOf(raw) : raw;
      if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
      return number >= key.min && number <= key.max ? number : undefined;
    }
  }
};

const wrongValue = ({ path, key: name, raw, from }: Given): string => {
  const key = keyOf(name);
  const isSecret = key.type === 'text' && key.secret;
  // Of a list, the entry that is wrong.
  const wrong = key.type === 'list' ? (entriesOf(raw)?.find((word) => !isEntry(key, word)) ?? raw) : raw;
  const got = isSecret ? 'something else (not shown, because it is a secret)' : shown(wrong);
  return `${path} (${from}): expected ${expectationOf(key)}, but got ${got}.`;
};

const withoutGroup = (name: string): string => name.replace(/^.*\./, '');
const quoted = (word: string): string => JSON.stringify(word.slice(0, SHOWN_CHARS));

const hintOf = (what: string, word: string | undefined): string =>
  word === undefined ? '' : ` The closest valid ${what} is ${word}.`;

/** Settings that only the running server has. */
const runningSetting = (paths: readonly string[], from: string): string | undefined => {
  const key = SETTING_KEYS.find((one) => paths.includes(one));
  return key === undefined
    ? undefined
    : `${key} (${from}) is set while the server runs: PUT /api/v1/admin/settings/${key} with {"value": "…"}, as an administrator.`;
};

const unknownKey = (path: string, from: string): string =>
  runningSetting([path], from) ??
  `Unknown key ${quoted(path)} (${from}).${hintOf('key', suggestionFor(path, KEY_NAMES, withoutGroup))} longbox config lists all of them.`;

const sectionsOf = (name: string): readonly string[] => {
  const words = name.split('.').slice(0, -1);
  return words.map((_, index) => words.slice(0, index + 1).join('.'));
};

const SECTIONS: ReadonlySet<string> = new Set(KEY_NAMES.flatMap(sectionsOf));
const TOP_SECTIONS = [...SECTIONS].filter((section) => !section.includes('.'));
/** A slip, not another word. */
const SLIPS = 2;

const unknownSection = (section: string, words: readonly string[], from: string): string => {
  const setting = runningSetting(
    words.map((word) => `${section}.${word}`),
    from,
  );
  if (setting !== undefined) return setting;
  const meant = words.map((word) => closestOf(word, KEY_NAMES, withoutGroup)).find(({ steps }) => steps <= SLIPS);
  const hint = meant === undefined ? '' : ` Is ${meant.word} meant?`;
  return `Unknown section ${quoted(section)} (${from}): expected one of ${TOP_SECTIONS.join(', ')}.${hint}`;
};

/** What stands there instead is not shown: it may be a secret. */
const noSection = (section: string, from: string): string => {
  const example = KEY_NAMES.find((name) => name.startsWith(`${generalOf(section)}.`)) ?? '';
  return `${section} (${from}): expected a section with keys of its own, like ${example}, but got a single value or a list.`;
};

/** Keys may be nested or written with dots; an empty section is not an error. */
const flatten = (tree: Readonly<Record<string, unknown>>, from: string, above = ''): Layer => {
  const wrong = (fault: string): Layer => ({ given: [], faults: [fault] });
  const layers = Object.entries(tree).map(([word, raw]): Layer => {
    const path = `${above}${word}`;
    const general = generalOf(path);
    if (isKeyName(general) && !isNamed(path)) return { given: [{ path, key: general, raw, from }], faults: [] };
    if (SECTIONS.has(general)) {
      if (raw === null) return { given: [], faults: [] };
      return isMapping(raw) ? flatten(raw, from, `${path}.`) : wrong(noSection(path, from));
    }
    return wrong(
      isMapping(raw) && above === '' ? unknownSection(path, Object.keys(raw), from) : unknownKey(path, from),
    );
  });
  return { given: layers.flatMap((layer) => layer.given), faults: layers.flatMap((layer) => layer.faults) };
};

const fileLayer = (file: string | null): Layer => {
  if (file === null) return { given: [], faults: [] };
  const tree = treeOf(file) ?? {};
  if (!isMapping(tree)) {
    throw new AppError(
      'BadRequest',
      `The configuration file ${file} must contain keys and values, but it contains ${Array.isArray(tree) ? 'a list' : 'a single value'}.`,
    );
  }
  const layer = flatten(tree, file);
  const names = layer.given.map(({ path }) => path);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return { given: layer.given, faults: [...layer.faults, ...twice.map((name) => `${name} is set twice in ${file}.`)] };
};

const pathOf = (variable: string): string | undefined => VARIABLES.get(variable) ?? pathOfVariable(variable);
const isVariable = (name: string): boolean => pathOf(name) !== undefined;

/** A value of a path that is known. */
const given = (path: string, text: string, from: string): Given => {
  const key = generalOf(path);
  if (!isKeyName(key)) throw new AppError('Internal', `There is no setting ${key}.`);
  return { path, key, raw: rawOf(keyOf(key), text), from };
};

/** Variables that are set and not empty: an empty one, as compose files produce it, counts as unset. */
const setVariables = (environment: ConfigSources['environment']): readonly (readonly [string, string])[] =>
  Object.entries(environment)
    .filter(([name]) => name.startsWith(PREFIX) && name !== FILE_VARIABLE)
    .flatMap(([name, text]) => (text === undefined || (text === '' && isVariable(name)) ? [] : [[name, text]]));

const environmentLayer = (environment: ConfigSources['environment']): Layer => {
  const names = [...VARIABLES.keys(), FILE_VARIABLE];
  const layers = setVariables(environment).map(([name, text]): Layer => {
    const path = pathOf(name);
    if (path !== undefined) return { given: [given(path, text, `variable ${name}`)], faults: [] };
    const running = runningSetting([name.slice(PREFIX.length).toLowerCase().replaceAll('__', '.')], `variable ${name}`);
    const hint = hintOf(
      'name',
      suggestionFor(name, names, (one) => one.replace(/^SVC_.*__/, PREFIX)),
    );
    return {
      given: [],
      faults: [running ?? `Unknown variable ${name.slice(0, SHOWN_CHARS)}.${hint} longbox config lists all of them.`],
    };
  });
  const clashes = Object.entries(FLAT).flatMap(([flat, key]) =>
    environment[flat] && environment[variableOf(key)] && environment[flat] !== environment[variableOf(key)]
      ? [`${flat} and ${variableOf(key)} are both set and differ; keep one.`]
      : [],
  );
  return {
    given: layers.flatMap((layer) => layer.given),
    faults: [...layers.flatMap((layer) => layer.faults), ...clashes],
  };
};

const optionLayer = (overrides: readonly Override[]): Layer => ({
  given: overrides.map(({ key, text, from }) => given(key, text, from)),
  faults: [],
});

/** The whole configuration, frozen. Throws one error with a sentence per mistake; secret values never appear in it. */
export const loadConfig = (sources: ConfigSources): Config => {
  const file = sources.file ?? (sources.environment[FILE_VARIABLE] || null);
  const layers = [fileLayer(file), environmentLayer(sources.environment), optionLayer(sources.overrides)];
  const all = layers.flatMap((layer) => layer.given);
  const values = presets(all.map(({ path }) => path));
  const faults = layers.flatMap((layer) => layer.faults);
  for (const one of all) {
    const value = accepted(keyOf(one.key), one.raw);
    if (value === undefined) faults.push(wrongValue(one));
    else values.set(one.path, value);
  }
  faults.push(...takeSecrets(values, sources.environment));
  const config = build(values);
  faults.push(...signOnFaults(config), ...tracingFaults(config));
  if (faults.length > 0) throw new AppError('BadRequest', faults.join('\n'));
  return config;
};

/** Checks one value without loading anything: the message when it is wrong, else null. */
export const faultOfOverride = ({ key, text, from }: Override): string | null => {
  const one = given(key, text, from);
  return accepted(keyOf(key), one.raw) === undefined ? wrongValue(one) : null;
};
