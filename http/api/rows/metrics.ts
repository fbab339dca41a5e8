// What the libraries hold, how tasks and plugins went, and all metrics of the server as text for Prometheus.
import Type from 'typebox';
import { inventoryFor } from '../../../core/catalog/inventory.js';
import { taskHistory, taskMetrics } from '../../../core/scan/task-metrics.js';
import { deleteMeasured, MEASURED_MAX_MS, oldestMeasured } from '../../../core/tasks/measured.js';
import type { Reply } from '../../server/adapter.js';
import { textFormatFor } from '../../surface/exposition.js';
import { permit } from '../../surface/permit.js';
import { media, ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import {
  GRANULARITIES,
  Inventory,
  MetricsCleaned,
  MetricsDeleted,
  PluginMetrics,
  TaskHistory,
  TaskMetrics,
} from '../schemas/metrics.js';
import { inventoryView, noPluginsView, taskHistoryView, taskMetricsView } from '../views/metrics.js';
import { instantOrNull } from '../views/time.js';

const DAY_MS = 24 * 3_600_000;
const DAYS = 7;
const DAYS_MAX = 180;
const RETENTION = 'metrics.task_retention_days';
/** Later than every hour that was stored. */
const END_OF_TIME_MS = 8.64e15;

const inventory = async (ctx: Ctx<unknown>): Promise<Reply> =>
  json(200, inventoryView(await inventoryFor(listReads(ctx), ctx.viewer)));

const FORM: Reply['headers'][number] = ['Vary', 'Accept'];

export const METRIC_ROUTES: readonly Route[] = [
  route({
    id: 'metrics',
    method: 'GET',
    path: '/metrics',
    access: 'LibrariesRead',
    reply: ok(Inventory),
    alternative: media('text/plain', 'application/openmetrics-text'),
    about:
      'What the libraries hold, as the caller sees it. A client that prefers text/plain or application/openmetrics-text, and has the permission SystemAdmin, gets all metrics of the server as text for Prometheus.',
    run: async (ctx) => {
      const format = textFormatFor(ctx.request.header('accept'));
      if (format === null) {
        const reply = await inventory(ctx);
        return { ...reply, headers: [...reply.headers, FORM] };
      }
      permit(['SystemAdmin'], ctx.viewer.permissions);
      const { type, text } = await ctx.settings.scrape(format);
      return {
        status: 200,
        headers: [['Content-Type', type], ['Cache-Control', 'no-store'], FORM],
        body: { kind: 'bytes', bytes: text },
      };
    },
  }),
  route({
    id: 'metrics.inventory',
    method: 'GET',
    path: '/metrics/inventory',
    access: 'LibrariesRead',
    reply: ok(Inventory),
    about:
      'What the libraries hold, as the caller sees it. Only administrators see the number of users and the size of the database.',
    run: inventory,
  }),
  route({
    id: 'metrics.tasks',
    method: 'GET',
    path: '/metrics/tasks',
    access: 'LibrariesRead',
    reply: ok(TaskMetrics),
    about: `Task metrics by type, over the retention period (the setting ${RETENTION}). Callers with restrictions get only the queue of the tasks that they see.`,
    run: async (ctx) => {
      const nowMs = ctx.app.clock.now();
      const measured = await taskMetrics(listReads(ctx), ctx.viewer, nowMs);
      return json(200, taskMetricsView(measured, ctx.app.settings.value(RETENTION), nowMs));
    },
  }),
  route({
    id: 'metrics.tasks.history',
    method: 'GET',
    path: '/metrics/tasks/history',
    access: 'LibrariesRead',
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({
          otherwise: DAYS,
          expected: 'a whole number',
          description: `Days to show; less than 1 counts as 1, more than ${DAYS_MAX} as ${DAYS_MAX}.`,
        }),
      ),
      taskType: Type.Optional(Type.String({ maxLength: 100, description: 'Tasks of this type only.' })),
      granularity: Type.Optional(Type.Enum([...GRANULARITIES], { otherwise: 'hour' })),
    }),
    reply: ok(TaskHistory),
    about: 'Task metrics by hour or day (in UTC), oldest first. Callers with restrictions see none of it.',
    run: async (ctx, { query: { days = DAYS, taskType: type, granularity = 'hour' } }) => {
      const toMs = ctx.app.clock.now();
      const fromMs = toMs - Math.max(1, Math.min(days, DAYS_MAX)) * DAY_MS;
      const points = await taskHistory(listReads(ctx), ctx.viewer, { fromMs, granularity, type });
      return json(200, taskHistoryView(points, { fromMs, toMs, granularity, type }));
    },
  }),
  route({
    id: 'metrics.tasks.cleanup',
    method: 'POST',
    path: '/metrics/tasks/cleanup',
    access: 'SystemAdmin',
    reply: ok(MetricsCleaned),
    about: `Deletes task metrics that are older than the setting ${RETENTION} allows; the server does so every hour.`,
    run: async ({ app, viewer }) => {
      const before = app.clock.now() - (app.settings.measuredMs() ?? MEASURED_MAX_MS);
      const deletedCount = await deleteMeasured(app.db, viewer.userKey, before);
      const oldestRemaining = instantOrNull(await oldestMeasured(app.db));
      return json(200, { deletedCount, retentionDays: app.settings.value(RETENTION), oldestRemaining });
    },
  }),
  route({
    id: 'metrics.tasks.delete',
    method: 'DELETE',
    path: '/metrics/tasks',
    access: 'SystemAdmin',
    reply: ok(MetricsDeleted),
    about: 'Deletes all task metrics. The tasks themselves stay.',
    run: async ({ app, viewer }) =>
      json(200, { deletedCount: await deleteMeasured(app.db, viewer.userKey, END_OF_TIME_MS) }),
  }),
  route({
    id: 'metrics.plugins',
    method: 'GET',
    path: '/metrics/plugins',
    access: 'LibrariesRead',
    reply: ok(PluginMetrics),
    about: 'Metrics of requests to plugins. This version has no plugins, so the list is empty.',
    run: ({ app }) => json(200, noPluginsView(app.clock.now())),
  }),
];
