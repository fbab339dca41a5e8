// Copies the write-ahead log into the database file (https://www.sqlite.org/wal.html#ckpt), beside the connection that writes: a commit
// that did it itself would wait for thousands of pages and two syncs.
import type { Connection } from './connection.js';

/** Copied once the log holds this many pages that are not in the database file: 4 MB, whose two syncs are short. */
const COPY_FROM_PAGES = 1000;
/**
 * The connection that writes copies the log itself at this length, which it reaches while this copying fails, or while commits leave no moment
 * in which all of the log is copied.
 */
export const LOG_PAGES_MAX = 16 * COPY_FROM_PAGES;
/** Between two looks at the length of the log. */
const PAUSE_MS = 20;
/** After a checkpoint, this many times as long as it took: a reader may hold pages back. */
const REST = 2;
const AFTER_FAILURE_MS = 1000;

interface Log {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

export class Checkpoints {
  readonly #connection: Connection;
  readonly #onFailure: (thrown: unknown) => void;
  #checking: Promise<void> | undefined;
  #nextMs = 0;
  #isClosed = false;

  constructor(connection: Connection, onFailure: (thrown: unknown) => void) {
    this.#connection = connection;
    this.#onFailure = onFailure;
  }

  /** Call after each commit. Returns at once. */
  committed(): void {
    if (this.#isClosed || this.#checking !== undefined || performance.now() < this.#nextMs) return;
    this.#checking = this.#check().finally(() => {
      this.#checking = undefined;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#checking;
    await this.#connection.close();
  }

  /** Never rejects. */
  async #check(): Promise<void> {
    const started = performance.now();
    let pause = PAUSE_MS;
    try {
      const [log] = await this.#connection.all<Log>('PRAGMA wal_checkpoint(NOOP)');
      if (log !== undefined && log.log - log.checkpointed >= COPY_FROM_PAGES) {
        await this.#connection.all('PRAGMA wal_checkpoint(PASSIVE)');
        pause = REST * (performance.now() - started);
      }
    } catch (thrown) {
      this.#onFailure(thrown);
      pause = AFTER_FAILURE_MS;
    }
    this.#nextMs = performance.now() + pause;
  }
}
