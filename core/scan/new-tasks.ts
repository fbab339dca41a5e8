// Tasks that people enqueue by type: which types there are, what each has to name, and how it is made. What is named has to be visible.
import { libraryFor, type ScanMode } from '../catalog/libraries.js';
import { resolve, resolveAll } from '../catalog/public-ids.js';
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { TaskOptions } from '../tasks/runner.js';
import type { TaskTarget } from '../tasks/task.js';
import { analyseBook, analyseSeries } from './asked-analyses.js';
import type { CoverTasks, CoverTaskType } from './cover-tasks.js';
import type { Duplicates } from './duplicates/duplicates.js';
import type { LibraryAnalyses } from './library-analysis.js';
import type { OrphanTasks } from './orphan-tasks.js';
import type { PdfCache } from './pdf-cache-tasks.js';
import type { AnalysisRequests } from './requests.js';
import type { Scans } from './scans.js';
import type { SeriesTasks } from './series-tasks.js';

export interface NewTaskParts {
  readonly db: Db;
  readonly scans: Scans;
  readonly analyses: AnalysisRequests;
  readonly covers: CoverTasks;
  readonly seriesTasks: SeriesTasks;
  readonly libraryAnalyses: LibraryAnalyses;
  readonly orphans: OrphanTasks;
  readonly backups: { add(viewer: Viewer, options: TaskOptions): Promise<string> };
  readonly pdfCache: PdfCache;
  readonly duplicates: Duplicates;
}

/** Ids in one list. */
export const LIST_MAX = 1000;

/** As sent by clients; a type reads the fields that it knows. */
export interface TaskFields {
  readonly libraryId?: string | null | undefined;
  readonly seriesId?: string | null | undefined;
  readonly bookId?: string | null | undefined;
  readonly bookIds?: readonly string[] | null | undefined;
  readonly seriesIds?: readonly string[] | null | undefined;
  readonly mode?: string | null | undefined;
  readonly force?: boolean | null | undefined;
}

interface Ask {
  readonly viewer: Viewer;
  readonly fields: TaskFields;
  readonly options: TaskOptions;
}

type Make = (parts: NewTaskParts, ask: Ask) => Promise<string>;

const fault = (field: string, message: string): AppError =>
  new AppError('BadRequest', `taskType.${field} ${message}`, [{ path: `taskType.${field}`, message }]);

const needed = ({ fields }: Ask, field: 'libraryId' | 'seriesId' | 'bookId'): string => {
  const id = fields[field];
  if (id == null) throw fault(field, 'is missing');
  return id;
};

const modeOf = ({ fields }: Ask): ScanMode => {
  const { mode } = fields;
  if (mode == null) return 'normal';
  if (mode !== 'normal' && mode !== 'deep') throw fault('mode', 'must be one of normal, deep');
  return mode;
};

const KINDS = { libraryId: 'library', seriesId: 'series', bookId: 'book' } as const;

/** Of the fields named, the narrowest that was sent. */
const targetOf = async (
  { db }: NewTaskParts,
  { viewer, fields }: Ask,
  names: readonly (keyof typeof KINDS)[],
): Promise<TaskTarget | null> => {
  for (const field of names) {
    const id = fields[field];
    if (id == null) continue;
    await resolve(db, KINDS[field], id, viewer);
    return { kind: KINDS[field], id };
  }
  return null;
};

const LISTS = { bookIds: 'book', seriesIds: 'series' } as const;

/** A list that was sent, all of it visible. */
const listOf = async (
  { db }: NewTaskParts,
  { viewer, fields }: Ask,
  name: keyof typeof LISTS,
): Promise<readonly string[] | undefined> => {
  const ids = fields[name];
  if (ids == null) return undefined;
  if (ids.length > LIST_MAX) throw fault(name, `must be a list of at most ${LIST_MAX} ids`);
  await resolveAll(db, LISTS[name], ids, viewer);
  return ids;
};

