// Finds books whose content is at the path of another book now: chapters that were renumbered, swapped, or moved up after one was deleted.
// A changed file alone is a new version of its book. Files are read only where people used a book that is missing or has changed.
import { BOOK_PATH } from '../catalog/books.js';
import { AppError } from '../model/errors.js';
import { groupedBy } from '../model/grouped.js';
import type { Identity } from '../model/jobs.js';
import { addedKeys } from './added.js';
import type { ScanContext } from './context.js';
import { touchedBook } from './touched.js';

/** A row at its path, and by what its last analysis is recognised. */
export interface Holder {
  readonly key: number;
  readonly folder: number;
  readonly series: number;
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly path: string;
  readonly isTouched: number;
  readonly koreaderHash: string | null;
  readonly pageHashes: string | null;
  /** Its file was not found at its path. */
  readonly isMissing: boolean;
}

/** The content of `from` is at the path of `to`. */
export interface Exchange {
  readonly from: Holder;
  readonly to: Holder;
}

const HOLDERS = `SELECT b.id AS key, b.folder_id AS folder, b.series_id AS series, b.file_name AS name, b.file_size AS size, b.file_mtime AS mtimeMs,
    ${BOOK_PATH} AS path, ${touchedBook('b')} AS isTouched, b.koreader_hash AS koreaderHash, b.page_hashes AS pageHashes`;
const JOINED = 'JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id';

/** Live books whose file has changed since it was analysed, in this scan or in one that did not finish. */
const changedBooks = async ({ parts, library, findings }: ScanContext): Promise<readonly Holder[]> => {
  const rows = await parts.db.all<Omit<Holder, 'isMissing'>>(
    `${HOLDERS} FROM book b INDEXED BY book_due ${JOINED}
     WHERE b.due = 1 AND b.library_id = ? AND b.deleted = 0 AND b.analyzed = 0 AND b.koreader_hash IS NOT NULL`,
    [library.key],
  );
  return rows.flatMap((row) =>
    findings.revived.has(row.key) || findings.missing.has(row.key) ? [] : [{ ...row, isMissing: false }],
  );
};

const holdersOf = async ({ parts, findings }: ScanContext, keys: readonly number[]): Promise<readonly Holder[]> => {
  const rows = await parts.db.all<Omit<Holder, 'isMissing'>>(
    `${HOLDERS} FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ${JOINED}`,
    [JSON.stringify(keys)],
  );
  return rows.map((row) => ({ ...row, isMissing: findings.missing.has(row.key) }));
};

/** Reads each file once. A file that cannot be read now is not compared. */
class Identities {
  readonly #context: ScanContext;
  readonly #found = new Map<number, Identity | undefined>();

  constructor(context: ScanContext) {
    this.#context = context;
  }

  of({ key }: Holder): Identity | undefined {
    return this.#found.get(key);
  }

  async read(holders: readonly Holder[]): Promise<void> {
    const { parts, signal } = this.#context;
    const left = holders.filter(({ key }) => !this.#found.has(key)).values();
    const work = async (): Promise<void> => {
      for (const holder of left) {
        if (signal.aborted) throw new AppError('Cancelled');
        this.#found.set(holder.key, await this.#identify(holder));
      }
    };
    await Promise.all(Array.from({ length: parts.pool.backgroundWidth }, work));
  }

  async #identify({ path }: Holder): Promise<Identity | undefined> {
    const { parts, library, signal } = this.#context;
    try {
      const input = { path, root: library.root, limits: parts.limits };
      return await parts.pool.run('identify', input, { lane: 'background', signal });
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.kind === 'Cancelled') throw thrown;
      return undefined;
    }
  }
}

/** Where pages have checksums, these decide: two archives may begin alike. */
const isIn = ({ koreaderHash, pageHashes }: Holder, found: Identity): boolean =>
  pageHashes !== null && found.pageHashes !== null
    ? pageHashes === found.pageHashes
    : koreaderHash === found.koreaderHash;

const identityKey = ({ koreaderHash, pageHashes }: Identity | Holder): string => pageHashes ?? `file ${koreaderHash}`;

/** A retagged file differs in size by less than this. */
const MORE_BYTES = 65_536;
const PART = 20;

/** New files that may hold one of the displaced books, by their size. */
const addedLike = async (
  context: ScanContext,
  changed: readonly Holder[],
  displaced: readonly Holder[],
): Promise<readonly Holder[]> => {
  const { findings } = context;
  const known = new Set([...changed.map(({ key }) => key), ...findings.revived.keys(), ...findings.missing.keys()]);
  const keys = (await addedKeys(context)).filter((key) => !known.has(key));
  const sizes = displaced.map(({ key, size }) => findings.changedSizes.get(key) ?? size);
  const isLike = (size: number): boolean => sizes.some((one) => Math.abs(one - size) <= one / PART + MORE_BYTES);
  return (await holdersOf(context, keys)).filter(({ isTouched, size }) => isTouched === 0 && isLike(size));
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
  const places = new Set(displaced);
  const owners = [...displaced, ...missing].filter(({ koreaderHash }) => koreaderHash !== null);
  // A missing book in a new file is a move like any other.
  return unambiguous(owners, [...displaced, ...added], identities).filter(
    ({ from, to }) => from !== to && (places.has(from) || places.has(to)),
  );
};
