// Backups that administrators ask for or that a schedule makes: as a task, one at a time, and what becomes of the old ones.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { audited, type Deed } from '../access/audit.js';
import { byOf, type KnownActor } from '../access/caller.js';
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { uuidOfBytes } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import { isOfDisk } from '../store/connection.js';
import type { Db, Tx } from '../store/db.js';
import { type By, SYSTEM } from '../store/feed.js';
import { isDiskError } from '../store/free-space.js';
import type { TaskOptions, TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskType } from '../tasks/task.js';
import {
  type BackupFile,
  backupById,
  backupsIn,
  lastBackup,
  ownName,
  removeOld,
  removeOwnPartials,
} from './backup-files.js';
import { type OpenBackup, openBackup } from './open-backup.js';
import { backupFolder, databasePath, uploadFolder } from './places.js';
import { reasonOf } from './whole-file.js';
import { writeBackup } from './write-backup.js';

export interface BackupsParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tasks: TaskRunner;
  /** The data folder. */
  readonly folder: string;
  readonly settings: { value(key: 'backup.retention_count'): string };
  readonly onFault: (thrown: unknown) => void;
}

export const BACKUP_LANE = 'backup';
const TYPE = 'backup';
const PRIORITY = 100;
/** A client that fetches a backup in many ranges is entered in the audit log once in this time. */
const SAME_DOWNLOAD_MS = 3_600_000;
const DOWNLOADS_MAX = 1000;
/** An unfinished backup of the command line that has not grown for this long was left behind. */
const ABANDONED_MS = 3_600_000;

const refuse: NonNullable<TaskType['refuse']> = ({ permissions }) => {
  if (!permissions.has('SystemAdmin')) throw new AppError('Forbidden', 'A backup requires the permission SystemAdmin.');
};

const readable = <T>(reading: Promise<T>, kind: 'StorageFailed' | 'Conflict' = 'StorageFailed'): Promise<T> =>
  reading.catch((thrown: unknown) => {
    throw isDiskError(thrown)
      ? new AppError(kind, `The folder backups/ cannot be read (${reasonOf(thrown)}).`, null, thrown)
      : thrown;
  });

export class Backups {
  readonly #parts: BackupsParts;
  readonly #downloads = boundedByCount<string, number>(DOWNLOADS_MAX, () => undefined);

  constructor(parts: BackupsParts) {
    this.#parts = parts;
    parts.tasks.register(TYPE, { lane: BACKUP_LANE, refuse, run: (context) => this.#run(context) });
  }

  get #folder(): string {
    return backupFolder(this.#parts.folder);
  }

  /** Returns the id of the task, or of a backup that waits or is being made. */
  async add(viewer: Viewer, options: TaskOptions = {}): Promise<string> {
    refuse(viewer, { target: null, parameters: {} });
    return this.#enqueue(SYSTEM, (tx) => this.#addIn(tx, 'manual', { priority: PRIORITY, ...options }));
  }

  /** The same, entered in the audit log: both or neither. */
  request(by: KnownActor): Promise<string> {
    return this.#enqueue(byOf(by), async (tx) => {
      const id = await this.#addIn(tx, 'manual', { priority: PRIORITY });
      const at = this.#parts.clock.now();
      await audited(tx, { at, by, action: 'backup.create', target: null, details: { taskId: id } });
      return id;
    });
  }

  async addScheduled(): Promise<void> {
    await this.#enqueue(SYSTEM, (tx) => this.#addIn(tx, 'scheduled', {}));
  }