const covers =
  (type: CoverTaskType, ...names: readonly (keyof typeof KINDS)[]): Make =>
  async (parts, ask) => {
    if (type === 'generate_thumbnail') needed(ask, 'bookId');
    if (type === 'generate_series_thumbnail') needed(ask, 'seriesId');
    const isOfSeries = type.startsWith('generate_series');
    const bookIds = isOfSeries ? undefined : await listOf(parts, ask, 'bookIds');
    const seriesIds = bookIds === undefined ? await listOf(parts, ask, 'seriesIds') : undefined;
    const lists = { ...(bookIds === undefined ? {} : { bookIds }), ...(seriesIds === undefined ? {} : { seriesIds }) };
    const target = Object.keys(lists).length > 0 ? null : await targetOf(parts, ask, names);
    return parts.covers.add(target, ask.fields.force ?? false, { type, lists, options: ask.options });
  };

const ofSeries =
  (type: 'renumber_series' | 'reprocess_series_title'): Make =>
  async (parts, ask) => {
    needed(ask, 'seriesId');
    return parts.seriesTasks.add(ask.viewer, type, { target: await targetOf(parts, ask, ['seriesId']) }, ask.options);
  };

const ofManySeries =
  (type: 'renumber_series_batch' | 'reprocess_series_titles', ...names: readonly (keyof typeof KINDS)[]): Make =>
  async (parts, ask) => {
    const seriesIds = await listOf(parts, ask, 'seriesIds');
    const target = seriesIds === undefined ? await targetOf(parts, ask, names) : null;
    return parts.seriesTasks.add(ask.viewer, type, { target, seriesIds }, ask.options);
  };

const MAKERS: Readonly<Record<string, Make>> = {
  scan_library: async ({ db, scans }, ask) => {
    const { viewer, options } = ask;
    if (options.scheduledAt !== undefined)
      throw new AppError('BadRequest', 'A one-off scan cannot be scheduled; set a schedule for the library instead.');
    const library = await libraryFor(db, viewer, needed(ask, 'libraryId'));
    return scans.enqueue(library, { mode: modeOf(ask), by: viewer.userKey, priority: options.priority });
  },
  analyze_book: async (parts, ask) =>
    (await analyseBook(parts, ask.viewer, needed(ask, 'bookId'), { options: ask.options })).taskId,
  analyze_series: async (parts, ask) =>
    (await analyseSeries(parts, ask.viewer, needed(ask, 'seriesId'), { options: ask.options })).taskId,
  analyze_library: (parts, ask) =>
    parts.libraryAnalyses.add(ask.viewer, needed(ask, 'libraryId'), ask.fields.force === false, ask.options),
  purge_deleted: async (parts, ask) => {
    needed(ask, 'libraryId');
    const target = await targetOf(parts, ask, ['libraryId']);
    return parts.seriesTasks.add(ask.viewer, 'purge_deleted', { target }, ask.options);
  },
  renumber_series: ofSeries('renumber_series'),
  renumber_series_batch: ofManySeries('renumber_series_batch'),
  reprocess_series_title: ofSeries('reprocess_series_title'),
  reprocess_series_titles: ofManySeries('reprocess_series_titles', 'libraryId'),
  generate_thumbnail: covers('generate_thumbnail', 'bookId'),
  generate_series_thumbnail: covers('generate_series_thumbnail', 'seriesId'),
  generate_thumbnails: covers('generate_thumbnails', 'bookId', 'seriesId', 'libraryId'),
  generate_series_thumbnails: covers('generate_series_thumbnails', 'seriesId', 'libraryId'),
  find_duplicates: ({ duplicates }, { options }) => duplicates.add(options),
  cleanup_orphaned_files: ({ orphans }, { viewer, options }) => orphans.add(viewer, options),
  backup: ({ backups }, { viewer, options }) => backups.add(viewer, options),
  cleanup_pdf_cache: ({ pdfCache }, { viewer, options }) => pdfCache.add(viewer, options),
};

/** The types that can be enqueued. */
export const TASK_TYPES: readonly string[] = Object.keys(MAKERS);

/** Returns the id of the task, or of an equal one that waits or runs. */
export const enqueueTask = async (
  parts: NewTaskParts,
  viewer: Viewer,
  type: string,
  fields: TaskFields,
  options: TaskOptions,
): Promise<string> => {
  const make = Object.hasOwn(MAKERS, type) ? MAKERS[type] : undefined;
  if (make === undefined) throw fault('type', `must be one of ${TASK_TYPES.join(', ')}`);
  return make(parts, { viewer, fields, options });
};
