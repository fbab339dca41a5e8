// Sharing tags granted to users and to groups: each allows a tag or denies it. Both kinds are stored alike.
import { type Action, audited, type Target } from '../access/audit.js';
import type { KnownActor } from '../access/caller.js';
import { refuseOwner } from '../access/key-rights.js';
import { type Grant, type GrantMode, grantsOf, type HolderKind, userRecord } from '../access/user-records.js';
import { AppError } from '../model/errors.js';
import { newId } from '../model/ids.js';
import type { Bind, Tx } from '../store/db.js';
import { administer, reportRestriction, type SharingParts } from './administer.js';
import { groupById, memberKeys, targetOf, touchGroup } from './groups.js';
import { tagById } from './tags.js';
import { unlessWidening } from './widening.js';

interface Holder {
  readonly key: number;
  readonly target: Target;
  /** Keys of the users whom its grants concern. */
  users(): Promise<readonly number[]>;
  /** Called when its grants have changed. */
  touch(nowMs: number): Promise<void>;
}

const HOLDERS: Readonly<Record<HolderKind, (tx: Tx, by: KnownActor, id: string) => Promise<Holder>>> = {
  user: async (tx, { caller }, id) => {
    const { key, id: userId, username } = await userRecord(tx, id);
    refuseOwner(caller, userId);
    return {
      key,
      target: { kind: 'user', id, name: username },
      users: async () => [key],
      touch: async () => reportRestriction(tx),
    };
  },
  access_group: async (tx, _, id) => {
    const group = await groupById(tx, id);
    return {
      key: group.key,
      target: targetOf(group),
      users: () => memberKeys(tx, group.key),
      touch: (nowMs) => touchGroup(tx, group.key, nowMs),
    };
  },
};

const ACTIONS: Readonly<Record<HolderKind, { readonly set: Action; readonly remove: Action }>> = {
  user: { set: 'user.grant', remove: 'user.ungrant' },
  access_group: { set: 'access_group.grant', remove: 'access_group.ungrant' },
};

const grantOf = async (tx: Tx, kind: HolderKind, key: number, tagId: string): Promise<Grant | undefined> =>
  (await grantsOf(tx, kind, key)).find((grant) => grant.tagId === tagId);

const upsert = (tx: Tx, kind: HolderKind, binds: readonly Bind[]): Promise<number> =>
  tx.run(
    `INSERT INTO ${kind}_grant (${kind}_id, sharing_tag_id, uuid, access, created_at) VALUES (?1, ?2, unhex(?3), ?4, ?5)
     ON CONFLICT (${kind}_id, sharing_tag_id) DO UPDATE SET access = ?4`,
    binds,
  );

export interface GrantChange {
  readonly tagId: string;
  readonly mode: GrantMode;
  readonly force: boolean;
}

/**
 * A grant of the same tag that is there already gets the new mode and keeps its id. Denying what was allowed takes a grant away: without the
 * last allowed tag everything else is seen.
 */
export const setGrant = (
  parts: SharingParts,
  by: KnownActor,
  kind: HolderKind,
  id: string,
  { tagId, mode, force }: GrantChange,
): Promise<Grant> => {
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const holder = await HOLDERS[kind](tx, by, id);
    const tag = await tagById(tx, tagId);
    const old = await grantOf(tx, kind, holder.key, tag.id);
    if (old?.mode !== mode) {
      const takesAway = old?.mode === 'allow';
      await unlessWidening(tx, takesAway ? await holder.users() : [], force, async () => {
        await upsert(tx, kind, [holder.key, tag.key, newId(now), mode, now]);
        await holder.touch(now);
      });
      const details = { tag: tag.name, mode };
      await audited(tx, { at: now, by, action: ACTIONS[kind].set, target: holder.target, details });
    }
    const grant = await grantOf(tx, kind, holder.key, tag.id);
    if (grant === undefined) throw new AppError('Internal', 'A grant vanished after it was stored.');
    return grant;
  });
};

export const removeGrant = (
  parts: SharingParts,
  by: KnownActor,
  kind: HolderKind,
  id: string,
  { tagId, force }: { readonly tagId: string; readonly force: boolean },
): Promise<void> => {
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const holder = await HOLDERS[kind](tx, by, id);
    const grant = await grantOf(tx, kind, holder.key, tagId);
    if (grant === undefined) throw new AppError('NotFound', 'There is no grant of a sharing tag with this id.');
    await unlessWidening(tx, await holder.users(), force, async () => {
      await tx.run(`DELETE FROM ${kind}_grant WHERE ${kind}_id = ?1 AND uuid = unhex(?2)`, [
        holder.key,
        grant.id.replaceAll('-', ''),
      ]);
      await holder.touch(now);
    });
    const details = { tag: grant.tagName, mode: grant.mode };
    await audited(tx, { at: now, by, action: ACTIONS[kind].remove, target: holder.target, details });
  });
};
