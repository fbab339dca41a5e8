// Sharing tags: all of them, one, creating and changing them. Deleting one is in tag-removal.ts, which series carry them in series-tags.ts.
import { audited } from '../access/audit.js';
import type { KnownActor } from '../access/caller.js';
import { type Place, seriesIn } from '../catalog/places.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { listNameKey } from '../model/name-key.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Bind, Reader, Reads, Tx } from '../store/db.js';
import { ASPECTS, KEYS_MAX, keysIn } from '../store/feed.js';
import { packed, rowsAndTotal } from '../store/packed.js';
import { indirect } from '../store/told-reports.js';
import { administer, reportRestriction, type SharingParts } from './administer.js';
import { checkedDescription, checkedName, refuseTaken, refuseTooMany, unknown } from './names.js';

/** What every mention of a tag shows. */
export interface TagSummary {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface SharingTag extends TagSummary {
  /** Series that carry it. */
  readonly seriesCount: number;
  /** Users to whom it is granted themselves. */
  readonly userCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const TAG_SUMMARY = packed<TagSummary>({
  key: { sql: 't.id' },
  id: { sql: 't.uuid', as: 'uuid' },
  name: { sql: 't.name' },
  description: { sql: 't.description' },
});

const COLUMNS = packed<SharingTag>({
  key: { sql: 't.id' },
  id: { sql: 't.uuid', as: 'uuid' },
  name: { sql: 't.name' },
  description: { sql: 't.description' },
  seriesCount: { sql: '(SELECT count(*) FROM series_sharing_tag c WHERE c.sharing_tag_id = t.id)' },
  userCount: { sql: '(SELECT count(*) FROM user_grant g WHERE g.sharing_tag_id = t.id)' },
  createdAt: { sql: 't.created_at' },
  updatedAt: { sql: 't.updated_at' },
});

/** By name. */
export const listTags = async (db: Reads, window: Window): Promise<PageOf<SharingTag>> => {
  const rows = `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM sharing_tag t
    ORDER BY t.name_key LIMIT ? OFFSET ?)`;
  const page = { sql: rows, binds: [window.pageSize, offsetOf(window)] };
  return {
    ...window,
    ...(await rowsAndTotal(db, COLUMNS, page, { sql: 'SELECT count(*) FROM sharing_tag', binds: [] })),
  };
};

/** The names of those that series there carry, by name; everywhere, of all. */
export const tagNamesIn = async (db: Reads, viewer: Viewer, place: Place): Promise<readonly string[]> => {
  const isAnywhere = Object.values(place).every((value) => value === undefined);
  const series = await seriesIn(db, viewer, place);
  const isCarried = `EXISTS (SELECT 1 FROM series_sharing_tag c CROSS JOIN series s ON s.id = c.series_id
    WHERE c.sharing_tag_id = t.id AND ${series.sql})`;
  return db.json<string[]>(
    `SELECT json_group_array(name) FROM (SELECT t.name FROM sharing_tag t WHERE ${isAnywhere ? 'true' : isCarried} ORDER BY t.name_key)`,
    isAnywhere ? [] : series.binds,
  );
};

const find = async (from: Reader, where: string, binds: readonly Bind[]): Promise<SharingTag> => {
  const [found] = await from.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM sharing_tag t WHERE ${where}`,
    binds,
  );
  if (found === undefined) throw unknown('sharing_tag');
  return COLUMNS.read(JSON.parse(found.row) as unknown[]);
};

export const tagById = (from: Reader, id: string): Promise<SharingTag> => find(from, 't.uuid = ?', [bytesOfUuid(id)]);

/** The fields of a tag or a group that somebody may set; absent means unchanged. */
export interface NamedChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
}

export const createTag = (
  parts: SharingParts,
  by: KnownActor,
  wanted: NamedChange & { readonly name: string },
): Promise<SharingTag> => {
  const name = checkedName(wanted.name);
  const now = parts.clock.now();
  const hex = newId(now);
  const id = uuidOfHex(hex);
  return administer(parts, by, async (tx) => {
    await refuseTaken(tx, 'sharing_tag', name);
    await refuseTooMany(tx, 'sharing_tag');
    await tx.run(
      `INSERT INTO sharing_tag (uuid, name, name_key, description, created_at, updated_at) VALUES (unhex(?1), ?2, ?3, ?4, ?5, ?5)`,
      [hex, name, listNameKey(name), checkedDescription(wanted.description), now],
    );
    reportRestriction(tx);
    await audited(tx, { at: now, by, action: 'sharing_tag.create', target: { kind: 'sharing_tag', id, name } });
    return tagById(tx, id);
  });
};

/** Lists are filtered by the name. */
const reportRenamed = async (tx: Tx, tagKey: number): Promise<void> => {
  const rows = await tx.all<{ id: number }>(
    'SELECT series_id AS id FROM series_sharing_tag WHERE sharing_tag_id = ? LIMIT ?',
    [tagKey, KEYS_MAX + 1],
  );
  tx.report(indirect('series', keysIn(rows), ASPECTS.list));
};

export const changeTag = (
  parts: SharingParts,
  by: KnownActor,
  id: string,
  change: NamedChange,
): Promise<SharingTag> => {
  const wanted = change.name === undefined ? undefined : checkedName(change.name);
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const old = await tagById(tx, id);
    const name = wanted ?? old.name;
    const description = change.description === undefined ? old.description : checkedDescription(change.description);
    if (name === old.name && description === old.description) return old;
    await refuseTaken(tx, 'sharing_tag', name, old.key);
    await tx.run('UPDATE sharing_tag SET name = ?, name_key = ?, description = ?, updated_at = ? WHERE id = ?', [
      name,
      listNameKey(name),
      description,
      now,
      old.key,
    ]);
    reportRestriction(tx);
    if (listNameKey(name) !== listNameKey(old.name)) await reportRenamed(tx, old.key);
    const details = name === old.name ? {} : { name };
    await audited(tx, {
      at: now,
      by,
      action: 'sharing_tag.update',
      target: { kind: 'sharing_tag', id, name: old.name },
      details,
    });
    return tagById(tx, id);
  });
};
