// Merges the parts of the search index. Each write adds one, and a row that is written again stays in an older part, marked as deleted: until
// the parts are merged, a search tests each row that it finds for such a mark.
import type { Db, Tx } from '../../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../store/feed.js';

const TABLES = ['book_words', 'series_words', 'book_trigram', 'search_word_trigram'];
/** Pages written per transaction: about 20 ms. */
const PAGES = 50;
/** More than an index of ten million books needs; writes that come meanwhile make more work. */
const STEPS_MAX = 10_000;

const changes = async (tx: Tx): Promise<number> => {
  const [row] = await tx.all<{ n: number }>('SELECT total_changes() AS n');
  return row?.n ?? 0;
};

/** Returns whether anything is left. A negative number of pages begins with all parts (https://www.sqlite.org/fts5.html#the_merge_command). */
const mergeSome = async (tx: Tx, table: string, pages: number): Promise<boolean> => {
  tx.report(updated('server', 'all', ASPECTS.details));
  const before = await changes(tx);
  await tx.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, [pages]);
  return (await changes(tx)) - before >= 2;
};

/** In short transactions, after much of the index was written again. */
export const mergeSearchIndex = async (db: Pick<Db, 'write'>): Promise<void> => {
  for (const table of TABLES) {
    let isLeft = await db.write(SYSTEM, 'background', (tx) => mergeSome(tx, table, -PAGES));
    for (let step = 1; isLeft && step < STEPS_MAX; step += 1)
      isLeft = await db.write(SYSTEM, 'background', (tx) => mergeSome(tx, table, PAGES));
  }
};
