// Scans by the schedules of libraries. A schedule that changes counts from its change on; a time that passed while the server was down, or
// while the library was being scanned, is left out.
import { allLibraries, type Library } from '../catalog/libraries.js';
import type { Clock } from '../engine/clock.js';
import { nextRun } from '../engine/cron.js';
import { faultOf } from '../model/errors.js';
import { isOfDisk } from '../store/connection.js';
import type { Db } from '../store/db.js';
import type { Scans } from './scans.js';

export interface ScheduleParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly scans: Scans;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
  readonly onWarning: (sentence: string) => void;
}

interface Entry {
  readonly schedule: string;
  /** Null: never again. */
  readonly at: number | null;
}

/** A computer that slept, or whose clock was set, is late by no more than this. */
const LONGEST_MS = 60_000;
/** Libraries change many times in a row while they are scanned. */
const RELOAD_AFTER_MS = 100;

const scheduleOf = ({ scanEnabled, scanCron, scanZone }: Library): string | null =>
  scanEnabled && scanCron !== null ? JSON.stringify([scanCron, scanZone]) : null;

export class Schedules {
  readonly #parts: ScheduleParts;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #reload: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  start(): void {
    const changed = (): void => {
      this.#reload ??= setTimeout(() => {
        this.#reload = undefined;
        this.#later(() => this.#load());
      }, RELOAD_AFTER_MS);
      this.#reload.unref();
    };
    this.#parts.db.feed.listen({
      onBatch: ({ reports }) => {
        if (reports.some(({ kind }) => kind === 'library' || kind === 'everything')) changed();
      },
      forget: changed,
    });
    this.#later(() => this.#load());
  }

  /** Starts the scans that are due. */
  check(): Promise<void> {
    this.#later(() => this.#check());
    return this.#working;
  }

  /** When each library is scanned next. Reads the libraries first. */
  async next(): Promise<ReadonlyMap<string, number | null>> {
    this.#later(() => this.#load());
    await this.#working;
    return new Map([...this.#entries].map(([id, { at }]) => [id, at]));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reload);
    await this.#working;
  }

  /** One after the other. A full disk delays schedules: they are tried again with the next look. */
  #later(step: () => Promise<void>): void {
    this.#working = this.#working
      .then(() => (this.#isStopped ? undefined : step()))
      .catch((thrown: unknown) => {
        if (!this.#isStopped && !isOfDisk(thrown)) this.#parts.onFault(thrown);
      })
      .finally(() => this.#arm());
  }

  async #load(): Promise<void> {
    const { db, clock } = this.#parts;
    const libraries = await allLibraries(db);
    const there = new Set(libraries.map(({ id }) => id));
    for (const id of this.#entries.keys()) if (!there.has(id)) this.#entries.delete(id);
    for (const library of libraries) {
      const schedule = scheduleOf(library);
      if (schedule === null) this.#entries.delete(library.id);
      else if (this.#entries.get(library.id)?.schedule !== schedule) this.#put(library, schedule, clock.now());
    }
  }

  /** A pattern of an earlier version may not be one: those were stored as they came. */
  #put({ id, name, scanCron, scanZone }: Library, schedule: string, nowMs: number): void {
    try {
      this.#entries.set(id, { schedule, at: nextRun(scanCron ?? '', scanZone, nowMs) });
    } catch {
      this.#entries.set(id, { schedule, at: null });
      this.#parts.onWarning(`the library "${name}" is not scanned by its schedule, which is not valid: ${scanCron}`);
    }
  }

  async #check(): Promise<void> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    const due = new Set([...this.#entries].filter(([, { at }]) => at !== null && at <= now).map(([id]) => id));
    if (due.size === 0) return;
    for (const library of (await allLibraries(db)).filter(({ id }) => due.has(id))) {
      const schedule = scheduleOf(library);
      if (schedule === null) continue;
      this.#put(library, schedule, now);
      await this.#scan(library);
    }
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
