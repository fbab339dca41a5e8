// Which series a file belongs to, by the strategy of its library. Pure. A series is keyed by a folder path. Where a strategy groups by
// something else, the key is a folder and a name with `//` between them, which no path contains.

import { stemOf } from '../../model/formats.js';
import {
  flagOption,
  listOption,
  option,
  type SeriesStrategy,
  type StrategyConfig,
  textOption,
} from '../../model/strategies.js';
import { pureVolume, volumeIn } from './numbers.js';
import { fillTemplate, matchOf } from './run-pattern.js';

export interface SeriesOfFile {
  /** Unique in the library. */
  readonly path: string;
  readonly name: string;
  readonly publisher?: string | null;
  /** The volume found in the folder names, for every book below. */
  readonly volume?: number | null;
}

/** `told` is the series named by a `metadata.opf` next to the file; null when there is none or the strategy does not use it. */
type Rule = (folder: string, fileName: string, config: StrategyConfig, told: string | null) => SeriesOfFile;

const UNSORTED = 'Unsorted';

const lastOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);
const parentOf = (folder: string): string => folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
const partsOf = (folder: string): readonly string[] => (folder === '' ? [] : folder.split('/'));

const byName = (folder: string, name: string, key = name): SeriesOfFile => ({ path: `${folder}//${key}`, name });

const containing = (folder: string): SeriesOfFile => ({ path: folder, name: lastOf(folder) });

const unsorted = (): SeriesOfFile => byName('', UNSORTED);

const seriesVolume: Rule = (folder, fileName) =>
  folder === '' ? { path: fileName, name: stemOf(fileName) } : containing(folder);

/** Both nestings in use: Series/Volume 1/file, and Volume 1/Series/file. */
const seriesVolumeChapter: Rule = (folder) => {
  if (folder === '') return unsorted();
  const parent = parentOf(folder);
  const own = pureVolume(lastOf(folder));
  if (own !== null && parent !== '') return { ...containing(parent), volume: own };
  return {
    ...containing(folder),
    volume: parent === '' ? own : (pureVolume(lastOf(parent)) ?? volumeIn(lastOf(parent))),
  };
};

const FLAT_PATTERNS = ['\\[([^\\]]+)\\]', '^(.+?) -', '^([^_]+)_'];
const LEADING = /^[^\d#([]+/;

/** Spelling differences in case and width do not make two series. */
const folded = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

const flatName = (fileName: string, config: StrategyConfig): string => {
  const own = listOption(config, 'filenamePatterns');
  const text = own.length > 0 ? fileName : stemOf(fileName);
  for (const pattern of own.length > 0 ? own : FLAT_PATTERNS) {
    const name = matchOf(pattern, text)?.group(1)?.trim();
    if (name !== undefined && name !== '') return name;
  }
  if (flagOption(config, 'requireMetadata', false)) return 'Unknown';
  const leading = LEADING.exec(stemOf(fileName).slice(0, 512))?.[0].replace(/[\s_\-.,]+$/, '');
  return leading === undefined || leading === '' ? stemOf(fileName) : leading;
};

const flat: Rule = (folder, fileName, config) => {
  const name = flatName(fileName, config);
  return byName(folder, name, folded(name));
};

const publisherHierarchy: Rule = (folder, _, config) => {
  const wanted = option(config, 'skipDepth');
  const skip = typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= 0 ? wanted : 1;
  const parts = partsOf(folder);
  if (parts.length < skip + 1) return unsorted();
  const storesPublisher = (textOption(config, 'storeSkippedAs') ?? 'publisher') === 'publisher';
  const skipped = parts.slice(0, skip).join('/');
  return { ...containing(folder), publisher: storesPublisher && skipped !== '' ? skipped : null };
};

const calibreName = (folder: string, config: StrategyConfig): string => {
  const name = lastOf(folder);
  const short = name.replace(/ \(\d{1,9}\)$/, '');
  return flagOption(config, 'stripIdSuffix', true) && short !== '' ? short : name;
};

const readsOpf = (config: StrategyConfig): boolean =>
  (textOption(config, 'seriesMode') ?? 'from_metadata') === 'from_metadata' &&
  flagOption(config, 'readOpfMetadata', true);

/** True when another file next to a book names its series. */
export const readsMetadata = ({
  seriesStrategy,
  seriesConfig,
}: {
  readonly seriesStrategy: SeriesStrategy;
  readonly seriesConfig: StrategyConfig;
}): boolean => seriesStrategy === 'calibre' && readsOpf(seriesConfig);

/** A calibre library is Author/Book (id)/files, with the series in `metadata.opf`; the books of a series are in sibling folders. */
const calibre: Rule = (folder, fileName, config, told) => {
  if (told !== null && readsOpf(config)) return byName(parentOf(folder), told);
  if (textOption(config, 'seriesMode') === 'by_author') {
    const author = flagOption(config, 'authorFromFolder', true) ? parentOf(folder) : '';
    return author === '' ? byName('', 'Unknown Author') : { path: author, name: calibreName(author, config) };
  }
  return folder === ''
    ? seriesVolume(folder, fileName, config, null)
    : { path: folder, name: calibreName(folder, config) };
};

const FIRST_FOLDER = '^(?<series>[^/]+)/';

const custom: Rule = (folder, fileName, config) => {
  const whole = folder === '' ? fileName : `${folder}/${fileName}`;
  const match = matchOf(textOption(config, 'pattern') ?? FIRST_FOLDER, whole);
  const groups = match?.named ?? {};
  const name = fillTemplate(textOption(config, 'seriesNameTemplate') ?? '{series}', groups);
  if (match === null || name === '') return folder === '' ? unsorted() : containing(folder);
  const from = match.startOf('series') ?? 0;
  const volume = groups.volume === undefined ? null : (volumeIn(groups.volume) ?? wholeNumber(groups.volume));
  return { ...byName(parentOf(whole.slice(0, from)), name), publisher: groups.publisher ?? null, volume };
};

const wholeNumber = (text: string): number | null => (/^\s{0,4}\d{1,6}\s{0,4}$/.test(text) ? Number(text) : null);

const RULES: Readonly<Record<SeriesStrategy, Rule>> = {
  series_volume: seriesVolume,
  series_volume_chapter: seriesVolumeChapter,
  flat,
  publisher_hierarchy: publisherHierarchy,
  calibre,
  custom,
};

export const seriesOf = (
  strategy: SeriesStrategy,
  config: StrategyConfig,
  folderPath: string,
  fileName: string,
  told: string | null = null,
): SeriesOfFile => RULES[strategy](folderPath, fileName, config, told);
