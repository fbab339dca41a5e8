// The database: one writer behind a two-lane queue, a few readers with one call in flight each. Knows nothing of what is stored.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../model/errors.js';
import { type Bind, Connection, isOfDisk, type Tx } from './connection.js';
import { Outage } from './outage.js';
import { type Reads, readsOf, snapshotOn } from './snapshot.js';

export type { Bind, Reader, Tx } from './connection.js';
export type { Reads } from './snapshot.js';

/** Interactive work (somebody waits) always goes before background work; neither interrupts a transaction that has begun. */
export type Lane = 'interactive' | 'background';

/** Looks at what each transaction did, on the writing connection. */
export interface Watch {
  /** Run once when the connection is opened. */
  readonly setup: string;
  /** Runs last in a transaction that wrote; the function it returns is called on commit, before the caller's promise resolves. */
  take(tx: Tx): Promise<() => void>;
}

export interface Db extends Reads {
  /**
   * Runs reads that see one state of the database, on one reader. `body` must read through what it is given and nothing else: waiting for
   * a second reader while it holds one could wait for ever. It has as long as a read.
   */
  snapshot<T>(body: (reads: Reads) => Promise<T>): Promise<T>;
  /** Runs `body` inside one transaction on the writer; rolled back when it throws. `tx` is dead afterwards. */
  write<T>(lane: Lane, body: (tx: Tx) => Promise<T>): Promise<T>;
  /** A number that is another one after a transaction wrote to any table but these. What it was when a read began dates what was read. */
  generation(unless: ReadonlySet<string>): number;
  /** What the disk of the database cannot do at the moment; null while all is well. Tried again with growing waits. */
  trouble(): string | null;
  /** Resolves when the disk of the database works, and when `signal` is aborted. */
  working(signal: AbortSignal): Promise<void>;
  /** Gives the page caches of idle connections back. */
  shrink(): Promise<void>;
  close(): Promise<void>;
}

export interface DbOptions {
  readonly path: string;
  readonly readers: number;
  /** A read that takes longer is interrupted. */
  readonly readDeadlineMs: number;
  /** Calls that may wait for a reader, and transactions that may wait in each lane. */
  readonly queueLength: number;
  /** Work that belongs to every transaction that wrote to one of these tables; runs last in it. */
  readonly beforeCommit?: { readonly tables: ReadonlySet<string>; run(tx: Tx): Promise<void> };
  readonly watch?: Watch;
  /** Called once with the reason when the database disk fails or is full, and with null when it works again. */
  readonly onTrouble?: (reason: string | null) => void;
}

/** Tables a statement writes to, as far as its text says: not those that triggers and foreign keys reach. `DO UPDATE SET` names none. */
const WRITES = /\b(?:INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+(?!SET\b)(\w+)/gi;

const PRAGMAS = [
  'journal_mode=WAL',
  'synchronous=NORMAL',
  'foreign_keys=ON',
  'busy_timeout=5000',
  'temp_store=2',
  'wal_autocheckpoint=4000',
  'journal_size_limit=67108864',
  'trusted_schema=OFF',
];

interface Waiting<T> {
  readonly start: (connection: Connection) => Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (thrown: unknown) => void;
}

const full = (): AppError => new AppError('Overloaded', 'Too many database calls are waiting; try again in a moment.');

/** Hands each free connection to one call at a time. */
class ReaderPool {
  readonly #free: Connection[];
  readonly #all: readonly Connection[];
  readonly #waiting: Waiting<unknown>[] = [];
  readonly #options: DbOptions;

  readonly #onFailure: (thrown: unknown) => void;

  constructor(connections: readonly Connection[], options: DbOptions, onFailure: (thrown: unknown) => void) {
    this.#all = connections;
    this.#free = [...connections];
    this.#options = options;
    this.#onFailure = onFailure;
  }

  use<T>(start: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#options.queueLength) return Promise.reject(full());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ start, resolve: (value) => resolve(value as T), reject });
      this.#pump();
    });
  }

  async shrink(): Promise<void> {
    await Promise.all(this.#all.map(() => this.use((connection) => connection.exec('PRAGMA shrink_memory'))));
  }

  async close(): Promise<void> {
    for (const connection of this.#all) await connection.close();
  }

  #pump(): void {
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

/** Runs transactions one after the other on the only connection that writes. */
class Writer {
  readonly #connection: Connection;
  readonly #lanes: Record<Lane, Waiting<unknown>[]> = { interactive: [], background: [] };
  readonly #options: DbOptions;
  readonly #onFailure: (thrown: unknown) => void;
  /** Transactions that wrote to each table. */
  readonly written = new Map<string, number>();
  #busy = false;

  constructor(connection: Connection, options: DbOptions, onFailure: (thrown: unknown) => void) {
    this.#connection = connection;
    this.#options = options;
    this.#onFailure = onFailure;
  }

  write<T>(lane: Lane, body: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#lanes[lane].length >= this.#options.queueLength) return Promise.reject(full());
    return new Promise<T>((resolve, reject) => {
      this.#lanes[lane].push({
        start: (connection) => this.#transaction(connection, body),
        resolve: (value) => resolve(value as T),
        reject,
      });
      if (!this.#busy) void this.#drain();
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #drain(): Promise<void> {
    this.#busy = true;
    for (;;) {
      const next = this.#lanes.interactive.shift() ?? this.#lanes.background.shift();
      if (next === undefined) break;
      await next.start(this.#connection).then(next.resolve, (thrown: unknown) => {
        this.#onFailure(thrown);
        next.reject(thrown);
      });
    }
    this.#busy = false;
  }

  async #transaction<T>(connection: Connection, body: (tx: Tx) => Promise<T>): Promise<T> {
    const touched = new Set<string>();
    const { beforeCommit, watch } = this.#options;
    let tell = (): void => undefined;
    const value = await transaction(connection, touched, async (tx) => {
      const done = await body(tx);
      if (beforeCommit !== undefined && [...touched].some((table) => beforeCommit.tables.has(table)))
        await beforeCommit.run(tx);
      if (watch !== undefined && touched.size > 0) tell = await watch.take(plain(connection));
      return done;
    });
    tell();
    for (const table of touched) this.written.set(table, (this.written.get(table) ?? 0) + 1);
    return value;
  }
}

/** Its statements do not count as work of the transaction. */
const plain = (connection: Connection): Tx => ({
  all: (sql, binds = []) => connection.all(sql, binds),
  run: (sql, binds = []) => connection.run(sql, binds),
});

/** A disk that failed may have kept the last transaction from its end, too. */
const begin = async (connection: Connection): Promise<void> => {
  try {
    await connection.run('BEGIN IMMEDIATE', []);
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.message.includes('within a transaction'))) throw thrown;
    await connection.run('ROLLBACK', []);
    await connection.run('BEGIN IMMEDIATE', []);
  }
};

