// Abandoned tasks, which their rows call running: leases, tasks of dead processes, and the quarantine of tasks that killed them.
import type { Db, Reader, Tx } from '../store/db.js';
import { keysIn, SYSTEM } from '../store/feed.js';
import type { Task, TaskParameters, TaskTarget, TaskType } from './task.js';
import { jsonOrNull, LEASE_MS, reportTasks, STARTS_MAX, select, uuidOrNull } from './task-rows.js';

const areSomeRunning = async (from: Reader): Promise<boolean> =>
  (await from.all("SELECT 1 FROM task WHERE state = 'running' LIMIT 1")).length > 0;

const renewLeases = (tx: Tx, keys: readonly number[], nowMs: number): Promise<number> => {
  reportTasks(tx, keys);
  return tx.run('UPDATE task SET lease_until = ? WHERE id IN (SELECT value FROM json_each(?))', [
    nowMs + LEASE_MS,
    JSON.stringify(keys),
  ]);
};

/**
 * Makes abandoned tasks pending: those of this owner that it does not run, for example after a claim that was stored but seemed to fail,
 * and those of another process whose lease has expired. Returns how many.
 */
const freeAbandoned = async (tx: Tx, owner: string, running: readonly number[], nowMs: number): Promise<number> => {
  const freed = await tx.all<{ id: number }>(
    `UPDATE task SET state = 'pending', starts = CASE WHEN lease_owner IS ?1 THEN max(0, starts - 1) ELSE starts END,
       lease_owner = NULL, lease_until = NULL
     WHERE state = 'running' AND id NOT IN (SELECT value FROM json_each(?2)) AND (lease_owner IS ?1 OR coalesce(lease_until, 0) < ?3)
     RETURNING id`,
    [owner, JSON.stringify(running), nowMs],
  );
  reportTasks(tx, keysIn(freed));
  return freed.length;
};

export const QUARANTINED = `The server stopped ${STARTS_MAX} times while this task ran without progress, so the task was quarantined. Start it again to retry.`;

export const isQuarantined = ({ error }: Pick<Task, 'error'>): boolean => error === QUARANTINED;

/** Whether the last task of this kind was quarantined for crashing the process. */
export const wasQuarantined = async (
  from: Reader,
  type: string,
  target: TaskTarget | null,
  parameters: TaskParameters,
): Promise<boolean> => {
  const [last] = await from.all<{ error: string | null }>(
    'SELECT error FROM task WHERE type = ? AND target_uuid IS ? AND parameters = ? ORDER BY id DESC LIMIT 1',
    [type, uuidOrNull(target), JSON.stringify(parameters)],
  );
  return last !== undefined && isQuarantined(last);
};

/** Tasks that dead processes left running. */
const leftRunning = (from: Reader, owner: string): Promise<Task[]> =>
  select(from, "WHERE state = 'running' AND lease_owner IS NOT ?", [owner]);

/** If it differs from the stored one, the task made progress, and the count of starts is reset. */
const storeMeasured = (tx: Tx, key: number, measure: unknown): Promise<number> => {
  reportTasks(tx, [key]);
  const sql = 'UPDATE task SET measured = ?1, starts = 0 WHERE id = ?2 AND measured IS NOT ?1';
  return tx.run(sql, [jsonOrNull(measure), key]);
};

const UNKNOWN = 'This version of the server does not know this type of task.';

/**
 * Runs at startup. The data folder has one owner, so other processes that held a lease are dead, and their tasks become pending at once.
 * Claiming a task counts a start, a normal end takes it back, and progress resets the count. A task with too many starts may have killed
 * those processes, and is quarantined.
 */
const recoverTasks = async (tx: Tx, types: readonly string[], owner: string, nowMs: number): Promise<void> => {
  const ended = 'lease_owner = NULL, lease_until = NULL';
  reportTasks(tx, 'all');
  await tx.run(
    `UPDATE task SET state = 'failed', error = ?, completed_at = ?, ${ended}
     WHERE state = 'running' AND lease_owner IS NOT ? AND starts >= ${STARTS_MAX}`,
    [QUARANTINED, nowMs, owner],
  );
  await tx.run(`UPDATE task SET state = 'pending', ${ended} WHERE state = 'running' AND lease_owner IS NOT ?`, [owner]);
  await tx.run(
    `UPDATE task SET state = 'failed', error = ?, completed_at = ?
     WHERE state = 'pending' AND type NOT IN (SELECT value FROM json_each(?))`,
    [UNKNOWN, nowMs, JSON.stringify(types)],
  );
};

/** Measures the progress of each task first: a start without any counts as a crash. */
export const takeOver = (db: Db, types: ReadonlyMap<string, TaskType>, owner: string, nowMs: number): Promise<void> =>
  db.write(SYSTEM, 'background', async (tx) => {
    for (const task of await leftRunning(tx, owner)) {
      const { measure } = types.get(task.type) ?? {};
      if (measure !== undefined) await storeMeasured(tx, task.key, await measure(tx, task.target));
    }
    await recoverTasks(tx, [...types.keys()], owner, nowMs);
  });

/**
 * Renews the leases of this owner's tasks and frees the abandoned ones; returns how many. An idle server writes nothing. The keys are read
 * in the transaction: no claim and no end comes between.
 */
export const renewOrFree = async (
  db: Db,
  owner: string,
  running: () => readonly number[],
  nowMs: number,
): Promise<number> => {
  if (!(await areSomeRunning(db))) return 0;
  return db.write(SYSTEM, 'background', async (tx) => {
    const keys = running();
    await renewLeases(tx, keys, nowMs);
    return freeAbandoned(tx, owner, keys, nowMs);
  });
};
