// Collections (of series) and read lists (of books): their rows. Both are stored the same way. Members are in members.ts, those of
// collections with a condition in automatic.ts.

import type { Clock } from '../../engine/clock.js';
import { cleanName } from '../../model/clean-name.js';
import { AppError } from '../../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../../model/ids.js';
import { listNameKey } from '../../model/name-key.js';
import { offsetOf, type PageOf, type Window } from '../../model/paging.js';
import { sortKey } from '../../model/sort-key.js';
import { isLimited, type Viewer } from '../../model/viewer.js';
import type { Bind, Db, Reader, Reads, Tx } from '../../store/db.js';
import { ASPECTS, created, keysIn, type PublicRow, removed, updated } from '../../store/feed.js';
import { packed, whereOf } from '../../store/packed.js';
import { SERIES_FIELDS } from '../conditions/fields.js';
import { parseCondition } from '../conditions/parse.js';
import { tests } from '../conditions/tree.js';
import { askerOf, type ReadParts } from '../list-reads.js';
import { type ListKind, SHAPES, seenMembers, seesEmpty, showsMembers } from './kinds.js';
import { shown } from './shown.js';

export interface List {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly summary: string | null;
  readonly ordered: boolean;
  /** As the client wrote it: the list is automatic and holds whatever matches. Null: it holds the members added to it. */
  readonly condition: unknown;
  /** Manual members that the user can see. */
  readonly memberCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The fields a caller may set; absent means unchanged. */
export interface ListChange {
  readonly name?: string | undefined;
  readonly summary?: string | null | undefined;
  readonly ordered?: boolean | undefined;
  /** Only a collection has one; null clears it. */
  readonly condition?: unknown;
}

export const LIST_NAME_MAX = 255;
/** Each of them is checked when the collections of a series are listed. */
export const AUTOMATIC_MAX = 200;
const CONDITION_MAX = 100_000;

/** Whoever may not see all of a list is told when the newest member that they see came: when hidden ones come and go is hidden too. */
const updatedAtFor = (kind: ListKind, viewer: Viewer): string => {
  if (!isLimited(viewer.scope)) return 'l.updated_at';
  const newest = `max(l.created_at, coalesce((SELECT max(m.added_at) ${seenMembers(kind, viewer, 'l.id')}), 0))`;
  return SHAPES[kind].conditional ? `CASE WHEN l.condition IS NULL THEN ${newest} ELSE l.updated_at END` : newest;
};

const columnsFor = (kind: ListKind, viewer: Viewer) =>
  packed<List>({
    key: { sql: 'l.id' },
    id: { sql: 'l.uuid', as: 'uuid' },
    name: { sql: 'l.name' },
    summary: { sql: 'l.summary' },
    ordered: { sql: 'l.ordered', as: 'boolean' },
    condition: { sql: SHAPES[kind].conditional ? 'l.condition' : 'NULL', as: 'json' },
    memberCount: { sql: `(SELECT count(*) ${seenMembers(kind, viewer, 'l.id')})` },
    createdAt: { sql: 'l.created_at' },
    updatedAt: { sql: updatedAtFor(kind, viewer) },
  });

const select = async (
  from: Reader,
  kind: ListKind,
  viewer: Viewer,
  rest: string,
  binds: readonly Bind[],
): Promise<List[]> => {
  const columns = columnsFor(kind, viewer);
  const rows = await from.all<{ row: string }>(`SELECT ${columns.expression} AS row FROM ${kind} l ${rest}`, binds);
  return rows.map(({ row }) => columns.read(JSON.parse(row) as unknown[]));
};

export interface Listed {
  /** Keys of the automatic lists that show something, for those who do not see all. */
  readonly automatic?: readonly number[];
  /** Keys of the lists that are asked for, if not all are. */
  readonly among?: readonly number[];
}

const AMONG = 'l.id IN (SELECT value FROM json_each(?))';

/** The lists a user sees, by name. */
export const allLists = (
  parts: ReadParts,
  kind: ListKind,
  viewer: Viewer,
  window: Window,
  { automatic = [], among }: Listed = {},
): Promise<PageOf<List>> => {
  const limits = [
    ...(seesEmpty(kind, viewer) ? [] : [{ sql: `(${AMONG} OR ${showsMembers(kind, viewer)})`, keys: automatic }]),
    ...(among === undefined ? [] : [{ sql: AMONG, keys: among }]),
  ];
  const where = whereOf(limits.map(({ sql }) => sql));
  const keys = limits.map((limit) => JSON.stringify(limit.keys));
  return parts.db.snapshot(
    async (reads) => {
      const binds = [...keys, window.pageSize, offsetOf(window)];
      const items = await select(reads, kind, viewer, `${where} ORDER BY l.name_sort, l.id LIMIT ? OFFSET ?`, binds);
      const [count] = await reads.all<{ n: number }>(`SELECT count(*) AS n FROM ${kind} l ${where}`, keys);
      return { ...window, items, total: count?.n ?? 0 };
    },
    askerOf(parts, viewer),
  );
};

export const unknownList = (kind: ListKind): AppError =>
  new AppError('NotFound', `There is no ${SHAPES[kind].word} with this id.`);

/** Whether an automatic list shows something has to be counted. */
const andSeen = (kind: ListKind, viewer: Viewer): string =>
  seesEmpty(kind, viewer)
    ? ''
    : ` AND (${SHAPES[kind].conditional ? 'l.condition IS NOT NULL OR ' : ''}${showsMembers(kind, viewer)})`;

export const listById = async (from: Reader, kind: ListKind, viewer: Viewer, id: string): Promise<List> => {
  const where = `WHERE l.uuid = ?${andSeen(kind, viewer)}`;
  const [list] = await select(from, kind, viewer, where, [bytesOfUuid(id)]);
  if (list === undefined) throw unknownList(kind);
  return list;
};

/** The lists that show this member to the user, by name. `automatic`: keys of the lists whose condition it matches. */
export const listsWith = (
  db: Reads,
  kind: ListKind,
  viewer: Viewer,
  memberKey: number,
  automatic: readonly number[] = [],
): Promise<List[]> => {
  const { member, links } = SHAPES[kind];
  return select(
    db,
    kind,
    viewer,
    `WHERE l.id IN (SELECT m.${kind}_id FROM ${links} m INDEXED BY ${links}_by_${member} CROSS JOIN ${member} x ON x.id = m.${member}_id
       WHERE m.${member}_id = ?1 AND ${shown(member, 'x', viewer)}
       UNION ALL SELECT j.value FROM ${member} x CROSS JOIN json_each(?2) j WHERE x.id = ?1 AND ${shown(member, 'x', viewer)})
     ORDER BY l.name_sort, l.id`,
    [memberKey, JSON.stringify(automatic)],
  );
};

/** The key of a list whose members are about to be changed. */
export const listKey = async (tx: Tx, kind: ListKind, id: string): Promise<number> => {
  const { word, conditional } = SHAPES[kind];
  const [row] = await tx.all<{ id: number; automatic: number }>(
    `SELECT id, ${conditional ? 'condition IS NOT NULL' : '0'} AS automatic FROM ${kind} WHERE uuid = ?`,
    [bytesOfUuid(id)],
  );
  if (row === undefined) throw unknownList(kind);
  if (row.automatic === 1)
    throw new AppError(
      'Conflict',
      `A condition decides what is in this ${word}: change the condition, or clear it and fill the ${word} by hand.`,
    );
  return row.id;
};

export const touchList = (tx: Tx, kind: ListKind, key: number, nowMs: number): Promise<number> => {
  tx.report(updated(kind, [key], ASPECTS.members));
  return tx.run(`UPDATE ${kind} SET updated_at = ? WHERE id = ?`, [nowMs, key]);
};

const checkedName = (given: string): string => {
  const name = cleanName(given);
  if (name !== '' && [...name].length <= LIST_NAME_MAX) return name;
  const message = `must have 1 to ${LIST_NAME_MAX} characters`;
  throw new AppError('BadRequest', `The name ${message}.`, [{ path: 'name', message }]);
};

/** Throws when another list of this kind has the name; `ownKey` is the list that may have it. */
const refuseTaken = async (tx: Tx, kind: ListKind, name: string, ownKey: number): Promise<void> => {
  const [other] = await tx.all<{ name: string }>(`SELECT name FROM ${kind} WHERE name_key = ? AND id <> ?`, [
    listNameKey(name),
    ownKey,
  ]);
  if (other !== undefined)
    throw new AppError('Conflict', `There is already a ${SHAPES[kind].word} with the name "${other.name}".`);
};

const textOrNull = (text: string | null | undefined): string | null => {
  const trimmed = text?.toWellFormed().trim() ?? '';
  return trimmed === '' ? null : trimmed;
};

const badCondition = (message: string): AppError =>
  new AppError('BadRequest', `Invalid body: condition ${message}.`, [{ path: 'condition', message }]);

/** The condition as text for storage. Undefined: not given, or lists of this kind have none. */
const checkedCondition = (kind: ListKind, condition: unknown): string | null | undefined => {
  if (condition === undefined || !SHAPES[kind].conditional) return undefined;
  if (condition === null) return null;
  const parsed = parseCondition(condition, SERIES_FIELDS);
  // Everybody reads the conditions of collections; the names of sharing tags are for administrators.
  if (tests(parsed, 'sharingTag')) throw badCondition('must not test sharingTag');
  const text = JSON.stringify(condition);
  if (text.length > CONDITION_MAX) throw badCondition(`must be at most ${CONDITION_MAX} characters of JSON`);
  return text;
};

/** A condition replaces the existing members, so a collection whose condition is cleared is empty. */
const setCondition = async (tx: Tx, key: number, condition: string | null): Promise<void> => {
  if (condition !== null) {
    const [others] = await tx.all<{ n: number }>(
      'SELECT count(*) AS n FROM collection WHERE condition IS NOT NULL AND id <> ?',
      [key],
    );
    if ((others?.n ?? 0) >= AUTOMATIC_MAX)
      throw badCondition(`cannot be set: there are already ${AUTOMATIC_MAX} automatic collections`);
    const members = await tx.all<{ id: number }>(
      'DELETE FROM collection_series WHERE collection_id = ? RETURNING series_id AS id',
      [key],
    );
    tx.report(updated('series', keysIn(members), ASPECTS.members));
  }
  await tx.run('UPDATE collection SET condition = ? WHERE id = ?', [condition, key]);
};

export const createList = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  wanted: ListChange & { readonly name: string; readonly ordered: boolean },
): Promise<List> => {
  const name = checkedName(wanted.name);
  const condition = checkedCondition(kind, wanted.condition) ?? null;
  const now = clock.now();
  const id = newId(now);
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    await refuseTaken(tx, kind, name, 0);
    await tx.run(
      `INSERT INTO ${kind} (uuid, name, name_key, name_sort, summary, ordered, created_at, updated_at)
       VALUES (unhex(?1), ?2, ?3, ?4, ?5, ?6, ?7, ?7)`,
      [id, name, listNameKey(name), sortKey(name), textOrNull(wanted.summary), Number(wanted.ordered), now],
    );
    const list = await listById(tx, kind, viewer, uuidOfHex(id));
    tx.report(created(kind, [{ id: list.key, hex: id }]));
    if (condition === null) return list;
    await setCondition(tx, list.key, condition);
    return listById(tx, kind, viewer, list.id);
  });
};

