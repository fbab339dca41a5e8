// Members of collections and read lists: paging, the first with a cover, adding, ordering, removing.
import type { Clock } from '../../engine/clock.js';
import { AppError } from '../../model/errors.js';
import { bytesOfUuid, hexOfUuid } from '../../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../../model/paging.js';
import type { Viewer } from '../../model/viewer.js';
import type { Db, Reads, Tx } from '../../store/db.js';
import { ASPECTS, keysIn, updated } from '../../store/feed.js';
import type { Ids } from '../../store/packed.js';
import { type Book, booksInOrder } from '../books.js';
import { askerOf, listReads, type ReadParts } from '../list-reads.js';
import { andVisibleRow } from '../public-ids.js';
import type { ListParts } from '../query/page.js';
import { type Series, seriesInOrder } from '../series.js';
import { automaticSeries, firstOfAutomatic, refuseUnseen } from './automatic.js';
import { type ListKind, linked, SHAPES, seenMembers } from './kinds.js';
import { type List, listById, listKey, touchList } from './lists.js';
import { shown } from './shown.js';

export const MEMBERS_MAX = 10_000;

/** Terms of each sort. If the first has no value the member is last, in either direction. */
export const MEMBER_SORTS = {
  collection: {
    title: ['x.name_sort'],
    added: ['m.added_at', 'm.position'],
    year: ['x.year', 'x.name_sort'],
    position: ['m.position'],
  },
  read_list: {
    release: ["d.facts ->> '$.year'", "d.facts ->> '$.month'", "d.facts ->> '$.day'", 'x.title_sort'],
    title: ['x.title_sort', 'x.file_name'],
    added: ['m.added_at', 'm.position'],
    position: ['m.position'],
  },
} as const satisfies Record<ListKind, Readonly<Record<string, readonly string[]>>>;

type CollectionSort = keyof (typeof MEMBER_SORTS)['collection'];
type ReadListSort = keyof (typeof MEMBER_SORTS)['read_list'];

/** Without a sort the list decides: an ordered one goes by position, others by title or release date. */
export interface MemberOrder<S extends string> {
  readonly sort: S | undefined;
  readonly descending: boolean;
}

const ownSort = (kind: ListKind, list: List): CollectionSort | ReadListSort => {
  if (list.ordered) return 'position';
  return kind === 'collection' ? 'title' : 'release';
};

export const orderTerms = (kind: ListKind, list: List, order: MemberOrder<CollectionSort | ReadListSort>): string => {
  const sorts: Readonly<Record<string, readonly string[]>> = MEMBER_SORTS[kind];
  const terms = sorts[order.sort ?? ownSort(kind, list)] ?? [];
  const direction = order.descending ? 'DESC' : 'ASC';
  const [first = 'x.id'] = terms;
  return [`${first} IS NULL`, ...[...terms, 'x.id'].map((term) => `${term} ${direction}`)].join(', ');
};

/** Release dates are among the facts of a book. */
export const JOIN: Record<ListKind, string> = {
  collection: '',
  read_list: 'LEFT JOIN book_metadata d ON d.book_id = x.id',
};

interface Members {
  readonly kind: ListKind;
  readonly viewer: Viewer;
  readonly list: List;
  readonly order: MemberOrder<CollectionSort | ReadListSort>;
  readonly window: Window;
  /** A further condition in SQL on a member `x`. */
  readonly only?: string;
}

/** One page of the members that the viewer sees; its total is that of all of them. */
export const membersOf = async <T>(
  db: Reads,
  { kind, viewer, list, order, window, only = '' }: Members,
  rows: (db: Reads, viewer: Viewer, keys: Ids) => Promise<T[]>,
): Promise<PageOf<T>> => {
  const sql = `SELECT x.id, row_number() OVER (ORDER BY ${orderTerms(kind, list, order)}) AS place
    ${seenMembers(kind, viewer, '?', JOIN[kind])} ${only} ORDER BY place LIMIT ? OFFSET ?`;
  const binds = [list.key, window.pageSize, offsetOf(window)];
  const items = await rows(db, viewer, { sql, binds, rows: window.pageSize });
  return { ...window, items, total: list.memberCount };
};

