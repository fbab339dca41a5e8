// A series of which people used the copy before the original went: both have something that nobody wants to lose. The copy stays, and takes
// over what people did with the original. What it has already stays as it is.
import { TITLES_MAX } from '../catalog/alternate-titles.js';
import { followReplaced, type Replaced } from '../catalog/covers/replaced.js';
import { mergedSeries } from '../catalog/merged-series.js';
import { reportTermsOf } from '../catalog/report-rows.js';
import { seriesRecords, writeSeries } from '../catalog/series-record.js';
import { listName, TERM_KINDS } from '../catalog/taxonomy-links.js';
import { groupedBy } from '../model/grouped.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import type { Added } from './added.js';
import type { Missing, ScanContext } from './context.js';
import { inherit } from './series-of-moves.js';
import { touchedSeries } from './touched.js';

interface Pair {
  readonly from: Missing;
  readonly to: Added;
}

interface Merge {
  readonly from: number;
  readonly to: number;
  readonly books: readonly Pair[];
}

const usersOf = (rows: readonly { readonly user: number }[]): readonly number[] => [
  ...new Set(rows.map(({ user }) => user)),
];

const moveLists = async (tx: Tx, { from, to }: Merge): Promise<void> => {
  const binds = [to, from];
  const collections = await tx.all<{ id: number }>(
    'UPDATE OR IGNORE collection_series SET series_id = ? WHERE series_id = ? RETURNING collection_id AS id',
    binds,
  );
  tx.report(updated('series', [from, to], ASPECTS.members));
  tx.report(
    updated(
      'collection',
      collections.map(({ id }) => id),
      ASPECTS.members,
    ),
  );
  for (const table of ['want_to_read', 'reader_profile'] as const) {
    const rows = await tx.all<{ user: number }>(
      `UPDATE OR IGNORE ${table} SET series_id = ? WHERE series_id = ? RETURNING user_id AS user`,
      binds,
    );
    for (const userKey of usersOf(rows)) tx.report({ ...updated(table, [userKey], ASPECTS.details), userKey });
  }
};

/** A chosen book is only chosen while no other cover is. Where both have been used, that of the copy stays, and is chosen instead. */
const moveCovers = async (tx: Tx, { from, to, books }: Merge, nowMs: number): Promise<void> => {
  const isTaken = 'EXISTS (SELECT 1 FROM cover c WHERE c.series_id = ?1 AND c.selected = 1)';
  await tx.run(
    `UPDATE cover SET series_id = ?1, selected = selected AND NOT ${isTaken} WHERE series_id = ?2 AND (of_book IS NULL OR NOT ${isTaken})`,
    [to, from],
  );
  const staying = books.filter((pair) => pair.to.isTouched).map((pair) => [pair.from.key, pair.to.key]);
  const replaced = await tx.all<Replaced>(
    `SELECT hex(o.uuid) AS goneHex, j.value ->> 1 AS present FROM json_each(?) j CROSS JOIN book o ON o.id = j.value ->> 0`,
    [JSON.stringify(staying)],
  );
  await followReplaced(tx, replaced, nowMs);
  tx.report(updated('series', [from, to], ASPECTS.cover));
};

const moveTitles = async (tx: Tx, { from, to }: Merge): Promise<void> => {
  await tx.run(
    `UPDATE series_title SET series_id = ?1 WHERE id IN (SELECT t.id FROM series_title t WHERE t.series_id = ?2
       AND NOT EXISTS (SELECT 1 FROM series_title o WHERE o.series_id = ?1 AND o.title = t.title)
       ORDER BY t.id LIMIT max(0, ${TITLES_MAX} - (SELECT count(*) FROM series_title WHERE series_id = ?1)))`,
    [to, from],
  );
  tx.report(updated('series', [from, to], ASPECTS.details | ASPECTS.text));
};

