// Tasks, and responses to enqueuing them, in the wire format.
import type { Requested } from '../../../core/scan/requests.js';
import type { PreviewedTitles } from '../../../core/scan/series-tasks.js';
import type { SeenTask, TaskCount } from '../../../core/scan/visible-tasks.js';
import { STARTS_MAX } from '../../../core/tasks/task-rows.js';
import type { Wire } from '../../surface/wire.js';
import type { Reprocessed, Retried, Task, TaskRecord, TaskStats } from '../schemas/tasks.js';
import { instant, instantOrNull } from './time.js';

/** CreateTaskResponse, with the number of books concerned. */
export const taskView = ({ taskId, count }: Requested): Wire<typeof Task> => ({ taskId, count });

/** RetryErrorsResponse. */
export const retriedView = (count: number): Wire<typeof Retried> => ({
  tasksEnqueued: count,
  message: count === 1 ? 'The book will be analysed again.' : `${count} books will be analysed again.`,
});

const progressOf = ({ current, total, startedAt }: SeenTask): Wire<typeof TaskRecord>['progress'] =>
  current === null || startedAt === null ? null : { current, total };

/** TaskResponse, plus the progress of the task. */
export const taskRecordView = (task: SeenTask): Wire<typeof TaskRecord> => ({
  id: task.id,
  taskType: task.type,
  status: task.state,
  priority: task.priority,
  libraryId: task.libraryId,
  libraryName: task.libraryName,
  seriesId: task.seriesId,
  seriesTitle: task.seriesTitle,
  bookId: task.bookId,
  bookTitle: task.bookTitle,
  params: task.parameters,
  progress: progressOf(task),
  attempts: task.starts,
  maxAttempts: STARTS_MAX,
  lastError: task.error,
  result: task.result,
  lockedBy: task.lockedBy,
  lockedUntil: instantOrNull(task.lockedUntil),
  scheduledFor: instant(task.scheduledAt),
  createdAt: instant(task.createdAt),
  startedAt: instantOrNull(task.startedAt),
  completedAt: instantOrNull(task.completedAt),
});

const NONE = { pending: 0, processing: 0, completed: 0, failed: 0, stale: 0, cancelled: 0, total: 0 };

/** A stale task also counts as processing. */
const added = (sums: typeof NONE, { state, count }: TaskCount): typeof NONE => {
  const total = sums.total + count;
  if (state === 'stale') return { ...sums, total, stale: sums.stale + count, processing: sums.processing + count };
  const word = state === 'running' ? 'processing' : state;
  return { ...sums, total, [word]: sums[word] + count };
};

/** TaskStats, plus cancelled tasks. */
export const taskStatsView = (counts: readonly TaskCount[]): Wire<typeof TaskStats> => {
  const byType: Record<string, typeof NONE> = {};
  for (const one of counts) byType[one.type] = added(byType[one.type] ?? NONE, one);
  return { ...counts.reduce(added, NONE), byType };
};

/** EnqueueReprocessTitleResponse. */
export const reprocessedView = (taskId: string): Wire<typeof Reprocessed> => ({
  success: true,
  message: 'The titles will be reprocessed.',
  tasksEnqueued: 1,
  taskIds: [taskId],
});

const TITLES_SHOWN = 20;

/** The same for a dry run, which enqueues nothing. */
export const titlesView = ({ titles, isComplete }: PreviewedTitles): Wire<typeof Reprocessed> => {
  const shown = titles.slice(0, TITLES_SHOWN).map(({ from, to }) => `“${from}” to “${to}”`);
  const more = titles.length > shown.length ? ', and more' : '';
  const count = isComplete ? `${titles.length}` : `At least ${titles.length}`;
  const message = titles.length === 0 ? 'No title would change.' : `${count} would change: ${shown.join(', ')}${more}.`;
  return { success: true, message, tasksEnqueued: 0, taskIds: [] };
};
