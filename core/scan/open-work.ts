// The work on libraries that people and clocks ask for, beside scans: built together, and closed together.
import type { Pages } from '../pages/pages.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { ScanParts } from './context.js';
import { COVER_LANE, type CoverTasks } from './cover-tasks.js';
import { LibraryAnalyses } from './library-analysis.js';
import { REMOVAL_LANE } from './library-removal.js';
import { OrphanTasks } from './orphan-tasks.js';
import { RULE_LANE } from './remake.js';
import { ANALYSIS_LANE } from './requests.js';
import type { Scans } from './scans.js';
import { type ScheduleSettings, Schedules } from './schedules.js';
import { SeriesTasks, UPKEEP_LANE } from './series-tasks.js';

/** Lanes in which one task runs at a time. */
export const SINGLE_LANES = {
  [REMOVAL_LANE]: 1,
  [ANALYSIS_LANE]: 1,
  [COVER_LANE]: 1,
  [RULE_LANE]: 1,
  [UPKEEP_LANE]: 1,
} as const;

export interface LibraryWork {
  readonly libraryAnalyses: LibraryAnalyses;
  readonly seriesTasks: SeriesTasks;
  readonly orphans: OrphanTasks;
  readonly schedules: Schedules;
}

interface WorkOptions {
  readonly tasks: TaskRunner;
  readonly scans: Scans;
  readonly pages: Pick<Pages, 'uploads'>;
  readonly covers: CoverTasks;
  readonly settings: ScheduleSettings;
  readonly onWarning: (sentence: string) => void;
}

export const openWork = (parts: ScanParts, { tasks, scans, pages, ...rest }: WorkOptions): LibraryWork => ({
  libraryAnalyses: new LibraryAnalyses(parts, tasks, (key) => scans.isActive(key)),
  seriesTasks: new SeriesTasks({ ...parts, tasks }),
  orphans: new OrphanTasks({ ...parts, uploads: pages.uploads }, tasks),
  schedules: new Schedules({ ...parts, ...rest, scans }),
});
