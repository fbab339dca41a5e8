// Title, volume and chapter of a book by the strategy of its library, and the rewriting of series names. Pure. If you change it, raise
// STORED_RULES.titles and STORED_RULES.volumes.

import { stemOf } from '../../model/formats.js';
import { numberOfText } from '../../model/numbers.js';
import {
  type BookStrategy,
  fallbackOf,
  listOption,
  type StrategyConfig,
  type TitleRule,
  textOption,
} from '../../model/strategies.js';
import { chapterIn, firstNumberIn, volumeIn } from './numbers.js';
import { fillTemplate, matchOf, replaceAll } from './run-pattern.js';

const TITLE_MAX = 512;

/** The name of a series after every enabled rule, in order. A name that would become empty stays as it was. */
export const rewriteTitle = (rules: readonly TitleRule[] | null, name: string): string => {
  if (rules === null) return name;
  const rewritten = rules
    .filter((rule) => rule.enabled)
    .reduce((text, { pattern, replacement }) => replaceAll(pattern, text, replacement), name);
  const tidy = rewritten === name ? name : rewritten.replace(/\s+/g, ' ').trim();
  return tidy === '' ? name : tidy.slice(0, TITLE_MAX);
};

export interface BookSource {
  readonly fileName: string;
  readonly embeddedTitle: string | null;
  readonly embeddedVolume: number | null;
  readonly embeddedChapter: number | null;
  readonly seriesName: string;
  /** The name of the series in the path, if it differs: people can rename a series. */
  readonly seriesInPath?: string;
  /** From 1, in file order; null while unknown. */
  readonly position: number | null;
  readonly seriesSize: number;
  /** The volume found in the folder names. */
  readonly folderVolume?: number | null;
  /** Every file of the library is a chapter, so its first number is the chapter. */
  readonly filesAreChapters?: boolean;
}

export interface BookFactsFound {
  readonly title: string;
  readonly volume: number | null;
  readonly chapter: number | null;
}

type Rule = (source: BookSource, config: StrategyConfig) => BookFactsFound;

const stem = ({ fileName }: BookSource): string => stemOf(fileName).slice(0, TITLE_MAX);

const inPath = ({ seriesInPath, seriesName: name }: BookSource): string => seriesInPath ?? name;

const volumeOf = (source: BookSource): number | null =>
  volumeIn(stem(source), inPath(source)) ?? source.folderVolume ?? null;

const chapterOf = (source: BookSource): number | null =>
  chapterIn(stem(source), inPath(source)) ??
  (source.filesAreChapters === true ? firstNumberIn(stem(source), inPath(source)) : null);

const fileNameRule: Rule = (source) => ({ title: stem(source), volume: volumeOf(source), chapter: chapterOf(source) });

/** An embedded title, or undefined when the file has no usable one. */
const embedded = ({ embeddedTitle }: BookSource): string | undefined => {
  const title = embeddedTitle?.trim().slice(0, TITLE_MAX);
  return title === '' ? undefined : title;
};

const metadataFirst: Rule = (source) => ({
  title: embedded(source) ?? stem(source),
  volume: source.embeddedVolume,
  chapter: source.embeddedChapter,
});

const GENERIC =
  /^(?:(?:vol\.?|volume|chapter|issue|part|ep\.?|episode)\s{0,4}#?\s{0,4}|#\s{0,4})?\d{1,6}(?:[.,]\d{1,4})?$/i;

/** A title that says no more than the number of the book. */
export const isGeneric = (title: string, more: readonly string[] = []): boolean =>
  GENERIC.test(title.trim()) || more.some((pattern) => matchOf(pattern, title) !== null);

const smart: Rule = (source, config) => {
  const title = embedded(source);
  const tells = title !== undefined && !isGeneric(title, listOption(config, 'additionalGenericPatterns'));
  return {
    title: tells ? title : stem(source),
    volume: source.embeddedVolume ?? volumeOf(source),
    chapter: source.embeddedChapter ?? chapterOf(source),
  };
};

const widthOf = (seriesSize: number, least: number): number =>
  Math.max(least, seriesSize < 100 ? 2 : seriesSize < 1000 ? 3 : 4);

/** Pads the digits before the point; a fraction keeps one digit. */
const padded = (value: number, width: number): string => {
  const [whole = '', fraction] = Number.isInteger(value) ? [String(value)] : value.toFixed(1).split('.');
  return whole.padStart(width, '0') + (fraction === undefined ? '' : `.${fraction}`);
};

const seriesName: Rule = (source) => {
  const { seriesSize, position } = source;
  const volume = source.folderVolume ?? null;
  const chapter = chapterOf(source);
  if (volume !== null && chapter !== null) {
    const marks = `v.${padded(volume, widthOf(seriesSize, 2))} c.${padded(chapter, widthOf(seriesSize, 3))}`;
    return { title: `${source.seriesName} ${marks}`, volume, chapter };
  }
  if (position === null) return { title: stem(source), volume, chapter };
  return { title: `${source.seriesName} v.${padded(position, widthOf(seriesSize, 2))}`, volume, chapter };
};

const custom: Rule = (source, config) => {
  const fallback = (): BookFactsFound => RULES[fallbackOf(config)](source, config);
  const pattern = textOption(config, 'pattern');
  const groups = pattern === undefined ? undefined : matchOf(pattern, stem(source))?.named;
  if (groups === undefined || Object.keys(groups).length === 0) return fallback();
  const template = textOption(config, 'titleTemplate');
  const made = template === undefined ? '' : fillTemplate(template, { ...groups, filename: stem(source) });
  const title = made === '' ? groups.title?.trim() : made;
  const volume = numberOfText(groups.volume ?? null);
  return {
    title: title === undefined || title === '' ? fallback().title : title,
    volume: volume !== null && Number.isInteger(volume) ? volume : null,
    chapter: numberOfText(groups.chapter ?? null),
  };
};

const RULES: Readonly<Record<BookStrategy, Rule>> = {
  filename: fileNameRule,
  metadata_first: metadataFirst,
  smart,
  series_name: seriesName,
  custom,
};

export const bookFacts = (strategy: BookStrategy, config: StrategyConfig, source: BookSource): BookFactsFound =>
  RULES[strategy](source, config);
