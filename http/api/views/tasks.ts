// Answers about enqueued work, as shown on the wire.
import type { Requested } from '../../../core/scan/requests.js';
import type { Wire } from '../../surface/wire.js';
import type { Retried, Task } from '../schemas/tasks.js';

/** CreateTaskResponse, with the number of books concerned. */
export const taskView = ({ taskId, count }: Requested): Wire<typeof Task> => ({ taskId, count });

/** RetryErrorsResponse. */
export const retriedView = (count: number): Wire<typeof Retried> => ({
  tasksEnqueued: count,
  message: count === 1 ? 'The book will be analysed again.' : `${count} books will be analysed again.`,
});
