// Applies the rules of a library to its rows: the title and number of a book, given what its path and its file say.
import { boundedByCount } from '../model/bounded-map.js';
import { stemOf } from '../model/formats.js';
import type { BookFacts } from '../model/metadata.js';
import { numberOfText } from '../model/numbers.js';
import {
  type BookStrategy,
  type LibraryRules,
  PLAIN_RULES,
  settlesLate,
  titlesByPosition,
} from '../model/strategies.js';
import { numberIn } from './rules/numbers.js';
import { seriesOf } from './rules/series.js';
import { type BookFactsFound, type BookSource, bookFacts } from './rules/titles.js';

/**
 * The rules that apply to a due book, as one text. Null where a library has the defaults and nothing changed, so that nothing needs
 * parsing.
 */
export const RULES_SQL = `CASE WHEN l.series_strategy = 'series_volume' AND l.book_strategy = 'filename' AND l.number_strategy = 'file_order'
  AND l.rules_changed = 0 THEN NULL ELSE json_array(l.series_strategy, json(l.series_config), l.book_strategy, json(l.book_config),
  l.number_strategy, json(l.number_config), l.rules_changed) END`;

export interface StoredRules {
  readonly rules: LibraryRules;
  /** Numbers or titles depend on what files say about themselves. */
  readonly dependOnFiles: boolean;
  /** Until they are analysed again, books have numbers and titles by the rules before. */
  readonly areChanged: boolean;
}

const DEFAULTS: StoredRules = { rules: PLAIN_RULES, dependOnFiles: false, areChanged: false };
const KEPT = 50;
const kept = boundedByCount<string, StoredRules>(KEPT);

type RulesRow = readonly [
  LibraryRules['seriesStrategy'],
  LibraryRules['seriesConfig'],
  LibraryRules['bookStrategy'],
  LibraryRules['bookConfig'],
  LibraryRules['numberStrategy'],
  LibraryRules['numberConfig'],
  number,
];

/** Parses RULES_SQL. All books of a library have the same text, so it is parsed once. */
export const storedRules = (text: string | null): StoredRules => {
  if (text === null) return DEFAULTS;
  const known = kept.get(text);
  if (known !== undefined) return known;
  const [seriesStrategy, seriesConfig, bookStrategy, bookConfig, numberStrategy, numberConfig, changed]: RulesRow =
    JSON.parse(text);
  const strategies = { seriesStrategy, seriesConfig, bookStrategy, bookConfig, numberStrategy, numberConfig };
  const rules: LibraryRules = { ...strategies, titleRules: null };
  const made = { rules, dependOnFiles: settlesLate(rules), areChanged: changed === 1 };
  kept.set(text, made);
  return made;
};

export interface FilePlace {
  readonly folderPath: string;
  readonly fileName: string;
}

type Embedded = Pick<BookFacts, 'title' | 'volume' | 'chapter' | 'number'>;

const folderVolume = (rules: LibraryRules, { folderPath, fileName }: FilePlace): number | null =>
  rules.seriesStrategy === 'series_volume'
    ? null
    : (seriesOf(rules.seriesStrategy, rules.seriesConfig, folderPath, fileName).volume ?? null);

const takesNumbersOfNames = ({ numberStrategy }: LibraryRules): boolean =>
  numberStrategy === 'smart' || numberStrategy === 'filename';

/** The name of the series, after which numbers are looked for. */
const seriesInPath = (rules: LibraryRules, { folderPath, fileName }: FilePlace): string =>
  seriesOf(rules.seriesStrategy, rules.seriesConfig, folderPath, fileName).name;

/** Strategies that look for volume and chapter in the name of the file anyway. */
const READS_NAMES: ReadonlySet<BookStrategy> = new Set<BookStrategy>(['filename', 'smart']);

interface FactsOfFile extends BookFactsFound {
  /** From the metadata, in every library; otherwise from the file name. Null: only the place in the series is known. */
  readonly number: number | null;
}

/**
 * Titles that need a position in the series are written when the series is numbered, not here. For volume, chapter and number the
 * file comes first, then the strategy, then the file name (STORED_RULES.volumes).
 */
export const factsOfFile = (
  rules: LibraryRules,
  place: FilePlace,
  embedded: Embedded | null,
  volume = folderVolume(rules, place),
): FactsOfFile => {
  const number = numberOfText(embedded?.number ?? null);
  const seriesName = seriesInPath(rules, place);
  const source: BookSource = {
    fileName: place.fileName,
    embeddedTitle: embedded?.title ?? null,
    embeddedVolume: embedded?.volume ?? null,
    // The index of a package is a position in its series: only formats of comics state chapters.
    embeddedChapter: embedded?.chapter ?? null,
    seriesName,
    position: null,
    seriesSize: 0,
    folderVolume: volume,
    filesAreChapters: rules.seriesStrategy === 'series_volume_chapter',
  };
  const found = bookFacts(rules.bookStrategy, rules.bookConfig, source);
  const named = READS_NAMES.has(rules.bookStrategy) ? found : bookFacts('filename', null, source);
  return {
    title: found.title,
    volume: source.embeddedVolume ?? found.volume ?? named.volume,
    chapter: source.embeddedChapter ?? found.chapter ?? named.chapter,
    number: number ?? (takesNumbersOfNames(rules) ? numberIn(stemOf(place.fileName), seriesName) : null),
  };
};

/** The facts an analysis writes; a null title leaves the stored one. */
export const factsToStore = (
  rules: LibraryRules,
  place: FilePlace,
  embedded: Embedded | null,
): Omit<FactsOfFile, 'title'> & { readonly title: string | null } => {
  const found = factsOfFile(rules, place, embedded);
  return titlesByPosition(rules) ? { ...found, title: null } : found;
};
