// Control of tasks by users: retry, unlock, cancel all.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Tx } from '../store/db.js';
import { type PublicRow, SYSTEM } from '../store/feed.js';
import type { TaskRunner } from './runner.js';
import type { Task, TaskState } from './task.js';
import { reportTasks, select, taskById } from './task-rows.js';

export interface ControlParts {
  readonly clock: Clock;
  readonly db: Db;
  readonly tasks: TaskRunner;
}

/** Cancelled in one transaction. */
const BATCH = 500;

const refuseEqual = async (tx: Tx, key: number): Promise<void> => {
  const equal = await tx.all(
    `SELECT 1 FROM task t CROSS JOIN task o INDEXED BY task_open ON o.type = t.type AND o.target_uuid IS t.target_uuid
       AND o.parameters = t.parameters AND o.state IN ('pending', 'running') AND o.id <> t.id WHERE t.id = ? LIMIT 1`,
    [key],
  );
  if (equal.length > 0) throw new AppError('BadRequest', 'An identical task is already pending or running.');
};

/** A failed task resumes where it stopped; one that ended otherwise starts over. */
const storeWaiting = async (tx: Tx, key: number, from: TaskState, nowMs: number): Promise<void> => {
  await refuseEqual(tx, key);
  reportTasks(tx, [key]);
  const isOver = from === 'completed' || from === 'cancelled';
  const changed = await tx.run(
    `UPDATE task SET state = 'pending', starts = 0, error = NULL, result = NULL, started_at = NULL, completed_at = NULL, scheduled_at = 0, waiting_since = ?,
       lease_owner = NULL, lease_until = NULL${isOver ? ', current = 0, total = NULL, checkpoint = NULL' : ''} WHERE id = ? AND state = ?`,
    [nowMs, key, from],
  );
  if (changed === 0) throw new AppError('BadRequest', 'The task has changed in the meantime.');
};

const startAgain = async ({ db, tasks, clock }: ControlParts, { userKey: by }: Viewer, task: Task): Promise<void> => {
  const work = tasks.types.get(task.type);
  if (work === undefined)
    throw new AppError('BadRequest', 'This version of the server does not know this type of task.');
  await db.write(by, 'interactive', (tx) => refuseEqual(tx, task.key));
  await work.again?.(task);
  try {
    await db.write(by, 'interactive', (tx) => storeWaiting(tx, task.key, task.state, clock.now()));
  } catch (thrown) {
    if (work.again !== undefined) await work.cancelled?.(task);
    throw thrown;
  }
  tasks.wake();
};

/** Runs a failed task again; its starts are counted from zero. */
export const retryTask = async (parts: ControlParts, viewer: Viewer, id: string): Promise<void> => {
  const task = await taskById(parts.db, id);
  parts.tasks.types.get(task.type)?.refuse?.(viewer, task);
  if (task.state !== 'failed') throw new AppError('BadRequest', `Cannot retry a task that is ${task.state}.`);
  await startAgain(parts, viewer, task);
};

/** Refused to those who could not enqueue it. */
export const cancelTask = async ({ db, tasks }: ControlParts, viewer: Viewer, id: string): Promise<void> => {
  const task = await taskById(db, id);
  tasks.types.get(task.type)?.refuse?.(viewer, task);
  await tasks.cancel(id);
};

/** Types of tasks that this person may not enqueue without a target: they may not delete the records of such tasks either. */
export const refusedTypes = ({ tasks }: Pick<ControlParts, 'tasks'>, viewer: Viewer): readonly string[] =>
  [...tasks.types].flatMap(([type, { refuse }]) => {
    try {
      refuse?.(viewer, { target: null, parameters: {} });
      return [];
    } catch {
      return [type];
    }
  });

/** Makes a task pending again, whatever its state. A running one is interrupted, as by a server stop. */
export const unlockTask = async (parts: ControlParts, viewer: Viewer, id: string): Promise<void> => {
  const { db, tasks } = parts;
  const before = await taskById(db, id);
  const { key } = before;
  tasks.types.get(before.type)?.refuse?.(viewer, before);
  await tasks.park(key);
  const task = await taskById(db, id);
  if (task.completedAt !== null) return startAgain(parts, viewer, task);
  await db.write(viewer.userKey, 'interactive', (tx) => {
    reportTasks(tx, [key]);
    return tx.run('UPDATE task SET starts = 0, error = NULL, scheduled_at = 0 WHERE id = ?', [key]);
  });
  tasks.wake();
};

const cancelSome = async (tx: Tx, kept: readonly string[], nowMs: number): Promise<readonly Task[]> => {
  const some = await tx.all<PublicRow>(
    `UPDATE task SET state = 'cancelled', completed_at = ?1 WHERE id IN (SELECT id FROM task INDEXED BY task_by_state
       WHERE state = 'pending' AND type NOT IN (SELECT value FROM json_each(?2)) LIMIT ${BATCH}) RETURNING id, hex(uuid) AS hex`,
    [nowMs, JSON.stringify(kept)],
  );
  const keys = some.map(({ id }) => id);
  reportTasks(tx, keys);
  return select(tx, 'WHERE id IN (SELECT value FROM json_each(?))', [JSON.stringify(keys)]);
};

/** Cancels every pending or running task, except those that cannot be cancelled. Resolves once their work has stopped. */
export const cancelAll = async ({ db, tasks }: ControlParts, nowMs: number): Promise<void> => {
  const kept = [...tasks.types].filter(([, { cannotCancel }]) => cannotCancel !== undefined).map(([type]) => type);
  for (;;) {
    const cancelled = await db.write(SYSTEM, 'interactive', (tx) => cancelSome(tx, kept, nowMs));
    if (cancelled.length === 0) break;
    for (const task of cancelled) await tasks.types.get(task.type)?.cancelled?.(task);
  }
  for (const { id, type } of await select(db, "INDEXED BY task_by_state WHERE state = 'running'", []))
    if (!kept.includes(type)) await tasks.cancel(id).catch(endedMeanwhile);
};

const endedMeanwhile = (thrown: unknown): void => {
  // Another purge may have deleted it already.
  if (!(thrown instanceof AppError && (thrown.kind === 'BadRequest' || thrown.kind === 'NotFound'))) throw thrown;
};