/** With less, the next transaction would meet the end of the disk again. */
const FREE_BYTES = 1024 * 1024;

/** Rewrites an existing value: only a real transaction shows whether the disk accepts one. */
const tryToWrite = async (path: string, writer: Writer): Promise<boolean> => {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize < FREE_BYTES) return false;
  await writer.write('background', async (tx) => {
    const [row] = await tx.all<{ user_version: number }>('PRAGMA user_version');
    await tx.run(`PRAGMA user_version = ${row?.user_version ?? 0}`);
  });
  return true;
};

const transaction = async <T>(
  connection: Connection,
  touched: Set<string>,
  body: (tx: Tx) => Promise<T>,
): Promise<T> => {
  let alive = true;
  const use = (sql: string): Connection => {
    if (!alive) throw new AppError('Internal', 'A transaction was used after its end.');
    for (const [, table] of sql.matchAll(WRITES)) touched.add((table ?? '').toLowerCase());
    return connection;
  };
  const tx: Tx = {
    all: async (sql, binds = []) => use(sql).all(sql, binds),
    run: async (sql, binds = []) => use(sql).run(sql, binds),
  };
  await begin(connection);
  try {
    const value = await body(tx);
    await connection.run('COMMIT', []);
    return value;
  } catch (thrown) {
    await connection.run('ROLLBACK', []).catch(() => 0); // the first error is the one to report
    throw thrown;
  } finally {
    alive = false;
  }
};

export const openDb = async (options: DbOptions): Promise<Db> => {
  const writing = await Connection.open(options.path, true);
  for (const pragma of [...PRAGMAS, 'cache_size=-32768']) await writing.exec(`PRAGMA ${pragma}`);
  if (options.watch !== undefined) await writing.exec(options.watch.setup);
  const reading: Connection[] = [];
  for (let n = 0; n < options.readers; n += 1) {
    const connection = await Connection.open(options.path, false);
    for (const pragma of [...PRAGMAS, 'cache_size=-16384', 'query_only=1']) await connection.exec(`PRAGMA ${pragma}`);
    reading.push(connection);
  }
  const outage: Outage = new Outage({
    probe: () => tryToWrite(options.path, writer),
    onChange: options.onTrouble ?? (() => undefined),
  });
  const onFailure = (thrown: unknown): void => {
    if (isOfDisk(thrown)) outage.begin(thrown.message);
  };
  const readers = new ReaderPool(reading, options, onFailure);
  const writer = new Writer(writing, options, onFailure);
  return {
    ...readsOf(<T>(sql: string, binds: readonly Bind[]) => readers.use((one) => one.all<T>(sql, binds))),
    snapshot: (body) => readers.use((one) => snapshotOn(one, options.readDeadlineMs, body)),
    write: (lane, body) => writer.write(lane, body),
    trouble: () => outage.reason,
    working: (signal) => outage.over(signal),
    generation: (unless) => {
      let sum = 0;
      for (const [table, times] of writer.written) if (!unless.has(table)) sum += times;
      return sum;
    },
    shrink: async () => {
      await readers.shrink();
      await writer.write('background', (tx) => tx.run('PRAGMA shrink_memory'));
    },
    close: async () => {
      await outage.stop();
      await readers.close();
      await writer.close();
    },
  };
};
