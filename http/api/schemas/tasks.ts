// Answers about enqueued work.
import { id, record, text, whole } from '../../surface/wire.js';

/** CreateTaskResponse, with the number of books concerned. */
export const Task = record('Task', { taskId: id(), count: whole(12) });

/** RetryErrorsResponse. */
export const Retried = record('Retried', {
  tasksEnqueued: whole(1),
  message: text('The book will be analysed again.'),
});
