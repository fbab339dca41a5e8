// Series in which moved books turn up. A renamed folder keeps its series. Where a folder was split, or merged with others, the new series
// takes over what decides who may see its books. All of this is written before the books are taken over: after an interruption, the next
// scan finds the rest of them missing and added as before.
import { reportBooksOf, reportGoneSeries, reportMoved } from '../catalog/report-rows.js';
import { raiseRatings } from '../catalog/settled-series.js';
import { groupedBy } from '../model/grouped.js';
import { ASPECTS, keysIn, type PublicRow, SYSTEM, updated } from '../store/feed.js';
import type { ScanContext, ScanParts } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import { DUE } from './due-series.js';
import type { Move } from './moves.js';
import { touchedSeries } from './touched.js';

/** The file name of the book changes, perhaps its series too. */
export const MOVED = ASPECTS.list | ASPECTS.text | ASPECTS.content | ASPECTS.reading;

/**
 * The new series becomes the old one, which keeps its id and takes the new path and name (unless its title is locked). False when the new
 * one is gone, or somebody touched it, or an earlier scan has already shown it, unless it is a copy of the old one (`isCopy`).
 */
const keepSeries = async (
  { parts, library }: ScanContext,
  oldKey: number,
  newKey: number,
  isCopy: boolean,
): Promise<boolean> => {
  const now = parts.clock.now();
  return parts.db.write(SYSTEM, 'background', async (tx) => {
    const [fresh] = await tx.all<PublicRow & { path: string; name: string; name_sort: string }>(
      `SELECT id, hex(uuid) AS hex, path, name, name_sort FROM series WHERE id = ? AND (unswept = 1 OR ?) AND NOT ${touchedSeries('series')}`,
      [newKey, Number(isCopy)],
    );
    if (fresh === undefined) return false;
    const before = await countersOf(tx, [oldKey, newKey]);
    const moved = await tx.all<{ id: number }>('UPDATE book SET series_id = ? WHERE series_id = ? RETURNING id', [
      oldKey,
      newKey,
    ]);
    await tx.run('DELETE FROM series WHERE id = ?', [newKey]);
    await tx.run(
      `UPDATE series SET path = ?1, name = CASE WHEN t.locked THEN name ELSE ?2 END,
         name_sort = CASE WHEN t.locked OR title_sort IS NOT NULL THEN name_sort ELSE ?3 END, updated_at = ?4
       FROM (SELECT EXISTS (SELECT 1 FROM series o JOIN json_each(o.locks) k WHERE o.id = ?5 AND k.value = 'title') AS locked) t
       WHERE id = ?5`,
      [fresh.path, fresh.name, fresh.name_sort, now, oldKey],
    );
    reportGoneSeries(tx, library.key, [fresh]);
    reportMoved(
      tx,
      library.key,
      moved.map(({ id }) => ({ id, from: newKey, to: oldKey })),
      MOVED,
    );
    tx.report(updated('series', [oldKey], ASPECTS.list | ASPECTS.text));
    await reportBooksOf(tx, [oldKey], MOVED);
    await recountSeries(tx, library.key, [oldKey], before, DUE.all, now);
    await raiseRatings(tx, keysIn(moved), now);
    return true;
  });
};

const hasRatingLock = (alias: string): string =>
  `EXISTS (SELECT 1 FROM json_each(${alias}.locks) k WHERE k.value = 'ageRating')`;

/** Those of these series that have sharing tags or a locked rating. */
const limitedOf = async ({ parts }: ScanContext, keys: readonly number[]): Promise<ReadonlySet<number>> => {
  const rows = await parts.db.all<{ id: number }>(
    `SELECT s.id FROM json_each(?) j CROSS JOIN series s ON s.id = j.value
     WHERE EXISTS (SELECT 1 FROM series_sharing_tag t WHERE t.series_id = s.id) OR ${hasRatingLock('s')}`,
    [JSON.stringify(keys)],
  );
  return new Set(keysIn(rows));
};

/** SQL over `series_sharing_tag` t. */
const granted = (access: 'allow' | 'deny'): string =>
  ['user_grant', 'access_group_grant']
    .map((table) => `SELECT 1 FROM ${table} g WHERE g.sharing_tag_id = t.sharing_tag_id AND g.access = '${access}'`)
    .join(' UNION ALL ');

/** A tag by which somebody may see a series must not open books that came from elsewhere, unless it also hides them from somebody. */
const TAGS = `INSERT OR IGNORE INTO series_sharing_tag (series_id, sharing_tag_id)
  SELECT s.id, t.sharing_tag_id FROM series s CROSS JOIN json_each(?2) j CROSS JOIN series_sharing_tag t ON t.series_id = j.value
  WHERE s.id = ?1 AND (s.unswept = 1 OR ?3) GROUP BY t.sharing_tag_id
  HAVING count(*) = json_array_length(?2) OR NOT EXISTS (${granted('allow')}) OR EXISTS (${granted('deny')})
  RETURNING series_id AS id`;

const RATING = `UPDATE series SET age_rating = n.rating, locks = json_insert(locks, '$[#]', 'ageRating'), updated_at = ?4
  FROM (SELECT max(s.age_rating) AS rating, max(${hasRatingLock('s')}) AS locked
    FROM json_each(?2) j CROSS JOIN series s ON s.id = j.value) n
  WHERE series.id = ?1 AND (series.unswept = 1 OR ?3) AND n.locked = 1 AND NOT ${hasRatingLock('series')} RETURNING series.id`;