/** Edited fields, and lists of genres and tags that a user made. */
const mergeEdits = async (tx: Tx, { from, to }: Merge, nowMs: number): Promise<void> => {
  const records = await seriesRecords(tx, [from, to]);
  const [old, now] = [records.get(from), records.get(to)];
  if (old === undefined || now === undefined) return;
  await writeSeries(tx, now, { ...mergedSeries(old, now), updatedAt: nowMs }, nowMs);
  for (const kind of TERM_KINDS.filter((one) => old.locks.includes(listName(one)))) {
    if (now.locks.includes(listName(kind))) continue;
    await tx.run(`DELETE FROM series_${kind} WHERE series_id = ?`, [to]);
    await tx.run(
      `INSERT INTO series_${kind} (series_id, ${kind}_id) SELECT ?, ${kind}_id FROM series_${kind} WHERE series_id = ?`,
      [to, from],
    );
    await reportTermsOf(tx, [to]);
  }
};

const merge = async ({ parts }: ScanContext, one: Merge): Promise<void> => {
  // First of all, so that nobody sees for a moment what they must not.
  await inherit(parts, { key: one.to, from: [one.from, one.to], isReplaced: true });
  const now = parts.clock.now();
  await parts.db.write(SYSTEM, 'background', async (tx) => {
    const both = await tx.all('SELECT id FROM series WHERE id IN (?, ?)', [one.from, one.to]);
    if (both.length < 2) return; // deleted meanwhile
    await moveLists(tx, one);
    await moveCovers(tx, one, now);
    await moveTitles(tx, one);
    await mergeEdits(tx, one, now);
  });
};

interface Copied extends Merge {
  /** The copy, apart from its books. */
  readonly isTouched: boolean;
  /** A sweep has shown the copy. */
  readonly isShown: boolean;
}

interface Books {
  readonly key: number;
  readonly live: number;
  readonly isTouched: number;
  readonly isShown: number;
}

const booksOf = async ({ parts }: ScanContext, keys: readonly number[]): Promise<ReadonlyMap<number, Books>> => {
  const rows = await parts.db.all<Books>(
    `SELECT s.id AS key, (SELECT count(*) FROM book b WHERE b.series_id = s.id AND b.deleted = 0) AS live,
       ${touchedSeries('s')} AS isTouched, 1 - s.unswept AS isShown FROM json_each(?) j CROSS JOIN series s ON s.id = j.value`,
    [JSON.stringify(keys)],
  );
  return new Map(rows.map((row) => [row.key, row]));
};

/** Pairs of series of which all books of the one were recognised as all books of the other, or may be if these are not all `pairs`. */
const copiesIn = async (context: ScanContext, pairs: readonly Pair[], areAll: boolean): Promise<readonly Copied[]> => {
  const books = await booksOf(context, [...new Set(pairs.flatMap(({ from, to }) => [from.seriesKey, to.seriesKey]))]);
  return [...groupedBy(pairs, (pair) => pair.from.seriesKey)].flatMap(([from, own]) => {
    const [to, ...others] = new Set(own.map((pair) => pair.to.seriesKey));
    if (to === undefined || to === from || others.length > 0) return [];
    const [old, copy] = [books.get(from), books.get(to)];
    if (old?.isTouched !== 1 || copy === undefined || old.live !== copy.live) return [];
    const isWhole = areAll ? old.live === own.length : old.live >= own.length;
    return isWhole ? [{ from, to, books: own, isTouched: copy.isTouched === 1, isShown: copy.isShown === 1 }] : [];
  });
};

/** Whether, with others, these moves may be those of a series that people used or saw at its new path too. */
export const mayBeCopies = async (context: ScanContext, moves: readonly Pair[]): Promise<boolean> =>
  (await copiesIn(context, moves, false)).some(({ isTouched, isShown }) => isTouched || isShown);

/**
 * Only where all books of the one were recognised as all books of the other. Before these are taken over: after an interruption, the next
 * scan finds the rest. A copy that nobody used becomes the original instead (series-of-moves.ts); so does one that no complete scan has
 * seen (not `areCopies`), if people used only books of it.
 */
export const mergeCopiedSeries = async (
  context: ScanContext,
  pairs: readonly Pair[],
  areCopies: boolean,
): Promise<void> => {
  for (const copied of await copiesIn(context, pairs, true))
    if (copied.isTouched || (areCopies && copied.books.some(({ to }) => to.isTouched))) await merge(context, copied);
};
