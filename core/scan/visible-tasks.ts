// Tasks as a person may see them: a task about something hidden does not exist, and for a person with restrictions, what a task over a
// whole library or the whole server has counted or met is left out.
import { andVisibleRow, type ResolvedKind, uuidIn } from '../catalog/public-ids.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import { isLimited, isLimitedInside, type Scope, type Viewer } from '../model/viewer.js';
import type { Bind, Reads } from '../store/db.js';
import { type Packed, packed, rowsAndTotal, whereOf } from '../store/packed.js';
import type { Task, TaskState } from '../tasks/task.js';

/** In place of an error that may tell of what is hidden. */
export const FAILED = 'The task failed.';

export interface SeenTask extends Omit<Task, 'key' | 'target' | 'checkpoint' | 'current' | 'waitingSince'> {
  /** Null where the progress would tell of what is hidden. */
  readonly current: number | null;
  readonly lockedBy: string | null;
  readonly lockedUntil: number | null;
  readonly libraryId: string | null;
  readonly seriesId: string | null;
  readonly bookId: string | null;
  /** Null also for what is no longer there. */
  readonly libraryName: string | null;
  readonly seriesTitle: string | null;
  readonly bookTitle: string | null;
}

const TARGETS: readonly ResolvedKind[] = ['library', 'series', 'book'];

const NAME: Readonly<Record<ResolvedKind, string>> = { library: 'name', series: 'name', book: 'title' };

const nameOf = (viewer: Viewer, kind: ResolvedKind): string =>
  `CASE t.target_kind WHEN '${kind}' THEN
     (SELECT o.${NAME[kind]} FROM ${kind} o WHERE o.uuid = t.target_uuid${andVisibleRow(viewer, kind, 'o')}) END`;

const idOf = (kind: ResolvedKind): string => `CASE t.target_kind WHEN '${kind}' THEN t.target_uuid END`;

/** Lists of ids among the parameters, and what they name. */
const LISTS = { seriesIds: 'series', bookIds: 'book' } as const satisfies Record<string, ResolvedKind>;

/** The server makes such tasks when a scan found something: that there is one would tell of something new that is hidden. */
const OF_SCANS: readonly string[] = ['generate_due_thumbnails', 'hash_due_books'];

/** Whether that there is such a task tells of something hidden, to somebody who may not see everything in its library. */
export const tellsOfNew = (type: string): boolean => OF_SCANS.includes(type);

/** SQL over the task `t`. A task about many rows is visible if all of them are. */
const visible = (viewer: Viewer): readonly string[] => {
  if (!isLimited(viewer.scope)) return [];
  const there = (kind: ResolvedKind, uuid: string): string =>
    `EXISTS (SELECT 1 FROM ${kind} o WHERE o.uuid = ${uuid}${andVisibleRow(viewer, kind, 'o')})`;
  const targets = TARGETS.map((kind) => `WHEN '${kind}' THEN ${there(kind, 't.target_uuid')}`).join(' ');
  const lists = Object.entries(LISTS).map(
    ([field, kind]) =>
      `NOT EXISTS (SELECT 1 FROM json_each(t.parameters, '$.${field}') j WHERE NOT ${there(kind, uuidIn('j.value'))})`,
  );
  const ofScans = isLimitedInside(viewer.scope) ? [`t.type NOT IN ('${OF_SCANS.join("', '")}')`] : [];
  return [`CASE t.target_kind ${targets} ELSE t.target_uuid IS NULL END`, ...ofScans, ...lists];
};

/** ` AND …` over the task `t`; empty where everything is visible. */
export const andVisibleTask = (viewer: Viewer): string =>
  visible(viewer)
    .map((one) => ` AND ${one}`)
    .join('');

/** Kinds of targets whose tasks reveal nothing hidden. With an age limit, a visible series may contain hidden books. */
const fullyVisibleKinds = ({ ageLimit }: Scope): string => (ageLimit === null ? "('series', 'book')" : "('book')");

const told = (viewer: Viewer, sql: string): string => {
  if (isLimited(viewer.scope)) return `CASE WHEN t.target_kind IN ${fullyVisibleKinds(viewer.scope)} THEN ${sql} END`;
  // How many users there are, and how large the database is, is for administrators.
  return viewer.permissions.has('SystemAdmin') ? sql : `CASE WHEN t.type <> 'backup' THEN ${sql} END`;
};

