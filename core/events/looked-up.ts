// The changed rows, read in one snapshot for all audiences.
import type { Reads } from '../store/db.js';
import type { Audience, Seen } from './audience.js';
import type { Changes, Rows } from './changes.js';
import { SINGLE_MAX } from './pace.js';
import {
  type Account,
  accountsByKey,
  type BookPlace,
  booksByKey,
  booksOfSeries,
  type SeriesPlace,
  seenAgain,
  seenIn,
  seriesByKey,
  seriesOf,
} from './rows.js';

/** Beyond this, rows are not looked up individually. */
const ROWS_MAX = 1000;

export interface Looked {
  readonly books: readonly BookPlace[];
  readonly series: ReadonlyMap<number, SeriesPlace>;
  /** Series in which too many books changed for individual events. */
  readonly crowded: readonly SeriesPlace[];
  readonly accounts: ReadonlyMap<number, Account>;
  /** The series each audience saw before; what it sees now is in the audience. */
  readonly before: ReadonlyMap<Audience, Seen>;
}

const differing = (before: Seen, now: Seen): readonly number[] => {
  if (before === null || now === null || before === now) return [];
  const keys: number[] = [];
  for (let word = 0; word < Math.max(before.length, now.length); word += 1) {
    let rest = (before[word] ?? 0) ^ (now[word] ?? 0);
    for (; rest !== 0; rest &= rest - 1) keys.push(word * 32 + 31 - Math.clz32(rest & -rest));
  }
  return keys;
};

/** Re-reads the series that an audience may have gained or lost. */
const lookAgain = async (from: Reads, { series, seen, isAnySeen }: Changes, audience: Audience): Promise<Seen> => {
  if (audience.seen === null) return null;
  if (isAnySeen) return seenIn(from, audience.scope);
  const keys = new Set([...seen, ...[...series.removed.values()].map(({ key }) => key)]);
  return keys.size === 0 ? audience.seen : seenAgain(from, audience.scope, audience.seen, [...keys]);
};

const toldKeys = ({ touched }: Rows): number[] =>
  [...touched].flatMap(([key, { isShown, hasCover, before }]) =>
    isShown || hasCover || before !== undefined ? [key] : [],
  );

const causes = (changes: Changes): readonly number[] => {
  const all = [changes.books, changes.series, changes.libraries].flatMap(({ touched, removed }) => [
    ...[...touched.values()].map(({ by }) => by),
    ...[...removed.values()].map(({ by }) => by),
  ]);
  return [...new Set(all.filter((by) => by !== null))];
};

export const lookUp = async (from: Reads, changes: Changes, audiences: readonly Audience[]): Promise<Looked> => {
  const before = new Map<Audience, Seen>();
  const flipped = new Set<number>();
  for (const audience of audiences) {
    before.set(audience, audience.seen);
    const now = await lookAgain(from, changes, audience);
    for (const key of differing(audience.seen, now)) flipped.add(key);
    audience.seen = now;
  }
  const bookKeys = toldKeys(changes.books);
  const isCrowd = bookKeys.length > ROWS_MAX;
  const crowded = isCrowd ? [...(await seriesOf(from, bookKeys))] : [];
  const touched = isCrowd ? [] : await booksByKey(from, bookKeys);
  const moved = [...changes.books.touched.values()].flatMap(({ before: key }) => key ?? []);
  const parents = [...touched.map(({ seriesKey }) => seriesKey), ...moved];
  const gone = [...changes.books.removed.values()].map(({ seriesKey }) => seriesKey);
  const seriesKeys = [...new Set([...toldKeys(changes.series), ...flipped, ...parents, ...gone])];
  const series = new Map((await seriesByKey(from, seriesKeys)).map((place) => [place.key, place]));
  const known = new Set(touched.map(({ key }) => key));
  // One more than may be sent, so that a library update is sent instead.
  const limit = Math.min((SINGLE_MAX + 1) * Math.max(1, audiences.length), 10 * ROWS_MAX);
  const others = await booksOfSeries(from, [...flipped], limit);
  const isWhole = others.length < limit;
  const books = [...touched, ...(isWhole ? others.filter(({ key }) => !known.has(key)) : [])];
  if (!isWhole) crowded.push(...[...flipped].flatMap((key) => series.get(key) ?? []));
  return { books, series, crowded, accounts: await accountsByKey(from, causes(changes)), before };
};
