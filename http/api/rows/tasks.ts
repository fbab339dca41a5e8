// Background tasks: listing, creating and controlling them.
import Type, { type Static } from 'typebox';
import { enqueueTask, TASK_TYPES } from '../../../core/scan/new-tasks.js';
import { andVisibleTask, countTasks, listTasks, seenTask } from '../../../core/scan/visible-tasks.js';
import { cancelAll, cancelTask, refusedTypes, retryTask, unlockTask } from '../../../core/tasks/control.js';
import { deleteFinished } from '../../../core/tasks/finished.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { byId, SOME_ID } from '../../surface/schemas.js';
import { firstOf, isPaged, limitFields, pagingFields, timeField, timeIn, windowOf } from '../schemas/fields.js';
import {
  optionalId,
  optionalIds,
  Purged,
  TASK_STATES,
  TaskMade,
  TaskPage,
  TaskRecord,
  TaskStats,
} from '../schemas/tasks.js';
import { Message } from '../schemas/user.js';
import { pageReply } from '../views/paging.js';
import { taskRecordView, taskStatsView } from '../views/tasks.js';

const DAY_MS = 24 * 3_600_000;
const PURGE_DAYS = 30;

const filters = {
  status: Type.Optional(Type.Enum([...TASK_STATES, 'processing'], { description: '`processing` means running.' })),
  taskType: Type.Optional(Type.String({ maxLength: 100 })),
};

const taskType = Type.Object(
  {
    type: Type.String({ maxLength: 100, description: `One of ${TASK_TYPES.join(', ')}.` }),
    libraryId: optionalId,
    seriesId: optionalId,
    bookId: optionalId,
    bookIds: optionalIds,
    seriesIds: optionalIds,
    mode: Type.Optional(Type.Union([Type.String({ maxLength: 20 }), Type.Null()])),
    force: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  { expected: `an object with a type, one of ${TASK_TYPES.join(', ')}` },
);

const newTask = Type.Object({
  taskType,
  priority: Type.Optional(
    Type.Union([Type.Integer({ minimum: -1000, maximum: 1000 }), Type.Null()], {
      expected: 'a whole number from -1000 to 1000, or null',
    }),
  ),
  scheduledFor: Type.Optional(Type.Union([timeField, Type.Null()], { expected: 'a time, or null' })),
});

const optionsOf = ({ priority, scheduledFor }: Static<typeof newTask>) => {
  const scheduledAt = timeIn(scheduledFor == null ? {} : { scheduledFor }, ['scheduledFor']);
  return { ...(priority == null ? {} : { priority }), ...(scheduledAt === undefined ? {} : { scheduledAt }) };
};

/** Routes that act on one visible task. */
const change = (
  verb: 'cancel' | 'retry' | 'unlock',
  about: string,
  message: string,
  run: (ctx: Ctx<unknown>, id: string) => Promise<void>,
): Route =>
  route({
    id: `tasks.${verb}`,
    method: 'POST',
    path: `/tasks/{id}/${verb}`,
    access: 'TasksWrite',
    params: byId,
    reply: ok(Message),
    about,
    run: async (ctx, { params: { id } }) => {
      await seenTask(ctx.app.db, ctx.viewer, id);
      await run(ctx, id);
      return json(200, { message });
    },
  });

export const TASK_ROUTES: readonly Route[] = [
  route({
    id: 'tasks.list',
    method: 'GET',
    path: '/tasks',
    access: 'TasksRead',
    query: Type.Object({ ...filters, ...limitFields, ...pagingFields }),
    reply: ok(Type.Union([Type.Array(TaskRecord), TaskPage])),
    about:
      'Background tasks, newest first: a list of the first ones, or a page if requested. Finished tasks are kept for seven days.',
    run: async (ctx, { query }) => {
      const { status, taskType: type } = query;
      const filter = { state: status === 'processing' ? 'running' : status, type } as const;
      const from = listReads(ctx);
      if (isPaged(query))
        return pageReply(ctx, await listTasks(from, ctx.viewer, filter, windowOf(query)), taskRecordView);
      const { items } = await listTasks(from, ctx.viewer, filter, firstOf(query));
      return json(200, items.map(taskRecordView));
    },
  }),
  route({
    id: 'tasks.create',
    method: 'POST',
    path: '/tasks',
    access: 'TasksWrite',
    body: newTask,
    example: { taskType: { type: 'analyze_series', seriesId: SOME_ID } },
    reply: ok(TaskMade),
    fails: ['NotFound', 'Conflict', 'Overloaded'],
    about: 'Enqueues a task. If an identical one is pending or running, returns its id.',
    run: async ({ app, viewer }, { body }) => {
      const { type, ...fields } = body.taskType;
      return json(200, { taskId: await enqueueTask(app, viewer, type, fields, optionsOf(body)) });
    },
  }),
  route({
    id: 'tasks.stats',
    method: 'GET',
    path: '/tasks/stats',
    access: 'TasksRead',
    reply: ok(TaskStats),
    about: 'The number of tasks, by type and state.',
    run: async (ctx) => json(200, taskStatsView(await countTasks(listReads(ctx), ctx.viewer, ctx.app.clock.now()))),
  }),
  route({
    id: 'tasks.purge',
    method: 'DELETE',
    path: '/tasks/purge',
    access: 'TasksWrite',
    query: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500, otherwise: PURGE_DAYS })),
    }),
    reply: ok(Purged),
    about: 'Deletes tasks that finished more than this many days ago; 0 deletes all finished tasks.',
    run: async ({ app, viewer }, { query: { days = PURGE_DAYS } }) => {
      const before = app.clock.now() - days * DAY_MS + Number(days === 0);
      const kept = refusedTypes(app, viewer);
      const which = `${andVisibleTask(viewer)}${kept.length === 0 ? '' : ` AND type NOT IN ('${kept.join("', '")}')`}`;
      return json(200, { deleted: await deleteFinished(app.db, viewer.userKey, before, { which }) });
    },
  }),
  route({
    id: 'tasks.nuke',
    method: 'DELETE',
    path: '/tasks/nuke',
    access: 'SystemAdmin',
    reply: ok(Purged),
    about: 'Cancels every task and deletes the finished ones, except library removals, which cannot be cancelled.',
    run: async ({ app, viewer }) => {
      await cancelAll(app, app.clock.now());
      return json(200, { deleted: await deleteFinished(app.db, viewer.userKey, app.clock.now() + 1) });
    },
  }),
  route({
    id: 'tasks.get',
    method: 'GET',
    path: '/tasks/{id}',
    access: 'TasksRead',
    params: byId,
    reply: ok(TaskRecord),
    about: 'One task.',
    run: async ({ app, viewer }, { params }) => json(200, taskRecordView(await seenTask(app.db, viewer, params.id))),
  }),
  change(
    'cancel',
    'Cancels a pending or running task. Responds once its work has stopped. Books that a cancelled analysis has not read are read by the next scan of their library.',
    'The task has been cancelled.',
    ({ app, viewer }, id) => cancelTask(app, viewer, id),
  ),
  change(
    'retry',
    'Retries a failed task, even a quarantined one. It resumes where it stopped.',
    'The task will run again.',
    ({ app, viewer }, id) => retryTask(app, viewer, id),
  ),
  change(
    'unlock',
    'Makes a task pending again, whatever its state: a running one is interrupted, and a finished one runs again.',
    'The task is pending.',
    ({ app, viewer }, id) => unlockTask(app, viewer, id),
  ),
];