export const changeList = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  change: ListChange,
): Promise<List> => {
  const condition = checkedCondition(kind, change.condition);
  const now = clock.now();
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const old = await listById(tx, kind, viewer, id);
    const name = change.name === undefined ? old.name : checkedName(change.name);
    const summary = change.summary === undefined ? old.summary : textOrNull(change.summary);
    await refuseTaken(tx, kind, name, old.key);
    await tx.run(
      `UPDATE ${kind} SET name = ?, name_key = ?, name_sort = ?, summary = ?, ordered = ?, updated_at = ? WHERE id = ?`,
      [name, listNameKey(name), sortKey(name), summary, Number(change.ordered ?? old.ordered), now, old.key],
    );
    tx.report(updated(kind, [old.key], ASPECTS.details | ASPECTS.members));
    if (condition !== undefined) await setCondition(tx, old.key, condition);
    return listById(tx, kind, viewer, id);
  });
};

/** Deletes a list. Its members are not changed. */
export const deleteList = async (db: Db, kind: ListKind, viewer: Viewer, id: string): Promise<void> => {
  const { member, links } = SHAPES[kind];
  const isGone = await db.write(viewer.userKey, 'interactive', async (tx) => {
    const [list] = await tx.all<PublicRow>(`SELECT id, hex(uuid) AS hex FROM ${kind} WHERE uuid = ?`, [
      bytesOfUuid(id),
    ]);
    if (list === undefined) return false;
    const gone = await tx.all<{ id: number }>(
      `DELETE FROM ${links} WHERE ${kind}_id = ? RETURNING ${member}_id AS id`,
      [list.id],
    );
    tx.report(updated(member, keysIn(gone), ASPECTS.members));
    await tx.run(`DELETE FROM ${kind} WHERE id = ?`, [list.id]);
    tx.report(removed(kind, [list]));
    return true;
  });
  if (!isGone) throw unknownList(kind);
};
