// Removals that would let somebody see more: refused with the names of those people, unless forced.
import { scopesOfUsers } from '../access/restrictions.js';
import { becomesVisible } from '../catalog/visibility.js';
import { AppError } from '../model/errors.js';
import { uuidOfHex } from '../model/ids.js';
import type { Scope } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Tx } from '../store/db.js';

interface Change {
  readonly before: Scope;
  readonly after: Scope;
}

/** What a removal can open: a tag that is no longer denied, or one of the allowed tags no longer being asked for. */
const mayWiden = ({ before, after }: Change): boolean =>
  before.deniedTags.some((tag) => !after.deniedTags.includes(tag)) ||
  (before.allowedTags !== null && after.allowedTags === null);

/** Each may read all series. Where there are more kinds of people, the rest count as seeing more. */
const CHECKS_MAX = 20;
const NAMED_MAX = 20;

const seesMore = async (tx: Tx, { before, after }: Change): Promise<boolean> =>
  (await tx.all(becomesVisible(before, after))).length > 0;

/** Keys of those who see a series after the change that they did not see before it. Equal restrictions are checked once. */
const widened = async (tx: Tx, changes: ReadonlyMap<number, Change>): Promise<readonly number[]> => {
  const known = new Map<string, boolean>();
  const found: number[] = [];
  for (const [user, change] of changes) {
    if (!mayWiden(change)) continue;
    const kind = JSON.stringify(change);
    const isMore = known.get(kind) ?? (known.size >= CHECKS_MAX || (await seesMore(tx, change)));
    known.set(kind, isMore);
    if (isMore) found.push(user);
  }
  return found;
};

const refusal = async (tx: Tx, userKeys: readonly number[]): Promise<AppError> => {
  const rows = await tx.all<{ hex: string; username: string }>(
    'SELECT hex(uuid) AS hex, username FROM user WHERE id IN (SELECT value FROM json_each(?)) ORDER BY username_key LIMIT ?',
    [keyList(userKeys), NAMED_MAX],
  );
  const names = rows.map(({ username }) => username);
  const more = userKeys.length - names.length;
  const people = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return new AppError('Conflict', `This would let these users see more: ${people}. To do it anyway, add ?force=true.`, {
    users: rows.map(({ hex, username }) => ({ id: uuidOfHex(hex), username })),
    total: userKeys.length,
  });
};

/** Runs `remove`, which concerns these users; when one of them would see more, the transaction fails unless `force` is set. */
export const unlessWidening = async (
  tx: Tx,
  userKeys: readonly number[],
  force: boolean,
  remove: () => Promise<void>,
): Promise<void> => {
  if (force || userKeys.length === 0) return remove();
  const before = await scopesOfUsers(tx, userKeys);
  await remove();
  const after = await scopesOfUsers(tx, userKeys);
  const changes = new Map<number, Change>();
  for (const [user, scope] of before) changes.set(user, { before: scope, after: after.get(user) ?? scope });
  const found = await widened(tx, changes);
  if (found.length > 0) throw await refusal(tx, found);
};
