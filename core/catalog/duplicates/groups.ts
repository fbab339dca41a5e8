// Groups of duplicates as a person may see them: a group of which they see fewer than two members does not exist, and is counted nowhere.
import { AppError } from '../../model/errors.js';
import { bytesOfUuid, uuidOfHex } from '../../model/ids.js';
import { offsetOf, type Window } from '../../model/paging.js';
import { isLimited, type Viewer } from '../../model/viewer.js';
import type { Db } from '../../store/db.js';
import { listReads, type ReadParts } from '../list-reads.js';
import { andVisible, andVisibleBook, visibleBookCount } from '../visibility.js';
import { dismissMembers, type GroupKind, KIND } from './store.js';

export interface BookGroup {
  readonly id: string;
  /** Empty for editions, whose files differ. */
  readonly fileHash: string;
  readonly bookIds: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SeriesMember {
  readonly id: string;
  readonly title: string;
  readonly libraryId: string;
  readonly libraryName: string;
  readonly bookCount: number;
  readonly updatedAt: number;
}

export interface SeriesGroup {
  readonly id: string;
  readonly libraryId: string;
  readonly matchKey: string;
  readonly members: readonly SeriesMember[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One page of groups, and the totals of all. */
export interface Groups<T> {
  readonly groups: readonly T[];
  readonly totalGroups: number;
  readonly totalMembers: number;
}

/** Present members. A file that changed since the search is no duplicate. */
const ofBooks = ({ scope }: Viewer, kind: GroupKind): string =>
  `FROM duplicate_group g CROSS JOIN duplicate_book m ON m.group_id = g.id CROSS JOIN book b ON b.id = m.book_id
   WHERE g.kind = ${kind} AND g.dismissed = 0 AND b.deleted = 0${kind === KIND.file ? ' AND b.file_hash = g.match_key' : ''}${andVisibleBook(scope, 'b')}`;

/** A series that was renamed since the search has to be compared again. */
const ofSeries = ({ scope }: Viewer): string =>
  `FROM duplicate_group g CROSS JOIN duplicate_series m ON m.group_id = g.id CROSS JOIN series s ON s.id = m.series_id
     CROSS JOIN series_key k ON k.series_id = s.id CROSS JOIN library l ON l.id = s.library_id
   WHERE g.kind = ${KIND.series} AND g.dismissed = 0 AND s.book_count > 0 AND k.name = s.name AND k.title_key = g.match_key
     AND s.library_id = g.library_id AND l.removing = 0${andVisible(scope, 's')}`;

/** A group is dismissed for a user when every member that they see is dismissed. */
const GROUPED = 'GROUP BY g.id HAVING count(*) >= 2 AND min(m.dismissed) = 0';

/** Editions must differ: copies of one file are grouped only because of a book that this viewer cannot see. */
const booksGrouped = ({ scope }: Viewer, kind: GroupKind): string =>
  kind === KIND.edition && isLimited(scope) ? `${GROUPED} AND count(DISTINCT b.file_hash) >= 2` : GROUPED;

/** The times of a group could reveal hidden members, so users with restrictions get those of the newest member that they see. */
const timesOf = (viewer: Viewer, member: string): string =>
  isLimited(viewer.scope)
    ? `max(${member}.created_at) AS createdAt, max(${member}.created_at) AS updatedAt`
    : 'g.created_at AS createdAt, g.updated_at AS updatedAt';

const totalsSql = (members: string, grouped: string): string =>
  `SELECT count(*) AS totalGroups, coalesce(sum(n), 0) AS totalMembers FROM (SELECT count(*) AS n ${members} ${grouped})`;

interface Totals {
  readonly totalGroups: number;
  readonly totalMembers: number;
}

const NONE: Totals = { totalGroups: 0, totalMembers: 0 };

interface BookRow {
  readonly hex: string;
  readonly fileHash: string;
  readonly books: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const idsOf = (json: string): string[] => (JSON.parse(json) as string[]).map(uuidOfHex);

export const bookGroupsSql = (viewer: Viewer, kind: GroupKind): string =>
  `SELECT hex(g.uuid) AS hex, iif(g.kind = ${KIND.file}, g.match_key, '') AS fileHash, json_group_array(hex(b.uuid)) AS books,
     ${timesOf(viewer, 'b')} ${ofBooks(viewer, kind)} ${booksGrouped(viewer, kind)} ORDER BY g.id LIMIT ? OFFSET ?`;

export const bookGroups = async (
  parts: ReadParts,
  viewer: Viewer,
  kind: 'file' | 'edition',
  window: Window,
): Promise<Groups<BookGroup>> => {
  const reads = listReads(parts, viewer);
  const [totals = NONE] = await reads.all<Totals>(
    totalsSql(ofBooks(viewer, KIND[kind]), booksGrouped(viewer, KIND[kind])),
    [],
  );
  const rows = await reads.all<BookRow>(bookGroupsSql(viewer, KIND[kind]), [window.pageSize, offsetOf(window)]);
  const groups = rows.map(
    ({ hex, books, ...row }): BookGroup => ({ ...row, id: uuidOfHex(hex), bookIds: idsOf(books) }),
  );
  return { ...totals, groups };
};

interface SeriesRow {
  readonly hex: string;
  readonly libraryHex: string;
  readonly matchKey: string;
  readonly series: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const memberFor = ({
  scope,
}: Viewer): string => `json_object('id', hex(s.uuid), 'title', s.name, 'libraryId', hex(l.uuid), 'libraryName', l.name,
  'bookCount', ${visibleBookCount(scope, 's')}, 'updatedAt', s.updated_at)`;

export const seriesGroupsSql = (viewer: Viewer): string =>
  `SELECT hex(g.uuid) AS hex, hex(l.uuid) AS libraryHex, g.match_key AS matchKey, json_group_array(${memberFor(viewer)}) AS series,
     ${timesOf(viewer, 's')} ${ofSeries(viewer)} ${GROUPED} ORDER BY g.id LIMIT ? OFFSET ?`;

const membersOf = (json: string): SeriesMember[] =>
  (JSON.parse(json) as SeriesMember[]).map((member) => ({
    ...member,
    id: uuidOfHex(member.id),
    libraryId: uuidOfHex(member.libraryId),
  }));

export const seriesGroups = async (parts: ReadParts, viewer: Viewer, window: Window): Promise<Groups<SeriesGroup>> => {
  const reads = listReads(parts, viewer);
  const [totals = NONE] = await reads.all<Totals>(totalsSql(ofSeries(viewer), GROUPED), []);
  const rows = await reads.all<SeriesRow>(seriesGroupsSql(viewer), [window.pageSize, offsetOf(window)]);
  const groups = rows.map(
    ({ hex, libraryHex, series, ...row }): SeriesGroup => ({
      ...row,
      id: uuidOfHex(hex),
      libraryId: uuidOfHex(libraryHex),
      members: membersOf(series),
    }),
  );
  return { ...totals, groups };
};

/**
 * Dismisses a group until a member joins. A group of which the viewer does not see two members does not exist, and members that they do not
 * see stay as they are.
 */
export const dismissGroup = async (db: Db, viewer: Viewer, of: 'books' | 'series', id: string): Promise<void> => {
  const books = [KIND.file, KIND.edition].map(
    (kind) => [kind, 'm.book_id', ofBooks(viewer, kind), booksGrouped(viewer, kind)] as const,
  );
  const seen = of === 'series' ? [[KIND.series, 'm.series_id', ofSeries(viewer), GROUPED] as const] : books;
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    for (const [kind, member, members, grouped] of seen) {
      const [group] = await tx.all<{ id: number; members: string }>(
        `SELECT g.id, json_group_array(${member}) AS members ${members} AND g.uuid = ? ${grouped}`,
        [bytesOfUuid(id)],
      );
      if (group === undefined) continue;
      await dismissMembers(tx, kind, group.id, JSON.parse(group.members) as number[]);
      return;
    }
    throw new AppError('NotFound', 'There is no group of duplicates with this id.');
  });
};
