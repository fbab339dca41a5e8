// What can have covers of its own: books, series, collections and read lists. How each is found, and what changing its cover changes.
import type { Viewer } from '../../model/viewer.js';
import type { Reader, Tx } from '../../store/db.js';
import { ASPECTS, updated } from '../../store/feed.js';
import { refuseUnseen } from '../collections/automatic.js';
import { listById } from '../collections/lists.js';
import { resolve } from '../public-ids.js';
import type { ListParts } from '../query/page.js';
import type { CoverOwner } from './shown.js';

interface Shape {
  readonly word: string;
  /** What else shows that it has changed: its `updatedAt`, which clients put into the addresses of its pictures. */
  readonly aspects: number;
}

export const OWNERS = {
  book: { word: 'book', aspects: ASPECTS.cover | ASPECTS.details },
  series: { word: 'series', aspects: ASPECTS.cover | ASPECTS.list },
  collection: { word: 'collection', aspects: ASPECTS.cover | ASPECTS.members },
  read_list: { word: 'read list', aspects: ASPECTS.cover | ASPECTS.members },
} as const satisfies Record<CoverOwner, Shape>;

/** For whoever changes it. Whoever may change lists sees all of them. */
export const ownerKey = async (from: Reader, owner: CoverOwner, viewer: Viewer, id: string): Promise<number> => {
  if (owner === 'book' || owner === 'series') return (await resolve(from, owner, id, viewer)).key;
  return (await listById(from, owner, viewer, id)).key;
};

/** For whoever looks at it. */
export const seenOwnerKey = async (
  parts: ListParts,
  owner: CoverOwner,
  viewer: Viewer,
  id: string,
): Promise<number> => {
  if (owner === 'book' || owner === 'series') return ownerKey(parts.db, owner, viewer, id);
  const list = await listById(parts.db, owner, viewer, id);
  await refuseUnseen(parts, viewer, list);
  return list.key;
};

/** Notes that another cover is shown. */
export const touchOwner = async (tx: Tx, owner: CoverOwner, key: number, nowMs: number): Promise<void> => {
  tx.report(updated(owner, [key], OWNERS[owner].aspects));
  await tx.run(`UPDATE ${owner} SET updated_at = ? WHERE id = ?`, [nowMs, key]);
};
