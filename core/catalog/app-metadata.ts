// Metadata as reader apps change them: values, lists of terms and locks in one request. A value locks its field; the locks that are named
// are set after all values.
import type { Clock } from '../engine/clock.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { addTitle, alternateTitles, removeTitle } from './alternate-titles.js';
import type { FactChange } from './book-facts.js';
import { type BookLockChange, changeBookLocks, changeBookMetadata } from './book-metadata.js';
import { bookById } from './books.js';
import {
  changeSeriesLocks,
  changeSeriesMetadata,
  type SeriesChange,
  type SeriesLockChange,
  seriesMetadata,
} from './series-metadata.js';
import { setTerms } from './taxonomy.js';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
}

export interface AppBookChange {
  readonly facts: FactChange;
  readonly tags: readonly string[] | undefined;
  readonly locks: BookLockChange;
}

interface Title {
  readonly label: string;
  readonly title: string;
}

export interface AppSeriesChange {
  readonly fields: SeriesChange;
  readonly genres: readonly string[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly titles: readonly Title[] | undefined;
  readonly locks: SeriesLockChange;
}

const saysAny = (change: object): boolean => Object.values(change).some((value) => value !== undefined);

export const changeBookAsApp = async (
  { db, clock }: Parts,
  viewer: Viewer,
  id: string,
  { facts, tags, locks }: AppBookChange,
): Promise<void> => {
  await bookById(db, viewer, id); // also when nothing is changed
  if (saysAny(facts)) await changeBookMetadata(db, clock, viewer, id, { facts, roles: {}, leftOut: new Set() });
  if (tags !== undefined) await setTerms(db, clock, 'tag', 'book', viewer, id, tags);
  if (saysAny(locks)) await changeBookLocks(db, clock, viewer, id, locks);
};

const replaceTitles = async (
  { db, clock }: Parts,
  viewer: Viewer,
  id: string,
  wanted: readonly Title[],
): Promise<void> => {
  const isSame = (a: Title) => (b: Title) => a.label === b.label && a.title === b.title;
  const present = await alternateTitles(db, viewer, id);
  for (const one of present) if (!wanted.some(isSame(one))) await removeTitle(db, clock, viewer, id, one.id);
  for (const one of wanted) if (!present.some(isSame(one))) await addTitle(db, clock, viewer, id, one);
};

export const changeSeriesAsApp = async (
  parts: Parts,
  viewer: Viewer,
  id: string,
  { fields, genres, tags, titles, locks }: AppSeriesChange,
): Promise<void> => {
  const { db, clock } = parts;
  await seriesMetadata(db, viewer, id); // also when nothing is changed
  if (saysAny(fields)) await changeSeriesMetadata(db, clock, viewer, id, fields);
  if (genres !== undefined) await setTerms(db, clock, 'genre', 'series', viewer, id, genres);
  if (tags !== undefined) await setTerms(db, clock, 'tag', 'series', viewer, id, tags);
  if (titles !== undefined) await replaceTitles(parts, viewer, id, titles);
  if (saysAny(locks)) await changeSeriesLocks(db, clock, viewer, id, locks);
};
