// Statistics for the query planner, taken after a scan that changed much.
import type { Db, Tx } from './db.js';
import { ASPECTS, SYSTEM, updated } from './feed.js';

/**
 * A table counts as at least this large. A tiny one may be huge before statistics are taken again: the planner scans a table of two
 * rows completely, and would go on doing so while the first large library comes in.
 */
const ROWS_MIN = 10_000;

/** Every index, those of primary keys and unique columns included, and every table that has none. */
const TARGETS = `SELECT coalesce(i.name, t.name) AS name
  FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\') t
    LEFT JOIN pragma_index_list(t.name) i`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The first number in a row of sqlite_stat1 is the number of rows. */
const RAISE = `UPDATE sqlite_stat1 SET stat = ?1 || substr(stat, instr(stat || ' ', ' '))
  WHERE CAST(stat AS INTEGER) < CAST(?1 AS INTEGER)`;

/**
 * Connections read statistics together with the schema. A change of the schema version, which every CREATE makes, causes all of them to
 * read both again before their next statement (https://www.sqlite.org/pragma.html#pragma_schema_version).
 */
const tellConnections = async (tx: Tx): Promise<void> => {
  const [row] = await tx.all<{ schema_version: number }>('PRAGMA schema_version');
  await tx.all(`PRAGMA schema_version = ${(row?.schema_version ?? 0) + 1}`);
};

const takeOne = async (tx: Tx, name: string): Promise<void> => {
  tx.report(updated('server', 'all', ASPECTS.details));
  await tx.run(`ANALYZE ${quoted(name)}`);
  await tx.run(RAISE, [String(ROWS_MIN)]);
  await tx.run('ANALYZE sqlite_schema'); // this connection plans by the raised ones
};

/**
 * One index per transaction, so that no one waits for a walk over all of them. Each is walked completely: a limited ANALYZE once made a
 * plan
 * 600 times slower.
 */
export const takeStatistics = async (db: Pick<Db, 'all' | 'write'>): Promise<void> => {
  for (const { name } of await db.all<{ name: string }>(TARGETS))
    await db.write(SYSTEM, 'background', (tx) => takeOne(tx, name));
  await db.write(SYSTEM, 'background', tellConnections);
};
