// Previews what a scan would find with a strategy, formats and exclusions that are not stored yet. Opens no book and stores nothing.
import { checkRoot, within } from '../catalog/roots.js';
import { readsMetadata, seriesOf } from '../catalog/rules/series.js';
import { checkRules, mergeRules, type RulesChange } from '../catalog/strategies.js';
import { AppError } from '../model/errors.js';
import { BOOK_FORMATS, type BookFormat } from '../model/formats.js';
import { sortNaturally } from '../model/natural-order.js';
import { DEFAULT_RULES } from '../model/strategies.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import type { ScanParts } from './context.js';

/** More than this is told as a count. */
const SERIES_SHOWN = 500;
const SAMPLES = 5;
const FILES_MAX = 200_000;
/** Files listed by one job. */
const BATCH = 10_000;

export interface PreviewAsk {
  readonly path: string;
  readonly rules: RulesChange;
  readonly excluded: string;
  readonly formats: readonly BookFormat[] | null;
}

export interface PreviewedSeries {
  readonly name: string;
  readonly path: string;
  readonly publisher: string | null;
  bookCount: number;
  readonly samples: string[];
}

export interface Preview {
  readonly files: number;
  /** False when there were too many files to list. */
  readonly isComplete: boolean;
  readonly seriesCount: number;
  readonly series: readonly PreviewedSeries[];
}

type PreviewParts = Pick<ScanParts, 'db' | 'pool' | 'ownFolders'>;

/** The folders of libraries name series that may be hidden from a person with restrictions; so do those where a library was. */
const refuseHidden = async ({ db }: PreviewParts, { scope }: Viewer, root: string): Promise<void> => {
  if (!isLimited(scope)) return;
  const taken = await db.all<{ root: string }>(
    'SELECT root FROM library UNION ALL SELECT former_root FROM library WHERE former_root IS NOT NULL',
  );
  if (taken.some((one) => within(root, one.root) || within(one.root, root)))
    throw new AppError('Forbidden', 'Users with restrictions cannot preview the folder of a library.');
};

export const previewScan = async (
  parts: PreviewParts,
  viewer: Viewer,
  ask: PreviewAsk,
  signal: AbortSignal,
): Promise<Preview> => {
  const rules = mergeRules(DEFAULT_RULES, ask.rules);
  checkRules(rules);
  const root = await checkRoot(ask.path, parts.ownFolders, (planned) => refuseHidden(parts, viewer, planned));
  const found = new Map<string, PreviewedSeries>();
  let files = 0;
  let rest: readonly string[] = [''];
  while (rest.length > 0 && files < FILES_MAX) {
    const input = {
      root,
      folders: rest,
      known: new Map<string, string>(),
      extensions: ask.formats ?? BOOK_FORMATS,
      excluded: ask.excluded,
      readsSeries: readsMetadata(rules),
      fileBudget: BATCH,
    };
    const walked = await parts.pool.run('walk', input, { lane: 'background', signal });
    for (const folder of walked.folders)
      for (const name of folder.files?.names ?? []) {
        const {
          path,
          name: title,
          publisher = null,
        } = seriesOf(rules.seriesStrategy, rules.seriesConfig, folder.path, name, folder.beside.series);
        const series = found.get(path) ?? { name: title, path: folder.path, publisher, bookCount: 0, samples: [] };
        found.set(path, series);
        series.bookCount += 1;
        if (series.samples.length < SAMPLES) series.samples.push(name);
        files += 1;
      }
    rest = walked.rest;
  }
  const series = sortNaturally([...found.values()], ({ name }) => name);
  return { files, isComplete: rest.length === 0, seriesCount: series.length, series: series.slice(0, SERIES_SHOWN) };
};
