// After an update, recomputes what older rules stored: from rows alone, in background batches, without opening a book. Each batch stores its
// progress in its own transaction, so that an interrupted server resumes there.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../store/db.js';
import { noteMade, noteReached, outdatedRules, reachedBy } from '../store/stored-rules.js';
import type { ScanParts } from './context.js';
import { REMAKES, type Remake } from './remake-rows.js';

interface Parts extends Pick<ScanParts, 'clock'> {
  readonly db: Db;
  readonly onFault: (thrown: unknown) => void;
  readonly onNote: (sentence: string) => void;
}

/** Enough for a library of some ten thousand books before the first answer; a larger one continues in the background. */
const HEAD_START_MS = 1000;

const FIRST_WAIT_MS = 1000;
const LAST_WAIT_MS = 600_000;

const immediate = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

export class Remakes {
  readonly #parts: Parts;
  readonly #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when everything is recomputed, or when the head start is over. */
  async start(): Promise<void> {
    const outdated = await outdatedRules(this.#parts.db);
    if (outdated.size === 0) return;
    this.#parts.onNote(`recomputing after an update: ${[...outdated].join(', ')}`);
    this.#running = this.#persist(REMAKES.filter(({ rule }) => outdated.has(rule)));
    let timer: NodeJS.Timeout | undefined;
    const headStart = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, HEAD_START_MS);
    });
    await Promise.race([this.#running, headStart]);
    clearTimeout(timer);
  }

  /** Stops after the current batch. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  /** A full disk is temporary: retried with growing waits, and at the next start. */
  async #persist(left: Remake[]): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; !this.#abort.signal.aborted; waitMs = Math.min(waitMs * 2, LAST_WAIT_MS)) {
      try {
        return await this.#run(left);
      } catch (thrown) {
        this.#parts.onFault(thrown);
        await this.#pause(waitMs);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#abort;
    await sleep(ms, undefined, { signal, ref: false }).catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
    });
  }

  /** Removes finished work from the list. */
  async #run(left: Remake[]): Promise<void> {
    for (let remake = left[0]; remake !== undefined; remake = left[0]) {
      while (!this.#abort.signal.aborted && !(await this.#batch(remake))) await immediate();
      if (this.#abort.signal.aborted) return;
      left.shift();
    }
    this.#parts.onNote('recomputing after the update is complete');
  }

  /** True when it was the last one. */
  async #batch({ rule, of, size, run }: Remake): Promise<boolean> {
    const { db, clock } = this.#parts;
    return db.write('background', async (tx) => {
      const from = (await reachedBy(tx, rule)) + 1;
      const to = from + size - 1;
      const reached = (await run(tx, { from, to }, clock.now())) ?? to;
      await noteReached(tx, rule, reached);
      const [row] = await tx.all<{ isLeft: number }>(
        `SELECT ${of.map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE id > ?1)`).join(' OR ')} AS isLeft`,
        [reached],
      );
      if (row?.isLeft === 1) return false;
      await noteMade(tx, rule);
      return true;
    });
  }
}
