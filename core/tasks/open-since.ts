// Whether work of one type went on beside something else.
import type { Reader } from '../store/db.js';

/** Whether a task of this type is waiting or running, or has ended since then. A cancelled one does not count. */
export const isOpenOrEndedSince = async (from: Reader, type: string, sinceMs: number): Promise<boolean> => {
  const rows = await from.all(
    `SELECT 1 FROM task INDEXED BY task_open WHERE type = ?1 AND state IN ('pending', 'running')
     UNION ALL SELECT 1 FROM task INDEXED BY task_finished WHERE completed_at >= ?2 AND type = ?1 AND state <> 'cancelled' LIMIT 1`,
    [type, sinceMs],
  );
  return rows.length > 0;
};
