// Stores the page tables of analysed books.
import type { Analysis } from '../model/jobs.js';
import { STORED_RULES } from '../model/stored-rules.js';
import type { Tx } from '../store/db.js';

/** Tables written by one statement, of which there are then few. */
const TABLES_MAX = 16;

const storeTables = async (tx: Tx, tables: readonly (readonly [book: number, table: Uint8Array])[]): Promise<void> => {
  for (let at = 0; at < tables.length; ) {
    const count = 2 ** Math.floor(Math.log2(Math.min(TABLES_MAX, tables.length - at)));
    const some = tables.slice(at, at + count);
    await tx.run(
      `INSERT INTO book_pages (book_id, page_table, rule) VALUES ${some.map(() => '(?, ?, ?)').join(', ')}
       ON CONFLICT (book_id) DO UPDATE SET page_table = excluded.page_table, rule = excluded.rule`,
      some.flatMap(([book, { buffer, byteOffset, byteLength }]) => [
        book,
        Buffer.from(buffer, byteOffset, byteLength),
        STORED_RULES.pages,
      ]),
    );
    at += count;
  }
};

interface Paged {
  readonly book: { readonly key: number };
  readonly analysis: Pick<Analysis, 'pageTable'>;
}

export const storePages = async (tx: Tx, analysed: readonly Paged[]): Promise<void> => {
  await storeTables(
    tx,
    analysed.flatMap(({ book, analysis: { pageTable } }) =>
      pageTable === null ? [] : [[book.key, pageTable] as const],
    ),
  );
  const without = analysed.filter(({ analysis }) => analysis.pageTable === null);
  if (without.length > 0)
    await tx.run('DELETE FROM book_pages WHERE book_id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(without.map(({ book }) => book.key)),
    ]);
};
