// One SQLite connection and its prepared statements: the only importer of the driver. db.ts decides who may call when.
import { Database, type RunResult, type Statement } from '@appthreat/sqlite3';
import { boundedByCount } from '../model/bounded-map.js';
import { AppError, type ErrorKind } from '../model/errors.js';

/** What SQLite can bind. undefined, NaN and BigInt would silently become NULL in the driver and are refused instead. */
export type Bind = string | number | null | Uint8Array;

export interface Reader {
  /** All rows of a query. */
  all<T>(sql: string, binds?: readonly Bind[]): Promise<T[]>;
}

export interface Statements extends Reader {
  /** Runs one statement; returns the number of rows it changed. */
  run(sql: string, binds?: readonly Bind[]): Promise<number>;
}

/** Flags of sqlite3_open_v2 (https://www.sqlite.org/c3ref/c_open_autoproxy.html); the driver exports them only next to its types. */
const OPEN = { readWrite: 0x2, create: 0x4, fullMutex: 0x10000 } as const;
const STATEMENTS_PER_CONNECTION = 200;
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

/** How SQLite's messages begin when the disk is at fault. */
const OF_DISK: Readonly<Record<string, ErrorKind>> = {
  SQLITE_FULL: 'StorageFull',
  SQLITE_IOERR: 'StorageFailed',
  SQLITE_CANTOPEN: 'StorageFailed',
  SQLITE_READONLY: 'StorageFailed',
};

export const isOfDisk = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && (thrown.kind === 'StorageFull' || thrown.kind === 'StorageFailed');

const sqlError = (error: Error, sql: string): Error => {
  const kind = OF_DISK[/^SQLITE_[A-Z]+/.exec(error.message)?.[0] ?? ''];
  if (kind !== undefined) return new AppError(kind, undefined, null, error);
  if (error.message.startsWith('SQLITE_INTERRUPT'))
    return new AppError('Timeout', 'The query took too long.', null, error);
  return new Error(`${error.message} in: ${sql.slice(0, 300)}`, { cause: error });
};

/** One connection with its prepared statements. The caller ensures that only one call is in flight. */
export class Connection {
  readonly #db: Database;
  /** `#prepare` never evicts the statement it returns, and `shrink` is a call of its own, so none is finalized during a call. */
  readonly #statements = boundedByCount<string, Statement>(STATEMENTS_PER_CONNECTION, (dropped) => dropped.finalize());

  private constructor(db: Database) {
    this.#db = db;
  }

  static open(path: string, writer: boolean): Promise<Connection> {
    const mode = writer ? OPEN.readWrite | OPEN.create : OPEN.readWrite;
    return new Promise((resolve, reject) => {
      const db = new Database(path, mode | OPEN.fullMutex, (error) => {
        if (error !== null)
          reject(new AppError('Internal', `Cannot open the database ${path}: ${error.message}`, null, error));
        else resolve(new Connection(db));
      });
    });
  }

  exec(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#db.exec(sql, (error) => (error === null ? resolve() : reject(sqlError(error, sql))));
    });
  }

  async all<T>(sql: string, binds: readonly Bind[] = []): Promise<T[]> {
    checkBinds(binds);
    const statement = await this.#prepare(sql);
    return new Promise((resolve, reject) => {
      statement.all<T>([...binds], (error, rows) => (error === null ? resolve(rows) : reject(sqlError(error, sql))));
    });
  }

  async run(sql: string, binds: readonly Bind[] = []): Promise<number> {
    checkBinds(binds);
    const statement = await this.#prepare(sql);
    return new Promise((resolve, reject) => {
      statement.run([...binds], function (this: RunResult, error: Error | null) {
        if (error === null) resolve(this.changes);
        else reject(sqlError(error, sql));
      });
    });
  }

  /** Compiles a statement, so that its first run need not. */
  async prepare(sql: string): Promise<void> {
    await this.#prepare(sql);
  }

  /** Frees the pages in memory, and prepared statements: hundreds of them take tens of megabytes. */
  async shrink(): Promise<void> {
    this.#statements.clear();
    await this.exec('PRAGMA shrink_memory');
  }

  interrupt(): void {
    this.#db.interrupt();
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values())
      await new Promise<void>((done) => statement.finalize(() => done()));
    await new Promise<void>((resolve, reject) =>
      this.#db.close((error) => (error === null ? resolve() : reject(error))),
    );
  }

  async #prepare(sql: string): Promise<Statement> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = await new Promise<Statement>((resolve, reject) => {
      const statement = this.#db.prepare(sql, (error: Error | null) =>
        error === null ? resolve(statement) : reject(sqlError(error, sql)),
      );
    });
    this.#statements.set(sql, made);
    return made;
  }
}

/**
 * Statements that cannot run inside a transaction (VACUUM INTO, PRAGMA, migrations), on a separate connection. `signal` interrupts the one
 * that runs, which then throws Timeout.
 */
export const withConnection = async <T>(
  path: string,
  body: (connection: Statements & { exec(sql: string): Promise<void> }) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const connection = await Connection.open(path, true);
  const interrupt = (): void => connection.interrupt();
  signal?.addEventListener('abort', interrupt);
  try {
    await connection.exec('PRAGMA busy_timeout=5000');
    return await body({
      all: (sql, binds = []) => connection.all(sql, binds),
      run: (sql, binds = []) => connection.run(sql, binds),
      exec: (sql) => connection.exec(sql),
    });
  } finally {
    signal?.removeEventListener('abort', interrupt);
    await connection.close();
  }
};
