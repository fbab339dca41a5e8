// Covers made for the cache on request: those missing in a library, a series or a book, or all of them again. The task visits the books in key
// order; its checkpoint is the last key. It asks the cache what is missing, and leaves marks of due covers (due-cover-tasks.ts) alone.
import { uuidIn } from '../catalog/public-ids.js';
import { isSilence } from '../engine/disks.js';
import type { Pool } from '../engine/pool.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import type { ThumbnailOptions } from '../model/jobs.js';
import type { Pages } from '../pages/pages.js';
import { coverKey, versionOf } from '../pages/version.js';
import type { Blobs } from '../store/blobs.js';
import type { Db } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskTarget } from '../tasks/task.js';
import { refuseDeadCache } from './cover-drain.js';
import type { CoverBook } from './due-covers.js';
import { isOverloaded } from './due-kind.js';

export const COVER_LANE = 'covers';
/** Of books, of one book, of the books that represent series, of the one that represents a series. */
const PRIORITIES = {
  generate_thumbnail: 400,
  generate_series_thumbnail: 390,
  generate_thumbnails: 380,
  generate_series_thumbnails: 370,
} as const;
export type CoverTaskType = keyof typeof PRIORITIES;
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

interface BookOfSeries extends CoverBook {
  readonly seriesKey: number;
}

const COLUMN = { library: 'library_id', series: 'series_id', book: 'id' } as const satisfies Record<
  TaskTarget['kind'],
  string
>;

/** Books that can have a cover here: others get theirs from their analysis. */
const FROM = `book b JOIN library l ON l.id = b.library_id AND l.removing = 0 WHERE b.deleted = 0 AND b.analyzed = 1`;

const LISTED = `IN (SELECT ${uuidIn('value')} FROM json_each(?))`;

/** As in the catalog: the first book in reading order that has pages. */
const REPRESENTS = `b.id = (SELECT o.id FROM book o WHERE o.series_id = b.series_id AND o.deleted = 0 AND o.page_count > 0
  ORDER BY o.place, o.id LIMIT 1)`;

/** Of these books, those that show a cover from their pages, and whether their series shows it too: neither one chosen nor a file beside it. */
const SHOWN = `SELECT b.id AS key, b.series_id AS seriesKey,
    NOT EXISTS (SELECT 1 FROM cover c WHERE c.series_id = b.series_id AND c.selected = 1 AND c.of_book IS NOT b.uuid)
    AND NOT EXISTS (SELECT 1 FROM series s JOIN folder f ON f.library_id = s.library_id AND f.path = s.path
      WHERE s.id = b.series_id AND f.path <> '' AND f.cover IS NOT NULL) AS isOfSeries
  FROM json_each(?) j CROSS JOIN book b ON b.id = j.value
  WHERE NOT EXISTS (SELECT 1 FROM cover c WHERE c.book_id = b.id AND c.selected = 1)`;

const isWithoutImages = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'EmptyBook';

export interface CoverAsk {
  readonly type?: CoverTaskType;
  readonly lists?: { readonly bookIds?: readonly string[] } | { readonly seriesIds?: readonly string[] };
  readonly options?: TaskOptions;
}

export class CoverTasks {
  readonly #parts: CoverParts;

