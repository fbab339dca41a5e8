// Deletes finished tasks.
import type { Db, Tx } from '../store/db.js';
import { type By, type PublicRow, removed } from '../store/feed.js';

/** Rows deleted in one transaction. */
const BATCH = 500;

const deleteSome = async (tx: Tx, beforeMs: number, which: string): Promise<number> => {
  const some = `SELECT id FROM task t INDEXED BY task_finished WHERE completed_at IS NOT NULL AND completed_at < ?${which} LIMIT ${BATCH}`;
  const gone = await tx.all<PublicRow>(`DELETE FROM task WHERE id IN (${some}) RETURNING id, hex(uuid) AS hex`, [
    beforeMs,
  ]);
  tx.report(removed('task', gone));
  return gone.length;
};

/** Deletes those that ended before a time; returns how many. `which` is SQL over the task `t`, beginning with AND. */
export const deleteFinished = async (
  db: Db,
  by: By,
  beforeMs: number,
  { signal, which = '' }: { readonly signal?: AbortSignal; readonly which?: string } = {},
): Promise<number> => {
  let deleted = 0;
  for (let some = BATCH; some === BATCH && signal?.aborted !== true; deleted += some)
    some = await db.write(by, by === null ? 'background' : 'interactive', (tx) => deleteSome(tx, beforeMs, which));
  return deleted;
};
