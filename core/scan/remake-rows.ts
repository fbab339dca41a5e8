// Recomputes stored results of rules for a range of row keys in one transaction. One function per rule; rows that are already right are
// left alone.

import { factsToStore, RULES_SQL, storedRules } from '../catalog/apply-rules.js';
import { type BookLock, bookSortKey, columnsOf, NO_FACTS, parseFacts, parseLocks } from '../catalog/book-facts.js';
import { renumberSeries } from '../catalog/numbering.js';
import { reportBooksOf } from '../catalog/report-rows.js';
import { mergeSearchIndex } from '../catalog/search/merge.js';
import type { RowKind } from '../model/row-kind.js';
import { sortKey, sortKeyOf } from '../model/sort-key.js';
import type { StoredRule } from '../model/stored-rules.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { markAnalysesDue } from './remake-analysis.js';
import { remakeEpubKinds } from './remake-epub-kinds.js';
import { remakeNameKeys } from './remake-names.js';
import { type Range, remakePages } from './remake-pages.js';
import { settleBooksAgain, settleSeriesAgain } from './remake-settled.js';
import { remakeTitles } from './remake-titles.js';

export interface Remake {
  /** The tables whose keys the range covers. Without any, the first batch is the only one. */
  readonly of: readonly RowKind[];
  /** The rule may mark books as due; they are then analysed. */
  readonly marksDue?: true;
  /** Keys per transaction: other writers wait no longer than for a scan batch. */
  readonly size: number;
  /** After the last batch. */
  finish?(db: Db): Promise<void>;
  /** Returns the last key it reached, if that is not the end of the range. */
  run(tx: Tx, range: Range, nowMs: number): Promise<number | undefined>;
}

const IN_RANGE = 'BETWEEN ? AND ?';

interface Named {
  readonly id: number;
  readonly name: string;
  readonly given: string | null;
  readonly key: string;
}

type Sorted = 'library' | 'collection' | 'read_list' | RowKind;

const storeKeys = async (tx: Tx, table: Sorted, column: string, keys: readonly (readonly [number, string])[]) => {
  if (keys.length === 0) return;
  const changed = keys.map(([key]) => key);
  tx.report(updated(table, changed, ASPECTS.list));
  if (table === 'series') await reportBooksOf(tx, changed, ASPECTS.list);
  const each = 'FROM json_each(?) j WHERE';
  await tx.run(`UPDATE ${table} SET ${column} = j.value ->> 1 ${each} ${table}.id = j.value ->> 0`, [
    JSON.stringify(keys),
  ]);
};

const differing = (rows: readonly Named[], keyOf: (row: Named) => string): (readonly [number, string])[] =>
  rows.flatMap((row): (readonly [number, string])[] => (keyOf(row) === row.key ? [] : [[row.id, keyOf(row)]]));

/** There are few of these, so all are done with the first range. */
const remakeNames = async (tx: Tx): Promise<void> => {
  for (const table of ['library', 'collection', 'read_list'] as const) {
    const rows = await tx.all<Named>(`SELECT id, name, NULL AS given, name_sort AS key FROM ${table}`);
    await storeKeys(
      tx,
      table,
      'name_sort',
      differing(rows, ({ name }) => sortKey(name)),
    );
  }
};

const sortSeries = async (tx: Tx, { from, to }: Range): Promise<void> => {
  const rows = await tx.all<Named>(
    `SELECT id, name, title_sort AS given, name_sort AS key FROM series WHERE id ${IN_RANGE}`,
    [from, to],
  );
  await storeKeys(
    tx,
    'series',
    'name_sort',
    differing(rows, ({ given, name }) => sortKeyOf(given, name)),
  );
};

interface SortedBook extends Named {
  readonly said: string | null;
  readonly locks: string | null;
}

const sortBooks = async (tx: Tx, { from, to }: Range): Promise<void> => {
  const rows = await tx.all<SortedBook>(
    `SELECT b.id, b.title AS name, b.title_sort AS key, m.facts ->> '$.title' AS said, m.facts ->> '$.titleSort' AS given, m.locks
     FROM book b LEFT JOIN book_metadata m ON m.book_id = b.id WHERE b.id ${IN_RANGE}`,
    [from, to],
  );
  const keys = rows.flatMap(({ id, name, key, said, given, locks }): [number, string][] => {
    const made = bookSortKey(name, { ...NO_FACTS, title: said, titleSort: given }, parseLocks<BookLock>(locks));
    return made === null || made === key ? [] : [[id, made]];
  });
  await storeKeys(tx, 'book', 'title_sort', keys);
};

