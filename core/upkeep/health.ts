// The health of the server: whether it is alive, whether it can do its work, and what is wrong, in words. Every check has a deadline; a new
// one is a line in `#all`.
import { statfs } from 'node:fs/promises';
import type { Clock } from '../engine/clock.js';
import type { Pool } from '../engine/pool.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { ClockHealth } from './clock-health.js';
import { DatabaseHealth } from './database-health.js';
import { type Finding, failing, fine, sizeInWords, span, warning, wordsOf } from './finding.js';
import { LibraryHealth } from './library-health.js';
import { databasePath } from './places.js';
import { PoolHealth } from './pool-health.js';
import { Probe } from './probe.js';

/** Messages about what is failing at the moment; null for what works. */
export interface Troubles {
  readonly cache: string | null;
  readonly database: string | null;
}

export interface HealthParts {
  readonly db: Db;
  readonly pool: Pick<Pool, 'load' | 'lostThreads'>;
  readonly clock: Clock;
  /** The data folder. */
  readonly folder: string;
  readonly cacheFolder: string;
  /** Why nothing can be cached; null while all is well. */
  readonly cacheTrouble: () => string | null;
}

/** With less the database counts as full. */
const FULL_BYTES = 1024 * 1024;
const LITTLE_BYTES = 512 * 1024 * 1024;
const MORE_ROOM = 'Free some space on this disk, or move the folder to a larger one.';
const NO_DISK = 'Check the disk of this folder: its mount and its permissions.';
/** A task may wait this long for others without anybody being told. */
const TASK_WAITS_MS = 6 * 60 * 60 * 1000;

const roomOf = async (name: string, folder: string, isNeeded: boolean): Promise<Finding> => {
  const bad = isNeeded ? failing : warning;
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const message = `${sizeInWords(free)} are free on the disk of ${folder}.`;
    if (blocks === 0 || free >= LITTLE_BYTES) return fine(name, message);
    return (free < FULL_BYTES ? bad : warning)(name, message, MORE_ROOM);
  } catch (thrown) {
    return bad(name, `${folder} cannot be checked: ${wordsOf(thrown)}`, NO_DISK);
  }
};

const roomProbe = (name: string, folder: string, isNeeded: boolean): Probe<Finding> =>
  new Probe(
    () => roomOf(name, folder, isNeeded),
    (waitedMs) =>
      (isNeeded ? failing : warning)(name, `The disk of ${folder} has not answered for ${span(waitedMs)}.`, NO_DISK),
  );

export class Health {
  readonly #parts: HealthParts;
  readonly #database: DatabaseHealth;
  readonly #libraries: LibraryHealth;
  readonly #threads: PoolHealth;
  readonly #clock: ClockHealth;
  readonly #dataRoom: Probe<Finding>;
  readonly #cacheRoom: Probe<Finding>;
  readonly #tasks: Probe<Finding>;
  readonly #others: (() => Finding)[] = [];
  #isStopping = false;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#database = new DatabaseHealth(parts.db, databasePath(parts.folder));
    this.#libraries = new LibraryHealth(parts.db);
    this.#threads = new PoolHealth(parts.pool);
    this.#clock = new ClockHealth(parts.clock);
    this.#dataRoom = roomProbe('data folder', parts.folder, true);
    this.#cacheRoom = roomProbe('cache folder', parts.cacheFolder, false);
    this.#tasks = new Probe(
      () => this.#waitingTasks(),
      () => fine('tasks', 'The database is busy; see there.'),
    );
  }

  /** A check of another layer, which answers at once. */
  include(check: () => Finding): void {
    this.#others.push(check);
  }

  /** From now on the server is not ready: it finishes what has begun. */
  stopping(): void {
    this.#isStopping = true;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Whether the database can be read: then most of what clients ask for can be answered. */
  async canRead(): Promise<boolean> {
    return !this.#isStopping && (await this.#database.reads()).status !== 'failing';
  }

  /** Whether new work should be sent here. */
  async isReady(): Promise<boolean> {
    if (!(await this.canRead()) || this.#threads.look().status === 'failing') return false;
    return (await this.#database.writes()).status !== 'failing' && !this.#isStopping;
  }

  /** Whether something of the server's own fails; libraries do not count. */
  get isDegraded(): boolean {
    const { cache, database } = this.troubles();
    return cache !== null || database !== null || this.#isStopping;
  }

  troubles(): Troubles {
    return { cache: this.#parts.cacheTrouble(), database: this.#parts.db.trouble() };
  }

  /** All checks, those of libraries for a viewer's own. */
  async find({ scope }: Viewer): Promise<readonly Finding[]> {
    const found = await Promise.all([...this.#all(), this.#libraries.find(scope)]);
    return found.flat();
  }

  #all(): (Finding | Promise<Finding>)[] {
    return [
      ...(this.#isStopping ? [failing('server', 'The server is stopping.', 'Wait until it has started again.')] : []),
      this.#database.reads(),
      this.#database.writes(),
      this.#dataRoom.get(),
      this.#cache(),
      this.#cacheRoom.get(),
      this.#threads.look(),
      this.#tasks.get(),
      this.#clock.look(),
      ...this.#others.map((check) => check()),
    ];
  }

  #cache(): Finding {
    const trouble = this.#parts.cacheTrouble();
    if (trouble === null) return fine('cache', 'Covers and pages are cached.');
    return warning('cache', `${trouble} Everything is computed on each request.`, NO_DISK);
  }

  async #waitingTasks(): Promise<Finding> {
    const { db, clock } = this.#parts;
    try {
      const [row] = await db.all<{ oldest: number | null; type: string | null }>(
        `SELECT max(created_at, scheduled_at) AS oldest, type FROM task WHERE state = 'pending' AND scheduled_at <= ?
         ORDER BY oldest LIMIT 1`,
        [clock.now()],
      );
      const waitedMs = row?.oldest == null ? 0 : clock.now() - row.oldest;
      if (waitedMs < TASK_WAITS_MS) return fine('tasks', 'No task has been waiting for long.');
      const message = `A task (${row?.type}) has been waiting for ${span(waitedMs)}.`;
      return warning('tasks', message, 'See which tasks are running; one that hangs can be cancelled.');
    } catch {
      return fine('tasks', 'The tasks are in the database; see there.');
    }
  }
}
