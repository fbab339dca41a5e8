// Opens SQLite and is the only importer of sqlite3: one writer behind a two-lane queue, a few readers with one call in flight each.
// Knows nothing of what is stored. The way out of the unmaintained driver is a package with the same interface (DECISIONS.md).
import sqlite3 from 'sqlite3';
import { AppError } from '../model/errors.js';

/** What SQLite can bind. undefined, NaN and BigInt would silently become NULL in the driver and are refused instead. */
export type Bind = string | number | null | Uint8Array;

export interface Reader {
  /** All rows of a query. */
  all<T>(sql: string, binds?: readonly Bind[]): Promise<T[]>;
}

export interface Tx extends Reader {
  /** Runs one statement; returns the number of rows it changed. */
  run(sql: string, binds?: readonly Bind[]): Promise<number>;
}

/** Interactive work (somebody waits) always goes before background work; neither interrupts a transaction that has begun. */
export type Lane = 'interactive' | 'background';

export interface Db extends Reader {
  /** The one value of a query that packs its rows into one JSON text (first column of the first row), parsed. */
  json<T>(sql: string, binds?: readonly Bind[]): Promise<T>;
  /** Runs `body` inside one transaction on the writer; rolled back when it throws. `tx` is dead afterwards. */
  write<T>(lane: Lane, body: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DbOptions {
  readonly path: string;
  readonly readers: number;
  /** A read that takes longer is interrupted. */
  readonly readDeadlineMs: number;
  /** Calls that may wait for a reader, and transactions that may wait in each lane. */
  readonly queueLength: number;
}

const STATEMENTS_PER_CONNECTION = 200;
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

const checkBinds = (binds: readonly Bind[]): void => {
  for (const bind of binds) {
    const fine =
      bind === null ||
      typeof bind === 'string' ||
      bind instanceof Uint8Array ||
      (typeof bind === 'number' && Number.isFinite(bind));
    if (!fine) throw new AppError('Internal', `Cannot bind ${typeof bind} ${String(bind)}.`);
  }
};

const sqlError = (error: Error, sql: string): Error => {
  if (error.message.startsWith('SQLITE_INTERRUPT')) return new AppError('Timeout', 'The query took too long.', null, error);
  return new Error(`${error.message} in: ${sql.slice(0, 300)}`, { cause: error });
};

/** One connection with its prepared statements. The caller sees to it that only one call is in flight. */
class Connection {
  readonly #db: sqlite3.Database;
  readonly #statements = new Map<string, sqlite3.Statement>();

  private constructor(db: sqlite3.Database) {
    this.#db = db;
  }

  static open(path: string, writer: boolean): Promise<Connection> {
    const mode = writer ? sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE : sqlite3.OPEN_READWRITE;
    return new Promise((resolve, reject) => {
      const db = new sqlite3.Database(path, mode | sqlite3.OPEN_FULLMUTEX, (error) => {
        if (error !== null) reject(new AppError('Internal', `Cannot open the database ${path}: ${error.message}`, null, error));
        else resolve(new Connection(db));
      });
    });
  }

  exec(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#db.exec(sql, (error) => (error === null ? resolve() : reject(sqlError(error, sql))));
    });
  }

  async all<T>(sql: string, binds: readonly Bind[]): Promise<T[]> {
    checkBinds(binds);
    const statement = await this.#prepare(sql);
    return new Promise((resolve, reject) => {
      statement.all<T>([...binds], (error, rows) => (error === null ? resolve(rows) : reject(sqlError(error, sql))));
    });
  }

  async run(sql: string, binds: readonly Bind[]): Promise<number> {
    checkBinds(binds);
    const statement = await this.#prepare(sql);
    return new Promise((resolve, reject) => {
      statement.run([...binds], function (this: sqlite3.RunResult, error: Error | null) {
        if (error === null) resolve(this.changes);
        else reject(sqlError(error, sql));
      });
    });
  }

  interrupt(): void {
    this.#db.interrupt();
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values()) await new Promise<void>((done) => statement.finalize(() => done()));
    this.#statements.clear();
    await new Promise<void>((resolve, reject) => this.#db.close((error) => (error === null ? resolve() : reject(error))));
  }

