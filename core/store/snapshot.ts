// Several reads that see one state of the database: a read transaction on a borrowed connection, ended however its body ends.
import { AppError } from '../model/errors.js';
import type { Bind, Connection, Reader } from './connection.js';

export interface Reads extends Reader {
  /** The single value of a query that packs its rows into one JSON text (first column of the first row), parsed. */
  json<T>(sql: string, binds?: readonly Bind[]): Promise<T>;
}

export const readsOf = (all: <T>(sql: string, binds: readonly Bind[]) => Promise<T[]>): Reads => ({
  all: (sql, binds = []) => all(sql, binds),
  json: async <T>(sql: string, binds: readonly Bind[] = []): Promise<T> => {
    const [row] = await all<Record<string, unknown>>(sql, binds);
    const text = row === undefined ? undefined : Object.values(row)[0];
    if (typeof text !== 'string')
      throw new AppError('Internal', `A packed query returned no JSON text: ${sql.slice(0, 200)}`);
    return JSON.parse(text) as T;
  },
});

/** The interrupted statement may be the end itself; the second call then finds the transaction open, or nothing to end. */
const end = (connection: Connection): Promise<unknown> =>
  connection.run('ROLLBACK', []).catch(() => connection.run('ROLLBACK', []).catch(() => 0));

/** The deadline covers the whole body: one that waits for something else does not keep the connection. */
export const snapshotOn = async <T>(
  connection: Connection,
  deadlineMs: number,
  body: (reads: Reads) => Promise<T>,
): Promise<T> => {
  let over: (() => AppError) | undefined;
  let last: Promise<unknown> = connection.run('BEGIN', []);
  await last;
  const reads = readsOf((sql, binds) => {
    const read = last.then(() => {
      if (over !== undefined) throw over();
      return connection.all<never>(sql, binds);
    });
    last = read.catch(() => undefined); // one call in flight, even if the body starts several
    return read;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over = () => new AppError('Timeout', 'The queries took too long.');
      connection.interrupt();
      reject(over());
    }, deadlineMs);
  });
  try {
    return await Promise.race([body(reads), late]);
  } finally {
    clearTimeout(timer);
    over ??= () => new AppError('Internal', 'A snapshot was used after its end.');
    await last;
    await end(connection);
  }
};
