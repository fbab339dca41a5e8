// Lists with the ids of all their members, for apps that read and write a list as a whole.
import type { Clock } from '../../engine/clock.js';
import { AppError } from '../../model/errors.js';
import { uuidOfHex } from '../../model/ids.js';
import type { Viewer } from '../../model/viewer.js';
import type { Db, Reads, Tx } from '../../store/db.js';
import { ASPECTS, updated } from '../../store/feed.js';
import { firstIds, keysOfSeries } from '../list-series.js';
import type { ListParts } from '../query/page.js';
import { type ListKind, SHAPES, seenMembers } from './kinds.js';
import {
  changeList,
  createList,
  deleteList,
  type List,
  type ListChange,
  listById,
  listKey,
  touchList,
} from './lists.js';
import { JOIN, keysOf, MEMBERS_MAX, type MemberOrder, type Named, orderTerms } from './members.js';

const OWN_ORDER = { sort: undefined, descending: false } as const;

interface Member {
  readonly key: number;
  readonly id: string;
}

/** The members of a list without a condition that the viewer sees, in its order. */
const membersOf = async (
  from: Reads,
  kind: ListKind,
  viewer: Viewer,
  list: List,
  order: MemberOrder<'position'> = OWN_ORDER,
): Promise<readonly Member[]> => {
  const rows = await from.json<[number, string][]>(
    `SELECT json_group_array(json_array(id, hex)) FROM (SELECT x.id, lower(hex(x.uuid)) AS hex
       ${seenMembers(kind, viewer, '?', JOIN[kind])} ORDER BY ${orderTerms(kind, list, order)})`,
    [list.key],
  );
  return rows.map(([key, hex]) => ({ key, id: uuidOfHex(hex) }));
};

/** The books of a read list, in its order. */
export const readListBooks = async (from: Reads, viewer: Viewer, id: string): Promise<readonly number[]> => {
  const list = await listById(from, 'read_list', viewer, id);
  return (await membersOf(from, 'read_list', viewer, list)).map(({ key }) => key);
};

/** The keys of what is in a list; of an automatic one as many as asked for, by name. */
export const memberKeys = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  list: List,
  order: MemberOrder<'position'>,
  count: number,
): Promise<readonly number[]> => {
  if (list.condition === null) return (await membersOf(parts.db, kind, viewer, list, order)).map(({ key }) => key);
  const byName = { sort: 'name', descending: order.descending } as const;
  const keys = await keysOfSeries(parts, viewer, { condition: list.condition, isStored: true, order: byName });
  return keys.slice(0, count);
};

/** The ids of what is in a list. */
export const contentsOf = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  list: List,
): Promise<readonly string[]> => {
  if (list.condition !== null)
    return firstIds(parts, viewer, { condition: list.condition, isStored: true }, MEMBERS_MAX);
  return (await membersOf(parts.db, kind, viewer, list)).map(({ id }) => id);
};

/** Members that nobody sees now are kept, after the others: whoever wrote the list did not know of them. */
const replaceIn = async (
  tx: Tx,
  kind: ListKind,
  viewer: Viewer,
  key: number,
  named: readonly Named[],
  nowMs: number,
): Promise<void> => {
  const { member, links } = SHAPES[kind];
  const wanted = await keysOf(tx, kind, viewer, named);
  if (wanted.length > MEMBERS_MAX)
    throw new AppError('BadRequest', `A ${SHAPES[kind].word} has at most ${MEMBERS_MAX} members.`);
  const chosen = new Set(wanted);
  const present = await tx.all<{ key: number; seen: number }>(
    `SELECT m.${member}_id AS key, m.${member}_id IN (SELECT x.id ${seenMembers(kind, viewer, '?1')}) AS seen
     FROM ${links} m WHERE m.${kind}_id = ?1 ORDER BY m.position`,
    [key],
  );
  const gone = present.filter((one) => one.seen === 1 && !chosen.has(one.key)).map((one) => one.key);
  const unseen = present.filter((one) => one.seen === 0 && !chosen.has(one.key)).map((one) => one.key);
  await tx.run(`DELETE FROM ${links} WHERE ${kind}_id = ? AND ${member}_id IN (SELECT value FROM json_each(?))`, [
    key,
    JSON.stringify(gone),
  ]);
  const placed = [...wanted, ...unseen];
  await tx.run(
    `INSERT INTO ${links} (${kind}_id, ${member}_id, position, added_at) SELECT ?1, value, key + 1, ?2 FROM json_each(?3) WHERE true
     ON CONFLICT (${kind}_id, ${member}_id) DO UPDATE SET position = excluded.position`,
    [key, nowMs, JSON.stringify(placed)],
  );
  tx.report(updated(member, [...gone, ...placed], ASPECTS.members));
  await touchList(tx, kind, key, nowMs);
};

/** A list as an app writes it: its fields, and all that is in it. */
export interface Written extends ListChange {
  readonly members?: readonly Named[] | undefined;
}

const fill = (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  named: readonly Named[],
): Promise<List> =>
  db.write(viewer.userKey, 'interactive', async (tx) => {
    await replaceIn(tx, kind, viewer, await listKey(tx, kind, id), named, clock.now());
    return listById(tx, kind, viewer, id);
  });

/** A list that cannot be filled is not created. */
export const createFilled = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  wanted: Written & { readonly name: string; readonly ordered: boolean },
): Promise<List> => {
  const list = await createList(db, clock, kind, viewer, wanted);
  try {
    return await fill(db, clock, kind, viewer, list.id, wanted.members ?? []);
  } catch (thrown) {
    await deleteList(db, kind, viewer, list.id);
    throw thrown;
  }
};

/** The members come first: a list whose new members cannot be stored keeps its name too. */
export const changeFilled = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  change: Written,
): Promise<List> => {
  if (change.members !== undefined) await fill(db, clock, kind, viewer, id, change.members);
  return changeList(db, clock, kind, viewer, id, change);
};
