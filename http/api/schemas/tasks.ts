// Background tasks, and responses to enqueuing them.
import Type from 'typebox';
import { LIST_MAX } from '../../../core/scan/new-tasks.js';
import { uuid } from '../../surface/schemas.js';
import { anyObject, id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

/** What a task is about, in bodies. */
export const optionalId = Type.Optional(Type.Union([uuid, Type.Null()], { expected: 'a uuid, or null' }));

export const optionalIds = Type.Optional(
  Type.Union([Type.Array(uuid, { maxItems: LIST_MAX }), Type.Null()], {
    expected: `a list of at most ${LIST_MAX} uuids, or null`,
  }),
);

export const TASK_STATES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

/** CreateTaskResponse, with the number of books concerned. */
export const Task = record('Task', { taskId: id(), count: whole(12) });

/** RetryErrorsResponse. */
export const Retried = record('Retried', {
  tasksEnqueued: whole(1),
  message: text('The book will be analysed again.'),
});

/** CreateTaskResponse. */
export const TaskMade = record('TaskMade', { taskId: id() });

/** TaskResponse, plus the progress of the task. */
export const TaskRecord = record('TaskRecord', {
  id: id(),
  taskType: text('analyze_series'),
  status: word(TASK_STATES),
  priority: whole(490),
  libraryId: orNull(id()),
  libraryName: orNull(text('Comics')),
  seriesId: orNull(id()),
  seriesTitle: orNull(text('Little Nemo')),
  bookId: orNull(id()),
  bookTitle: orNull(text('Little Nemo 001')),
  params: anyObject('The parameters of the task, besides its target.'),
  progress: orNull(record('TaskProgress', { current: whole(12), total: orNull(whole(54)) })),
  attempts: whole(1, 'How often it was started since it last made progress; at least 1 once it has run to its end.'),
  maxAttempts: whole(3),
  lastError: orNull(text('The disk does not answer.')),
  result: Type.Unknown({ description: 'The result of the task; null while there is none.' }),
  lockedBy: orNull(text('0198c7a2-6f3e-7b51-9c0d-2a4e6f8b1d35', 'The server process that works on it.')),
  lockedUntil: orNull(time()),
  scheduledFor: time(),
  createdAt: time(),
  startedAt: orNull(time()),
  completedAt: orNull(time()),
});

export const TaskPage = pageOf('TaskPage', TaskRecord);

const COUNTS = {
  pending: whole(1),
  processing: whole(1, 'Running tasks.'),
  completed: whole(20),
  failed: whole(0),
  stale: whole(0, 'Running tasks that no process has worked on for more than ten minutes.'),
  cancelled: whole(0),
  total: whole(22),
};

/** TaskStats, plus cancelled tasks. */
export const TaskStats = record('TaskStats', {
  ...COUNTS,
  byType: Type.Record(Type.String(), record('TaskTypeStats', COUNTS)),
});

/** PurgeTasksResponse. */
export const Purged = record('PurgedTasks', { deleted: whole(12) });

/** EnqueueReprocessTitleResponse. */
export const Reprocessed = record('Reprocessed', {
  success: yes(true),
  message: text('1 series would change: “x men” to “X-Men”.'),
  tasksEnqueued: whole(1),
  taskIds: Type.Array(id()),
});
