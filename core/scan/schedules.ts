// Scheduled scans of libraries, covers, and other work with a schedule. A changed schedule counts from the change on; runs that fall due while
// the server is down, or while the library is being scanned, are skipped.
import { allLibraries, type Library } from '../catalog/libraries.js';
import type { Clock } from '../engine/clock.js';
import { nextRun } from '../engine/cron.js';
import { faultOf } from '../model/errors.js';
import { isOfDisk } from '../store/connection.js';
import type { Db } from '../store/db.js';
import type { CoverTasks } from './cover-tasks.js';
import { Reloading } from './reloading.js';
import type { Scans } from './scans.js';

export interface ScheduleParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly scans: Scans;
  readonly covers: Pick<CoverTasks, 'add'>;
  /** What else has a schedule. */
  readonly others: readonly Scheduled[];
  readonly settings: ScheduleSettings;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
  readonly onWarning: (sentence: string) => void;
}

/** Other work with a schedule. */
export interface Scheduled {
  /** The setting that holds its cron schedule. */
  readonly id: 'backup.cron_schedule' | 'deduplication.cron_schedule' | 'pdf_cache.cron_schedule';
  /** False while another setting turns it off. */
  readonly isOn?: () => boolean;
  /** What does not happen if the schedule is of no use. */
  readonly what: string;
  run(): Promise<unknown>;
}

/** The settings; their values may change while the server runs. */
export interface ScheduleSettings {
  value(
    key: 'scheduler.timezone' | 'deduplication.enabled' | (typeof COVER_SETTINGS)[number][0] | Scheduled['id'],
  ): string;
  onChange(act: () => void): void;
}

interface Entry {
  readonly schedule: string;
  /** When `at` was computed. */
  readonly madeMs: number;
  /** Null for never again. */
  readonly at: number | null;
}

/** Something with a schedule. */
interface Job {
  readonly id: string;
  readonly cron: string;
  readonly zone: string;
  /** The consequence of an invalid schedule, for the log. */
  readonly what: string;
  run(): Promise<void>;
}

/** After suspend, or a change of the clock, runs are late by no more than this. While the disk is full, they are tried again this often. */
const LONGEST_MS = 60_000;

const COVER_SETTINGS = [
  ['thumbnail.book_cron_schedule', 'generate_thumbnails'],
  ['thumbnail.series_cron_schedule', 'generate_series_thumbnails'],
] as const;

const scheduleOf = ({ cron, zone }: Job): string => JSON.stringify([cron, zone]);

