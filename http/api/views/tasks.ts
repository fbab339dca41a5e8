// Answers about enqueued work, as shown on the wire.
import type { Requested } from '../../../core/scan/requests.js';

/** CreateTaskResponse, with the number of books concerned. */
export const taskView = ({ taskId, count }: Requested) => ({ taskId, count });

/** RetryErrorsResponse. */
export const retriedView = (count: number) => ({
  tasksEnqueued: count,
  message: count === 1 ? 'The book will be analysed again.' : `${count} books will be analysed again.`,
});
