// The connections that read: each has one call in flight, and calls wait for a free one.
import { AppError } from '../model/errors.js';
import type { Connection } from './connection.js';

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
}

/** Hands each free connection to one call at a time. */
export class ReaderPool {
  readonly #free: Connection[];
  readonly #all: readonly Connection[];
  readonly #waiting: Waiting<unknown>[] = [];
  readonly #options: ReaderOptions;

  readonly #onFailure: (thrown: unknown) => void;
  /** Set by close: called when no connection is in use any more. */
  #whenIdle: (() => void) | undefined;

  constructor(connections: readonly Connection[], options: ReaderOptions, onFailure: (thrown: unknown) => void) {
    this.#all = connections;
    this.#free = [...connections];
    this.#options = options;
    this.#onFailure = onFailure;
  }

  use<T>(start: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#whenIdle !== undefined) return Promise.reject(closed());
    if (this.#waiting.length >= this.#options.queueLength) return Promise.reject(queueFull());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ start, resolve: (value) => resolve(value as T), reject });
      this.#pump();
    });
  }

  async shrink(): Promise<void> {
    await Promise.all(this.#all.map(() => this.use((connection) => connection.exec('PRAGMA shrink_memory'))));
  }

  /** Running calls are awaited: SQLite closes no connection with a statement that is still open. */
  async close(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    this.#pump();
    await idle;
    for (const connection of this.#all) await connection.close();
  }

  #pump(): void {
    if (this.#free.length === this.#all.length && this.#waiting.length === 0) this.#whenIdle?.();
    const connection = this.#free.at(-1);
    if (connection === undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#free.pop();
    const timer = setTimeout(() => connection.interrupt(), this.#options.readDeadlineMs);
    next
      .start(connection)
      .then(next.resolve, (thrown: unknown) => {
        this.#onFailure(thrown);
        next.reject(thrown);
      })
      .finally(() => {
        clearTimeout(timer);
        this.#free.push(connection);
        this.#pump();
      });
  }
}
