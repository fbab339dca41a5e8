// The clean-up of orphaned files: as a task, or at once.

import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import { type Cleaned, cleanOrphans, type Found, findOrphans, type OrphanParts } from '../pages/orphans.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskType } from '../tasks/task.js';
import { UPKEEP_LANE } from './series-tasks.js';

const TYPE = 'cleanup_orphaned_files';
const PRIORITY = 100;

const refuse: NonNullable<TaskType['refuse']> = ({ permissions }) => {
  if (!permissions.has('SystemAdmin'))
    throw new AppError('Forbidden', 'Cleaning up requires the permission SystemAdmin.');
};

export class OrphanTasks {
  readonly #parts: OrphanParts;
  readonly #tasks: TaskRunner;

  constructor(parts: OrphanParts, tasks: TaskRunner) {
    this.#parts = parts;
    this.#tasks = tasks;
    tasks.register(TYPE, {
      lane: UPKEEP_LANE,
      refuse,
      run: async ({ signal, progress }) => {
        const watch = { signal, onSeen: (seen: number) => progress(seen, null) };
        const { covers, thumbnails, bytes, failures, errors } = await cleanOrphans(parts, watch);
        return { covers_deleted: covers, thumbnails_deleted: thumbnails, bytes_freed: bytes, failures, errors };
      },
    });
  }

  /** Returns the id of the task. */
  async add(viewer: Viewer, options: TaskOptions = {}): Promise<string> {
    refuse(viewer, { target: null, parameters: {} });
    return this.#tasks.enqueue(TYPE, null, {}, { priority: PRIORITY, ...options });
  }

  find(signal: AbortSignal): Promise<Found> {
    return findOrphans(this.#parts, { signal });
  }

  clean(signal: AbortSignal): Promise<Cleaned> {
    return cleanOrphans(this.#parts, { signal });
  }
}
