// Previews what a scan would find with strategies, formats and exclusions that are not stored yet. Stores nothing.
import { setImmediate } from 'node:timers/promises';
import { checkRoot, within } from '../catalog/roots.js';
import { readsMetadata, seriesOf } from '../catalog/rules/series.js';
import { checkRules, mergeRules, type RulesChange } from '../catalog/strategies.js';
import { AppError } from '../model/errors.js';
import { BOOK_FORMATS, type BookFormat } from '../model/formats.js';
import type { WalkedFolder } from '../model/jobs.js';
import { sortNaturally } from '../model/natural-order.js';
import { DEFAULT_RULES, type LibraryRules } from '../model/strategies.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import type { ScanParts } from './context.js';
import { type ExampleBook, exampleBooks } from './preview-books.js';

/** More than this is told as a count. */
const SERIES_SHOWN = 500;
const SAMPLES = 5;
const FILES_MAX = 200_000;
/** Files, or folders, listed by one job. */
const BATCH = 10_000;
/** Bounds the folders: each job but the last lists `BATCH` files or folders. */
const JOBS_MAX = 40;
/** Pieces of work on this thread, between which others have their turn. */
const SLICE_MS = 5;
/** Series sorted at once. */
const SORTED = 500;

export interface PreviewAsk {
  readonly path: string;
  readonly rules: RulesChange;
  readonly excluded: string;
  readonly formats: readonly BookFormat[] | null;
}

export interface PreviewedSeries {
  readonly name: string;
  /** Of a series that is no folder, that of its first file. */
  readonly path: string;
  readonly publisher: string | null;
  bookCount: number;
  readonly samples: string[];
  /** Where the samples are. */
  readonly folders: string[];
}

export interface Preview {
  readonly files: number;
  /** False when there were too many files or folders to list. */
  readonly isComplete: boolean;
  readonly seriesCount: number;
  readonly series: readonly PreviewedSeries[];
  readonly examples: readonly ExampleBook[];
}

type PreviewParts = Pick<ScanParts, 'db' | 'pool' | 'ownFolders' | 'limits'>;

/** The folders of libraries name series that may be hidden from a person with restrictions; so do those where a library was. */
const refuseHidden = async ({ db }: PreviewParts, { scope }: Viewer, root: string): Promise<void> => {
  if (!isLimited(scope)) return;
  const taken = await db.all<{ root: string }>(
    'SELECT root FROM library UNION ALL SELECT former_root FROM library WHERE former_root IS NOT NULL',
  );
  if (taken.some((one) => within(root, one.root) || within(one.root, root)))
    throw new AppError('Forbidden', 'Users with restrictions cannot preview the folder of a library.');
};

/** Ends its turn now and then: a pattern may take long on each of many names. Throws when nobody waits for the result any more. */
export class Turns {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async take(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await setImmediate();
    if (this.#signal.aborted) throw new AppError('Cancelled');
    this.#since = performance.now();
  }
}

type Found = Map<string, PreviewedSeries>;

/** Returns how many files there are. */
const addFolder = async (found: Found, rules: LibraryRules, folder: WalkedFolder, turns: Turns): Promise<number> => {
  const names = folder.files?.names ?? [];
  for (const name of names) {
    await turns.take();
    const of = seriesOf(rules.seriesStrategy, rules.seriesConfig, folder.path, name, folder.beside.series);
    const { path, name: title, publisher = null } = of;
    const shown = path.includes('//') ? folder.path : path;
    const series = found.get(path) ?? { name: title, path: shown, publisher, bookCount: 0, samples: [], folders: [] };
    found.set(path, series);
    series.bookCount += 1;
    if (series.samples.length >= SAMPLES) continue;
    series.samples.push(name);
    series.folders.push(folder.path);
  }
  return names.length;
};

const firstOf = async (found: Found, turns: Turns): Promise<readonly PreviewedSeries[]> => {
  const all = [...found.values()];
  let first: readonly PreviewedSeries[] = [];
  for (let at = 0; at < all.length; at += SORTED) {
    await turns.take();
    first = sortNaturally([...first, ...all.slice(at, at + SORTED)], ({ name }) => name).slice(0, SERIES_SHOWN);
  }
  return first;
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
  const found: Found = new Map();
  const turns = new Turns(signal);
  let files = 0;
  let rest: readonly string[] = [''];
  for (let jobs = 0; rest.length > 0 && files < FILES_MAX && jobs < JOBS_MAX; jobs += 1) {
    const input = {
      root,
      folders: rest,
      known: new Map<string, string>(),
      extensions: ask.formats ?? BOOK_FORMATS,
      excluded: ask.excluded,
      readsSeries: readsMetadata(rules),
      fileBudget: BATCH,
      folderBudget: BATCH,
    };
    const walked = await parts.pool.run('walk', input, { lane: 'background', signal });
    for (const folder of walked.folders) files += await addFolder(found, rules, folder, turns);
    rest = walked.rest;
  }
  const series = await firstOf(found, turns);
  const examples = await exampleBooks(parts, { root, rules, series }, signal);
  return { files, isComplete: rest.length === 0, seriesCount: found.size, series, examples };
};
