// Which series carry which sharing tags. These are read and changed regardless of the caller's restrictions: otherwise an administrator who
// cannot see a series because of a tag could never remove it.
import type { KnownActor } from '../access/caller.js';
import { resolve } from '../catalog/public-ids.js';
import { reportBooksOf } from '../catalog/report-rows.js';
import { AppError } from '../model/errors.js';
import { hexOfUuid, uuidOfHex } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reader, Reads, Tx } from '../store/db.js';
import { ASPECTS } from '../store/feed.js';
import { indirect } from '../store/told-reports.js';
import { administer, type SharingParts } from './administer.js';
import { TAG_SUMMARY, type TagSummary } from './tags.js';

/** Of one series. */
export const TAGS_MAX = 500;

const tagsOf = async (from: Reader, seriesKey: number): Promise<readonly TagSummary[]> => {
  const rows = await from.all<{ row: string }>(
    `SELECT ${TAG_SUMMARY.expression} AS row FROM series_sharing_tag c CROSS JOIN sharing_tag t ON t.id = c.sharing_tag_id
     WHERE c.series_id = ? ORDER BY t.name_key`,
    [seriesKey],
  );
  return rows.map(({ row }) => TAG_SUMMARY.read(JSON.parse(row) as unknown[]));
};

/** By name. `system`: a viewer who is not restricted. */
export const tagsOfSeries = async (db: Reads, system: Viewer, id: string): Promise<readonly TagSummary[]> =>
  tagsOf(db, (await resolve(db, 'series', id, system)).key);

/** Series carry other tags now, and are shown to other people, with their books. */
export const reportCarriers = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  tx.report(indirect('series', seriesKeys, ASPECTS.list));
  await reportBooksOf(tx, seriesKeys, ASPECTS.list);
};

/** An id in a body, and where it stands. */
export interface NamedTag {
  readonly id: string;
  readonly path: string;
}

/** Keys of the tags; all that do not exist are refused at once. */
const keysOfTags = async (tx: Tx, named: readonly NamedTag[]): Promise<ReadonlySet<number>> => {
  const rows = await tx.all<{ id: number; hex: string }>(
    'SELECT id, hex(uuid) AS hex FROM sharing_tag WHERE uuid IN (SELECT unhex(value) FROM json_each(?))',
    [JSON.stringify(named.map(({ id }) => hexOfUuid(id)))],
  );
  const known = new Map(rows.map(({ id, hex }) => [uuidOfHex(hex), id]));
  const faults = named
    .filter(({ id }) => !known.has(id.toLowerCase()))
    .map(({ path }) => ({ path, message: 'names no sharing tag' }));
  if (faults.length > 0)
    throw new AppError(
      'BadRequest',
      `Invalid body: ${faults.map(({ path, message }) => `${path} ${message}`).join('; ')}.`,
      faults,
    );
  return new Set(known.values());
};

const without = (keys: ReadonlySet<number>, others: ReadonlySet<number>): readonly number[] =>
  [...keys].filter((key) => !others.has(key));

/** Writes only what differs. */
const store = async (tx: Tx, seriesKey: number, old: ReadonlySet<number>, next: ReadonlySet<number>): Promise<void> => {
  const [gone, added] = [without(old, next), without(next, old)];
  if (gone.length + added.length === 0) return;
  await tx.run(
    'DELETE FROM series_sharing_tag WHERE series_id = ? AND sharing_tag_id IN (SELECT value FROM json_each(?))',
    [seriesKey, keyList(gone)],
  );
  await tx.run('INSERT INTO series_sharing_tag (series_id, sharing_tag_id) SELECT ?, value FROM json_each(?)', [
    seriesKey,
    keyList(added),
  ]);
  await reportCarriers(tx, [seriesKey]);
};

/** Lets `change` turn the keys of the tags into the new ones; returns the tags as they are then. */
const rewrite = (
  parts: SharingParts,
  by: KnownActor,
  system: Viewer,
  id: string,
  change: (tx: Tx, old: readonly TagSummary[]) => Promise<ReadonlySet<number>>,
): Promise<readonly TagSummary[]> =>
  administer(parts, by, async (tx) => {
    const { key } = await resolve(tx, 'series', id, system);
    const old = await tagsOf(tx, key);
    const next = await change(tx, old);
    if (next.size > Math.max(TAGS_MAX, old.length))
      throw new AppError('Conflict', `A series can carry at most ${TAGS_MAX} sharing tags. Remove one first.`);
    await store(tx, key, new Set(old.map((tag) => tag.key)), next);
    return tagsOf(tx, key);
  });

export const setTags = (
  parts: SharingParts,
  by: KnownActor,
  system: Viewer,
  id: string,
  tags: readonly NamedTag[],
): Promise<readonly TagSummary[]> => rewrite(parts, by, system, id, (tx) => keysOfTags(tx, tags));

export const addTag = (
  parts: SharingParts,
  by: KnownActor,
  system: Viewer,
  id: string,
  tag: NamedTag,
): Promise<readonly TagSummary[]> =>
  rewrite(
    parts,
    by,
    system,
    id,
    async (tx, old) => new Set([...old.map(({ key }) => key), ...(await keysOfTags(tx, [tag]))]),
  );

export const removeTag = async (
  parts: SharingParts,
  by: KnownActor,
  system: Viewer,
  id: string,
  tagId: string,
): Promise<void> => {
  await rewrite(parts, by, system, id, async (_, old) => {
    if (!old.some((tag) => tag.id === tagId))
      throw new AppError('NotFound', 'The series has no sharing tag with this id.');
    return new Set(old.filter((tag) => tag.id !== tagId).map(({ key }) => key));
  });
};
