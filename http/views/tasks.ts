// What was put to work, as the wire shows it.
import { newId, uuidOfHex } from '../../core/model/ids.js';

/** CreateTaskResponse, with how many books it is about. The id names the request; nothing is kept of it. */
export const taskView = (count: number, nowMs: number) => ({ taskId: uuidOfHex(newId(nowMs)), count });

/** RetryErrorsResponse. */
export const retriedView = (count: number) => ({
  tasksEnqueued: count,
  message: count === 1 ? 'The book is analysed again.' : `${count} books are analysed again.`,
});