export const seriesOfCollection = async (
  parts: ListParts,
  viewer: Viewer,
  id: string,
  order: MemberOrder<CollectionSort>,
  window: Window,
): Promise<PageOf<Series>> => {
  const found = await parts.db.snapshot(
    async (reads) => {
      const list = await listById(reads, 'collection', viewer, id);
      if (list.condition !== null) return list;
      return membersOf(reads, { kind: 'collection', viewer, list, order, window }, seriesInOrder);
    },
    askerOf(parts, viewer),
  );
  if ('items' in found) return found;
  await refuseUnseen(parts, viewer, found);
  return automaticSeries(parts, viewer, found, order, window);
};

export const booksOfReadList = (
  parts: ReadParts,
  viewer: Viewer,
  id: string,
  order: MemberOrder<ReadListSort>,
  window: Window,
): Promise<PageOf<Book>> =>
  parts.db.snapshot(
    async (reads) => {
      const list = await listById(reads, 'read_list', viewer, id);
      return membersOf(reads, { kind: 'read_list', viewer, list, order, window }, booksInOrder);
    },
    askerOf(parts, viewer),
  );

/** So many are tried: each may turn out to have no picture. */
export const COVERS_TRIED = 20;

/** The first members, in list order, that have pages and therefore perhaps a cover. */
export const membersWithPages = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  id: string,
): Promise<readonly { readonly key: number; readonly uuid: Buffer }[]> => {
  const reads = listReads(parts, viewer);
  const list = await listById(reads, kind, viewer, id);
  await refuseUnseen(parts, viewer, list);
  if (list.condition !== null) return firstOfAutomatic(parts, viewer, list, COVERS_TRIED);
  const terms = orderTerms(kind, list, { sort: undefined, descending: false });
  return reads.all<{ key: number; uuid: Buffer }>(
    `SELECT x.id AS key, x.uuid ${seenMembers(kind, viewer, '?', JOIN[kind])} AND x.page_count > 0 ORDER BY ${terms} LIMIT ${COVERS_TRIED}`,
    [list.key],
  );
};

/** A member named in a request, and where in the request. */
export interface Named {
  readonly id: string;
  readonly path: string;
}

const refuseNamed = (faults: readonly Named[], message: string): void => {
  if (faults.length === 0) return;
  const details = faults.slice(0, 20).map(({ path }) => ({ path, message }));
  const sentence = details.map((one) => `${one.path} ${message}`).join('; ');
  throw new AppError('BadRequest', `Invalid body: ${sentence}.`, details);
};

/** Keys of members in the order given, without duplicates. A row the user cannot see is treated as one that does not exist. */
export const keysOf = async (
  tx: Tx,
  kind: ListKind,
  viewer: Viewer,
  named: readonly Named[],
): Promise<readonly number[]> => {
  const { member } = SHAPES[kind];
  const rows = await tx.all<{ id: number | null }>(
    `SELECT (SELECT x.id FROM ${member} x WHERE x.uuid = unhex(j.value) AND ${shown(member, 'x', viewer)}) AS id
     FROM json_each(?) j ORDER BY j.key`,
    [JSON.stringify(named.map(({ id }) => hexOfUuid(id)))],
  );
  const unknown = named.filter((_, at) => rows[at]?.id === null);
  refuseNamed(unknown, `is not the id of a ${member}`);
  return [...new Set(rows.flatMap(({ id }) => (id === null ? [] : [id])))];
};

interface Link {
  readonly key: number;
  readonly hex: string;
  readonly position: number;
  /** 1 if it is in the viewer's scope. */
  readonly seen: number;
}

/** All members in order, including those nobody can see now: they keep their places. */
const linksOf = (tx: Tx, kind: ListKind, viewer: Viewer, key: number): Promise<Link[]> =>
  tx.all<Link>(
    `SELECT x.id AS key, lower(hex(x.uuid)) AS hex, m.position,
       1${andVisibleRow(viewer, SHAPES[kind].member, 'x')} AS seen ${linked(kind)} WHERE m.${kind}_id = ? ORDER BY m.position, x.id`,
    [key],
  );