  /** Least recently used statements go first; a Map keeps insertion order. */
  async #prepare(sql: string): Promise<sqlite3.Statement> {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const made = await new Promise<sqlite3.Statement>((resolve, reject) => {
      const statement = this.#db.prepare(sql, (error: Error | null) =>
        error === null ? resolve(statement) : reject(sqlError(error, sql)),
      );
    });
    this.#statements.set(sql, made);
    if (this.#statements.size > STATEMENTS_PER_CONNECTION) this.#dropOldest();
    return made;
  }

  #dropOldest(): void {
    const oldest = this.#statements.entries().next().value;
    if (oldest === undefined) return;
    this.#statements.delete(oldest[0]);
    oldest[1].finalize();
  }
}

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

  constructor(connections: readonly Connection[], options: DbOptions) {
    this.#all = connections;
    this.#free = [...connections];
    this.#options = options;
  }

  use<T>(start: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#waiting.length >= this.#options.queueLength) return Promise.reject(full());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ start, resolve: (value) => resolve(value as T), reject });
      this.#pump();
    });
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
      .then(next.resolve, next.reject)
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
  readonly #queueLength: number;
  #busy = false;

  constructor(connection: Connection, queueLength: number) {
    this.#connection = connection;
    this.#queueLength = queueLength;
  }

  write<T>(lane: Lane, body: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#lanes[lane].length >= this.#queueLength) return Promise.reject(full());
    return new Promise<T>((resolve, reject) => {
      this.#lanes[lane].push({
        start: (connection) => transaction(connection, body),
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
      await next.start(this.#connection).then(next.resolve, next.reject);
    }
    this.#busy = false;
  }
}

const transaction = async <T>(connection: Connection, body: (tx: Tx) => Promise<T>): Promise<T> => {
  let alive = true;
  const use = (): Connection => {
    if (!alive) throw new AppError('Internal', 'A transaction was used after its end.');
    return connection;
  };
  const tx: Tx = {
    all: async (sql, binds = []) => use().all(sql, binds),
    run: async (sql, binds = []) => use().run(sql, binds),
  };
  await connection.run('BEGIN IMMEDIATE', []);
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
  const reading: Connection[] = [];
  for (let n = 0; n < options.readers; n += 1) {
    const connection = await Connection.open(options.path, false);
    for (const pragma of [...PRAGMAS, 'cache_size=-16384', 'query_only=1']) await connection.exec(`PRAGMA ${pragma}`);
    reading.push(connection);
  }
  const readers = new ReaderPool(reading, options);
  const writer = new Writer(writing, options.queueLength);
  const all = <T>(sql: string, binds: readonly Bind[] = []): Promise<T[]> => readers.use((one) => one.all<T>(sql, binds));
  return {
    all,
    json: async <T>(sql: string, binds: readonly Bind[] = []): Promise<T> => {
      const [row] = await all<Record<string, unknown>>(sql, binds);
      const text = row === undefined ? undefined : Object.values(row)[0];
      if (typeof text !== 'string') throw new AppError('Internal', `A packed query gave no JSON text: ${sql.slice(0, 200)}`);
      return JSON.parse(text) as T;
    },
    write: (lane, body) => writer.write(lane, body),
    close: async () => {
      await readers.close();
      await writer.close();
    },
  };
};

/** Statements that cannot run inside a transaction (VACUUM INTO, PRAGMA, migrations), on a connection of their own. */
export const withConnection = async <T>(path: string, body: (connection: Tx & { exec(sql: string): Promise<void> }) => Promise<T>): Promise<T> => {
  const connection = await Connection.open(path, true);
  try {
    await connection.exec('PRAGMA busy_timeout=5000');
    return await body({
      all: (sql, binds = []) => connection.all(sql, binds),
      run: (sql, binds = []) => connection.run(sql, binds),
      exec: (sql) => connection.exec(sql),
    });
  } finally {
    await connection.close();
  }
};
