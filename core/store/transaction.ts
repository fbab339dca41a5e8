// One transaction on the connection that writes: begun, committed or rolled back, and of no use afterwards.
import { AppError } from '../model/errors.js';
import type { Bind, Connection, Statements } from './connection.js';
import type { Report, Reports } from './feed.js';

export interface Tx extends Statements {
  /** Says what the transaction changed. Delivered to the listeners of the feed when it commits, dropped when it does not. */
  report(report: Report): void;
  /** True once it has had its share of time and a caller waits for it to end: work that can continue in another transaction then should. */
  isAwaited(): boolean;
}

interface TransactionParts {
  readonly reports: Reports;
  readonly isAwaited: () => boolean;
}

/** A disk that failed may have left the last transaction open. */
const begin = async (connection: Connection): Promise<void> => {
  try {
    await connection.run('BEGIN IMMEDIATE', []);
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.message.includes('within a transaction'))) throw thrown;
    await connection.run('ROLLBACK', []);
    await connection.run('BEGIN IMMEDIATE', []);
  }
};

export const transaction = async <T>(
  connection: Connection,
  { reports, isAwaited }: TransactionParts,
  body: (tx: Tx) => Promise<T>,
): Promise<T> => {
  let alive = true;
  const use = (): Connection => {
    if (!alive) throw new AppError('Internal', 'A transaction was used after its end.');
    return connection;
  };
  const tx: Tx = {
    all: async <T>(sql: string, binds: readonly Bind[] = []) => {
      const rows = await use().all<T>(sql, binds);
      if (sql.includes('RETURNING')) reports.count(rows.length);
      return rows;
    },
    run: async (sql, binds = []) => {
      const rows = await use().run(sql, binds);
      reports.count(rows);
      return rows;
    },
    report: (report) => {
      use();
      reports.add(report);
    },
    isAwaited,
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