  list(): Promise<readonly BackupFile[]> {
    return readable(backupsIn(this.#folder));
  }

  /** The newest that is whole; null if there is none. */
  last(): Promise<BackupFile | null> {
    return readable(lastBackup(this.#folder, this.#parts.clock.now()));
  }

  /** For a download, which is entered in the audit log. */
  async open(id: string, by: KnownActor): Promise<OpenBackup> {
    const file = await readable(backupById(this.#folder, id));
    if (!file.complete) throw new AppError('Conflict', 'This backup is not complete.');
    const opened = await openBackup(this.#folder, file);
    try {
      await this.#auditDownload(file, by);
      return opened;
    } catch (thrown) {
      opened.release();
      throw thrown;
    }
  }

  async remove(id: string, by: KnownActor): Promise<void> {
    const file = await readable(backupById(this.#folder, id));
    const { clock } = this.#parts;
    const isFresh = file.kind !== 'other' || clock.now() - file.modifiedAt < ABANDONED_MS;
    if (file.name.endsWith('.partial') && isFresh)
      throw new AppError('Conflict', 'This backup is not finished. If a task is making it, cancel the task instead.');
    await this.#audit({ at: clock.now(), by, action: 'backup.delete', target: targetOf(file) });
    await rm(join(this.#folder, file.name), { force: true });
  }

  /** Also while the disk accepts no change, backups can be fetched, and deleted to make room. */
  async #audit(entry: Deed): Promise<void> {
    const { db, onFault } = this.#parts;
    await db
      .write(byOf(entry.by), 'interactive', (tx) => audited(tx, entry))
      .catch((thrown: unknown) => {
        if (!isOfDisk(thrown)) throw thrown;
        onFault(thrown);
      });
  }

  async #auditDownload(file: BackupFile, by: KnownActor): Promise<void> {
    const { clock } = this.#parts;
    const now = clock.elapsed(); // the other clock may be set back
    const key = `${by.caller.user.id} ${file.id}`;
    if (now - (this.#downloads.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_DOWNLOAD_MS) return;
    await this.#audit({ at: clock.now(), by, action: 'backup.download', target: targetOf(file) });
    this.#downloads.set(key, now);
  }

  async #enqueue(by: By, add: (tx: Tx) => Promise<string>): Promise<string> {
    const { db, tasks } = this.#parts;
    const id = await db.write(by, 'interactive', add);
    tasks.wake();
    return id;
  }

  async #addIn(tx: Tx, kind: 'manual' | 'scheduled', options: TaskOptions): Promise<string> {
    const { tasks } = this.#parts;
    if (options.scheduledAt !== undefined) return tasks.add(tx, TYPE, null, { kind }, options);
    const [waiting] = await tx.all<{ uuid: Buffer }>(
      `SELECT uuid FROM task WHERE type = ?1 AND state = 'running'
       UNION ALL SELECT uuid FROM task WHERE type = ?1 AND state = 'pending' AND scheduled_at = 0 LIMIT 1`,
      [TYPE],
    );
    return waiting === undefined ? tasks.add(tx, TYPE, null, { kind }, options) : uuidOfBytes(waiting.uuid);
  }

  async #run({ parameters, signal, progress }: TaskContext): Promise<unknown> {
    const { clock, folder, settings, onFault } = this.#parts;
    const kind = parameters.kind === 'scheduled' ? 'scheduled' : 'manual';
    // What a process that was killed left. A task would wait for a disk that fails; this is said instead.
    await readable(removeOwnPartials(this.#folder), 'Conflict');
    const name = ownName(kind, clock.now());
    const target = join(this.#folder, name);
    const places = { database: databasePath(folder), uploads: uploadFolder(folder), target };
    const { bytes, counts, missing } = await writeBackup(
      { ...places, nowMs: clock.now(), signal, onProgress: progress },
      this.#folder,
    );
    const keep = Number(settings.value('backup.retention_count'));
    const removing = kind === 'scheduled' ? removeOld(this.#folder, keep, name, clock.now()) : Promise.resolve(0);
    // The backup itself was made.
    const removed = await removing.catch((thrown: unknown) => {
      onFault(thrown);
      return 0;
    });
    return { name, bytes, ...counts, missing_uploads: missing, removed };
  }
}

const targetOf = ({ id, name }: BackupFile) => ({ kind: 'backup', id, name });