interface Told {
  readonly id: number;
  readonly fileName: string;
  readonly folderPath: string;
  readonly rules: string | null;
  readonly facts: string | null;
  readonly locks: string | null;
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly toldNumber: number | null;
}

const remakeVolumes = async (tx: Tx, { from, to }: Range): Promise<undefined> => {
  const rows = await tx.all<Told>(
    `SELECT b.id, b.file_name AS fileName, f.path AS folderPath, ${RULES_SQL} AS rules, m.facts, m.locks, b.volume, b.chapter,
       b.told_number AS toldNumber
     FROM book b JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id LEFT JOIN book_metadata m ON m.book_id = b.id
     WHERE b.id ${IN_RANGE}`,
    [from, to],
  );
  const told = rows.flatMap((row) => {
    const facts = parseFacts(row.facts);
    const by = factsToStore(storedRules(row.rules).rules, row, facts);
    const { volume, chapter, toldNumber } = columnsOf(facts, parseLocks<BookLock>(row.locks), by);
    const isSame = volume === row.volume && chapter === row.chapter && toldNumber === row.toldNumber;
    return isSame ? [] : [[row.id, volume, chapter, toldNumber]];
  });
  if (told.length === 0) return undefined;
  await tx.run(
    `UPDATE book SET volume = j.value ->> 1, chapter = j.value ->> 2, told_number = j.value ->> 3 FROM json_each(?) j
     WHERE book.id = j.value ->> 0`,
    [JSON.stringify(told)],
  );
  tx.report(
    updated(
      'book',
      told.map(([key]) => Number(key)),
      ASPECTS.list | ASPECTS.details,
    ),
  );
  return undefined;
};

/** Most books renumbered per transaction, unless a single series has more. */
const NUMBERED_MAX = 300;

const remakeNumbers = async (tx: Tx, { from, to }: Range): Promise<number | undefined> => {
  const rows = await tx.all<{ id: number; books: number; rules: string | null }>(
    `SELECT s.id, s.book_count AS books, ${RULES_SQL} AS rules FROM series s JOIN library l ON l.id = s.library_id
     WHERE s.id ${IN_RANGE} ORDER BY s.id`,
    [from, to],
  );
  let numbered = 0;
  for (const { id, books, rules } of rows) {
    if (numbered > 0 && numbered + books > NUMBERED_MAX) return id - 1;
    await renumberSeries(tx, [id], storedRules(rules).rules);
    numbered += books;
  }
  return undefined;
};

/** Rows in `search_due` are indexed before the transaction ends. */
const remakeWords = async (tx: Tx, { from, to }: Range): Promise<undefined> => {
  await tx.run(
    `UPDATE person SET name_key = NULL WHERE id IN (SELECT person_id FROM credit WHERE series_id ${IN_RANGE})`,
    [from, to],
  );
  for (const [kind, table] of (['book', 'series'] as const).entries()) {
    const sql = `INSERT OR IGNORE INTO search_due (kind, id) SELECT ${kind}, id FROM ${table} WHERE id ${IN_RANGE} RETURNING id`;
    tx.report(updated(table, keysIn(await tx.all<{ id: number }>(sql, [from, to])), ASPECTS.text));
  }
  return undefined;
};

/** In this order: what users see first is done first, and inputs come before what is made from them. */
export const REMAKES = {
  sortKeys: {
    of: ['series', 'book'],
    size: 500,
    run: async (tx, range) => {
      if (range.from === 1) await remakeNames(tx);
      await sortSeries(tx, range);
      await sortBooks(tx, range);
      return undefined;
    },
  },
  facts: { of: ['book'], size: 100, run: settleBooksAgain },
  titles: { of: ['book'], size: 150, run: remakeTitles },
  volumes: { of: ['book'], size: 500, run: remakeVolumes },
  numbers: { of: ['series'], size: 20, run: remakeNumbers },
  series: { of: ['series'], size: 50, run: settleSeriesAgain },
  pages: { of: ['book'], size: 100, run: remakePages, marksDue: true },
  epubKinds: { of: ['book'], size: 200, run: remakeEpubKinds },
  words: { of: ['series', 'book'], size: 150, run: remakeWords, finish: mergeSearchIndex },
  names: { of: [], size: 1, run: remakeNameKeys },
  analysis: { of: ['book'], size: 2000, run: markAnalysesDue, marksDue: true },
} as const satisfies Record<StoredRule, Remake>;
