// The strategies of a library: the consequences of changing them, and the error for a configuration that cannot work.
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../model/errors.js';
import {
  BOOK_STRATEGIES,
  type LibraryRules,
  option,
  type StrategyConfig,
  type TitleRule,
} from '../model/strategies.js';
import { patternFault } from '../model/user-pattern.js';
import type { Column } from '../store/packed.js';

/** Absent means unchanged. */
export type RulesChange = { readonly [K in keyof LibraryRules]?: LibraryRules[K] | undefined };

export const RULE_COLUMNS: { readonly [K in keyof LibraryRules]: Column } = {
  seriesStrategy: { sql: 'l.series_strategy' },
  seriesConfig: { sql: 'l.series_config', as: 'json' },
  bookStrategy: { sql: 'l.book_strategy' },
  bookConfig: { sql: 'l.book_config', as: 'json' },
  numberStrategy: { sql: 'l.number_strategy' },
  numberConfig: { sql: 'l.number_config', as: 'json' },
  titleRules: { sql: 'l.title_rules', as: 'json' },
};

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** In the order of the columns above. */
export const ruleBinds = (rules: LibraryRules): readonly (string | null)[] => [
  rules.seriesStrategy,
  jsonOf(rules.seriesConfig),
  rules.bookStrategy,
  jsonOf(rules.bookConfig),
  rules.numberStrategy,
  jsonOf(rules.numberConfig),
  jsonOf(rules.titleRules),
];

const CONFIG_MAX = 20_000;
const TEMPLATE_MAX = 500;
const SKIP_MAX = 50;

/** The path of an option, and what is wrong with it. */
type Fault = readonly [path: string, message: string];

type OptionCheck = (value: unknown) => string | undefined;

const text: OptionCheck = (value) =>
  typeof value === 'string' && value.length <= TEMPLATE_MAX
    ? undefined
    : `must be text of at most ${TEMPLATE_MAX} characters`;
const flag: OptionCheck = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const pattern: OptionCheck = (value) =>
  typeof value === 'string' ? patternFault(value) : 'must be a regular expression';
const oneOf =
  (...words: readonly string[]): OptionCheck =>
  (value) =>
    words.some((one) => one === value) ? undefined : `must be one of ${words.join(', ')}`;
const patterns: OptionCheck = (value) => {
  if (!Array.isArray(value) || value.length > 50) return 'must be a list of at most 50 regular expressions';
  return value.map((one) => pattern(one)).find((fault) => fault !== undefined);
};
const depth: OptionCheck = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= SKIP_MAX
    ? undefined
    : `must be a whole number from 0 to ${SKIP_MAX}`;

type OptionChecks = Readonly<Record<string, OptionCheck>>;

const SERIES_OPTIONS: Readonly<Partial<Record<LibraryRules['seriesStrategy'], OptionChecks>>> = {
  flat: { filenamePatterns: patterns, requireMetadata: flag },
  publisher_hierarchy: { skipDepth: depth, storeSkippedAs: text },
  calibre: {
    stripIdSuffix: flag,
    seriesMode: oneOf('standalone', 'by_author', 'from_metadata'),
    readOpfMetadata: flag,
    authorFromFolder: flag,
  },
  custom: { pattern, seriesNameTemplate: text },
};

const BOOK_OPTIONS: Readonly<Partial<Record<LibraryRules['bookStrategy'], OptionChecks>>> = {
  smart: { additionalGenericPatterns: patterns },
  custom: {
    pattern,
    titleTemplate: text,
    fallback: oneOf(...BOOK_STRATEGIES.filter((one) => one !== 'custom')),
    additionalGenericPatterns: patterns,
  },
};

