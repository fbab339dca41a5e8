// The connections that read, each with one call in flight. Calls queue for a free one in three lanes: look-ups go first, users take turns
// with lists and scans, and scans never occupy the last connection. Spare reads take connections that nobody else wants.
import { AppError } from '../model/errors.js';
import type { Connection } from './connection.js';
import { Turns } from './round-robin.js';
import { SpareReads } from './spare-reads.js';

export interface Waiting<T> {
  readonly start: (connection: Connection) => Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (thrown: unknown) => void;
}

export const queueFull = (): AppError =>
  new AppError('Overloaded', 'Too many database calls are waiting; try again in a moment.');

export const closed = (): AppError => new AppError('Cancelled', 'The database is closed.');

export interface ReaderOptions {
  readonly readDeadlineMs: number;
  readonly queueLength: number;
  readonly onList?: () => void;
}

/** `lookup`: a few rows by key. `list`: a walk of an index. `scan`: every row of a table. */
export type ReadLane = 'lookup' | 'list' | 'scan';

/** The lanes in which users take turns. */
export type ListLane = Exclude<ReadLane, 'lookup'>;

/** Whom a read is for. */
export interface Asker {
  readonly user: number;
  /** Aborted when nobody waits for the result any more: the read then leaves its queue, or is interrupted. */
  readonly signal?: AbortSignal | undefined;
}

interface Call extends Waiting<unknown> {
  readonly lane: ReadLane;
  readonly asker: Asker;
  /** Set while it runs. */
  connection: Connection | undefined;
  interrupting: NodeJS.Timeout | undefined;
  readonly onAbort: () => void;
}

const LANES = ['lookup', 'list', 'scan'] as const satisfies readonly ReadLane[];
/** A lane that was passed over this often goes next. */
const PASSED_MAX = 16;
/** One user may fill one of these shares of the queue. */
const SHARES = 16;
const INTERRUPT_MS = 50;
/** Look-ups are not counted per user. */
const ANYBODY: Asker = { user: 0 };

/** A statement that has not begun cannot be interrupted, so this is repeated until the call ends. */
const interrupt = (call: Call): void => {
  call.connection?.interrupt();
  call.interrupting = setInterval(() => call.connection?.interrupt(), INTERRUPT_MS);
};

