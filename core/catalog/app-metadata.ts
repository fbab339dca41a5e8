// Metadata as reader apps change them: values, lists of terms and locks in one request, and one transaction. A value locks its field; the
// locks that are named are set after all values.
import type { Clock } from '../engine/clock.js';
import type { Link } from '../model/metadata.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { type LabelledTitle, replaceTitlesIn } from './alternate-titles.js';
import { asAsked } from './asking.js';
import type { FactChange } from './book-facts.js';
import { type BookLockChange, changeBookLocksIn, changeBookMetadataIn } from './book-metadata.js';
import { resolve } from './public-ids.js';
import { setLinksIn } from './series-links.js';
import {
  changeSeriesLocksIn,
  changeSeriesMetadataIn,
  type SeriesChange,
  type SeriesLockChange,
} from './series-metadata.js';
import { setTermsIn } from './taxonomy.js';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
}

export interface AppBookChange {
  readonly facts: FactChange;
  readonly tags: readonly string[] | undefined;
  readonly locks: BookLockChange;
}

export interface AppSeriesChange {
  readonly fields: SeriesChange;
  readonly genres: readonly string[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly titles: readonly LabelledTitle[] | undefined;
  readonly links: readonly Link[] | undefined;
  readonly locks: SeriesLockChange;
}

const saysAny = (change: object): boolean => Object.values(change).some((value) => value !== undefined);

export const changeBookAsApp = async (
  { db, clock }: Parts,
  viewer: Viewer,
  id: string,
  { facts, tags, locks }: AppBookChange,
): Promise<void> => {
  await resolve(db, 'book', id, viewer); // also when nothing is changed
  if (!saysAny(facts) && tags === undefined && !saysAny(locks)) return;
  await asAsked(db, clock, viewer, async (asking) => {
    if (saysAny(facts)) await changeBookMetadataIn(asking, id, { facts, roles: {}, leftOut: new Set() });
    if (tags !== undefined) await setTermsIn(asking, 'tag', 'book', id, tags);
    if (saysAny(locks)) await changeBookLocksIn(asking, id, locks);
  });
};

export const changeSeriesAsApp = async (
  { db, clock }: Parts,
  viewer: Viewer,
  id: string,
  { fields, locks, ...lists }: AppSeriesChange,
): Promise<void> => {
  const { genres, tags, titles, links } = lists;
  await resolve(db, 'series', id, viewer); // also when nothing is changed
  if (![fields, lists, locks].some(saysAny)) return;
  await asAsked(db, clock, viewer, async (asking) => {
    if (saysAny(fields)) await changeSeriesMetadataIn(asking, id, fields);
    if (genres !== undefined) await setTermsIn(asking, 'genre', 'series', id, genres);
    if (tags !== undefined) await setTermsIn(asking, 'tag', 'series', id, tags);
    if (titles !== undefined) await replaceTitlesIn(asking, id, titles);
    if (links !== undefined) await setLinksIn(asking, id, links);
    if (saysAny(locks)) await changeSeriesLocksIn(asking, id, locks, fields);
  });
};
