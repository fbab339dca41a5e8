// What the libraries hold, and how tasks and plugins went.
import Type from 'typebox';
import { id, number, orNull, record, text, time, whole, word } from '../../surface/wire.js';

/** MetricsDto. */
export const Inventory = record('Inventory', {
  libraryCount: whole(1),
  seriesCount: whole(23),
  bookCount: whole(54),
  pageCount: whole(457),
  totalBookSize: whole(32_937_367, 'Bytes of all book files.'),
  userCount: whole(2, '0 for everyone but administrators.'),
  databaseSize: whole(2_469_888, 'Bytes; 0 for everyone but administrators.'),
  libraries: Type.Array(
    record('LibraryInventory', {
      id: id(),
      name: text('Comics'),
      seriesCount: whole(23),
      bookCount: whole(54),
      totalSize: whole(32_937_367),
    }),
  ),
});

const DURATIONS = { avgDurationMs: number(21.2), minDurationMs: whole(0), maxDurationMs: whole(71) };

/** TaskMetricsResponse. */
export const TaskMetrics = record('TaskMetrics', {
  updatedAt: time(),
  retention: text('30', 'The setting metrics.task_retention_days.'),
  summary: record('TaskMetricsSummary', {
    totalExecuted: whole(264),
    totalSucceeded: whole(256),
    totalFailed: whole(8),
    avgDurationMs: number(21.2),
    avgQueueWaitMs: number(2767.4),
    tasksPerMinute: number(4.5, 'Over the current hour and the one before.'),
  }),
  byType: Type.Array(
    record('TaskTypeMetrics', {
      taskType: text('scan_library'),
      executed: whole(2),
      succeeded: whole(2),
      failed: whole(0),
      retried: whole(0, 'Runs of tasks that had been started before.'),
      ...DURATIONS,
      p50DurationMs: whole(71, 'At most a fifth too high.'),
      p95DurationMs: whole(71, 'At most a fifth too high.'),
      avgQueueWaitMs: number(1725),
      itemsProcessed: whole(108, 'The progress of the tasks; 1 for a task without progress.'),
      bytesProcessed: whole(65_874_734, 'Sizes of the book files that were analysed.'),
      throughputPerSec: number(760.5, 'Items per second of work.'),
      errorRatePct: number(0),
      lastError: orNull(text('The disk does not answer.')),
      lastErrorAt: orNull(time()),
    }),
  ),
  queue: record('TaskQueueMetrics', {
    pendingCount: whole(2),
    processingCount: whole(1),
    staleCount: whole(0),
    oldestPendingAgeMs: orNull(whole(1200)),
  }),
});

export const GRANULARITIES = ['hour', 'day'] as const;

/** TaskMetricsHistoryResponse. */
export const TaskHistory = record('TaskMetricsHistory', {
  from: time(),
  to: time(),
  granularity: word(GRANULARITIES),
  points: Type.Array(
    record('TaskMetricsPoint', {
      periodStart: time('The hour or day in UTC. Those without a task are left out.'),
      taskType: orNull(text('scan_library', 'The requested type; null for all types together.')),
      count: whole(12),
      succeeded: whole(12),
      failed: whole(0),
      ...DURATIONS,
      itemsProcessed: whole(108),
      bytesProcessed: whole(65_874_734),
    }),
  ),
});

/** MetricsCleanupResponse. */
export const MetricsCleaned = record('TaskMetricsCleaned', {
  deletedCount: whole(12, 'Deleted rows, each for one type and hour.'),
  retentionDays: text('30'),
  oldestRemaining: orNull(time()),
});

/** MetricsNukeResponse. */
export const MetricsDeleted = record('TaskMetricsDeleted', { deletedCount: whole(12) });

/** PluginMetricsResponse. There are no plugins yet. */
export const PluginMetrics = record('PluginMetrics', {
  updatedAt: time(),
  summary: record('PluginMetricsSummary', {
    totalPlugins: whole(0),
    healthyPlugins: whole(0),
    degradedPlugins: whole(0),
    unhealthyPlugins: whole(0),
    totalRequests: whole(0),
    totalSuccess: whole(0),
    totalFailed: whole(0),
    totalRateLimitRejections: whole(0),
  }),
  plugins: Type.Array(
    record('PluginMetricsOfOne', {
      pluginId: id(),
      pluginName: text('ComicVine'),
      requestsTotal: whole(10),
      requestsSuccess: whole(9),
      requestsFailed: whole(1),
      avgDurationMs: number(120.5),
      rateLimitRejections: whole(0),
      errorRatePct: number(10),
      lastSuccess: orNull(time()),
      lastFailure: orNull(time()),
      healthStatus: text('healthy'),
    }),
  ),
});
