// The database: one writer behind a two-lane queue, and a few readers with one call in flight each. Knows nothing of what is stored.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Checkpoints, LOG_PAGES_MAX } from './checkpoints.js';
import { type Bind, Connection, isOfDisk, type Statements } from './connection.js';
import { type By, Feed, type Report, Reports, SYSTEM } from './feed.js';
import { Outage } from './outage.js';
import {
  type Asker,
  closed,
  type ListLane,
  queueFull,
  ReaderPool,
  type ReadLane,
  type Waiting,
} from './reader-pool.js';
import { type Reads, readsOf, snapshotOn } from './snapshot.js';
import { type Tx, transaction } from './transaction.js';
import { storeSequence } from './versions.js';

export type { Bind, Reader, Statements } from './connection.js';
export type { Asker, ListLane } from './reader-pool.js';
export type { Reads } from './snapshot.js';
export type { Tx } from './transaction.js';

/**
 * Interactive work (a caller waits) goes before background work, which it can delay only for a limited time. Neither interrupts a
 * transaction that has begun.
 */
export type Lane = 'interactive' | 'background';

/** Compares what transactions report with what they do. Only tests set it. */
export interface Inspection {
  /** Run once when the writing connection is opened. */
  readonly setup: string;
  /** Called when a transaction is requested; the function it returns runs last in it. */
  begin(): (tx: Statements, reports: readonly Report[]) => Promise<void>;
}

/** Its own reads are look-ups, which go before the reads of `readsFor`. */
export interface Db extends Reads {
  /** Reads that take turns with those of other users. */
  readsFor(asker: Asker, lane: ListLane): Reads;
  /**
   * Runs reads that see one state of the database, on one reader. `body` must read only through its argument: waiting for
   * a second reader while it holds one could wait forever. It has the same time limit as a read. With an asker, it queues like a list.
   */
  snapshot<T>(body: (reads: Reads) => Promise<T>, asker?: Asker): Promise<T>;
  /**
   * Reads for work that nobody waits for. Each runs on one reader and is prepared on all of them, while no reader is in use; when somebody
   * finds none free, or the signal is aborted, it ends with Cancelled.
   */
  spare(signal: AbortSignal): Reads & Pick<Db, 'readsFor'>;
  /** Runs `body` inside one transaction on the writer; rolled back when it throws. `tx` is dead afterwards. */
  write<T>(by: By, lane: Lane, body: (tx: Tx) => Promise<T>): Promise<T>;
  /** What committed transactions changed. */
  readonly feed: Feed;
  /** Milliseconds since a list was last read. */
  quietMs(): number;
  /** The reason why the database disk fails at the moment; null while all is well. Retried with growing waits. */
  trouble(): string | null;
  /** Resolves when the disk of the database works, and when `signal` is aborted. */
  working(signal: AbortSignal): Promise<void>;
  /** Frees the page caches and the prepared statements of idle readers, and the page cache of the writer. */
  shrink(): Promise<void>;
  /** Refuses new calls, waits for accepted transactions and running reads, and closes the connections. */
  close(): Promise<void>;
}

export interface DbOptions {
  readonly path: string;
  readonly readers: number;
  /** A read that takes longer is interrupted. */
  readonly readDeadlineMs: number;
  /** Calls that may wait for a reader, and transactions that may wait in each lane. */
  readonly queueLength: number;
  /** Work that belongs to every transaction that changed one of these aspects; runs last in it. */
  readonly beforeCommit?: { readonly aspects: number; run(tx: Statements, reports: readonly Report[]): Promise<void> };
  readonly inspection?: Inspection | undefined;
  /** Called when somebody asks for a list or a scan. */
  readonly onList?: () => void;
  /** Called with anything a listener of the feed throws. */
  readonly onFault?: (thrown: unknown) => void;
  /** Called once with the reason when the database disk fails or is full, and with null when it works again. */
  readonly onTrouble?: (reason: string | null) => void;
}

const PRAGMAS = [
  'journal_mode=WAL',
  'synchronous=NORMAL',
  'foreign_keys=ON',
  'busy_timeout=5000',
  'temp_store=2',
  `wal_autocheckpoint=${LOG_PAGES_MAX}`,
  'journal_size_limit=67108864',
  'trusted_schema=OFF',
];

/** After this much interactive work, one waiting background transaction runs. */
const BACKGROUND_WAITS_MS = 250;
/** A transaction may take this long before it is asked to end for callers who wait. */
const SHARE_MS = 10;

/** Runs transactions one after the other on the only connection that writes. */
class Writer {
  readonly #connection: Connection;
  readonly #lanes: Record<Lane, Waiting<unknown>[]> = { interactive: [], background: [] };
  readonly #options: DbOptions;
  readonly #onFailure: (thrown: unknown) => void;
  readonly #onCommit: () => void;
  readonly feed: Feed;
  #draining: Promise<void> | undefined;
  /** Time of interactive transactions that ran while background ones waited. */
  #passedMs = 0;
  #isClosed = false;

  constructor(connection: Connection, options: DbOptions, onFailure: (thrown: unknown) => void, onCommit: () => void) {
    this.#connection = connection;
    this.#options = options;
    this.#onFailure = onFailure;
    this.#onCommit = onCommit;
    this.feed = new Feed(options.onFault ?? rethrow);
  }