/** Appends members; existing members keep their places. */
export const addMembers = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  named: readonly Named[],
): Promise<List> => {
  const { member, links } = SHAPES[kind];
  const now = clock.now();
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const key = await listKey(tx, kind, id);
    const present = await linksOf(tx, kind, viewer, key);
    const known = new Set(present.map((link) => link.key));
    const added = (await keysOf(tx, kind, viewer, named)).filter((one) => !known.has(one));
    if (present.length + added.length > MEMBERS_MAX)
      throw new AppError('BadRequest', `A ${SHAPES[kind].word} has at most ${MEMBERS_MAX} members.`);
    if (added.length > 0) {
      const last = present.at(-1)?.position ?? 0;
      await tx.run(
        `INSERT INTO ${links} (${kind}_id, ${member}_id, position, added_at) SELECT ?1, value, ?2 + key, ?3 FROM json_each(?4)`,
        [key, last + 1, now, JSON.stringify(added)],
      );
      tx.report(updated(member, added, ASPECTS.members));
      await touchList(tx, kind, key, now);
    }
    return listById(tx, kind, viewer, id);
  });
};

/** The new order: the named members first, then the others as they were. Each name must be a member, and must not be repeated. */
const orderOfNamed = (kind: ListKind, links: readonly Link[], named: readonly Named[]): readonly Link[] => {
  const byHex = new Map(links.filter(({ seen }) => seen === 1).map((link) => [link.hex, link]));
  const wanted = named.map(({ id, path }) => ({ id, path, link: byHex.get(hexOfUuid(id)) }));
  refuseNamed(
    wanted.filter(({ link }) => link === undefined),
    `is not a member of the ${SHAPES[kind].word}`,
  );
  const first = new Set<Link>();
  const twice = wanted.filter(({ link }) => link !== undefined && first.size === first.add(link).size);
  refuseNamed(twice, 'is named twice');
  return [...first, ...links.filter((link) => !first.has(link))];
};

export const orderMembers = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  named: readonly Named[],
): Promise<List> => {
  const { member, links } = SHAPES[kind];
  const now = clock.now();
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const key = await listKey(tx, kind, id);
    const order = orderOfNamed(kind, await linksOf(tx, kind, viewer, key), named);
    const moved = order.map((link, at) => [link.key, at + 1, link.position]).filter(([, to, from]) => to !== from);
    if (moved.length > 0) {
      // All of these rows exist. An UPDATE from json_each walks the whole list once per row; this looks each one up.
      await tx.run(
        `INSERT INTO ${links} (${kind}_id, ${member}_id, position, added_at)
         SELECT ?1, value ->> 0, value ->> 1, 0 FROM json_each(?2) WHERE true
         ON CONFLICT (${kind}_id, ${member}_id) DO UPDATE SET position = excluded.position`,
        [key, JSON.stringify(moved)],
      );
      tx.report(
        updated(
          member,
          moved.map(([one]) => Number(one)),
          ASPECTS.members,
        ),
      );
      await touchList(tx, kind, key, now);
    }
    return listById(tx, kind, viewer, id);
  });
};

/** Removes a member; does nothing if it is not one. */
export const removeMember = async (
  db: Db,
  clock: Clock,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  memberId: string,
): Promise<void> => {
  const { member, links } = SHAPES[kind];
  const now = clock.now();
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const key = await listKey(tx, kind, id);
    const gone = await tx.all<{ id: number }>(
      `DELETE FROM ${links} WHERE ${kind}_id = ? AND ${member}_id = (SELECT o.id FROM ${member} o WHERE o.uuid = ?${andVisibleRow(viewer, member, 'o')}) RETURNING ${member}_id AS id`,
      [key, bytesOfUuid(memberId)],
    );
    tx.report(updated(member, keysIn(gone), ASPECTS.members));
    if (gone.length > 0) await touchList(tx, kind, key, now);
  });
};
