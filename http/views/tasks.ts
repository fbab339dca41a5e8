// What was put to work, as the wire shows it.
import type { Requested } from '../../core/scan/requests.js';

/** CreateTaskResponse, with how many books it is about. */
export const taskView = ({ taskId, count }: Requested) => ({ taskId, count });

/** RetryErrorsResponse. */
export const retriedView = (count: number) => ({
  tasksEnqueued: count,
  message: count === 1 ? 'The book will be analysed again.' : `${count} books will be analysed again.`,
});
