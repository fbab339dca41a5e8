// Finds books whose content is now at the path of another book: chapters that were renumbered, swapped, or moved up after a deletion.
// A changed file alone is a new version of its book. Files are read only where people used a book that is missing or has changed.
import { groupedBy } from '../model/grouped.js';
import type { Identity } from '../model/jobs.js';
import { addedKeys } from './added.js';
import { isAlike } from './alike-sizes.js';
import type { ScanContext } from './context.js';
import { withHistory } from './elsewhere.js';
import { changedBooks, type Exchange, type Holder, holdersOf, Identities, isIn } from './holders.js';

const identityKey = ({ koreaderHash, pageHashes }: Identity | Holder): string => pageHashes ?? `file ${koreaderHash}`;

/**
 * New files, and those at paths of deleted books, that may hold one of the displaced books, by their size. After an interruption, the sizes
 * of their files are no longer known.
 */
const addedLike = async (
  context: ScanContext,
  changed: readonly Holder[],
  displaced: readonly Holder[],
): Promise<readonly Holder[]> => {
  const { findings } = context;
  const known = new Set([...changed.map(({ key }) => key), ...findings.missing.keys()]);
  const keys = new Set([...(await addedKeys(context)), ...findings.revived.keys()]);
  const sizes = displaced.flatMap(({ key }) => findings.changedSizes.get(key) ?? []).sort((one, other) => one - other);
  const holders = await holdersOf(
    context,
    [...keys].filter((key) => !known.has(key)),
  );
  return sizes.length < displaced.length ? holders : holders.filter(({ size }) => isAlike(size, sizes));
};

/** One path for one book; where two may be meant, neither is. */
const unambiguous = (
  owners: readonly Holder[],
  places: readonly Holder[],
  identities: Identities,
): readonly Exchange[] => {
  const ownersBy = groupedBy(owners, identityKey);
  const placesBy = groupedBy(
    places.filter((place) => identities.of(place) !== undefined),
    (place) => identityKey(identities.of(place) ?? place),
  );
  return [...ownersBy].flatMap(([identity, [from, ...otherOwners]]) => {
    const [to, ...otherPlaces] = placesBy.get(identity) ?? [];
    const isOne = otherOwners.length === 0 && otherPlaces.length === 0;
    return from === undefined || to === undefined || !isOne ? [] : [{ from, to }];
  });
};

export const findExchanges = async (context: ScanContext): Promise<readonly Exchange[]> => {
  const { findings, hadBooks } = context;
  const changed = hadBooks ? await changedBooks(context) : [];
  if (changed.length === 0) return [];
  const missing = await holdersOf(context, [...findings.missing.keys()]);
  const isMissingUsed = missing.some(({ isTouched }) => isTouched === 1);
  const used = isMissingUsed ? changed : changed.filter(({ isTouched }) => isTouched === 1);
  const identities = new Identities(context);
  const isDisplaced = (holder: Holder): boolean => {
    const found = identities.of(holder);
    return found !== undefined && !isIn(holder, found);
  };
  await identities.read(used);
  if (!used.some(isDisplaced)) return [];
  await identities.read(changed);
  const displaced = changed.filter(isDisplaced);
  const added = await addedLike(context, changed, displaced);
  await identities.read(added);
  const { revived } = context.findings;
  const free = added.filter(({ key, isTouched }) => isTouched === 0 && !revived.has(key));
  const places = new Set(displaced);
  const owners = [...displaced, ...missing].filter(({ koreaderHash }) => koreaderHash !== null);
  // A missing book in a new file is a move like any other.
  const found = unambiguous(owners, [...displaced, ...free], identities).filter(
    ({ from, to }) => from !== to && (places.has(from) || places.has(to)),
  );
  return await withHistory(context, found, { files: [...changed, ...added], displaced: places, identities });
};
