// How tasks went, by type and hour: stored in the transaction that stores how a task ended, so that no end is counted twice or lost.
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, type By, SYSTEM, updated } from '../store/feed.js';
import { classOf } from './durations.js';
import type { Task } from './task.js';

export const HOUR_MS = 3_600_000;

/** A run of a task that has succeeded or failed. */
export interface Ended {
  readonly task: Task;
  /** When this run began. */
  readonly begunAt: number;
  readonly endedAt: number;
  /** How long it ran: not the difference of the two, between which the clock may have been set. */
  readonly ms: number;
  /** Null for one that succeeded. */
  readonly error: string | null;
  readonly items: number;
  readonly bytes: number;
}

/** It had begun before: the server stopped, a disk was full, or somebody made it run once more. */
const isRetry = ({ task: { startedAt, starts, waitingSince }, begunAt }: Ended): boolean =>
  waitingSince !== null || starts > 1 || (startedAt !== null && startedAt < begunAt);

/** From the time it could start to its start. */
const waitOf = ({ task: { createdAt, scheduledAt, waitingSince, startedAt }, begunAt }: Ended): number =>
  Math.max(0, Math.min(begunAt, startedAt ?? begunAt) - Math.max(createdAt, scheduledAt, waitingSince ?? 0));

const UPSERT = `INSERT INTO task_metric (type, hour, first_at, succeeded, failed, retried, duration_ms, wait_ms, min_ms, max_ms, items, bytes,
    durations, last_error, last_error_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?7, ?9, ?10, json_object(?11, 1), ?12, ?13)
  ON CONFLICT (type, hour) DO UPDATE SET first_at = min(first_at, ?3), succeeded = succeeded + ?4, failed = failed + ?5,
    retried = retried + ?6, duration_ms = duration_ms + ?7, wait_ms = wait_ms + ?8, min_ms = min(min_ms, ?7), max_ms = max(max_ms, ?7),
    items = items + ?9, bytes = bytes + ?10,
    durations = json_set(durations, '$."' || ?11 || '"', coalesce(durations ->> ('$."' || ?11 || '"'), 0) + 1),
    last_error = coalesce(?12, last_error), last_error_at = coalesce(?13, last_error_at)`;

export const storeMeasured = async (tx: Tx, ended: Ended): Promise<void> => {
  const { task, begunAt, endedAt, error, items, bytes } = ended;
  const ms = Math.round(ended.ms);
  const failed = Number(error !== null);
  await tx.run(UPSERT, [
    task.type,
    endedAt - (endedAt % HOUR_MS),
    begunAt,
    1 - failed,
    failed,
    Number(isRetry(ended)),
    ms,
    waitOf(ended),
    items,
    bytes,
    String(classOf(ms)),
    error,
    error === null ? null : endedAt,
  ]);
  reportMeasured(tx);
};

/** Nothing that is kept depends on them. */
export const reportMeasured = (tx: Tx): void => tx.report(updated('server', [0], ASPECTS.details));

/** The most that a history shows. */
export const MEASURED_MAX_MS = 180 * 24 * HOUR_MS;
/** Rows deleted in one transaction. */
const BATCH = 500;

/** Deletes the hours that ended before a time; returns how many rows. */
export const deleteMeasured = async (db: Db, by: By, beforeMs: number): Promise<number> => {
  const some = `SELECT id FROM task_metric INDEXED BY task_metric_by_hour WHERE hour <= ? LIMIT ${BATCH}`;
  let deleted = 0;
  for (let count = BATCH; count === BATCH; deleted += count)
    count = await db.write(by, by === SYSTEM ? 'background' : 'interactive', async (tx) => {
      const gone = await tx.run(`DELETE FROM task_metric WHERE id IN (${some})`, [beforeMs - HOUR_MS]);
      if (gone > 0) reportMeasured(tx);
      return gone;
    });
  return deleted;
};

/** The beginning of the oldest hour; null when there is none. */
export const oldestMeasured = async (from: Reader): Promise<number | null> =>
  (await from.all<{ hour: number | null }>('SELECT min(hour) AS hour FROM task_metric'))[0]?.hour ?? null;
