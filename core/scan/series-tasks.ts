// Tasks over whole series: numbers and titles made again, and deleted books purged.
import { uuidIn } from '../catalog/public-ids.js';
import { type NewTitle, newTitles, remakeSeriesTitles, TITLES_BATCH } from '../catalog/series-titles.js';
import { andVisible } from '../catalog/visibility.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { isLimited, isLimitedInside, type Viewer, type Scope as ViewerScope } from '../model/viewer.js';
import type { Db, Reader } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskTarget, TaskType } from '../tasks/task.js';
import { DUE, markSeriesDue, settleDue } from './due-series.js';
import { purgeDeleted } from './purge.js';

export const UPKEEP_LANE = 'upkeep';

const PRIORITIES = {
  purge_deleted: 550,
  reprocess_series_title: 480,
  reprocess_series_titles: 470,
  renumber_series: 460,
  renumber_series_batch: 450,
} as const;

type Type = keyof typeof PRIORITIES;

export interface SeriesTaskParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tasks: TaskRunner;
}

/** What a task is about: a target, or series by their ids; without either, every series. */
export interface About {
  readonly target: TaskTarget | null;
  readonly seriesIds?: readonly string[] | undefined;
}

export interface PreviewedTitles {
  readonly titles: readonly NewTitle[];
  /** False when there may be more: the rest is not looked at. */
  readonly isComplete: boolean;
}

const IN_SERIES = `s.uuid IN (SELECT ${uuidIn('value')} FROM json_each(?))`;
const IN_LIBRARY = 's.library_id = (SELECT id FROM library WHERE uuid = ? AND removing = 0)';

type Scope = readonly [where: string, bind: Buffer | string | number];

const scopeOf = ({ target, seriesIds }: About): Scope => {
  if (target?.kind === 'series') return ['s.uuid = ?', bytesOfUuid(target.id)];
  if (seriesIds !== undefined) return [IN_SERIES, JSON.stringify(seriesIds)];
  return target === null ? ['0 = ?', 0] : [IN_LIBRARY, bytesOfUuid(target.id)];
};

const aboutOf = ({ target, parameters: { seriesIds } }: TaskContext): About => ({
  target,
  seriesIds: Array.isArray(seriesIds) ? seriesIds : undefined,
});

/** A purge by a task knows nobody's restrictions. */
const refusePurge: NonNullable<TaskType['refuse']> = ({ scope }) => {
  if (isLimitedInside(scope))
    throw new AppError('Forbidden', 'Users with restrictions on series cannot purge a whole library by a task.');
};

/** Without a target or a list, a task is about the series of all libraries. */
const refuseAll: NonNullable<TaskType['refuse']> = ({ scope }, { target, parameters }) => {
  if (isLimited(scope) && target === null && parameters.seriesIds === undefined)
    throw new AppError('BadRequest', 'Users with restrictions must name what such a task is about.');
};

export class SeriesTasks {
  readonly #parts: SeriesTaskParts;

  constructor(parts: SeriesTaskParts) {
    this.#parts = parts;
    const lane = UPKEEP_LANE;
    const renumber = (context: TaskContext): Promise<unknown> => this.#renumber(context);
    const retitle = (context: TaskContext): Promise<unknown> => this.#retitle(context);
    parts.tasks.register('renumber_series', { lane, run: renumber });
    parts.tasks.register('renumber_series_batch', { lane, run: renumber, refuse: refuseAll });
    parts.tasks.register('reprocess_series_title', { lane, run: retitle });
    parts.tasks.register('reprocess_series_titles', { lane, run: retitle, refuse: refuseAll });
    const purge = (context: TaskContext): Promise<unknown> => this.#purge(context);
    parts.tasks.register('purge_deleted', { lane, run: purge, refuse: refusePurge });
  }

  async add(viewer: Viewer, type: Type, { target, seriesIds }: About, options: TaskOptions = {}): Promise<string> {
    const { tasks } = this.#parts;
    const parameters = seriesIds === undefined ? {} : { seriesIds };
    tasks.types.get(type)?.refuse?.(viewer, { target, parameters });
    return tasks.enqueue(type, target, parameters, { priority: PRIORITIES[type], ...options });
  }

  /** The titles that would change, of series in this scope. */
  async preview(from: Reader, about: About, scope: ViewerScope): Promise<PreviewedTitles> {
    const found: NewTitle[] = [];
    const [where, bind] = scopeOf(about);
    for await (const keys of this.#batches(from, [`${where}${andVisible(scope, 's')}`, bind], 0)) {
      found.push(...(await newTitles(from, keys)));
      if (found.length >= TITLES_BATCH) return { titles: found, isComplete: false };
    }
    return { titles: found, isComplete: true };
  }

  async *#batches(reader: Reader, [where, bind]: Scope, from: number): AsyncGenerator<readonly number[]> {
    const sql = `SELECT s.id FROM series s WHERE ${where} AND s.id > ? ORDER BY s.id LIMIT ${TITLES_BATCH}`;
    for (let after = from; ; ) {
      const keys = (await reader.all<{ id: number }>(sql, [bind, after])).map(({ id }) => id);
      const last = keys.at(-1);
      if (last === undefined) return;
      yield keys;
      after = last;
    }
  }

  /** Runs a step over the series of a task; after a restart it goes on behind the last of them that was done. */
  async #each(context: TaskContext, step: (keys: readonly number[]) => Promise<number>): Promise<number> {
    const reached = (context.reached() ?? { after: 0, seen: 0, done: 0 }) as {
      after: number;
      seen: number;
      done: number;
    };
    let { seen, done } = reached;
    for await (const keys of this.#batches(this.#parts.db, scopeOf(aboutOf(context)), reached.after)) {
      if (context.signal.aborted) throw new AppError('Cancelled');
      done += await step(keys);
      seen += keys.length;
      context.progress(seen, null);
      await context.checkpoint({ after: keys.at(-1) ?? 0, seen, done });
    }
    context.progress(seen, seen);
    return done;
  }

  async #renumber(context: TaskContext): Promise<unknown> {
    const renumbered = await this.#each(context, async (keys) => {
      await this.#parts.db.write(SYSTEM, 'background', (tx) => markSeriesDue(tx, keys, DUE.numbers));
      const scope = {
        from: 'series s',
        where: 's.id IN (SELECT value FROM json_each(?))',
        binds: [JSON.stringify(keys)],
        tellsNumbers: true,
      };
      await settleDue(this.#parts, scope, 'background');
      return keys.length;
    });
    return { series_renumbered: renumbered };
  }

  async #retitle(context: TaskContext): Promise<unknown> {
    const { db, clock } = this.#parts;
    const changed = await this.#each(context, (keys) =>
      db.write(SYSTEM, 'background', (tx) => remakeSeriesTitles(tx, keys, clock.now())),
    );
    return { series_updated: changed };
  }

  async #purge({ target, signal }: TaskContext): Promise<unknown> {
    const { db } = this.#parts;
    const [library] = await db.all<{ id: number }>('SELECT id FROM library WHERE uuid = ? AND removing = 0', [
      bytesOfUuid(target?.id ?? ''),
    ]);
    if (library === undefined) return undefined;
    return { books_purged: await purgeDeleted(db, SYSTEM, { libraryKey: library.id }, signal) };
  }
}
