// Books chosen as covers whose record is replaced by another one of the same content: the choice follows, for series, collections and read
// lists alike.
import type { Tx } from '../../store/db.js';
import { touchOwner } from './owners.js';
import type { CoverOwner } from './shown.js';

export interface Replaced {
  /** Hex digits of the id of the record that goes. */
  readonly goneHex: string;
  /** Row key of the record that stays. */
  readonly present: number;
}

const CHOOSING = ['series', 'collection', 'read_list'] as const satisfies readonly CoverOwner[];

/** The table has one row for each cover that somebody chose or uploaded, so it is read as a whole, once for all these books. */
export const followReplaced = async (tx: Tx, books: readonly Replaced[], nowMs: number): Promise<void> => {
  const owners = await tx.all<Readonly<Record<(typeof CHOOSING)[number], number | null>>>(
    `UPDATE cover SET of_book = r.present, updated_at = ?2
     FROM (SELECT unhex(j.value ->> 0) AS gone, n.uuid AS present
       FROM json_each(?1) j CROSS JOIN book n ON n.id = j.value ->> 1) r
     WHERE cover.of_book = r.gone
     RETURNING series_id AS series, collection_id AS collection, read_list_id AS read_list`,
    [JSON.stringify(books.map(({ goneHex, present }) => [goneHex, present])), nowMs],
  );
  for (const row of owners)
    for (const owner of CHOOSING) {
      const key = row[owner];
      if (key !== null) await touchOwner(tx, owner, key, nowMs);
    }
};
