// A book whose path is taken, and whose content is at no path that changed, may be in the library a second time. What people did to it is
// added to the other copy; if that is not sure, nothing is exchanged, and each row stays at its path.
import { groupedBy } from '../model/grouped.js';
import type { Identity } from '../model/jobs.js';
import { isAlike } from './alike-sizes.js';
import type { ScanContext } from './context.js';
import { type Exchange, type Holder, type Identities, isIn } from './holders.js';
import { candidates } from './same-book.js';

/** The files that were read, and those of them whose content is another than that of their row. */
interface Compared {
  readonly files: readonly Holder[];
  readonly displaced: ReadonlySet<Holder>;
  readonly identities: Identities;
}

/** Copies in files that were read, by the key of the book. */
const copiesRead = (
  books: readonly Holder[],
  { files, identities }: Compared,
): ReadonlyMap<number, readonly Holder[]> => {
  const known = files.flatMap((file) => {
    const identity = identities.of(file);
    return identity === undefined ? [] : [{ file, identity }];
  });
  const byPages = groupedBy(known, ({ identity }) => identity.pageHashes);
  const byFile = groupedBy(known, ({ identity }) => identity.koreaderHash);
  return new Map(
    books.map((book) => {
      const alike = [
        ...(book.pageHashes === null ? [] : (byPages.get(book.pageHashes) ?? [])),
        ...(book.koreaderHash === null ? [] : (byFile.get(book.koreaderHash) ?? [])),
      ];
      const copies = alike.flatMap(({ file, identity }) =>
        file.key !== book.key && isIn(book, identity) ? [file] : [],
      );
      return [book.key, [...new Set(copies)]];
    }),
  );
};

/** Books without checksums of pages are compared by a hash of parts of the file, which has no index. */
const equalFiles = (
  { parts, library }: ScanContext,
  books: readonly Holder[],
): Promise<{ from: number; to: number }[]> => {
  const without = books.filter(({ pageHashes }) => pageHashes === null);
  return without.length === 0
    ? Promise.resolve([])
    : parts.db.all(
        `SELECT j.value ->> 0 AS "from", b.id AS "to" FROM book b JOIN json_each(?1) j ON b.koreader_hash = j.value ->> 1
         WHERE b.library_id = ?2 AND b.deleted = 0 AND b.id <> j.value ->> 0`,
        [JSON.stringify(without.map(({ key, koreaderHash }) => [key, koreaderHash])), library.key],
      );
};

/** Copies in files that have not changed, by the key of the book. */
const copiesStored = async (
  context: ScanContext,
  books: readonly Holder[],
  { files }: Compared,
): Promise<ReadonlyMap<number, readonly number[]>> => {
  const isRead = new Set(files.map(({ key }) => key));
  const keys = books.map(({ key }) => key);
  const found = [...(await candidates(context.parts.db, 'w', keys)), ...(await equalFiles(context, books))];
  const still = found.filter(({ to }) => !isRead.has(to) && !context.findings.missing.has(to));
  return new Map(
    [...groupedBy(still, ({ from }) => from)].map(([key, pairs]) => [key, [...new Set(pairs.map(({ to }) => to))]]),
  );
};

/** Exchanges that need one of these, because its `to` stays at its path. */
const neededBy = (unsafe: readonly Exchange[], exchanges: readonly Exchange[]): ReadonlySet<Exchange> => {
  const byTo = new Map(exchanges.map((one) => [one.to.key, one]));
  const found = new Set<Exchange>();
  for (const first of unsafe)
    for (let one: Exchange | undefined = first; one !== undefined && !found.has(one); one = byTo.get(one.from.key))
      found.add(one);
  return found;
};

/** Nobody can tell what is in a file that cannot be opened, or in which no pages are found any more. */
const isUnread = ({ pageHashes }: Holder, found: Identity | undefined): boolean =>
  found === undefined || (pageHashes !== null && found.pageHashes === null);

/** Those exchanges after which nothing that people did is lost. */
export const withHistory = async (
  context: ScanContext,
  exchanges: readonly Exchange[],
  compared: Compared,
): Promise<readonly Exchange[]> => {
  const moved = new Set(exchanges.map(({ from }) => from.key));
  const last = exchanges.filter(({ to }) => !moved.has(to.key) && to.isTouched === 1 && to.koreaderHash !== null);
  if (last.length === 0) return exchanges;
  const books = last.map(({ to }) => to);
  const [read, stored] = [copiesRead(books, compared), await copiesStored(context, books, compared)];
  const { findings } = context;
  const unreadable = compared.files
    .filter((file) => isUnread(file, compared.identities.of(file)))
    .map(({ size }) => size)
    .sort((one, other) => one - other);
  const isOwn = (file: Holder): boolean => !compared.displaced.has(file) && !findings.revived.has(file.key);
  const copyOf = new Map<number, number>();
  const unsafe = last.filter(({ to }) => {
    const [files, keys] = [read.get(to.key) ?? [], stored.get(to.key) ?? []];
    const [copy, ...others] = [...files.filter(isOwn).map(({ key }) => key), ...keys];
    if (copy !== undefined) copyOf.set(to.key, copy);
    const mayBeUnread = isAlike(findings.changedSizes.get(to.key) ?? to.size, unreadable);
    return mayBeUnread || others.length > 0 || !files.every(isOwn);
  });
  const left = neededBy(unsafe, exchanges);
  return exchanges.flatMap((one) => (left.has(one) ? [] : [{ ...one, copy: copyOf.get(one.to.key) }]));
};
