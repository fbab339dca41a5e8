// The rows of tasks: inserting one, claiming the next, storing its progress and how it ended.
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import type { Bind, Reader, Tx } from '../store/db.js';
import { ASPECTS, created, type PublicRow, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import type { Task, TaskParameters, TaskState, TaskTarget } from './task.js';

/** Starts without progress before a task is quarantined. */
export const STARTS_MAX = 3;
export const LEASE_MS = 300_000;
/** Per type, so that scans and removals are accepted, however many analyses of single books wait. */
const PENDING_MAX = 10_000;

interface Row extends Omit<Task, 'target'> {
  readonly targetKind: TaskTarget['kind'] | null;
  readonly targetId: string | null;
}

const COLUMNS = packed<Row>({
  key: { sql: 'id' },
  id: { sql: 'uuid', as: 'uuid' },
  type: { sql: 'type' },
  targetKind: { sql: 'target_kind' },
  targetId: { sql: 'target_uuid', as: 'uuid' },
  parameters: { sql: 'parameters', as: 'json' },
  priority: { sql: 'priority' },
  state: { sql: 'state' },
  current: { sql: 'current' },
  total: { sql: 'total' },
  checkpoint: { sql: 'checkpoint', as: 'json' },
  starts: { sql: 'starts' },
  result: { sql: 'result', as: 'json' },
  error: { sql: 'error' },
  scheduledAt: { sql: 'scheduled_at' },
  createdAt: { sql: 'created_at' },
  waitingSince: { sql: 'waiting_since' },
  startedAt: { sql: 'started_at' },
  completedAt: { sql: 'completed_at' },
});

const read = (row: string): Task => {
  const { targetKind, targetId, ...task } = COLUMNS.read(JSON.parse(row) as unknown[]);
  return { ...task, target: targetKind === null || targetId === null ? null : { kind: targetKind, id: targetId } };
};

/** The newest of a type about a row, in any state. */
export const newestTask = async (from: Reader, type: string, target: TaskTarget): Promise<Task | undefined> =>
  (
    await select(from, 'WHERE type = ? AND target_uuid = ? ORDER BY id DESC LIMIT 1', [type, bytesOfUuid(target.id)])
  )[0];

/** `rest`: SQL after FROM. */
export const select = async (from: Reader, rest: string, binds: readonly Bind[]): Promise<Task[]> =>
  (await from.all<{ row: string }>(`SELECT ${COLUMNS.expression} AS row FROM task ${rest}`, binds)).map(({ row }) =>
    read(row),
  );

export const uuidOrNull = (target: TaskTarget | null): Buffer | null =>
  target === null ? null : bytesOfUuid(target.id);
export const jsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

export const taskById = async (from: Reader, id: string): Promise<Task> => {
  const [task] = await select(from, 'WHERE uuid = ?', [bytesOfUuid(id)]);
  if (task === undefined) throw new AppError('NotFound', 'There is no task with this id.');
  return task;
};

/** Tasks that are waiting or running, oldest first. */
export const openTasks = (from: Reader, type: string): Promise<Task[]> =>
  select(from, `INDEXED BY task_open WHERE type = ? AND state IN ('pending', 'running') ORDER BY id`, [type]);

export interface NewTask {
  readonly type: string;
  readonly target: TaskTarget | null;
  readonly parameters: TaskParameters;
  readonly priority: number;
  /** Not before this time; 0: at once. */
  readonly scheduledAt: number;
  /** The caller ensures that no equal task exists. */
  readonly isNew: boolean;
  /** The measure of its type before the first start; undefined if the type has none. */
  readonly measure: () => Promise<unknown>;
}

export interface Inserted {
  readonly id: string;
  /** Set when the task is not new. */
  readonly equalKey?: number;
}

const isCrowded = async (tx: Tx, type: string): Promise<boolean> => {
  const [pending] = await tx.all<{ n: number }>(
    "SELECT count(*) AS n FROM task INDEXED BY task_counts WHERE type = ? AND state = 'pending'",
    [type],
  );
  return (pending?.n ?? 0) >= PENDING_MAX;
};

/** Brings forward an identical scheduled task. */
const bringForward = async (tx: Tx, key: number, scheduledAt: number): Promise<void> => {
  const sql = "UPDATE task SET scheduled_at = ?2 WHERE id = ?1 AND state = 'pending' AND scheduled_at > ?2";
  if ((await tx.run(sql, [key, scheduledAt])) > 0) reportTasks(tx, [key]);
};

/** Returns an equal task that is waiting or running, or else inserts a new one. */
export const insertTask = async (tx: Tx, wanted: NewTask, nowMs: number): Promise<Inserted> => {
  const parameters = JSON.stringify(wanted.parameters);
  const target = uuidOrNull(wanted.target);
  const [equal] = wanted.isNew
    ? []
    : await tx.all<{ key: number; id: string }>(
        `SELECT id AS key, hex(uuid) AS id FROM task INDEXED BY task_open
     WHERE type = ? AND target_uuid IS ? AND parameters = ? AND state IN ('pending', 'running') LIMIT 1`,
        [wanted.type, target, parameters],
      );
  if (equal !== undefined) {
    await bringForward(tx, equal.key, wanted.scheduledAt);
    return { id: uuidOfHex(equal.id), equalKey: equal.key };
  }
  if (await isCrowded(tx, wanted.type))
    throw new AppError('Overloaded', `${PENDING_MAX} tasks of this type are already waiting; try again later.`);
  const measured = jsonOrNull(await wanted.measure());
  const id = newId(nowMs);
  const rows = await tx.all<PublicRow>(
    `INSERT INTO task (uuid, type, target_kind, target_uuid, parameters, priority, scheduled_at, measured, created_at)
     VALUES (unhex(?), ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id, hex(uuid) AS hex`,
    [
      id,
      wanted.type,
      wanted.target?.kind ?? null,
      target,
      parameters,
      wanted.priority,
      wanted.scheduledAt,
      measured,
      nowMs,
    ],
  );
  tx.report(created('task', rows));
  return { id: uuidOfHex(id) };
};

export const reportTasks = (tx: Tx, keys: readonly number[] | 'all'): void => {
  tx.report(updated('task', keys, ASPECTS.details));
};

/**
 * The id of the next task of the types ?1 at the time ?2. Each type is searched by itself: however many tasks of other types wait, or tasks
 * that are not due yet, none is passed on the way. Of one type, those that were put off start in the order of their times.
 */
export const NEXT = `SELECT t.id FROM json_each(?1) j CROSS JOIN task t ON t.id IN (
    (SELECT id FROM task INDEXED BY task_to_claim WHERE state = 'pending' AND scheduled_at = 0 AND type = j.value
      ORDER BY priority DESC, id LIMIT 1),
    (SELECT id FROM task INDEXED BY task_to_claim_late WHERE state = 'pending' AND scheduled_at > 0 AND scheduled_at <= ?2 AND type = j.value
      ORDER BY scheduled_at, id LIMIT 1))
  ORDER BY t.priority DESC, t.id LIMIT 1`;

/** Starts the next task of one of these types, in one statement, so that several processes could share the queue. */
export const claimTask = async (
  tx: Tx,
  types: readonly string[],
  owner: string,
  nowMs: number,
): Promise<Task | undefined> => {
  const [claimed] = await tx.all<{ row: string }>(
    `UPDATE task SET state = 'running', lease_owner = ?3, lease_until = ?4, starts = starts + 1, started_at = coalesce(started_at, ?2)
     WHERE id = (${NEXT}) RETURNING ${COLUMNS.expression} AS row`,
    [JSON.stringify(types), nowMs, owner, nowMs + LEASE_MS],
  );
  if (claimed === undefined) return undefined;
  const task = read(claimed.row);
  reportTasks(tx, [task.key]);
  return task;
};

export interface Reached {
  readonly current: number;
  readonly total: number | null;
  readonly checkpoint: unknown;
  readonly isCheckpointProgress: boolean;
}

/**
 * A checkpoint that differs from the stored one shows that this start made progress, and resets the count of starts. An equal one proves
 * nothing, and neither does the displayed progress, which starts over each time.
 */
export const storeReached = (tx: Tx, key: number, reached: Reached, nowMs: number): Promise<number> => {
  reportTasks(tx, [key]);
  return tx.run(
    `UPDATE task SET current = ?1, total = ?2, checkpoint = ?3, starts = CASE WHEN ?4 AND checkpoint IS NOT ?3 THEN 0 ELSE starts END,
       lease_until = ?5 WHERE id = ?6`,
    [
      reached.current,
      reached.total,
      jsonOrNull(reached.checkpoint),
      Number(reached.isCheckpointProgress),
      nowMs + LEASE_MS,
      key,
    ],
  );
};

export interface End {
  /** Pending: parked, to be started again later. */
  readonly state: Exclude<TaskState, 'running'>;
  /** As JSON. */
  readonly result?: string | null;
  readonly error?: string;
}

/** Completed, but it must run once more from the beginning: the new request may concern work it had already done. */
export const storeAgain = (tx: Tx, key: number, nowMs: number): Promise<number> => {
  reportTasks(tx, [key]);
  return tx.run(
    `UPDATE task SET state = 'pending', current = 0, total = NULL, checkpoint = NULL, starts = max(0, starts - 1), started_at = NULL,
       waiting_since = ?, lease_owner = NULL, lease_until = NULL WHERE id = ?`,
    [nowMs, key],
  );
};

/** A start that is interrupted does not count. The one that ended the task does, even if progress has reset the count. */
export const storeEnd = (tx: Tx, key: number, { state, result, error }: End, nowMs: number): Promise<number> => {
  reportTasks(tx, [key]);
  return tx.run(
    `UPDATE task SET state = ?, result = ?, error = ?, completed_at = ?, starts = max(?, starts - ?), lease_owner = NULL, lease_until = NULL
     WHERE id = ?`,
    state === 'pending'
      ? [state, result ?? null, error ?? null, null, 0, 1, key]
      : [state, result ?? null, error ?? null, nowMs, 1, 0, key],
  );
};

/** True when it was still waiting. */
export const cancelPending = async (tx: Tx, key: number, nowMs: number): Promise<boolean> => {
  reportTasks(tx, [key]);
  const sql = "UPDATE task SET state = 'cancelled', completed_at = ? WHERE id = ? AND state = 'pending'";
  return (await tx.run(sql, [nowMs, key])) > 0;
};
