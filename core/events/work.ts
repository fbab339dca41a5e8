// Changed tasks and scans, read in one snapshot.
import { SCAN_LIBRARY } from '../scan/scans.js';
import { type ScanStatus, storedStatuses } from '../scan/status.js';
import type { Reads } from '../store/db.js';
import type { Changes } from './changes.js';
import { type PlacedTask, placedTasks } from './task-news.js';

/** Beyond this, tasks are not sent individually. */
const TASKS_MAX = 500;

export interface Work {
  readonly tasks: readonly PlacedTask[];
  readonly areAnyTasks: boolean;
  readonly scans: readonly ScanStatus[];
}

export const NO_WORK: Work = { tasks: [], areAnyTasks: false, scans: [] };

export const workIn = async (from: Reads, changes: Changes, libraries: ReadonlyMap<number, string>): Promise<Work> => {
  const areAnyTasks = changes.areAnyTasks || changes.tasks.size > TASKS_MAX;
  const tasks = areAnyTasks ? [] : await placedTasks(from, [...changes.tasks], libraries);
  const scanning = tasks.flatMap(({ task, libraryKey }) => (task.type === SCAN_LIBRARY ? (libraryKey ?? []) : []));
  const scanned = [...new Set([...changes.scans, ...scanning])];
  return { tasks, areAnyTasks, scans: scanned.length === 0 ? [] : await storedStatuses(from, scanned) };
};
