// Covers made for the cache on request: those missing in a library, a series or a book, or all of them again. The task visits the books in key
// order; its checkpoint is the last key. It asks the cache what is missing, and leaves marks of due covers (due-cover-tasks.ts) alone.
import { isSilence } from '../engine/disks.js';
import type { Pool } from '../engine/pool.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import type { ThumbnailOptions } from '../model/jobs.js';
import type { Pages } from '../pages/pages.js';
import { coverKey, versionOf } from '../pages/version.js';
import type { Blobs } from '../store/blobs.js';
import type { Db } from '../store/db.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskTarget } from '../tasks/task.js';
import { isOverloaded, refuseDeadCache } from './cover-drain.js';
import type { CoverBook } from './due-covers.js';

export const COVER_LANE = 'covers';
const GENERATE_THUMBNAILS = 'generate_thumbnails';
const PRIORITY = 380;
const BATCH = 100;

export interface CoverParts {
  readonly db: Db;
  readonly blobs: Blobs;
  readonly pool: Pick<Pool, 'backgroundWidth' | 'backgroundShare'>;
  readonly pages: Pick<Pages, 'makeCover' | 'filesOf'>;
  readonly thumbnail: ThumbnailOptions;
  readonly tasks: TaskRunner;
  /** Why the cache accepts nothing at the moment; null while it does. */
  readonly cacheTrouble: () => string | null;
}

/** The checkpoint of the task; without `after`, its result. */
interface Made {
  /** The last book visited. */
  readonly after: number;
  readonly seen: number;
  readonly made: number;
  readonly failed: number;
}

const COLUMN = { library: 'library_id', series: 'series_id', book: 'id' } as const satisfies Record<
  TaskTarget['kind'],
  string
>;

/** Books that can have a cover here: others get theirs from their analysis. */
const FROM = `book b JOIN library l ON l.id = b.library_id AND l.removing = 0 WHERE b.deleted = 0 AND b.analyzed = 1`;

export class CoverTasks {
  readonly #parts: CoverParts;

  constructor(parts: CoverParts) {
    this.#parts = parts;
    parts.tasks.register(GENERATE_THUMBNAILS, { lane: COVER_LANE, run: (context) => this.#run(context) });
  }

  /** Without a target: all libraries. `force` also remakes covers that exist. Returns the id of the task. */
  add(target: TaskTarget | null, force: boolean, options: TaskOptions = {}): Promise<string> {
    return this.#parts.tasks.enqueue(GENERATE_THUMBNAILS, target, { force }, { priority: PRIORITY, ...options });
  }

  async #run(context: TaskContext): Promise<Omit<Made, 'after'>> {
    const { where, key } = await this.#scopeOf(context.target);
    const total = await this.#count(where, key);
    let { after, ...reached } = (context.reached() ?? { after: 0, seen: 0, made: 0, failed: 0 }) as Made;
    for (;;) {
      const books = await this.#some(where, key, after);
      const last = books.at(-1);
      if (last === undefined) return reached;
      const { made, failed } = await this.#make(books, context);
      reached = { seen: reached.seen + books.length, made: reached.made + made, failed: reached.failed + failed };
      after = last.key;
      context.progress(Math.min(reached.seen, total), total);
      await context.checkpoint({ after, ...reached });
    }
  }

  /** A target that no longer exists has no books. */
  async #scopeOf(target: TaskTarget | null): Promise<{ readonly where: string; readonly key: number }> {
    if (target === null) return { where: '0 = ?', key: 0 };
    const sql = `SELECT id FROM ${target.kind} WHERE uuid = ?`;
    const [row] = await this.#parts.db.all<{ id: number }>(sql, [bytesOfUuid(target.id)]);
    return { where: `b.${COLUMN[target.kind]} = ?`, key: row?.id ?? -1 };
  }

  async #count(where: string, key: number): Promise<number> {
    const [row] = await this.#parts.db.all<{ n: number }>(`SELECT count(*) AS n FROM ${FROM} AND ${where}`, [key]);
    return row?.n ?? 0;
  }

  #some(where: string, key: number, after: number): Promise<CoverBook[]> {
    return this.#parts.db.all<CoverBook>(
      `SELECT b.id AS key, b.uuid, b.revision, b.file_size AS size, b.file_mtime AS mtime FROM ${FROM} AND ${where} AND b.id > ?
       ORDER BY b.id LIMIT ${BATCH}`,
      [key, after],
    );
  }

  /** Runs as many at once as the background lane allows. A book without a cover is counted; a disk that does not answer ends the task. */
  async #make(
    books: readonly CoverBook[],
    { signal, parameters }: TaskContext,
  ): Promise<Pick<Made, 'made' | 'failed'>> {
    const { pages, pool } = this.#parts;
    const isThere = hasCover(this.#parts);
    const left = books.filter((book) => parameters.force === true || !isThere(book)).values();
    const counts = { made: 0, failed: 0 };
    const ends: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const { uuid } of left) {
        if (signal.aborted || ends.length > 0) return;
        try {
          refuseDeadCache(this.#parts.cacheTrouble);
          await pages.makeCover(uuidOfBytes(uuid), signal);
          counts.made += 1;
        } catch (thrown) {
          if (signal.aborted || isSilence(thrown) || isOverloaded(thrown)) ends.push(thrown);
          else counts.failed += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, pool.backgroundWidth) }, work));
    if (signal.aborted) throw new AppError('Cancelled');
    if (ends.length > 0) throw ends[0];
    return counts;
  }
}

/** Whether the cache has the cover of a book. */
export const hasCover =
  ({ blobs, thumbnail }: Pick<CoverParts, 'blobs' | 'thumbnail'>) =>
  ({ uuid, revision, size, mtime }: CoverBook): boolean =>
    blobs.has(coverKey(uuidOfBytes(uuid), versionOf(revision, size, mtime), thumbnail));
