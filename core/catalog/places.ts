// Where something is asked for: in some libraries, in one series, collection or read list. As SQL over a row `s` of the series.
import { hexOfUuid } from '../model/ids.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import type { Bind, Reads } from '../store/db.js';
import { seenMembers } from './collections/kinds.js';
import { listById } from './collections/lists.js';
import type { ReadParts } from './list-reads.js';
import { resolve } from './public-ids.js';
import { countOf } from './query/kept-counts.js';
import type { SetCache } from './query/set-cache.js';
import { andVisible } from './visibility.js';

export interface Place {
  /** Ids that name no library are ignored; if none is left, nothing is found. */
  readonly libraryIds?: readonly string[] | undefined;
  readonly seriesId?: string | undefined;
  readonly collectionId?: string | undefined;
  /** The series of the books in it. */
  readonly readListId?: string | undefined;
  /** Ids that name no series are ignored, even if none is left. */
  readonly seriesIds?: readonly string[] | undefined;
  /** The series of these books. */
  readonly bookIds?: readonly string[] | undefined;
}

export interface Where {
  readonly sql: string;
  readonly binds: readonly Bind[];
}

const inLibraries = (ids: readonly string[] | undefined): Where[] =>
  ids === undefined || ids.length === 0
    ? []
    : [
        {
          sql: 's.library_id IN (SELECT l.id FROM json_each(?) j CROSS JOIN library l ON l.uuid = unhex(j.value))',
          binds: [JSON.stringify(ids.map(hexOfUuid))],
        },
      ];

const inSeries = async (db: Reads, viewer: Viewer, id: string | undefined): Promise<Where[]> =>
  id === undefined ? [] : [{ sql: 's.id = ?', binds: [(await resolve(db, 'series', id, viewer)).key] }];

const inCollection = async (db: Reads, viewer: Viewer, id: string | undefined): Promise<Where[]> => {
  if (id === undefined) return [];
  const { key } = await listById(db, 'collection', viewer, id);
  return [{ sql: `s.id IN (SELECT x.id ${seenMembers('collection', viewer, '?')})`, binds: [key] }];
};

const inReadList = async (db: Reads, viewer: Viewer, id: string | undefined): Promise<Where[]> => {
  if (id === undefined) return [];
  const { key } = await listById(db, 'read_list', viewer, id);
  return [{ sql: `s.id IN (SELECT x.series_id ${seenMembers('read_list', viewer, '?')})`, binds: [key] }];
};

/** An empty list matches nothing; only a missing one does not filter. */
const among = (ids: readonly string[] | undefined, found: string): Where[] =>
  ids === undefined
    ? []
    : [
        {
          sql: `s.id IN (SELECT ${found} x ON x.uuid = unhex(j.value))`,
          binds: [JSON.stringify(ids.map(hexOfUuid))],
        },
      ];

/** The series (`s`) there that have books and that the viewer sees, as a condition. */
export const seriesIn = async (db: Reads, viewer: Viewer, place: Place = {}): Promise<Where> => {
  const parts = [
    ...inLibraries(place.libraryIds),
    ...(await inSeries(db, viewer, place.seriesId)),
    ...(await inCollection(db, viewer, place.collectionId)),
    ...(await inReadList(db, viewer, place.readListId)),
    ...among(place.seriesIds, 'x.id FROM json_each(?) j CROSS JOIN series'),
    ...among(place.bookIds, 'x.series_id FROM json_each(?) j CROSS JOIN book'),
  ];
  return {
    sql: `s.book_count > 0${andVisible(viewer.scope, 's')}${parts.map(({ sql }) => ` AND ${sql}`).join('')}`,
    binds: parts.flatMap(({ binds }) => binds),
  };
};

/** Whether everything with books is asked for. */
export const isEverywhere = (viewer: Viewer, { libraryIds = [], ...others }: Place = {}): boolean =>
  !isLimited(viewer.scope) && libraryIds.length === 0 && Object.values(others).every((value) => value === undefined);

/** These can come to hold other series without a change to any book or series. */
const LISTS = ['collectionId', 'readListId', 'seriesIds', 'bookIds'] as const;

/** Whether only changes to books and series can change what is there, so that its counts can be kept. */
export const isCounted = (place: Place = {}): boolean => LISTS.every((list) => place[list] === undefined);

export interface CountParts extends ReadParts {
  readonly sets: Pick<SetCache, 'counts'>;
}

/** Counts what is in a place, or takes the kept count. */
export const countingIn =
  ({ sets }: CountParts, reads: Reads, place?: Place) =>
  (sql: string, binds: readonly Bind[]): Promise<number> =>
    isCounted(place) ? sets.counts.of(reads, sql, binds) : countOf(reads, sql, binds);

/** Which part of all series with books a condition finds, from 0 to 1: it decides from which side things are counted. */
export const shareOf = async (
  count: (sql: string, binds: readonly Bind[]) => Promise<number>,
  series: Where,
): Promise<number> => {
  const seen = await count(`SELECT count(*) AS n FROM series s WHERE ${series.sql}`, series.binds);
  const all = await count('SELECT count(*) AS n FROM series WHERE book_count > 0', []);
  return all === 0 ? 1 : seen / all;
};