/** Unknown options are kept: a newer server may know them. */
const optionFaults = (name: string, config: StrategyConfig, checks: OptionChecks = {}): Fault[] => {
  if (JSON.stringify(config).length > CONFIG_MAX) return [[name, `is longer than ${CONFIG_MAX} characters`]];
  return Object.entries(checks).flatMap(([key, check]): Fault[] => {
    const value = option(config, key);
    const fault = value === undefined || value === null ? undefined : check(value);
    return fault === undefined ? [] : [[`${name}.${key}`, fault]];
  });
};

const groupFaults = ({ seriesStrategy, seriesConfig }: LibraryRules): Fault[] => {
  const wanted = option(seriesConfig, 'pattern');
  const template = option(seriesConfig, 'seriesNameTemplate') ?? '{series}';
  const missing = typeof wanted === 'string' && !/\(\?P?<series>/.test(wanted);
  if (seriesStrategy !== 'custom' || !missing || !String(template).includes('{series}')) return [];
  return [['seriesConfig.pattern', 'must name a group for the series, as in (?<series>[^/]+)']];
};

const bookFaults = ({ bookStrategy, bookConfig }: LibraryRules): Fault[] =>
  bookStrategy === 'custom' && typeof option(bookConfig, 'pattern') !== 'string'
    ? [['bookConfig.pattern', 'is required by the strategy custom']]
    : [];

const titleFaults = (rules: readonly TitleRule[] | null): Fault[] =>
  (rules ?? []).flatMap((rule, index): Fault[] => {
    const fault = patternFault(rule.pattern);
    return fault === undefined ? [] : [[`titlePreprocessingRules[${index}].pattern`, fault]];
  });

/** Throws a BadRequest that names every invalid option. */
export const checkRules = (rules: LibraryRules): void => {
  const faults = [
    ...optionFaults('seriesConfig', rules.seriesConfig, SERIES_OPTIONS[rules.seriesStrategy]),
    ...optionFaults('bookConfig', rules.bookConfig, BOOK_OPTIONS[rules.bookStrategy]),
    ...optionFaults('numberConfig', rules.numberConfig),
    ...groupFaults(rules),
    ...bookFaults(rules),
    ...titleFaults(rules.titleRules),
  ];
  if (faults.length === 0) return;
  const sentence = faults.map(([path, message]) => `${path} ${message}`).join('; ');
  throw new AppError(
    'BadRequest',
    `Invalid strategy: ${sentence}.`,
    faults.map(([path, message]) => ({ path, message })),
  );
};

const FIXED = 'cannot be changed once a library exists; create a new library instead.';

/** How books form series is decided once: a change would separate series from their ids and from what users wrote about them. */
export const refuseSeriesChange = (old: LibraryRules, change: RulesChange): void => {
  if (change.seriesStrategy !== undefined && change.seriesStrategy !== old.seriesStrategy)
    throw new AppError('BadRequest', `seriesStrategy ${FIXED}`);
  if (change.seriesConfig !== undefined && !isDeepStrictEqual(change.seriesConfig, old.seriesConfig))
    throw new AppError('BadRequest', `seriesConfig ${FIXED}`);
};

export const mergeRules = (old: LibraryRules, change: RulesChange): LibraryRules => {
  const kept = <K extends keyof LibraryRules>(key: K): LibraryRules[K] => {
    const value = change[key];
    return value === undefined ? old[key] : (value as LibraryRules[K]);
  };
  return {
    seriesStrategy: kept('seriesStrategy'),
    seriesConfig: kept('seriesConfig'),
    bookStrategy: kept('bookStrategy'),
    bookConfig: kept('bookConfig'),
    numberStrategy: kept('numberStrategy'),
    numberConfig: kept('numberConfig'),
    titleRules: kept('titleRules'),
  };
};

/** True when existing books must be read again for the change to apply. */
export const changesBooks = (old: LibraryRules, now: LibraryRules): boolean =>
  !isDeepStrictEqual(
    [old.bookStrategy, old.bookConfig, old.numberStrategy, old.numberConfig],
    [now.bookStrategy, now.bookConfig, now.numberStrategy, now.numberConfig],
  );
