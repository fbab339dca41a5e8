// Changing the metadata of one series, locking its fields, and resetting it to what its folder and books say.
import type { Clock } from '../engine/clock.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Tx } from '../store/db.js';
import { told } from '../store/told-reports.js';
import { type Asking, asAsked } from './asking.js';
import { isSilent } from './book-facts.js';
import { checkedLanguage, refuseTooMuch } from './checked-facts.js';
import {
  FIELDS,
  NO_FIELDS,
  SERIES_LOCKS,
  type SeriesField,
  type SeriesFields,
  type SeriesLock,
  type SeriesMetadata,
  seriesMetadata,
  titleOfPath,
  writeSeries,
} from './series-record.js';
import { remakeSeriesTitles } from './series-titles.js';
import { type Cleared, SETTLED_FIELDS, settleSeries, toldOfSeries } from './settle-series.js';
import { settleManySeries, sourcesOfSeries } from './settled-series.js';
import { settleUnions } from './taxonomy-links.js';

export type SeriesChange = { readonly [K in SeriesField]?: SeriesFields[K] | null | undefined };
export type SeriesLockChange = { readonly [K in SeriesLock]?: boolean | undefined };

const changed = (old: SeriesMetadata, change: SeriesChange): SeriesMetadata => {
  const named = FIELDS.filter((field) => change[field] !== undefined);
  const set = named.filter((field) => change[field] !== null);
  const cleared = { ...NO_FIELDS, title: titleOfPath(old.path) };
  return {
    ...old,
    ...(Object.fromEntries(named.map((field) => [field, change[field] ?? cleared[field]])) as Partial<SeriesFields>),
    locks: SERIES_LOCKS.filter((lock) => old.locks.includes(lock) || set.some((field) => field === lock)),
  };
};

/** Fields cleared without a lock, and those cleared earlier that this change does not touch. */
const clearedBy = async (
  tx: Tx,
  next: SeriesMetadata,
  change: SeriesChange,
  leftOut: ReadonlySet<string>,
): Promise<Cleared | null> => {
  const free = SETTLED_FIELDS.filter((field) => !next.locks.includes(field));
  const kept = free.filter((field) => change[field] === undefined && field in (next.cleared ?? {}));
  const emptied = free.filter((field) => change[field] === null && !leftOut.has(field));
  const sources = emptied.length === 0 ? undefined : await sourcesOfSeries(tx, next.key);
  const told = sources && toldOfSeries(sources, new Set(next.locks));
  const entries = [
    ...kept.map((field) => [field, next.cleared?.[field]]),
    ...emptied.filter((field) => !isSilent(told?.[field])).map((field) => [field, told?.[field]]),
  ];
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Cleared);
};

/**
 * The rating decides who may see the series. If no user has set one, it does not wait for an analysis: it is taken from the books at once.
 */
const ratingOfBooks = async (tx: Tx, old: SeriesMetadata): Promise<number | null> => {
  const sources = await sourcesOfSeries(tx, old.key);
  return sources === undefined
    ? null
    : settleSeries(sources, { values: old, locks: new Set(), cleared: {} }).values.ageRating;
};

/**
 * Absent keeps, null clears, a value sets the field and locks it. `leftOut`: fields that are null because a replacement did not name them;
 * the next analysis fills them again.
 */
export const changeSeriesMetadataIn = async (
  { tx, viewer, nowMs }: Asking,
  id: string,
  asked: SeriesChange,
  leftOut: ReadonlySet<string> = new Set(),
): Promise<SeriesMetadata> => {
  const change = { ...asked, language: checkedLanguage('language', asked.language) };
  refuseTooMuch({}, change, change);
  const old = await seriesMetadata(tx, viewer, id);
  const made = changed(old, change);
  const isRatedByBooks = leftOut.has('ageRating') && !made.locks.includes('ageRating');
  const ageRating = isRatedByBooks ? await ratingOfBooks(tx, old) : made.ageRating;
  const next = { ...made, ageRating, cleared: await clearedBy(tx, made, change, leftOut), updatedAt: nowMs };
  await writeSeries(tx, old, next, nowMs);
  const named = FIELDS.filter((field) => change[field] !== undefined);
  tx.report(told('series', [old.key], [...new Set(named.map((field) => (field === 'title' ? field : 'metadata')))]));
  return next;
};

export const changeSeriesMetadata = (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  id: string,
  asked: SeriesChange,
  leftOut?: ReadonlySet<string>,
): Promise<SeriesMetadata> =>
  asAsked(db, clock, viewer, (asking) => changeSeriesMetadataIn(asking, id, asked, leftOut));

/**
 * Absent keeps, true locks, false unlocks. An unlocked field takes the value from its sources at once, and so does an unlocked list of
 * genres or tags. An unlocked title comes from the folder again; an unlocked sort title follows the title. Fields without a source keep
 * their value, and so does a title `given` in the same change.
 */
export const changeSeriesLocksIn = async (
  { tx, viewer, nowMs }: Asking,
  id: string,
  change: SeriesLockChange,
  given: SeriesChange = {},
): Promise<SeriesMetadata> => {
  const old = await seriesMetadata(tx, viewer, id);
  const locks = SERIES_LOCKS.filter((lock) => change[lock] ?? old.locks.includes(lock));
  const isUnlocked = (lock: SeriesLock): boolean => old.locks.includes(lock) && !locks.includes(lock);
  const unlocked = [...SETTLED_FIELDS, 'links' as const].filter(isUnlocked);
  const isKnown = unlocked.length > 0 && (await sourcesOfSeries(tx, old.key))?.isComplete === true;
  const emptied = Object.fromEntries(isKnown ? unlocked.map((field) => [field, null]) : []);
  const titleSort = isUnlocked('titleSort') && !given.titleSort ? null : old.titleSort;
  const open = { ...old, ...emptied, titleSort, locks, updatedAt: nowMs };
  await writeSeries(tx, old, { ...open, cleared: await clearedBy(tx, open, {}, new Set()) }, nowMs);
  if (unlocked.length > 0) await settleManySeries(tx, [old.key], nowMs);
  if (isUnlocked('title') && !given.title) await remakeSeriesTitles(tx, [old.key], nowMs);
  await settleUnions(tx, [old.key]);
  tx.report(told('series', [old.key], ['metadata_locks']));
  return seriesMetadata(tx, viewer, id);
};

export const changeSeriesLocks = (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  id: string,
  change: SeriesLockChange,
): Promise<SeriesMetadata> => asAsked(db, clock, viewer, (asking) => changeSeriesLocksIn(asking, id, change));

/**
 * Discards everything that was set or found, locks included. Genres, tags and rating are taken from the books; the rest follows with their
 * next analysis.
 */
export const resetSeriesMetadata = async (db: Db, clock: Clock, viewer: Viewer, id: string): Promise<void> => {
  const now = clock.now();
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const old = await seriesMetadata(tx, viewer, id);
    await tx.run('UPDATE series SET departed_rating = NULL WHERE id = ?', [old.key]);
    const ageRating = await ratingOfBooks(tx, old);
    const empty = {
      ...old,
      ...NO_FIELDS,
      title: titleOfPath(old.path),
      ageRating,
      links: null,
      locks: [],
      cleared: null,
    };
    await writeSeries(tx, old, empty, now);
    await tx.run('DELETE FROM series_title WHERE series_id = ?', [old.key]);
    await settleUnions(tx, [old.key]);
    tx.report(told('series', [old.key], ['title', 'metadata', 'metadata_locks', 'alternate_titles', 'genres', 'tags']));
  });
};
