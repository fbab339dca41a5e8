// The search for duplicates, as a task: equal files, series with equal titles, and editions of one work. What it reads of files is stored as
// it goes, so that a search that was interrupted, or that reached its bound, does not read it again.
import { deleteUnseen, KIND } from '../../catalog/duplicates/store.js';
import type { Clock } from '../../engine/clock.js';
import { AppError } from '../../model/errors.js';
import type { By } from '../../store/feed.js';
import type { TaskOptions, TaskRunner } from '../../tasks/runner.js';
import type { TaskContext } from '../../tasks/task.js';
import { groupEditions } from './editions.js';
import { groupFiles, hashTwins } from './files.js';
import { type LookParts, makeLooks } from './looks.js';
import { searchStep } from './search-step.js';
import { keyTitles, seriesByTitle } from './titles.js';

const TYPE = 'find_duplicates';
const PRIORITY = 860;
export const DUPLICATE_LANE = 'duplicates';

export interface DuplicateParts extends LookParts {
  readonly clock: Clock;
}

/** Rows that the search leaves behind: one that makes some has not hung. */
const MEASURE = `SELECT (SELECT count(*) FROM book_look) AS looks, (SELECT count(*) FROM series_key) AS titles,
  (SELECT count(*) FROM duplicate_group) AS groups`;

export class Duplicates {
  readonly #parts: DuplicateParts;
  readonly #tasks: TaskRunner;

  constructor(parts: DuplicateParts, tasks: TaskRunner) {
    this.#parts = parts;
    this.#tasks = tasks;
    tasks.register(TYPE, {
      lane: DUPLICATE_LANE,
      run: (context) => this.#run(context),
      measure: async (from) => (await from.all(MEASURE, []))[0],
    });
  }

  /** Returns the id of the task. Conflict while one is waiting or running. */
  async begin(by: By): Promise<string> {
    const id = await this.#parts.db.write(by, 'interactive', async (tx) => {
      const open = await tx.all(
        `SELECT 1 FROM task INDEXED BY task_open WHERE type = ? AND state IN ('pending', 'running') LIMIT 1`,
        [TYPE],
      );
      if (open.length > 0)
        throw new AppError('Conflict', 'A search for duplicates is already waiting or running; wait for it to end.');
      return this.#tasks.add(tx, TYPE, null, {}, { priority: PRIORITY });
    });
    this.#tasks.wake();
    return id;
  }

  /** Returns the id of the task, or of one that is waiting or running. */
  add(options: TaskOptions = {}): Promise<string> {
    return this.#tasks.enqueue(TYPE, null, {}, { priority: PRIORITY, ...options });
  }

  async #run(context: TaskContext): Promise<unknown> {
    const { db, clock } = this.#parts;
    const step = searchStep(context, () => clock.now());
    const unhashed = await hashTwins(this.#parts, step);
    await groupFiles(db, step);
    await keyTitles(db, step);
    await seriesByTitle(db, step);
    const looks = await makeLooks(this.#parts, step);
    await groupEditions(db, step);
    for (const kind of Object.values(KIND)) await deleteUnseen(db, kind, step.seen);
    return {
      groups_found: step.seen.size,
      files_unhashed: unhashed,
      books_compared: looks.made,
      books_unreadable: looks.failures,
      unreadable_book_ids: looks.failedBooks,
      more_to_compare: looks.isMore,
    };
  }
}
