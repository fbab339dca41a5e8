// Paths of libraries: two must not share files, nor may somebody who is not shown a library get at its files through another one.
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Reader } from '../store/db.js';
import { type By, SYSTEM } from '../store/feed.js';
import { within } from './roots.js';

/** What paths are compared by. */
interface Placed {
  readonly key: number;
  readonly name: string;
  readonly root: string;
}

/** Who creates or changes a library: a user, or the server's command line. */
export type Keeper = Viewer | typeof SYSTEM;

export const byOf = (keeper: Keeper): By => (keeper === SYSTEM ? SYSTEM : keeper.userKey);

const mayRead = (keeper: Keeper, { key }: Placed): boolean =>
  keeper === SYSTEM || (keeper.permissions.has('LibrariesRead') && (keeper.scope.libraries?.includes(key) ?? true));

const overlapOf = (root: string, { name, root: other }: Placed): string => {
  if (root === other) return `The library "${name}" already has this path: ${root}`;
  if (within(root, other)) return `The path is inside the library "${name}" (${other}).`;
  return `The path contains the library "${name}" (${other}).`;
};

const unnamed = (): AppError =>
  new AppError('Conflict', 'Another library has this path, a part of it or a folder above it.');

/** Two libraries must not share files. Only one that the user may see is named. */
const refuseNesting = (root: string, others: readonly Placed[], keeper: Keeper): void => {
  const nested = others.filter((other) => within(root, other.root) || within(other.root, root));
  if (nested.length === 0) return;
  const named = nested.find((one) => mayRead(keeper, one));
  throw named === undefined ? unnamed() : new AppError('Conflict', overlapOf(root, named));
};

/**
 * Where a library was whose books are stored still, its files may be too: those who are not shown it must not read them there as their own.
 * `own`: the library that moves.
 */
export const refuseFormer = async (from: Reader, root: string, keeper: Keeper, own = 0): Promise<void> => {
  if (keeper === SYSTEM || keeper.administers) return;
  const { libraries } = keeper.scope;
  if (libraries === null) return;
  const rows = await from.all<{ root: string }>(
    `SELECT former_root AS root FROM library WHERE former_root IS NOT NULL AND id NOT IN (SELECT value FROM json_each(?))
       AND EXISTS (SELECT 1 FROM book WHERE library_id = library.id)`,
    [JSON.stringify([...libraries, own])],
  );
  if (rows.some((former) => within(root, former.root) || within(former.root, root))) throw unnamed();
};

/** Throws for a path at which a library cannot be. */
export const refuseTaken = async (from: Reader, root: string, keeper: Keeper, own = 0): Promise<void> => {
  const others = await from.all<Placed>('SELECT id AS key, name, root FROM library WHERE removing = 0 AND id <> ?', [
    own,
  ]);
  refuseNesting(root, others, keeper);
  await refuseFormer(from, root, keeper, own);
};