  write<T>(by: By, lane: Lane, body: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#lanes[lane].length >= this.#options.queueLength) return Promise.reject(queueFull());
    const inspect = this.#options.inspection?.begin();
    return new Promise<T>((resolve, reject) => {
      this.#lanes[lane].push({
        start: (connection) => this.#transaction(connection, by, body, inspect),
        resolve: (value) => resolve(value as T),
        reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Refuses new transactions and finishes those already accepted: their callers may count on them. */
  async finish(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    for (;;) {
      const { interactive, background } = this.#lanes;
      const isPassing = background.length > 0 && interactive.length > 0 && this.#passedMs < BACKGROUND_WAITS_MS;
      const next = isPassing ? interactive.shift() : (background.shift() ?? interactive.shift());
      if (next === undefined) break;
      const started = performance.now();
      await next.start(this.#connection).then(next.resolve, (thrown: unknown) => {
        this.#onFailure(thrown);
        next.reject(thrown);
      });
      this.#passedMs = isPassing ? this.#passedMs + performance.now() - started : 0;
    }
    this.#draining = undefined;
  }

  async #transaction<T>(
    connection: Connection,
    by: By,
    body: (tx: Tx) => Promise<T>,
    inspect: ReturnType<Inspection['begin']> | undefined,
  ): Promise<T> {
    const reports = new Reports();
    let sequence: number | undefined;
    const started = performance.now();
    const isAwaited = (): boolean => this.#lanes.interactive.length > 0 && performance.now() - started >= SHARE_MS;
    const value = await transaction(connection, { reports, isAwaited }, async (tx) => {
      const done = await body(tx);
      sequence = await this.#finish(connection, reports);
      await inspect?.(connection, reports.all);
      if (sequence !== undefined) this.feed.announce();
      return done;
    }).catch((thrown: unknown) => {
      this.feed.withdraw();
      throw thrown;
    });
    if (sequence !== undefined) {
      this.feed.tell({ sequence, by, reports: reports.all });
      this.#onCommit();
    }
    return value;
  }

  /** Finishes a transaction that changed something; returns its number in the feed. */
  async #finish(connection: Connection, reports: Reports): Promise<number | undefined> {
    const { beforeCommit } = this.#options;
    if (reports.all.length === 0) return undefined;
    if (beforeCommit && reports.concern(beforeCommit.aspects)) await beforeCommit.run(connection, reports.all);
    return storeSequence(connection, reports.all);
  }
}

const rethrow = (thrown: unknown): never => {
  throw thrown;
};

/** With less, the next transaction would run into the full disk again. */
const FREE_BYTES = 1024 * 1024;

/** Rewrites an existing value: only a real transaction shows whether the disk accepts one. */
const tryToWrite = async (path: string, writer: Writer): Promise<boolean> => {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize < FREE_BYTES) return false;
  await writer.write(SYSTEM, 'background', async (tx) => {
    const [row] = await tx.all<{ user_version: number }>('PRAGMA user_version');
    await tx.all(`PRAGMA user_version = ${row?.user_version ?? 0}`);
  });
  return true;
};

export const openDb = async (options: DbOptions): Promise<Db> => {
  const writing = await Connection.open(options.path, true);
  for (const pragma of [...PRAGMAS, 'cache_size=-32768']) await writing.exec(`PRAGMA ${pragma}`);
  if (options.inspection !== undefined) await writing.exec(options.inspection.setup);
  const reading: Connection[] = [];
  for (let n = 0; n < options.readers; n += 1) {
    const connection = await Connection.open(options.path, false);
    for (const pragma of [...PRAGMAS, 'cache_size=-16384', 'query_only=1']) await connection.exec(`PRAGMA ${pragma}`);
    reading.push(connection);
  }
  const checkpointing = await Connection.open(options.path, true);
  for (const pragma of [...PRAGMAS, 'cache_size=-256']) await checkpointing.exec(`PRAGMA ${pragma}`);
  const outage: Outage = new Outage({
    probe: () => tryToWrite(options.path, writer),
    onChange: options.onTrouble ?? (() => undefined),
  });
  const onFailure = (thrown: unknown): void => {
    if (isOfDisk(thrown)) outage.begin(thrown.message);
  };
  const readers = new ReaderPool(reading, options, onFailure);
  const checkpoints = new Checkpoints(checkpointing, (thrown) => {
    onFailure(thrown);
    if (!isOfDisk(thrown)) options.onFault?.(thrown);
  });
  const writer = new Writer(writing, options, onFailure, () => checkpoints.committed());
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([writer.finish(), readers.close(), outage.stop()]);
    await checkpoints.close().finally(() => writer.close());
  };
  const readsIn = (lane: ReadLane, asker?: Asker): Reads =>
    readsOf(<T>(sql: string, binds: readonly Bind[]) => readers.use((one) => one.all<T>(sql, binds), lane, asker));
  return {
    ...readsIn('lookup'),
    readsFor: (asker, lane) => readsIn(lane, asker),
    snapshot: (body, asker) => {
      const lane = asker === undefined ? 'lookup' : 'list';
      return readers.use((one) => snapshotOn(one, options.readDeadlineMs, body), lane, asker);
    },
    spare: (signal) => {
      const all = <T>(sql: string, binds: readonly Bind[]): Promise<T[]> =>
        readers.spare(
          (one) => one.all<T>(sql, binds),
          (one) => one.prepare(sql),
          signal,
        );
      const reads = readsOf(all);
      return { ...reads, readsFor: () => reads };
    },
    write: (by, lane, body) => writer.write(by, lane, body),
    quietMs: () => readers.quietMs,
    trouble: () => outage.reason,
    working: (signal) => outage.over(signal),
    feed: writer.feed,
    shrink: async () => {
      await readers.shrink();
      await writer.write(SYSTEM, 'background', (tx) => tx.all('PRAGMA shrink_memory'));
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};
