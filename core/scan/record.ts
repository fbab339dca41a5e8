// Compares folders with their rows and writes the difference: new, changed and returned books. Missing books are only noted.
import { raiseRatings } from '../catalog/settled-series.js';
import { settleUnions } from '../catalog/taxonomy-links.js';
import { uuidOfHex } from '../model/ids.js';
import type { WalkedFolder } from '../model/jobs.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, internal, keysIn, SYSTEM, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import type { Missing, ScanContext } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import { DUE, inLibrary, settleDue } from './due-series.js';
import { type AddedFile, type File, insertBooks, type KeyedFolder } from './insert-books.js';
import type { Unreadable } from './unreadable.js';
import { markUnswept } from './unswept.js';

/** Rows written per transaction: few enough (about 35 ms among a million books) that a progress write never waits long behind a scan. */
export const ROWS_PER_TRANSACTION = 150;

/** A folder that a walk listed, and its row if it has one. */
export interface ListedFolder {
  readonly folder: WalkedFolder;
  readonly knownKey: number | undefined;
}

interface Known {
  readonly key: number;
  readonly id: string;
  readonly seriesKey: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly deleted: boolean;
  readonly koreaderHash: string | null;
  readonly fileHash: string;
  readonly isHashDue: boolean;
}

const filesOf = (folder: WalkedFolder): File[] => {
  const { names, sizes, mtimesMs } = folder.files ?? { names: [], sizes: [], mtimesMs: [] };
  return names.map((name, index) => ({ name, size: sizes[index] ?? 0, mtimeMs: mtimesMs[index] ?? 0 }));
};

type KnownRow = readonly [
  number,
  string,
  number,
  string,
  number,
  number,
  number,
  number,
  string | null,
  string,
  number,
];
type KnownBooks = ReadonlyMap<string, Known>;

const NONE_KNOWN: KnownBooks = new Map();

