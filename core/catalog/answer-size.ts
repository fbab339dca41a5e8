// Estimates in bytes how large an answer about many rows will be. Reads only lengths.
import type { AnswerSize } from '../engine/answers.js';
import type { RowKind } from '../model/row-kind.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import type { Summarised } from './long-summaries.js';

/** Ids, dates, flags, field names, a path. */
const ROW_BYTES = 1000;
const FULL_ROW_BYTES = 2500;
const TERM_BYTES = 150;

const OWN: Record<RowKind, string> = {
  book: 'SELECT sum(octet_length(m.facts)) FROM json_each(?1) j CROSS JOIN book_metadata m ON m.book_id = j.value',
  series: `SELECT sum(coalesce(octet_length(s.summary), 0) + coalesce(octet_length(s.authors), 0) + coalesce(octet_length(s.custom), 0)
      + coalesce(octet_length(s.links), 0)) FROM json_each(?1) j CROSS JOIN series s ON s.id = j.value`,
};

const termsOf = (owner: RowKind, kind: string): string =>
  `SELECT sum(octet_length(t.name) + ${TERM_BYTES}) FROM json_each(?1) j CROSS JOIN ${owner}_${kind} o ON o.${owner}_id = j.value
   CROSS JOIN ${kind} t ON t.id = o.${kind}_id`;

const sumOf = async (db: Reads, queries: readonly string[], keys: readonly number[]): Promise<number> => {
  if (keys.length === 0) return 0;
  const sum = queries.map((sql) => `coalesce((${sql}), 0)`).join(' + ');
  const [row] = await db.all<{ bytes: number }>(`SELECT ${sum} AS bytes`, [keyList(keys)]);
  return row?.bytes ?? 0;
};

/** Full records of these rows. */
export const sizeOfFull = async (db: Reads, owner: RowKind, keys: readonly number[]): Promise<AnswerSize> => {
  const bytes = await sumOf(db, [OWN[owner], termsOf(owner, 'genre'), termsOf(owner, 'tag')], keys);
  return { rows: keys.length, bytes: keys.length * FULL_ROW_BYTES + bytes };
};

/** Rows as lists show them: with the summaries that were read with them and those that were not. */
export const sizeOfRows = (rows: readonly Summarised[]): AnswerSize => ({
  rows: rows.length,
  bytes: rows.reduce((sum, { summary, summaryBytes }) => sum + ROW_BYTES + (summaryBytes ?? summary?.length ?? 0), 0),
});

const SUMMARIES =
  "SELECT sum(octet_length(m.facts ->> '$.summary')) FROM json_each(?1) j CROSS JOIN book_metadata m ON m.book_id = j.value";

/** Books as lists show them, of which nothing has been read yet. */
export const sizeOfBooks = async (db: Reads, keys: readonly number[]): Promise<AnswerSize> => ({
  rows: keys.length,
  bytes: keys.length * ROW_BYTES + (await sumOf(db, [SUMMARIES], keys)),
});