/** Hands each free connection to one call at a time. */
export class ReaderPool {
  readonly #free: Connection[];
  readonly #all: readonly Connection[];
  readonly #waiting: Readonly<Record<ReadLane, Turns<Call>>> = {
    lookup: new Turns(),
    list: new Turns(),
    scan: new Turns(),
  };
  readonly #passed: Record<ReadLane, number> = { lookup: 0, list: 0, scan: 0 };
  readonly #options: ReaderOptions;
  readonly #userMax: number;
  readonly #scansMax: number;
  readonly #onFailure: (thrown: unknown) => void;
  #scans = 0;
  readonly #spare: SpareReads;
  #lastListMs = Number.NEGATIVE_INFINITY;
  /** Set by close: called when no connection is in use any more. */
  #whenIdle: (() => void) | undefined;

  constructor(connections: readonly Connection[], options: ReaderOptions, onFailure: (thrown: unknown) => void) {
    this.#all = connections;
    this.#free = [...connections];
    this.#options = options;
    this.#userMax = Math.ceil(options.queueLength / SHARES);
    this.#scansMax = Math.max(1, connections.length - 1);
    this.#onFailure = onFailure;
    this.#spare = new SpareReads(this.#free, options.readDeadlineMs, {
      onFailure,
      onFree: () => this.#pump(),
    });
  }

  use<T>(start: (connection: Connection) => Promise<T>, lane: ReadLane = 'lookup', asker = ANYBODY): Promise<T> {
    if (this.#whenIdle !== undefined) return Promise.reject(closed());
    if (asker.signal?.aborted === true) return Promise.reject(new AppError('Cancelled'));
    if (lane !== 'lookup') {
      this.#lastListMs = performance.now();
      this.#options.onList?.();
    }
    const max = lane === 'lookup' ? this.#options.queueLength : this.#userMax;
    if (this.#waiting[lane].countOf(asker.user) >= max) return Promise.reject(queueFull());
    return new Promise<T>((resolve, reject) => {
      const call: Call = {
        lane,
        asker,
        start,
        resolve: (value) => resolve(value as T),
        reject,
        connection: undefined,
        interrupting: undefined,
        onAbort: () => {
          if (this.#waiting[lane].remove(asker.user, call)) reject(new AppError('Cancelled'));
          else interrupt(call);
        },
      };
      this.#waiting[lane].push(asker.user, call);
      asker.signal?.addEventListener('abort', call.onAbort, { once: true });
      this.#pump();
      if (this.#free.length === 0) this.#spare.giveWay();
    });
  }

  /**
   * Runs `start` on the connection that the next call will get, and `prepare` on the others before it, each while nobody else wants them.
   * Rejects with Cancelled when the signal is aborted, and when another call finds no connection free meanwhile.
   */
  async spare<T>(
    start: (connection: Connection) => Promise<T>,
    prepare: (connection: Connection) => Promise<void>,
    signal: AbortSignal,
  ): Promise<T> {
    const [first, ...others] = this.#all;
    if (first === undefined) throw closed();
    for (const connection of others) await this.#spareOn(connection, prepare, signal);
    return this.#spareOn(first, start, signal);
  }

  /** Milliseconds since somebody last asked for a list or a scan. */
  get quietMs(): number {
    return performance.now() - this.#lastListMs;
  }

  async shrink(): Promise<void> {
    await Promise.all(this.#all.map(() => this.use((connection) => connection.shrink())));
  }

  /** Running calls are awaited: SQLite closes no connection with a statement that is still open. */
  async close(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    for (const lane of LANES) for (const { reject } of this.#waiting[lane].clear()) reject(closed());
    this.#spare.end();
    this.#pump();
    await idle;
    for (const connection of this.#all) await connection.close();
  }

  #spareOn<T>(connection: Connection, start: Waiting<T>['start'], signal: AbortSignal): Promise<T> {
    return this.#whenIdle === undefined ? this.#spare.on(connection, start, signal) : Promise.reject(closed());
  }

  #pump(): void {
    const connection = this.#free.at(-1);
    if (connection === undefined) return;
    const next = this.#next();
    if (next !== undefined) {
      this.#free.pop();
      this.#run(connection, next);
    } else if (this.#free.length === this.#all.length && !this.#spare.start()) this.#whenIdle?.();
  }

  /** The first lane with work, unless another has been passed over too often. */
  #next(): Call | undefined {
    const ready = LANES.filter(
      (lane) => !this.#waiting[lane].isEmpty && (lane !== 'scan' || this.#scans < this.#scansMax),
    );
    const chosen = ready.find((lane) => this.#passed[lane] >= PASSED_MAX) ?? ready[0];
    if (chosen === undefined) return undefined;
    for (const lane of ready) this.#passed[lane] = lane === chosen ? 0 : this.#passed[lane] + 1;
    return this.#waiting[chosen].shift();
  }

  #run(connection: Connection, call: Call): void {
    const { lane, asker, resolve, reject } = call;
    const timer = setTimeout(() => connection.interrupt(), this.#options.readDeadlineMs);
    if (lane === 'scan') this.#scans += 1;
    call.connection = connection;
    call
      .start(connection)
      .then(resolve, (thrown: unknown) => {
        this.#onFailure(thrown);
        reject(asker.signal?.aborted === true ? new AppError('Cancelled', undefined, null, thrown) : thrown);
      })
      .finally(() => {
        clearTimeout(timer);
        clearInterval(call.interrupting);
        call.connection = undefined;
        asker.signal?.removeEventListener('abort', call.onAbort);
        if (lane === 'scan') this.#scans -= 1;
        this.#free.push(connection);
        this.#pump();
      });
  }
}
