// Statistics for the query planner, taken after a scan that changed much.
import type { Db, Tx } from './db.js';
import { ASPECTS, SYSTEM, updated } from './feed.js';

/**
 * A table counts as at least this large. A tiny one may be huge before statistics are taken again: the planner scans a table of two
 * rows completely, and would go on doing so while the first large library comes in.
 */
const ROWS_MIN = 10_000;

/** A transaction takes indexes for this long; a long one has a transaction of its own. */
const TURN_MS = 20;

/**
 * A database with fewer pages than this is walked completely in less than a turn. One statement for all of it takes a tenth of the time
 * that its two hundred or so indexes take one by one, even when they are empty.
 */
const SMALL_PAGES = 1000;

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

/** Each index is walked completely: a limited ANALYZE once made a plan 600 times slower. Returns how many of the names are done. */
const takeSome = async (tx: Tx, names: readonly string[]): Promise<number> => {
  const end = performance.now() + TURN_MS;
  let taken = 0;
  tx.report(updated('server', 'all', ASPECTS.details));
  do {
    await tx.run(`ANALYZE ${quoted(names[taken] ?? '')}`);
    taken += 1;
  } while (taken < names.length && performance.now() < end);
  await tx.run(RAISE, [String(ROWS_MIN)]);
  await tx.run('ANALYZE sqlite_schema'); // this connection plans by the raised ones
  return taken;
};

/** Takes statistics of every index, in short transactions, so that no write waits for a walk over all of them. */
export const takeStatistics = async (db: Pick<Db, 'all' | 'write'>, smallPages = SMALL_PAGES): Promise<void> => {
  const [size] = await db.all<{ page_count: number }>('PRAGMA page_count');
  const isSmall = (size?.page_count ?? smallPages) < smallPages;
  let left = isSmall ? ['main'] : (await db.all<{ name: string }>(TARGETS)).map(({ name }) => name);
  while (left.length > 0) {
    const names = left;
    left = names.slice(await db.write(SYSTEM, 'background', (tx) => takeSome(tx, names)));
  }
  await db.write(SYSTEM, 'background', tellConnections);
};
