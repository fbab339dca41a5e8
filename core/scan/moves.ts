// Recognises moved and renamed files: a missing book and an added one with the same bytes are one book. apply-moves.ts writes the result.
import { isSilence } from '../engine/disks.js';
import { AppError } from '../model/errors.js';
import { groupedBy } from '../model/grouped.js';
import { type Added, addedOfSizes, returnedCandidates } from './added.js';
import type { Missing, ScanContext } from './context.js';

/** Not taken over if somebody has touched the new row, but its series still follows from it. */
export interface Move {
  readonly from: Missing;
  readonly to: Added;
  /** The same book in another file, which has to be read for it. */
  readonly isOtherFile?: true;
}

/** These failures say nothing about the file. Taking it for a different one would delete the missing book and its progress. */
const isPassing = (thrown: unknown): boolean =>
  isSilence(thrown) || (thrown instanceof AppError && (thrown.kind === 'Overloaded' || thrown.kind === 'Cancelled'));

/** An unreadable file has no hash and matches nothing; any other failure ends the scan, and the next one continues. */
const orNone = (thrown: unknown): undefined => {
  if (isPassing(thrown)) throw thrown;
  return undefined;
};

/** Hashes of added files, computed on the first comparison; an unreadable file has none. */
class Hashes {
  readonly #context: ScanContext;
  readonly #partial = new Map<number, string | undefined>();
  readonly #whole = new Map<number, string | undefined>();

  constructor(context: ScanContext) {
    this.#context = context;
  }

  /** Hash of a few small blocks: costs about as much as opening the file. */
  async partial({ key, path }: Added): Promise<string | undefined> {
    if (!this.#partial.has(key)) {
      const { parts, library, signal } = this.#context;
      const found = parts.pool.run('partial', { path, root: library.root }, { lane: 'background', signal });
      this.#partial.set(key, await found.then(({ koreaderHash }) => koreaderHash).catch(orNone));
    }
    return this.#partial.get(key);
  }

  async whole({ key, path }: Added): Promise<string | undefined> {
    if (!this.#whole.has(key)) {
      const { parts, library, signal } = this.#context;
      const found = parts.pool.run('fingerprint', { path, root: library.root }, { lane: 'background', signal });
      this.#whole.set(key, await found.then(({ fileHash }) => fileHash).catch(orNone));
    }
    return this.#whole.get(key);
  }
}

/**
 * Renaming keeps the modification time. If the times match, the hash of small blocks decides, so a renamed tree is not read in full. It also
 * decides where nothing else is known of the missing file.
 */
const isSame = async (hashes: Hashes, from: Missing, to: Added): Promise<boolean> => {
  if ((await hashes.partial(to)) !== from.koreaderHash) return false;
  return from.isHashDue || from.fileMtime === to.fileMtime || (await hashes.whole(to)) === from.fileHash;
};

/** Of several files with the same bytes, prefers those whose rows can be replaced, and of these the one that kept its name. */
const bestFirst = (from: Missing, candidates: readonly Added[]): readonly Added[] => {
  const rank = ({ isTouched, fileName }: Added): number => 2 * Number(isTouched) + Number(fileName !== from.fileName);
  return candidates.toSorted((one, other) => rank(one) - rank(other));
};

/** If two missing books have the same bytes, the older one, which has the longer history, is found first; a deleted one is last. */
const oldestFirst = (missing: readonly Missing[]): readonly Missing[] =>
  missing.toSorted((one, other) => Number(one.deleted) - Number(other.deleted) || one.key - other.key);

/** Matches files of one size. */
const matchGroup = async (
  { signal }: ScanContext,
  hashes: Hashes,
  missing: readonly Missing[],
  added: readonly Added[],
): Promise<Move[]> => {
  const moves: Move[] = [];
  const taken = new Set<Added>();
  for (const from of oldestFirst(missing)) {
    for (const to of bestFirst(from, added)) {
      if (signal.aborted) throw new AppError('Cancelled');
      // A deleted book never takes over the path of another deleted book: nothing was moved there.
      if (taken.has(to) || (from.deleted && to.instead !== undefined) || !(await isSame(hashes, from, to))) continue;
      taken.add(to);
      moves.push({ from, to });
      break;
    }
  }
  return moves;
};

/** Compares as many files at once as the background lane allows. */
export const findMoves = async (context: ScanContext): Promise<Move[]> => {
  if (!context.hadBooks) return [];
  const wanted = [...context.findings.missing.values(), ...(await returnedCandidates(context))];
  const hashed = wanted.filter(
    ({ koreaderHash, fileHash, isHashDue }) => koreaderHash !== null && (fileHash !== '' || isHashDue),
  );
  const missing = groupedBy(hashed, ({ fileSize }) => fileSize);
  if (missing.size === 0) return [];
  const added = groupedBy(await addedOfSizes(context, [...missing.keys()]), ({ fileSize }) => fileSize);
  const hashes = new Hashes(context);
  const groups = added.entries();
  const moves: Move[] = [];
  const work = async (): Promise<void> => {
    for (const [size, files] of groups)
      moves.push(...(await matchGroup(context, hashes, missing.get(size) ?? [], files)));
  };
  await Promise.all(Array.from({ length: context.parts.pool.backgroundWidth }, work));
  return moves;
};