/** An error of other tasks may name or count what is hidden: only that there was one is told. */
const errorFor = ({ scope }: Viewer): string =>
  isLimited(scope)
    ? `CASE WHEN t.target_kind IN ${fullyVisibleKinds(scope)} THEN t.error WHEN t.error IS NOT NULL THEN '${FAILED}' END`
    : 't.error';

/** Folders may be those of hidden series. */
const parametersFor = ({ scope }: Viewer): string =>
  isLimited(scope) ? "(json_remove(t.parameters, '$.folders') || '')" : 't.parameters';

const columnsFor = (viewer: Viewer): Packed<SeenTask> =>
  packed<SeenTask>({
    id: { sql: 't.uuid', as: 'uuid' },
    type: { sql: 't.type' },
    parameters: { sql: parametersFor(viewer), as: 'json' },
    priority: { sql: 't.priority' },
    state: { sql: 't.state' },
    current: { sql: told(viewer, 't.current') },
    total: { sql: told(viewer, 't.total') },
    starts: { sql: 't.starts' },
    result: { sql: told(viewer, 't.result'), as: 'json' },
    error: { sql: errorFor(viewer) },
    scheduledAt: { sql: 'max(t.scheduled_at, t.created_at)' },
    createdAt: { sql: 't.created_at' },
    startedAt: { sql: 't.started_at' },
    completedAt: { sql: 't.completed_at' },
    lockedBy: { sql: 't.lease_owner' },
    lockedUntil: { sql: 't.lease_until' },
    libraryId: { sql: idOf('library'), as: 'uuid' },
    seriesId: { sql: idOf('series'), as: 'uuid' },
    bookId: { sql: idOf('book'), as: 'uuid' },
    libraryName: { sql: nameOf(viewer, 'library') },
    seriesTitle: { sql: nameOf(viewer, 'series') },
    bookTitle: { sql: nameOf(viewer, 'book') },
  });

export interface TaskFilter {
  readonly state?: TaskState | undefined;
  readonly type?: string | undefined;
}

/** The newest first. */
export const listTasks = async (
  from: Reads,
  viewer: Viewer,
  { state, type }: TaskFilter,
  window: Window,
): Promise<PageOf<SeenTask>> => {
  const columns = columnsFor(viewer);
  const filters = [...(state === undefined ? [] : ['t.state = ?']), ...(type === undefined ? [] : ['t.type = ?'])];
  const binds: readonly Bind[] = [...(state === undefined ? [] : [state]), ...(type === undefined ? [] : [type])];
  const where = whereOf([...filters, ...visible(viewer)]);
  const rows = `SELECT ${columns.expression} AS row FROM task t${where} ORDER BY t.id DESC LIMIT ? OFFSET ?`;
  const page = {
    sql: `SELECT json_group_array(json(row)) FROM (${rows})`,
    binds: [...binds, window.pageSize, offsetOf(window)],
  };
  const total = { sql: `SELECT count(*) FROM task t${where}`, binds };
  return { ...window, ...(await rowsAndTotal(from, columns, page, total)) };
};

export const seenTask = async (from: Reads, viewer: Viewer, id: string): Promise<SeenTask> => {
  const columns = columnsFor(viewer);
  const sql = `SELECT ${columns.expression} AS row FROM task t WHERE t.uuid = ?${andVisibleTask(viewer)}`;
  const [found] = await from.all<{ row: string }>(sql, [bytesOfUuid(id)]);
  if (found === undefined) throw new AppError('NotFound', 'There is no task with this id.');
  return columns.read(JSON.parse(found.row) as unknown[]);
};

/** Running tasks whose lease ended longer ago count as stale. */
const STALE_MS = 600_000;

export interface TaskCount {
  readonly type: string;
  readonly state: TaskState | 'stale';
  readonly count: number;
}

export const countTasks = (from: Reads, viewer: Viewer, nowMs: number): Promise<TaskCount[]> =>
  from.all<TaskCount>(
    `SELECT t.type, CASE WHEN t.state = 'running' AND t.lease_until < ? THEN 'stale' ELSE t.state END AS state, count(*) AS count
     FROM task t INDEXED BY task_counts${whereOf(visible(viewer))} GROUP BY 1, 2 ORDER BY 1, 2`,
    [nowMs - STALE_MS],
  );
