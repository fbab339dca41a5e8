// Decides who gets which events about background tasks. Tasks on something hidden are not sent, nor are server-wide tasks to users who
// cannot see everything. Such users get progress as a percentage, since counts of files and books would include what is hidden.
import { seesBook } from '../catalog/visibility.js';
import { bytesOfUuid } from '../model/ids.js';
import { FAILED, tellsOfNew } from '../scan/visible-tasks.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import type { Task } from '../tasks/task.js';
import { select } from '../tasks/task-rows.js';
import { type Audience, sees } from './audience.js';
import type { TaskNews } from './news.js';

/** A task and where its target is. */
export interface PlacedTask {
  readonly task: Task;
  readonly libraryKey: number | null;
  /** The series itself, or that of a book. */
  readonly seriesKey: number | null;
  readonly neverReadable: boolean;
  readonly news: TaskNews;
}

interface Place {
  readonly libraryKey: number;
  readonly seriesKey: number | null;
  readonly seriesHex: string | null;
  readonly neverReadable: number;
}

const PLACE = {
  library:
    'SELECT l.id AS libraryKey, NULL AS seriesKey, NULL AS seriesHex, 0 AS neverReadable FROM library l WHERE l.uuid = ?',
  series:
    'SELECT s.library_id AS libraryKey, s.id AS seriesKey, hex(s.uuid) AS seriesHex, 0 AS neverReadable FROM series s WHERE s.uuid = ?',
  book: `SELECT b.library_id AS libraryKey, b.series_id AS seriesKey, hex(s.uuid) AS seriesHex, b.never_readable AS neverReadable
    FROM book b JOIN series s ON s.id = b.series_id WHERE b.uuid = ?`,
} as const;

const IN_KEYS = 'WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id';

const placeOf = async (from: Reads, { target }: Task): Promise<Place | undefined> =>
  target === null ? undefined : (await from.all<Place>(PLACE[target.kind], [bytesOfUuid(target.id)]))[0];

const dashed = (hex: string): string => {
  const low = hex.toLowerCase();
  return [low.slice(0, 8), low.slice(8, 12), low.slice(12, 16), low.slice(16, 20), low.slice(20)].join('-');
};

const progressOf = ({ current, total }: Task): TaskNews['progress'] =>
  current === 0 && total === null ? null : { current, total: total ?? current };

const newsOf = (task: Task, place: Place | undefined, libraries: ReadonlyMap<number, string>): TaskNews => {
  const { id, type, target, state, error, startedAt, createdAt, completedAt } = task;
  return {
    type: 'task_progress',
    taskId: id,
    taskType: type,
    status: state,
    progress: progressOf(task),
    error,
    startedAt: startedAt ?? createdAt,
    completedAt,
    libraryId: (place && libraries.get(place.libraryKey)) ?? (target?.kind === 'library' ? target.id : null),
    seriesId: place?.seriesHex ? dashed(place.seriesHex) : null,
    bookId: target?.kind === 'book' ? target.id : null,
  };
};

export const placedTasks = async (
  from: Reads,
  keys: readonly number[],
  libraries: ReadonlyMap<number, string>,
): Promise<readonly PlacedTask[]> => {
  const placed: PlacedTask[] = [];
  for (const task of keys.length === 0 ? [] : await select(from, IN_KEYS, [keyList(keys)])) {
    const place = await placeOf(from, task);
    const news = newsOf(task, place, libraries);
    const { libraryKey = null, seriesKey = null, neverReadable = 0 } = place ?? {};
    placed.push({ task, libraryKey, seriesKey, neverReadable: neverReadable === 1, news });
  }
  return placed;
};

/** Undefined if the audience may not know of it. */
export const taskFor = (audience: Audience, placed: PlacedTask): TaskNews | undefined => {
  const { libraryKey, seriesKey, news } = placed;
  if (!audience.isLimited) return news;
  if (libraryKey === null || !audience.seesLibrary(libraryKey)) return undefined;
  if (seriesKey !== null && !sees(audience.seen, seriesKey)) return undefined;
  if (!seesBook(audience.scope, placed)) return undefined;
  if (!audience.countsLess) return news;
  if (tellsOfNew(news.taskType)) return undefined;
  const { progress, error } = news;
  const share = progress === null ? 0 : Math.floor((100 * progress.current) / Math.max(1, progress.total));
  return {
    ...news,
    progress: progress && { current: share, total: 100 },
    error: error === null ? null : FAILED,
  };
};