interface Heir {
  readonly key: number;
  readonly from: readonly number[];
  /** All its earlier books are gone from its folder. */
  readonly isReplaced: boolean;
}

/**
 * A series of which a book stayed keeps its own: whoever puts files into its folder wants them to be seen like the others. The others are
 * new (`unswept`) or replaced.
 */
export const inherit = async (parts: ScanParts, { key, from, isReplaced }: Heir): Promise<void> => {
  const binds = [key, JSON.stringify(from), isReplaced ? 1 : 0];
  const now = parts.clock.now();
  await parts.db.write(SYSTEM, 'background', async (tx) => {
    const tagged = await tx.all<{ id: number }>(TAGS, binds);
    const rated = await tx.all<{ id: number }>(RATING, [...binds, now]);
    const changed = [...new Set(keysIn([...tagged, ...rated]))];
    tx.report(updated('series', changed, ASPECTS.list | ASPECTS.text));
    await reportBooksOf(tx, changed, ASPECTS.list);
  });
};

interface Books {
  readonly live: number;
  /** Live books that neither moved there nor are new. */
  readonly own: number;
  /** Of these, those whose files are still there. */
  readonly stayed: number;
}

const NO_BOOKS: Books = { live: 0, own: 0, stayed: 0 };

const OWN = 'id <= ?2 AND created_at <= ?3 AND id NOT IN (SELECT value FROM json_each(?4))';

const booksOf = async (
  { parts, library, lastKeyBefore, findings }: ScanContext,
  seriesKeys: readonly number[],
  moves: readonly Move[],
): Promise<ReadonlyMap<number, Books>> => {
  const rows = await parts.db.all<Books & { key: number }>(
    `SELECT series_id AS key, count(*) AS live,
       sum(${OWN}) AS own, sum(${OWN} AND id NOT IN (SELECT value FROM json_each(?5))) AS stayed
     FROM book WHERE deleted = 0 AND series_id IN (SELECT value FROM json_each(?1)) GROUP BY series_id`,
    [
      JSON.stringify(seriesKeys),
      lastKeyBefore,
      library.lastScannedAt ?? 0,
      JSON.stringify(moves.map(({ to }) => to.key)),
      JSON.stringify([...findings.missing.values()].map(({ key }) => key)),
    ],
  );
  return new Map(rows.map(({ key, ...books }) => [key, books]));
};

/** A series in which books turn up, and where they come from. */
interface Target {
  readonly key: number;
  readonly sources: readonly number[];
  readonly arrived: readonly Move[];
}

const targetsOf = (moves: readonly Move[]): readonly Target[] =>
  [...groupedBy(moves, ({ to }) => to.seriesKey)].map(([key, arrived]) => ({
    key,
    arrived,
    sources: [...new Set(arrived.map(({ from }) => from.seriesKey))],
  }));

const countBy = <T>(items: Iterable<T>, keyOf: (item: T) => number): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
};

/**
 * The series that a target is under a new path: all its books left their old path, most of them for this one, and no book of another series
 * came. New files do not matter. A series whose books were gone already must be back with nothing else.
 */
const renamedOf = (
  { key, sources, arrived }: Target,
  books: ReadonlyMap<number, Books>,
  missing: ReadonlyMap<number, number>,
  spread: ReadonlyMap<number, number>,
): number | undefined => {
  const [old] = sources;
  const { live, own } = books.get(key) ?? NO_BOOKS;
  if (old === undefined || old === key || sources.length > 1 || spread.get(old) !== 1 || own > 0) return undefined;
  const had = books.get(old)?.live ?? 0;
  if (had === 0) return arrived.length === live ? old : undefined;
  const left = arrived.filter(({ from }) => !from.deleted).length;
  return missing.get(old) === had && 2 * left > had ? old : undefined;
};

/** A copy of a series has all its live books, and nothing else. */
const isCopyOf = (
  old: number,
  { key, arrived }: Target,
  books: ReadonlyMap<number, Books>,
  missing: ReadonlyMap<number, number>,
): boolean => arrived.length === books.get(key)?.live && arrived.length === missing.get(old);

export const settleTargets = async (context: ScanContext, moves: readonly Move[]): Promise<void> => {
  const targets = targetsOf(moves);
  const sources = [...new Set(targets.flatMap((target) => target.sources))];
  const books = await booksOf(context, [...new Set([...sources, ...targets.map(({ key }) => key)])], moves);
  const limited = await limitedOf(context, sources);
  const missing = countBy(context.findings.missing.values(), ({ seriesKey }) => seriesKey);
  const spread = countBy(
    targets.flatMap((target) => target.sources),
    (key) => key,
  );
  for (const target of targets) {
    const { key } = target;
    const renamed = renamedOf(target, books, missing, spread);
    const isCopy = renamed !== undefined && isCopyOf(renamed, target, books, missing);
    if (renamed !== undefined && (await keepSeries(context, renamed, key, isCopy))) continue;
    const { own, stayed } = books.get(key) ?? NO_BOOKS;
    const from = stayed > 0 ? [...new Set([...target.sources, key])] : target.sources;
    if (from.some((source) => source !== key && limited.has(source)))
      await inherit(context.parts, { key, from, isReplaced: own > 0 && stayed === 0 });
  }
};
