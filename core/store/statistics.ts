// Statistics for the query planner, taken after a scan that changed much.
import type { Tx } from './connection.js';

/**
 * A table counts as at least this large. What is tiny now may be huge before statistics are taken again: the planner walks a table of two
 * rows whole, and goes on doing so while the first large library comes in.
 */
const ROWS_MIN = 10_000;

/** A limited ANALYZE once made a plan 600 times slower, so it is a full one. The first number of a row of sqlite_stat1 is that of rows. */
export const takeStatistics = async (tx: Tx): Promise<void> => {
  await tx.run('ANALYZE');
  await tx.run(
    `UPDATE sqlite_stat1 SET stat = ?1 || substr(stat, instr(stat || ' ', ' ')) WHERE CAST(stat AS INTEGER) < CAST(?1 AS INTEGER)`,
    [String(ROWS_MIN)],
  );
  await tx.run('ANALYZE sqlite_schema'); // reads them in
};