  constructor(parts: CoverParts) {
    this.#parts = parts;
    for (const type of Object.keys(PRIORITIES) as CoverTaskType[]) {
      const isOfSeries = type.startsWith('generate_series');
      parts.tasks.register(type, { lane: COVER_LANE, run: (context) => this.#run(context, isOfSeries) });
    }
  }

  /**
   * Without a target: all libraries, or the books and series that are listed. `force` also remakes covers that exist. Returns the id of the
   * task.
   */
  add(
    target: TaskTarget | null,
    force: boolean,
    { type = 'generate_thumbnails', lists = {}, options = {} }: CoverAsk = {},
  ): Promise<string> {
    const all = { priority: PRIORITIES[type], ...options };
    return this.#parts.tasks.enqueue(type, target, { force, ...lists }, all);
  }

  async #run(context: TaskContext, isOfSeries: boolean): Promise<Omit<Made, 'after'>> {
    const scope = await this.#scopeOf(context);
    const { key } = scope;
    const where = isOfSeries ? `${scope.where} AND ${REPRESENTS}` : scope.where;
    const total = await this.#count(where, key);
    let { after, ...reached } = (context.reached() ?? { after: 0, seen: 0, made: 0, failed: 0 }) as Made;
    for (;;) {
      const books = await this.#some(where, key, after);
      const last = books.at(-1);
      if (last === undefined) return reached;
      const { made, failed } = await this.#make(books, context, isOfSeries);
      reached = { seen: reached.seen + books.length, made: reached.made + made, failed: reached.failed + failed };
      after = last.key;
      context.progress(Math.min(reached.seen, total), total);
      await context.checkpoint({ after, ...reached });
    }
  }

  /** A target that no longer exists has no books. */
  async #scopeOf({
    target,
    parameters: { bookIds, seriesIds },
  }: TaskContext): Promise<{ readonly where: string; readonly key: number | string }> {
    if (Array.isArray(bookIds)) return { where: `b.uuid ${LISTED}`, key: JSON.stringify(bookIds) };
    if (Array.isArray(seriesIds))
      return { where: `b.series_id IN (SELECT id FROM series WHERE uuid ${LISTED})`, key: JSON.stringify(seriesIds) };
    if (target === null) return { where: '0 = ?', key: 0 };
    const sql = `SELECT id FROM ${target.kind} WHERE uuid = ?`;
    const [row] = await this.#parts.db.all<{ id: number }>(sql, [bytesOfUuid(target.id)]);
    return { where: `b.${COLUMN[target.kind]} = ?`, key: row?.id ?? -1 };
  }

  async #count(where: string, key: number | string): Promise<number> {
    const [row] = await this.#parts.db.all<{ n: number }>(`SELECT count(*) AS n FROM ${FROM} AND ${where}`, [key]);
    return row?.n ?? 0;
  }

  #some(where: string, key: number | string, after: number): Promise<BookOfSeries[]> {
    return this.#parts.db.all<BookOfSeries>(
      `SELECT b.id AS key, b.series_id AS seriesKey, b.uuid, b.revision, b.file_size AS size, b.file_mtime AS mtime FROM ${FROM} AND ${where} AND b.id > ?
       ORDER BY b.id LIMIT ${BATCH}`,
      [key, after],
    );
  }

  /** Runs as many at once as the background lane allows. A book whose cover fails is counted, one without images is not; a disk that does not answer ends the task. */
  async #make(
    books: readonly BookOfSeries[],
    { signal, parameters }: TaskContext,
    isOfSeries: boolean,
  ): Promise<Pick<Made, 'made' | 'failed'>> {
    const { pages, pool } = this.#parts;
    const isThere = hasCover(this.#parts);
    const left = books.filter((book) => parameters.force === true || !isThere(book)).values();
    const made: BookOfSeries[] = [];
    let failed = 0;
    const ends: unknown[] = [];
    const work = async (): Promise<void> => {
      for (const book of left) {
        if (signal.aborted || ends.length > 0) return;
        try {
          refuseDeadCache(this.#parts.cacheTrouble);
          await pages.makeCover(uuidOfBytes(book.uuid), signal);
          made.push(book);
        } catch (thrown) {
          if (signal.aborted || isSilence(thrown) || isOverloaded(thrown)) ends.push(thrown);
          else if (!isWithoutImages(thrown)) failed += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, pool.backgroundWidth) }, work));
    await this.#tell(made, isOfSeries);
    if (signal.aborted) throw new AppError('Cancelled');
    if (ends.length > 0) throw ends[0];
    return { made: made.length, failed };
  }

  /** No row says that a cover is in the cache; clients that follow events are told of it all the same, where it is the one that is shown. */
  async #tell(made: readonly BookOfSeries[], isOfSeries: boolean): Promise<void> {
    if (made.length === 0) return;
    const keys = JSON.stringify(made.map(({ key }) => key));
    await this.#parts.db.write(SYSTEM, 'background', async (tx) => {
      const shown = await tx.all<{ key: number; seriesKey: number; isOfSeries: number }>(SHOWN, [keys]);
      const keysOf = (books: typeof shown, name: 'key' | 'seriesKey'): number[] => books.map((book) => book[name]);
      tx.report(updated('book', keysOf(shown, 'key'), ASPECTS.cover));
      const ofSeries = shown.filter((book) => book.isOfSeries === 1);
      if (isOfSeries) tx.report(updated('series', keysOf(ofSeries, 'seriesKey'), ASPECTS.cover));
    });
  }
}

/** Whether the cache has the cover of a book. */
export const hasCover =
  ({ blobs, thumbnail }: Pick<CoverParts, 'blobs' | 'thumbnail'>) =>
  ({ uuid, revision, size, mtime }: CoverBook): boolean =>
    blobs.has(coverKey(uuidOfBytes(uuid), versionOf(revision, size, mtime), thumbnail));