export class Schedules {
  readonly #parts: ScheduleParts;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  readonly #reload = new Reloading(() => this.#later(() => this.#load()));
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#reload.listen(this.#parts.db);
    this.#parts.settings.onChange(() => this.#reload.ask());
    this.#later(() => this.#load());
  }

  /** Starts what is due. */
  check(): Promise<void> {
    this.#later(() => this.#check());
    return this.#working;
  }

  /** The next run of each library, by id, and of covers and backups, by setting. Re-reads the schedules first. */
  async next(): Promise<ReadonlyMap<string, number | null>> {
    this.#later(() => this.#load());
    await this.#working;
    return new Map([...this.#entries].map(([id, { at }]) => [id, at]));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#reload.stop();
    await this.#working;
  }

  /** Runs one check after the other. With a full disk, what is due is delayed until a later check. */
  #later(step: () => Promise<void>): void {
    this.#working = this.#working
      .then(() => (this.#isStopped ? undefined : step()))
      .catch((thrown: unknown) => {
        if (!this.#isStopped && !isOfDisk(thrown)) this.#parts.onFault(thrown);
      })
      .finally(() => this.#arm());
  }

  async #jobs(): Promise<readonly Job[]> {
    const { db, settings, covers, others } = this.#parts;
    const zone = settings.value('scheduler.timezone');
    const scans = (await allLibraries(db)).flatMap((library): Job[] => {
      const { id, name, scanEnabled, scanCron, scanZone } = library;
      if (!scanEnabled || scanCron === null) return [];
      const run = (): Promise<void> => this.#scan(library);
      return [{ id, cron: scanCron, zone: scanZone ?? zone, what: `the library "${name}" is not scanned`, run }];
    });
    const ofCovers = COVER_SETTINGS.flatMap(([key, type]): Job[] => {
      const cron = settings.value(key);
      const run = async (): Promise<void> => {
        await covers.add(null, false, { type });
      };
      return cron === '' ? [] : [{ id: key, cron, zone, what: 'missing covers are not generated', run }];
    });
    const ofOthers = others.flatMap((one): Job[] => {
      const cron = settings.value(one.id);
      const run = async (): Promise<void> => {
        await one.run();
      };
      return cron === '' || one.isOn?.() === false ? [] : [{ id: one.id, cron, zone, what: one.what, run }];
    });
    return [...scans, ...ofCovers, ...ofOthers];
  }

  async #load(): Promise<void> {
    const jobs = await this.#jobs();
    const there = new Set(jobs.map(({ id }) => id));
    for (const id of this.#entries.keys()) if (!there.has(id)) this.#entries.delete(id);
    const now = this.#parts.clock.now();
    for (const job of jobs) {
      const known = this.#entries.get(job.id);
      if (known?.schedule !== scheduleOf(job) || known.madeMs > now) this.#put(job, now);
    }
  }

  /** Earlier versions stored patterns without checking them. */
  #put(job: Job, nowMs: number): void {
    const { id, cron, zone, what } = job;
    const schedule = scheduleOf(job);
    try {
      this.#entries.set(id, { schedule, madeMs: nowMs, at: nextRun(cron, zone, nowMs) });
    } catch {
      this.#entries.set(id, { schedule, madeMs: nowMs, at: null });
      this.#parts.onWarning(`${what}: the schedule is invalid: ${cron}`);
    }
  }

  async #check(): Promise<void> {
    const now = this.#parts.clock.now();
    // The clock was set back: what was computed before may be hours too late.
    if ([...this.#entries.values()].some(({ madeMs }) => madeMs > now)) await this.#load();
    const due = new Set([...this.#entries].filter(([, { at }]) => at !== null && at <= now).map(([id]) => id));
    if (due.size === 0) return;
    // Until they have run: a full disk must neither lose them nor be asked again at once.
    for (const [id, { schedule }] of this.#entries)
      if (due.has(id)) this.#entries.set(id, { schedule, madeMs: now, at: now + LONGEST_MS });
    for (const job of (await this.#jobs()).filter(({ id }) => due.has(id))) await this.#run(job, now);
  }

  /** A job that fails holds up no other. */
  async #run(job: Job, nowMs: number): Promise<void> {
    try {
      await job.run();
    } catch (thrown) {
      if (isOfDisk(thrown)) return; // it is still due
      if (!this.#isStopped) this.#parts.onFault(thrown);
    }
    this.#put(job, nowMs);
  }

  async #scan(library: Library): Promise<void> {
    const { scans, onWarning } = this.#parts;
    if (scans.isActive(library.key)) return;
    if (await scans.isQuarantined(library))
      return onWarning(`the library "${library.name}" is not scanned: its last scan was quarantined`);
    await scans.start(library, { mode: library.scanMode }).catch((thrown: unknown) => {
      const { kind } = faultOf(thrown);
      if (kind !== 'Conflict' && kind !== 'NotFound') throw thrown; // somebody was faster
    });
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const times = [...this.#entries.values()].flatMap(({ at }) => at ?? []);
    if (times.length === 0) return;
    const wait = Math.min(...times) - this.#parts.clock.now();
    this.#timer = setTimeout(() => this.#later(() => this.#check()), Math.min(Math.max(wait, 0), LONGEST_MS));
    this.#timer.unref();
  }
}
