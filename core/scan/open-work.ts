// The work on libraries that people and clocks ask for, beside scans: built together, and closed together.
import type { FailingPages } from '../pages/failing-pages.js';
import type { Pages } from '../pages/pages.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { ScanParts } from './context.js';
import { COVER_LANE, type CoverTasks } from './cover-tasks.js';
import { HASH_LANE } from './due-hash-tasks.js';
import { DUPLICATE_LANE, Duplicates } from './duplicates/duplicates.js';
import { LibraryAnalyses } from './library-analysis.js';
import { REMOVAL_LANE } from './library-removal.js';
import { OrphanTasks } from './orphan-tasks.js';
import { PdfCache, type PdfCacheParts } from './pdf-cache-tasks.js';
import { RULE_LANE } from './remake.js';
import { ANALYSIS_LANE } from './requests.js';
import { type Scheduled, type ScheduleSettings, Schedules } from './schedules.js';
import { SeriesTasks, UPKEEP_LANE } from './series-tasks.js';
import { WATCH_SETTINGS, type WatchParts, type WatchSettings } from './watching/watch-parts.js';
import { Watching } from './watching/watching.js';

/** Lanes in which one task runs at a time. */
export const SINGLE_LANES = {
  [REMOVAL_LANE]: 1,
  [ANALYSIS_LANE]: 1,
  [COVER_LANE]: 1,
  [HASH_LANE]: 1,
  [RULE_LANE]: 1,
  [UPKEEP_LANE]: 1,
  [DUPLICATE_LANE]: 1,
} as const;

export interface LibraryWork {
  readonly libraryAnalyses: LibraryAnalyses;
  readonly seriesTasks: SeriesTasks;
  readonly orphans: OrphanTasks;
  readonly pdfCache: PdfCache;
  readonly duplicates: Duplicates;
  readonly schedules: Schedules;
  readonly watching: Watching;
}

interface WorkOptions extends Pick<WatchParts, 'scans' | 'readers' | 'onNote' | 'onWarning'> {
  readonly tasks: TaskRunner;
  readonly pages: Pick<Pages, 'uploads'>;
  readonly covers: CoverTasks;
  readonly failing: FailingPages;
  readonly settings: ScheduleSettings & PdfCacheParts['settings'];
  readonly backups: { addScheduled(): Promise<void> };
  /** Only tests set it. */
  readonly watching?: Partial<WatchSettings> | undefined;
}

export const openWork = (
  parts: ScanParts,
  { tasks, scans, pages, covers, settings, backups, failing, readers, onNote, onWarning, watching }: WorkOptions,
): LibraryWork => {
  const pdfCache = new PdfCache({ ...parts, settings }, tasks);
  const duplicates = new Duplicates({ ...parts, failing }, tasks);
  const others: readonly Scheduled[] = [
    { id: 'backup.cron_schedule', what: 'no backups are made', run: () => backups.addScheduled() },
    {
      id: 'deduplication.cron_schedule',
      isOn: () => settings.value('deduplication.enabled') === 'true',
      what: 'duplicates are not searched for',
      run: () => duplicates.add(),
    },
    {
      id: 'pdf_cache.cron_schedule',
      what: 'old pages of PDF documents are not removed',
      run: () => pdfCache.enqueue(),
    },
  ];
  return {
    libraryAnalyses: new LibraryAnalyses(parts, tasks, (key) => scans.isActive(key)),
    seriesTasks: new SeriesTasks({ ...parts, tasks }),
    orphans: new OrphanTasks({ ...parts, uploads: pages.uploads }, tasks),
    duplicates,
    pdfCache,
    schedules: new Schedules({ ...parts, scans, covers, others, settings, onWarning }),
    watching: new Watching({
      ...parts,
      scans,
      readers,
      onNote,
      onWarning,
      settings: { ...WATCH_SETTINGS, ...watching },
    }),
  };
};
