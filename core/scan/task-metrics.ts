// How tasks went, for people: sums of what core/tasks/measured.ts stored. They are of the whole server, so somebody with restrictions is
// shown none of them, and only the queue of the tasks that they see.
import { isLimited, type Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { whereOf } from '../store/packed.js';
import { percentile } from '../tasks/durations.js';
import { HOUR_MS, MEASURED_MAX_MS } from '../tasks/measured.js';
import { andVisibleTask, countTasks, FAILED } from './visible-tasks.js';

interface Sums {
  readonly succeeded: number;
  readonly failed: number;
  readonly durationMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly items: number;
  readonly bytes: number;
}

/** One type of tasks. */
export interface TypeMetrics extends Sums {
  readonly type: string;
  readonly retried: number;
  readonly waitMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly lastError: string | null;
  readonly lastErrorAt: number | null;
}

export interface QueueMetrics {
  readonly pending: number;
  readonly running: number;
  readonly stale: number;
  readonly oldestPendingMs: number | null;
}

export interface TaskMetrics {
  readonly types: readonly TypeMetrics[];
  readonly perMinute: number;
  readonly queue: QueueMetrics;
}

/** One hour or day. */
export interface Point extends Sums {
  readonly startAt: number;
}

export type Granularity = 'hour' | 'day';

export interface HistoryRequest {
  readonly fromMs: number;
  readonly granularity: Granularity;
  readonly type: string | undefined;
}

const SUMS = `sum(succeeded) AS succeeded, sum(failed) AS failed, sum(duration_ms) AS durationMs, min(min_ms) AS minMs, max(max_ms) AS maxMs,
  sum(items) AS items, sum(bytes) AS bytes`;

/** Where several columns follow the row of the greatest value, SQLite takes them from that row (https://www.sqlite.org/lang_select.html#bareagg). */
const LAST_ERRORS = `SELECT type, last_error AS error, max(last_error_at) AS at FROM task_metric WHERE last_error IS NOT NULL GROUP BY type`;

interface ClassRow {
  readonly type: string;
  readonly found: string;
  readonly count: number;
}

/** An error may name files: it is for those who may read tasks. */
const errorFor = ({ permissions }: Viewer, error: string | null): string | null =>
  error === null || permissions.has('TasksRead') ? error : FAILED;

const typesFor = async (from: Reads, viewer: Viewer): Promise<readonly TypeMetrics[]> => {
  const sums = await from.all<Sums & { type: string; retried: number; waitMs: number }>(
    `SELECT type, ${SUMS}, sum(retried) AS retried, sum(wait_ms) AS waitMs FROM task_metric GROUP BY type ORDER BY type`,
  );
  const classes = await from.all<ClassRow>(
    'SELECT t.type, j.key AS found, sum(j.value) AS count FROM task_metric t JOIN json_each(t.durations) j GROUP BY t.type, j.key',
  );
  const errors = await from.all<{ type: string; error: string; at: number }>(LAST_ERRORS);
  return sums.map((one) => {
    const own = new Map(
      classes.filter(({ type }) => type === one.type).map(({ found, count }) => [Number(found), count]),
    );
    const last = errors.find(({ type }) => type === one.type);
    return {
      ...one,
      p50Ms: percentile(own, 0.5, one.minMs, one.maxMs),
      p95Ms: percentile(own, 0.95, one.minMs, one.maxMs),
      lastError: errorFor(viewer, last?.error ?? null),
      lastErrorAt: last?.at ?? null,
    };
  });
};

/** Over this hour and the one before, or as much of them as was measured. */
const perMinute = async (from: Reads, nowMs: number): Promise<number> => {
  const [row] = await from.all<{ count: number; since: number | null }>(
    'SELECT coalesce(sum(succeeded + failed), 0) AS count, min(max(first_at, ?1)) AS since FROM task_metric INDEXED BY task_metric_by_hour WHERE hour BETWEEN ?1 AND ?2',
    [nowMs - (nowMs % HOUR_MS) - HOUR_MS, nowMs],
  );
  if (row === undefined || row.since === null) return 0;
  return row.count / Math.max(1, (nowMs - row.since) / 60_000);
};

const queueFor = async (from: Reads, viewer: Viewer, nowMs: number): Promise<QueueMetrics> => {
  const counts = await countTasks(from, viewer, nowMs);
  const of = (state: string): number =>
    counts.filter((one) => one.state === state).reduce((sum, { count }) => sum + count, 0);
  const [oldest] = await from.all<{ since: number | null }>(
    `SELECT min(max(t.created_at, t.scheduled_at, coalesce(t.waiting_since, 0))) AS since FROM task t INDEXED BY task_by_state
     WHERE t.state = 'pending' AND t.scheduled_at <= ?${andVisibleTask(viewer)}`,
    [nowMs],
  );
  const since = oldest?.since ?? null;
  return {
    pending: of('pending'),
    running: of('running') + of('stale'),
    stale: of('stale'),
    oldestPendingMs: since === null ? null : Math.max(0, nowMs - since),
  };
};

export const taskMetrics = async (from: Reads, viewer: Viewer, nowMs: number): Promise<TaskMetrics> => {
  const queue = await queueFor(from, viewer, nowMs);
  if (isLimited(viewer.scope)) return { types: [], perMinute: 0, queue };
  return { types: await typesFor(from, viewer), perMinute: await perMinute(from, nowMs), queue };
};

const PERIOD_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const satisfies Record<Granularity, number>;

/** Oldest first; hours and days (in UTC) without a task are left out. */
export const taskHistory = async (
  from: Reads,
  { scope }: Viewer,
  { fromMs, granularity, type }: HistoryRequest,
): Promise<readonly Point[]> => {
  if (isLimited(scope)) return [];
  const periodMs = PERIOD_MS[granularity];
  const where = whereOf(['hour >= ?2', ...(type === undefined ? [] : ['type = ?3'])]);
  return from.all<Point>(
    `SELECT hour - hour % ?1 AS startAt, ${SUMS} FROM task_metric${where} GROUP BY 1 ORDER BY 1 LIMIT ${MEASURED_MAX_MS / HOUR_MS + 2}`,
    [periodMs, fromMs - (fromMs % periodMs), ...(type === undefined ? [] : [type])],
  );
};
