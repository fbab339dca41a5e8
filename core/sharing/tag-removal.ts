// Deleting a sharing tag. Its grants are deleted in the first transaction, so it no longer has any effect; it is then removed from its
// series in batches, so that other writes need not wait for all of it. If the server stops in between, the tag remains on fewer series,
// granted to nobody.
import { audited } from '../access/audit.js';
import type { KnownActor } from '../access/caller.js';
import type { Tx } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import { administer, reportRestriction, type SharingParts } from './administer.js';
import { reportCarriers } from './series-tags.js';
import { tagById } from './tags.js';
import { unlessWidening } from './widening.js';

const LINKS_PER_TRANSACTION = 200;

const HOLDERS = `SELECT user_id AS id FROM user_grant WHERE sharing_tag_id = ?1
  UNION SELECT m.user_id FROM access_group_grant g CROSS JOIN access_group_member m ON m.access_group_id = g.access_group_id
    WHERE g.sharing_tag_id = ?1`;

/** Returns how many there were. */
const deleteGrants = async (tx: Tx, tagKey: number, force: boolean): Promise<number> => {
  const holders = keysIn(await tx.all<{ id: number }>(HOLDERS, [tagKey]));
  let gone = 0;
  await unlessWidening(tx, holders, force, async () => {
    for (const table of ['user_grant', 'access_group_grant'])
      gone += await tx.run(`DELETE FROM ${table} WHERE sharing_tag_id = ?`, [tagKey]);
    reportRestriction(tx);
  });
  return gone;
};

/** Returns whether that were the last. */
const unlinkSome = async (tx: Tx, tagKey: number): Promise<boolean> => {
  const series = await tx.all<{ id: number }>(
    `DELETE FROM series_sharing_tag WHERE sharing_tag_id = ?1 AND series_id IN
       (SELECT series_id FROM series_sharing_tag WHERE sharing_tag_id = ?1 LIMIT ${LINKS_PER_TRANSACTION}) RETURNING series_id AS id`,
    [tagKey],
  );
  await reportCarriers(tx, keysIn(series));
  return series.length < LINKS_PER_TRANSACTION;
};

/**
 * Grants made in between go too, if nobody sees more for it. The deletion is entered with the grants, which are what counts: it may never
 * come to its end.
 */
export const deleteTag = async (parts: SharingParts, by: KnownActor, id: string, force: boolean): Promise<void> => {
  const now = parts.clock.now();
  const some = (isFirst: boolean): Promise<boolean> =>
    administer(parts, by, async (tx) => {
      const { key, name } = await tagById(tx, id);
      const grants = await deleteGrants(tx, key, force);
      if (isFirst || grants > 0) {
        const target = { kind: 'sharing_tag', id, name };
        await audited(tx, { at: now, by, action: 'sharing_tag.delete', target, details: { grants } });
      }
      if (!(await unlinkSome(tx, key))) return false;
      await tx.run('DELETE FROM sharing_tag WHERE id = ?', [key]);
      return true;
    });
  for (let isFirst = true; !(await some(isFirst)); isFirst = false);
};
