// The names of the ways in which a library turns paths and embedded facts into series, titles and numbers. Plain data; the rules are in
// core/scan/rules.

export const SERIES_STRATEGIES = [
  'series_volume',
  'series_volume_chapter',
  'flat',
  'publisher_hierarchy',
  'calibre',
  'custom',
] as const;
export type SeriesStrategy = (typeof SERIES_STRATEGIES)[number];

export const BOOK_STRATEGIES = ['filename', 'metadata_first', 'smart', 'series_name', 'custom'] as const;
export type BookStrategy = (typeof BOOK_STRATEGIES)[number];

export const NUMBER_STRATEGIES = ['file_order', 'metadata', 'filename', 'smart'] as const;
export type NumberStrategy = (typeof NUMBER_STRATEGIES)[number];

/** Options of a strategy as the owner wrote them; null means every default. */
export type StrategyConfig = Readonly<Record<string, unknown>> | null;

/** One step of rewriting the name of a new series. */
export interface TitleRule {
  readonly pattern: string;
  readonly replacement: string;
  readonly enabled: boolean;
  readonly description: string | null;
}

export interface LibraryRules {
  readonly seriesStrategy: SeriesStrategy;
  readonly seriesConfig: StrategyConfig;
  readonly bookStrategy: BookStrategy;
  readonly bookConfig: StrategyConfig;
  readonly numberStrategy: NumberStrategy;
  readonly numberConfig: StrategyConfig;
  readonly titleRules: readonly TitleRule[] | null;
}

/** By names and order of files alone: what libraries had that named no strategies, until metadata came first. */
export const PLAIN_RULES: LibraryRules = {
  seriesStrategy: 'series_volume',
  seriesConfig: null,
  bookStrategy: 'filename',
  bookConfig: null,
  numberStrategy: 'file_order',
  numberConfig: null,
  titleRules: null,
};

/** What a new library gets that names no strategies: titles and numbers of the metadata, else of the name, else by order. */
export const DEFAULT_RULES: LibraryRules = { ...PLAIN_RULES, bookStrategy: 'smart', numberStrategy: 'smart' };

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An option by its camelCase name; the older snake_case spelling is accepted too. */
export const option = (config: StrategyConfig, name: string): unknown => config?.[name] ?? config?.[snake(name)];

export const textOption = (config: StrategyConfig, name: string): string | undefined => {
  const value = option(config, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const flagOption = (config: StrategyConfig, name: string, fallback: boolean): boolean => {
  const value = option(config, name);
  return typeof value === 'boolean' ? value : fallback;
};

export const listOption = (config: StrategyConfig, name: string): readonly string[] => {
  const value = option(config, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
};

/** What books get when the pattern of the custom strategy does not match. */
export const fallbackOf = (config: StrategyConfig): BookStrategy => {
  const wanted = textOption(config, 'fallback');
  return BOOK_STRATEGIES.find((one) => one === wanted && one !== 'custom') ?? 'filename';
};

/** True when titles depend on the position of a book in its series, so that they are settled together with the numbers. */
export const titlesByPosition = ({ bookStrategy, bookConfig }: LibraryRules): boolean =>
  bookStrategy === 'series_name' || (bookStrategy === 'custom' && fallbackOf(bookConfig) === 'series_name');

/** True when the numbers and titles of a series can change after its files were analysed. */
export const settlesLate = (rules: LibraryRules): boolean =>
  rules.numberStrategy !== 'file_order' || titlesByPosition(rules);

/** True when a folder can be numbered the quick way: it is one series, and file order is all that counts. */
export const isPlain = (rules: LibraryRules): boolean =>
  rules.seriesStrategy === 'series_volume' && !settlesLate(rules);
