// Writes groups of duplicates. Members that were dismissed stay dismissed; a new member is not, and so brings the group back.
import { createHash } from 'node:crypto';
import { bytesOfUuid, randomId } from '../../model/ids.js';
import type { Db, Tx } from '../../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../store/feed.js';

/** As stored in the database. */
export const KIND = { file: 0, edition: 1, series: 2 } as const;
export type GroupKind = (typeof KIND)[keyof typeof KIND];

/** How many members of a larger group are kept: those that were added first. */
export const MEMBERS_MAX = 500;
/** Members written by one transaction, unless one group has more. */
const BATCH_MEMBERS = 300;
const DELETED_AT_ONCE = 200;

export interface FoundGroup {
  readonly matchKey: string;
  readonly libraryKey: number;
  /** Row keys, ascending. */
  readonly members: readonly number[];
}

const digestOf = (members: readonly number[]): string =>
  createHash('sha256').update(members.join(' ')).digest('hex').slice(0, 32);

/**
 * A group that is known by its first member, so that it keeps its id when others join or leave: users who do not see these must not notice.
 */
export const groupOfMembers = (members: readonly number[]): FoundGroup => ({
  matchKey: String(members[0]),
  libraryKey: 0,
  members,
});

export const reportDuplicates = (tx: Tx): void => tx.report(updated('duplicates', 'all', ASPECTS.details));

const memberTable = (kind: GroupKind): 'book' | 'series' => (kind === KIND.series ? 'series' : 'book');

/** Keeps what is dismissed among the members that stay. */
const putMembers = async (tx: Tx, kind: GroupKind, group: number, members: readonly number[]): Promise<void> => {
  const of = memberTable(kind);
  const keys = JSON.stringify(members);
  await tx.run(`DELETE FROM duplicate_${of} WHERE group_id = ? AND ${of}_id NOT IN (SELECT value FROM json_each(?))`, [
    group,
    keys,
  ]);
  await tx.run(
    `INSERT INTO duplicate_${of} (group_id, ${of}_id)
     SELECT ?, o.id FROM json_each(?) j CROSS JOIN ${of} o ON o.id = j.value WHERE true ON CONFLICT DO NOTHING`,
    [group, keys],
  );
  await markDismissed(tx, kind, group);
};

/** A group of which every member is dismissed is skipped by every list. */
const markDismissed = (tx: Tx, kind: GroupKind, group: number): Promise<unknown> =>
  tx.run(
    `UPDATE duplicate_group SET dismissed = NOT EXISTS (
       SELECT 1 FROM duplicate_${memberTable(kind)} m WHERE m.group_id = ?1 AND m.dismissed = 0) WHERE id = ?1`,
    [group],
  );

/** Dismisses some members of a group: for those who see no others it is gone. */
export const dismissMembers = async (
  tx: Tx,
  kind: GroupKind,
  group: number,
  members: readonly number[],
): Promise<void> => {
  const of = memberTable(kind);
  reportDuplicates(tx);
  await tx.run(
    `UPDATE duplicate_${of} SET dismissed = 1 WHERE group_id = ? AND ${of}_id IN (SELECT value FROM json_each(?))`,
    [group, JSON.stringify(members)],
  );
  await markDismissed(tx, kind, group);
};

interface KnownGroup {
  readonly id: number;
  readonly digest: string;
  readonly count: number;
}

/** By its key; editions also by the key of any member: a new first member must not make it another group. */
const knownGroup = async (tx: Tx, kind: GroupKind, found: FoundGroup): Promise<KnownGroup | undefined> => {
  const { matchKey, libraryKey } = found;
  const keys = kind === KIND.edition ? found.members.map(String) : [matchKey];
  const [known] = await tx.all<KnownGroup>(
    `SELECT g.id, g.digest, (SELECT count(*) FROM duplicate_${memberTable(kind)} m WHERE m.group_id = g.id) AS count
     FROM json_each(?) j CROSS JOIN duplicate_group g ON g.kind = ? AND g.library_id = ? AND g.match_key = j.value
     ORDER BY j.key LIMIT 1`,
    [JSON.stringify(keys), kind, libraryKey],
  );
  return known;
};

const storeGroup = async (tx: Tx, kind: GroupKind, found: FoundGroup, nowMs: number): Promise<number | undefined> => {
  const { matchKey, libraryKey } = found;
  const members = found.members.slice(0, MEMBERS_MAX);
  const digest = digestOf(members);
  const known = await knownGroup(tx, kind, found);
  // Rows may be missing although the digest is the same: SQLite gives the highest key again once its row has gone.
  if (known?.digest === digest && known.count === members.length) return known.id;
  reportDuplicates(tx);
  const [stored] =
    known === undefined
      ? await tx.all<{ id: number }>(
          `INSERT INTO duplicate_group (uuid, kind, library_id, match_key, digest, created_at, updated_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING id`,
          [bytesOfUuid(randomId()), kind, libraryKey, matchKey, digest, nowMs],
        )
      : await tx.all<{ id: number }>(
          'UPDATE duplicate_group SET match_key = ?, digest = ?, updated_at = ? WHERE id = ? RETURNING id',
          [matchKey, digest, nowMs, known.id],
        );
  if (stored !== undefined) await putMembers(tx, kind, stored.id, members);
  return stored?.id;
};

/** Groups in the order found, of which one transaction writes a few. */
function* batchesOf(groups: readonly FoundGroup[]): Generator<readonly FoundGroup[]> {
  let batch: FoundGroup[] = [];
  let members = 0;
  for (const group of groups) {
    if (batch.length > 0 && members + group.members.length > BATCH_MEMBERS) {
      yield batch;
      batch = [];
      members = 0;
    }
    batch.push(group);
    members += group.members.length;
  }
  if (batch.length > 0) yield batch;
}

/** Adds the keys of the groups to `seen`. */
export const storeGroups = async (
  db: Db,
  kind: GroupKind,
  groups: readonly FoundGroup[],
  nowMs: number,
  seen: Set<number>,
): Promise<void> => {
  for (const batch of batchesOf(groups)) {
    const ids = await db.write(SYSTEM, 'background', async (tx) => {
      const stored: number[] = [];
      for (const group of batch) stored.push((await storeGroup(tx, kind, group, nowMs)) ?? 0);
      return stored;
    });
    for (const id of ids) seen.add(id);
  }
};

/** Deletes the groups of a kind that a complete search has not found again. */
export const deleteUnseen = async (db: Db, kind: GroupKind, seen: ReadonlySet<number>): Promise<void> => {
  for (let after = 0; ; ) {
    const rows = await db.all<{ id: number }>(
      'SELECT id FROM duplicate_group WHERE kind = ? AND id > ? ORDER BY id LIMIT ?',
      [kind, after, DELETED_AT_ONCE],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const gone = rows.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
    if (gone.length > 0)
      await db.write(SYSTEM, 'background', (tx) => {
        reportDuplicates(tx);
        return tx.run('DELETE FROM duplicate_group WHERE id IN (SELECT value FROM json_each(?))', [
          JSON.stringify(gone),
        ]);
      });
  }
};