/** The books of these folders by file name. */
const knownBooks = async (
  { parts }: ScanContext,
  folderKeys: readonly number[],
): Promise<ReadonlyMap<number, KnownBooks>> => {
  if (folderKeys.length === 0) return new Map();
  const rows = await parts.db.json<KnownRow[]>(
    `SELECT json_group_array(json_array(folder_id, file_name, id, hex(uuid), series_id, file_size, file_mtime, deleted, koreader_hash, file_hash,
       hash_due))
     FROM book WHERE folder_id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(folderKeys)],
  );
  const known = new Map(folderKeys.map((folderKey) => [folderKey, new Map<string, Known>()]));
  for (const [folderKey, name, key, hex, seriesKey, size, mtimeMs, deleted, koreaderHash, fileHash, hashDue] of rows)
    known.get(folderKey)?.set(name, {
      key,
      id: uuidOfHex(hex),
      seriesKey,
      size,
      mtimeMs,
      deleted: deleted === 1,
      koreaderHash,
      fileHash,
      isHashDue: hashDue === 1,
    });
  return known;
};

/** The folders with their rows, which are made where there are none. */
const withRows = async (
  { parts, library }: ScanContext,
  listed: readonly ListedFolder[],
): Promise<readonly KeyedFolder[]> => {
  const paths = JSON.stringify(listed.filter(isNew).map(({ folder }) => folder.path));
  const made = !listed.some(isNew)
    ? []
    : await parts.db.write(SYSTEM, 'background', async (tx) => {
        await tx.run('INSERT OR IGNORE INTO folder (library_id, path) SELECT ?, value FROM json_each(?)', [
          library.key,
          paths,
        ]);
        const rows = await tx.all<{ id: number; path: string }>(
          'SELECT id, path FROM folder WHERE library_id = ? AND path IN (SELECT value FROM json_each(?))',
          [library.key, paths],
        );
        tx.report(internal('folder', 'created', keysIn(rows)));
        return rows;
      });
  const keys = new Map(made.map(({ id, path }) => [path, id]));
  return listed.map(({ folder, knownKey }) => ({ folder, folderKey: knownKey ?? keys.get(folder.path) ?? 0 }));
};

const isNew = ({ knownKey }: ListedFolder): boolean => knownKey === undefined;

const keysBack = (pairs: readonly (readonly [Known, File])[]): readonly number[] =>
  pairs.filter(([known]) => known.deleted).map(([known]) => known.key);

/** Books whose file changed or came back: they are live again, and are analysed again when their bytes may differ. */
const refreshBooks = async (
  tx: Tx,
  context: ScanContext,
  pairs: readonly (readonly [Known, File])[],
): Promise<void> => {
  const { parts, library } = context;
  const now = parts.clock.now();
  const touched = [...new Set(pairs.map(([known]) => known.seriesKey))];
  const isBack = pairs.some(([known]) => known.deleted);
  if (isBack) await markUnswept(tx, context, touched);
  const before = await countersOf(tx, touched);
  const rows = pairs.map(([known, file]) => [
    known.key,
    file.size,
    file.mtimeMs,
    Number(known.size !== file.size || known.mtimeMs !== file.mtimeMs),
  ]);
  await tx.run(
    `UPDATE book SET file_size = j.value ->> 1, file_mtime = j.value ->> 2, deleted = 0, updated_at = ?1,
       due = max(due, j.value ->> 3, 1 - analyzed), analyzed = CASE j.value ->> 3 WHEN 1 THEN 0 ELSE analyzed END,
       file_hash = CASE j.value ->> 3 WHEN 1 THEN '' ELSE file_hash END, hash_due = max(hash_due, j.value ->> 3),
       analysis_error = CASE j.value ->> 3 WHEN 1 THEN NULL ELSE analysis_error END,
       attempts = CASE j.value ->> 3 WHEN 1 THEN 0 ELSE attempts END
     FROM json_each(?2) j WHERE book.id = j.value ->> 0`,
    [now, JSON.stringify(rows)],
  );
  const refreshed = pairs.map(([known]) => known.key);
  tx.report(updated('book', refreshed, ASPECTS.list | ASPECTS.content | ASPECTS.cover | ASPECTS.reading));
  tx.report(told('book', keysBack(pairs), ['deleted']));
  await recountSeries(tx, library.key, touched, before, isBack ? DUE.all : 0, now);
  if (isBack) await settleUnions(tx, touched);
  await raiseRatings(tx, refreshed, now);
};

const slices = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / ROWS_PER_TRANSACTION) }, (_, index) =>
    items.slice(index * ROWS_PER_TRANSACTION, (index + 1) * ROWS_PER_TRANSACTION),
  );

const asMissing = (fileName: string, book: Known, folderKey: number): Missing => {
  const { key, id, seriesKey, size, mtimeMs, koreaderHash, fileHash, isHashDue, deleted } = book;
  return {
    key,
    id,
    folderKey,
    seriesKey,
    fileName,
    fileSize: size,
    fileMtime: mtimeMs,
    koreaderHash,
    fileHash,
    isHashDue,
    deleted,
  };
};

const noteMissing = (
  context: ScanContext,
  { folder, folderKey }: KeyedFolder,
  known: KnownBooks,
  unreadable: Unreadable,
): number => {
  const present = new Set(folder.files?.names ?? []);
  let count = 0;
  for (const [name, book] of known) {
    if (book.deleted || present.has(name) || unreadable.hidesFile(folder.path, name)) continue;
    context.findings.missing.set(book.key, asMissing(name, book, folderKey));
    count += 1;
  }
  return count;
};

/** What differs between a folder and its rows. */
interface Difference extends KeyedFolder {
  readonly added: readonly AddedFile[];
  readonly changed: readonly (readonly [Known, File])[];
  readonly missing: number;
}

const differenceOf = (
  context: ScanContext,
  { folder, folderKey }: KeyedFolder,
  known: KnownBooks,
  unreadable: Unreadable,
): Difference => {
  const { findings } = context;
  const files = filesOf(folder);
  const added = files.filter(({ name }) => !known.has(name)).map((file) => ({ folder, folderKey, file }));
  const changed = files.flatMap((file): (readonly [Known, File])[] => {
    const book = known.get(file.name);
    if (book === undefined || (!book.deleted && book.size === file.size && book.mtimeMs === file.mtimeMs)) return [];
    return [[book, file]];
  });
  for (const [book, file] of changed)
    if (book.deleted && (book.size !== file.size || book.mtimeMs !== file.mtimeMs))
      findings.revived.set(book.key, asMissing(file.name, book, folderKey));
  for (const [book] of changed)
    if (!book.deleted) {
      findings.changedSizes.set(book.key, book.size);
      findings.booksChanged += 1;
    }
  const missing = noteMissing(context, { folder, folderKey }, known, unreadable);
  if (missing > 0) findings.heldDigests.set(folderKey, folder.digest);
  findings.filesProcessed += files.length - added.length - changed.length;
  return { folder, folderKey, added, changed, missing };
};

/** Records a batch of folders: most of the cost of a transaction does not depend on its rows, so small folders share one. */
export const recordFolders = async (
  context: ScanContext,
  listed: readonly ListedFolder[],
  unreadable: Unreadable,
): Promise<void> => {
  const { parts } = context;
  const known = await knownBooks(
    context,
    listed.flatMap(({ knownKey }) => knownKey ?? []),
  );
  const differences = (await withRows(context, listed)).map((one) =>
    differenceOf(context, one, known.get(one.folderKey) ?? NONE_KNOWN, unreadable),
  );
  const writes = [
    ...slices(differences.flatMap(({ added }) => added)).map((slice) => (tx: Tx) => insertBooks(tx, context, slice)),
    ...slices(differences.flatMap(({ changed }) => changed)).map(
      (slice) => (tx: Tx) => refreshBooks(tx, context, slice),
    ),
  ];
  const last = writes.pop();
  for (const write of writes) await parts.db.write(SYSTEM, 'background', write);
  await parts.db.write(SYSTEM, 'background', async (tx) => {
    await last?.(tx);
    await finishFolders(tx, differences);
  });
  if (last !== undefined) await settleDue(parts, inLibrary(context.library.key), 'background', context.signal);
};

const FROM_ROWS = 'FROM json_each(?) j WHERE folder.id = j.value ->> 0';

/** Books are analysed again when the metadata files next to them changed. */
const noteBeside = async (tx: Tx, folders: readonly KeyedFolder[]): Promise<void> => {
  const rows = folders.map(({ folder: { beside }, folderKey }) => [folderKey, beside.sidecars, beside.cover]);
  const all = JSON.stringify(rows);
  const changed = await tx.all<{ id: number }>(
    `UPDATE folder SET sidecars = j.value ->> 1 ${FROM_ROWS} AND sidecars <> j.value ->> 1 RETURNING folder.id`,
    [all],
  );
  if (changed.length > 0) {
    const due = `UPDATE book SET due = 1, attempts = 0 WHERE folder_id IN (SELECT value FROM json_each(?)) AND deleted = 0 RETURNING id`;
    const books = await tx.all<{ id: number }>(due, [JSON.stringify(keysIn(changed))]);
    tx.report(updated('book', keysIn(books), ASPECTS.details));
  }
  await tx.run(`UPDATE folder SET cover = j.value ->> 2 ${FROM_ROWS} AND cover IS NOT j.value ->> 2`, [all]);
};

/** Digests are recorded last, so a scan killed before that is followed by one that processes the folders again. */
const finishFolders = async (tx: Tx, differences: readonly Difference[]): Promise<void> => {
  await noteBeside(tx, differences);
  tx.report(
    updated(
      'folder',
      differences.map(({ folderKey }) => folderKey),
      ASPECTS.cover,
    ),
  );
  const complete = differences.filter(({ missing }) => missing === 0);
  await tx.run(`UPDATE folder SET digest = j.value ->> 1 ${FROM_ROWS}`, [
    JSON.stringify(complete.map(({ folder, folderKey }) => [folderKey, folder.digest])),
  ]);
};
