// Recomputes the keys of unique names. There are few of these rows, so all are read. A name whose new key is already taken keeps its old
// key: both rows stay, and nothing that depends on either is lost.
import { listNameKey, userNameKey } from '../model/name-key.js';
import { termKey } from '../model/search-key.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, type Kind, updated } from '../store/feed.js';

interface Keyed {
  readonly table: Extract<Kind, 'genre' | 'tag' | 'collection' | 'read_list' | 'user'>;
  readonly name: string;
  readonly key: string;
  readonly keyOf: (name: string) => string;
}

const KEYED: readonly Keyed[] = [
  { table: 'genre', name: 'name', key: 'name_key', keyOf: termKey },
  { table: 'tag', name: 'name', key: 'name_key', keyOf: termKey },
  { table: 'collection', name: 'name', key: 'name_key', keyOf: listNameKey },
  { table: 'read_list', name: 'name', key: 'name_key', keyOf: listNameKey },
  { table: 'user', name: 'username', key: 'username_key', keyOf: userNameKey },
  { table: 'user', name: 'email', key: 'email_key', keyOf: userNameKey },
];

/** Books and series are found by the keys of genres and tags, so everything found by an old key is reported. */
const report = (tx: Tx, { table }: Keyed, keys: readonly number[]): void => {
  tx.report(updated(table, keys, ASPECTS.list));
  if (table !== 'genre' && table !== 'tag') return;
  for (const kind of ['book', 'series'] as const) tx.report(updated(kind, 'all', ASPECTS.list));
};

/** Two passes: a key may become free only after another row has left it. */
const PASSES = 2;

export const remakeNameKeys = async (tx: Tx): Promise<undefined> => {
  for (const keyed of KEYED) {
    const { table, name, key, keyOf } = keyed;
    const rows = await tx.all<{ id: number; name: string; key: string }>(
      `SELECT id, ${name} AS name, ${key} AS key FROM ${table}`,
    );
    const changed = rows.filter((row) => keyOf(row.name) !== row.key);
    if (changed.length === 0) continue;
    const sql = `UPDATE OR IGNORE ${table} SET ${key} = ? WHERE id = ?`;
    for (let pass = 0; pass < PASSES; pass += 1)
      for (const row of changed) await tx.run(sql, [keyOf(row.name), row.id]);
    report(
      tx,
      keyed,
      changed.map(({ id }) => id),
    );
  }
  return undefined;
};
