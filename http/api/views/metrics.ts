// What the libraries hold, and how tasks went, in the wire format.
import type { Inventory as Counted } from '../../../core/catalog/inventory.js';
import type { Granularity, TaskMetrics as Measured, Point, TypeMetrics } from '../../../core/scan/task-metrics.js';
import type { Wire } from '../../surface/wire.js';
import type { Inventory, PluginMetrics, TaskHistory, TaskMetrics } from '../schemas/metrics.js';
import { instant, instantOrNull } from './time.js';

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, one) => all + of(one), 0);

const per = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** MetricsDto. */
export const inventoryView = ({ libraries, userCount, databaseSize }: Counted): Wire<typeof Inventory> => ({
  libraryCount: libraries.length,
  seriesCount: sum(libraries, ({ seriesCount }) => seriesCount),
  bookCount: sum(libraries, ({ bookCount }) => bookCount),
  pageCount: sum(libraries, ({ pageCount }) => pageCount),
  totalBookSize: sum(libraries, ({ fileSize }) => fileSize),
  userCount,
  databaseSize,
  libraries: libraries.map(({ id, name, seriesCount, bookCount, fileSize }) => ({
    id,
    name,
    seriesCount,
    bookCount,
    totalSize: fileSize,
  })),
});

const executedIn = ({ succeeded, failed }: Pick<TypeMetrics, 'succeeded' | 'failed'>): number => succeeded + failed;

/** TaskTypeMetricsDto. */
const typeView = (one: TypeMetrics): Wire<typeof TaskMetrics>['byType'][number] => {
  const executed = executedIn(one);
  return {
    taskType: one.type,
    executed,
    succeeded: one.succeeded,
    failed: one.failed,
    retried: one.retried,
    avgDurationMs: per(one.durationMs, executed),
    minDurationMs: one.minMs,
    maxDurationMs: one.maxMs,
    p50DurationMs: one.p50Ms,
    p95DurationMs: one.p95Ms,
    avgQueueWaitMs: per(one.waitMs, executed),
    itemsProcessed: one.items,
    bytesProcessed: one.bytes,
    throughputPerSec: per(one.items, one.durationMs / 1000),
    errorRatePct: 100 * per(one.failed, executed),
    lastError: one.lastError,
    lastErrorAt: instantOrNull(one.lastErrorAt),
  };
};

/** TaskMetricsResponse. */
export const taskMetricsView = (
  { types, perMinute, queue }: Measured,
  retention: string,
  nowMs: number,
): Wire<typeof TaskMetrics> => {
  const executed = sum(types, executedIn);
  return {
    updatedAt: instant(nowMs),
    retention,
    summary: {
      totalExecuted: executed,
      totalSucceeded: sum(types, ({ succeeded }) => succeeded),
      totalFailed: sum(types, ({ failed }) => failed),
      avgDurationMs: per(
        sum(types, ({ durationMs }) => durationMs),
        executed,
      ),
      avgQueueWaitMs: per(
        sum(types, ({ waitMs }) => waitMs),
        executed,
      ),
      tasksPerMinute: perMinute,
    },
    byType: types.map(typeView),
    queue: {
      pendingCount: queue.pending,
      processingCount: queue.running,
      staleCount: queue.stale,
      oldestPendingAgeMs: queue.oldestPendingMs,
    },
  };
};

interface Shown {
  readonly fromMs: number;
  readonly toMs: number;
  readonly granularity: Granularity;
  readonly type: string | undefined;
}

/** TaskMetricsHistoryResponse. */
export const taskHistoryView = (
  points: readonly Point[],
  { fromMs, toMs, granularity, type }: Shown,
): Wire<typeof TaskHistory> => ({
  from: instant(fromMs),
  to: instant(toMs),
  granularity,
  points: points.map((one) => ({
    periodStart: instant(one.startAt),
    taskType: type ?? null,
    count: executedIn(one),
    succeeded: one.succeeded,
    failed: one.failed,
    avgDurationMs: per(one.durationMs, executedIn(one)),
    minDurationMs: one.minMs,
    maxDurationMs: one.maxMs,
    itemsProcessed: one.items,
    bytesProcessed: one.bytes,
  })),
});

/** PluginMetricsResponse of a server without plugins. */
export const noPluginsView = (nowMs: number): Wire<typeof PluginMetrics> => ({
  updatedAt: instant(nowMs),
  summary: {
    totalPlugins: 0,
    healthyPlugins: 0,
    degradedPlugins: 0,
    unhealthyPlugins: 0,
    totalRequests: 0,
    totalSuccess: 0,
    totalFailed: 0,
    totalRateLimitRejections: 0,
  },
  plugins: [],
});
