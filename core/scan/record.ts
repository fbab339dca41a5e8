// Compares one folder with its rows and writes the difference: new, changed and returned books. Missing books are only noted.
import { factsOfFile } from '../catalog/apply-rules.js';
import { type BookRow, reportNewBooks } from '../catalog/report-rows.js';
import { type SeriesOfFile, seriesOf } from '../catalog/rules/series.js';
import { rewriteTitle } from '../catalog/rules/titles.js';
import { raiseRatings } from '../catalog/settled-series.js';
import { settleUnions } from '../catalog/taxonomy-links.js';
import { formatOf } from '../model/formats.js';
import { newId, uuidOfHex } from '../model/ids.js';
import type { WalkedFolder } from '../model/jobs.js';
import { sortKey } from '../model/sort-key.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, created, internal, keysIn, type PublicRow, SYSTEM, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import type { Missing, ScanContext } from './context.js';
import { countersOf, settleCounters } from './counters.js';
import { DUE, inLibrary, settleDue } from './due-series.js';
import type { Unreadable } from './unreadable.js';
import { markUnswept } from './unswept.js';

/** Rows written per transaction: few enough (about 35 ms among a million books) that a progress write never waits long behind a scan. */
const ROWS_PER_TRANSACTION = 150;

interface File {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
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

type KnownRow = readonly [string, number, string, number, number, number, number, string | null, string, number];

const knownBooks = async ({ parts }: ScanContext, folderKey: number): Promise<Map<string, Known>> => {
  const rows = await parts.db.json<KnownRow[]>(
    `SELECT json_group_array(json_array(file_name, id, hex(uuid), series_id, file_size, file_mtime, deleted, koreader_hash, file_hash, hash_due))
     FROM book WHERE folder_id = ?`,
    [folderKey],
  );
  return new Map(
    rows.map(([name, key, hex, seriesKey, size, mtimeMs, deleted, koreaderHash, fileHash, hashDue]) => [
      name,
      {
        key,
        id: uuidOfHex(hex),
        seriesKey,
        size,
        mtimeMs,
        deleted: deleted === 1,
        koreaderHash,
        fileHash,
        isHashDue: hashDue === 1,
      },
    ]),
  );
};

const ensureFolder = async ({ parts, library }: ScanContext, path: string): Promise<number> =>
  parts.db.write(SYSTEM, 'background', async (tx) => {
    await tx.run('INSERT OR IGNORE INTO folder (library_id, path) VALUES (?, ?)', [library.key, path]);
    const [row] = await tx.all<{ id: number }>('SELECT id FROM folder WHERE library_id = ? AND path = ?', [
      library.key,
      path,
    ]);
    const key = row?.id ?? 0;
    tx.report(internal('folder', 'created', [key]));
    return key;
  });

/** Series rows by path for these files; creates those that do not exist. */
const ensureSeries = async (
  tx: Tx,
  { library, parts }: ScanContext,
  all: readonly SeriesOfFile[],
): Promise<Map<string, number>> => {
  const now = parts.clock.now();
  const named = new Map(all.map((series) => [series.path, series]));
  const rows = [...named.values()].map(({ path, name, publisher }) => {
    const title = rewriteTitle(library.titleRules, name);
    return [newId(now), path, title, sortKey(title), publisher ?? null];
  });
  const made = await tx.all<PublicRow>(
    `INSERT OR IGNORE INTO series (uuid, library_id, path, name, name_sort, publisher, created_at, updated_at)
     SELECT unhex(value ->> 0), ?1, value ->> 1, value ->> 2, value ->> 3, value ->> 4, ?2, ?2 FROM json_each(?3) RETURNING id, hex(uuid) AS hex`,
    [library.key, now, JSON.stringify(rows)],
  );
  tx.report(created('series', made, { libraryKey: library.key }));
  const found = await tx.all<{ path: string; id: number }>(
    'SELECT path, id FROM series WHERE library_id = ? AND path IN (SELECT value FROM json_each(?))',
    [library.key, JSON.stringify([...named.keys()])],
  );
  return new Map(found.map(({ path, id }) => [path, id]));
};

const insertBooks = async (
  tx: Tx,
  context: ScanContext,
  { path: folderPath, beside }: WalkedFolder,
  folderKey: number,
  files: readonly File[],
): Promise<void> => {
  const { library, parts } = context;
  const now = parts.clock.now();
  const seriesOfFiles = files.map((file) =>
    seriesOf(library.seriesStrategy, library.seriesConfig, folderPath, file.name, beside.series),
  );
  const series = await ensureSeries(tx, context, seriesOfFiles);
  const touched = [...new Set(series.values())];
  await markUnswept(tx, context, touched);
  const before = await countersOf(tx, touched);
  const rows = files.map((file, index) => {
    const format = formatOf(file.name) ?? 'cbz';
    const place = { folderPath, fileName: file.name };
    const facts = factsOfFile(library, place, null, seriesOfFiles[index]?.volume ?? null);
    const seriesKey = series.get(seriesOfFiles[index]?.path ?? '') ?? 0;
    return [
      newId(now),
      seriesKey,
      file.name,
      file.size,
      file.mtimeMs,
      format,
      facts.title,
      sortKey(facts.title),
      facts.volume,
      facts.chapter,
      facts.number,
    ];
  });
  const made = await tx.all<BookRow>(
    `INSERT OR IGNORE INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, volume, chapter,
       told_number, due, created_at, updated_at)
     SELECT unhex(value ->> 0), ?1, value ->> 1, ?2, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9,
       value ->> 10, 1, ?3, ?3 FROM json_each(?4) RETURNING id, hex(uuid) AS hex, series_id AS series`,
    [library.key, folderKey, now, JSON.stringify(rows)],
  );
  reportNewBooks(tx, library.key, made);
  await settleCounters(tx, library.key, touched, before, DUE.numbers, now);
};

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
  await settleCounters(tx, library.key, touched, before, isBack ? DUE.all : 0, now);
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
  folder: WalkedFolder,
  folderKey: number,
  known: ReadonlyMap<string, Known>,
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

export const recordFolder = async (
  context: ScanContext,
  folder: WalkedFolder,
  knownKey: number | undefined,
  unreadable: Unreadable,
): Promise<void> => {
  const { parts, findings } = context;
  const folderKey = knownKey ?? (await ensureFolder(context, folder.path));
  const known = await knownBooks(context, folderKey);
  const files = filesOf(folder);
  const added = files.filter((file) => !known.has(file.name));
  const changed = files.flatMap((file): (readonly [Known, File])[] => {
    const book = known.get(file.name);
    if (book === undefined || (!book.deleted && book.size === file.size && book.mtimeMs === file.mtimeMs)) return [];
    return [[book, file]];
  });
  for (const [book, file] of changed)
    if (book.deleted && (book.size !== file.size || book.mtimeMs !== file.mtimeMs))
      findings.revived.set(book.key, asMissing(file.name, book, folderKey));
  for (const [book] of changed) if (!book.deleted) findings.changedSizes.set(book.key, book.size);
  const missing = noteMissing(context, folder, folderKey, known, unreadable);
  if (missing > 0) findings.heldDigests.set(folderKey, folder.digest);
  findings.filesProcessed += files.length - added.length - changed.length;
  const writes = [
    ...slices(added).map((slice) => (tx: Tx) => insertBooks(tx, context, folder, folderKey, slice)),
    ...slices(changed).map((slice) => (tx: Tx) => refreshBooks(tx, context, slice)),
  ];
  const last = writes.pop();
  for (const write of writes) await parts.db.write(SYSTEM, 'background', write);
  await parts.db.write(SYSTEM, 'background', async (tx) => {
    await last?.(tx);
    await finishFolder(tx, folder, folderKey, missing);
  });
  if (last !== undefined) await settleDue(parts, inLibrary(context.library.key), 'background', context.signal);
};

/** Books are analysed again when the metadata files next to them changed. */
const noteBeside = async (tx: Tx, { beside }: WalkedFolder, folderKey: number): Promise<void> => {
  const changed = await tx.run('UPDATE folder SET sidecars = ?1 WHERE id = ?2 AND sidecars <> ?1', [
    beside.sidecars,
    folderKey,
  ]);
  if (changed > 0) {
    const due = 'UPDATE book SET due = 1, attempts = 0 WHERE folder_id = ? AND deleted = 0 RETURNING id';
    tx.report(updated('book', keysIn(await tx.all<{ id: number }>(due, [folderKey])), ASPECTS.details));
  }
  await tx.run('UPDATE folder SET cover = ?1 WHERE id = ?2 AND cover IS NOT ?1', [beside.cover, folderKey]);
};

/** The digest is recorded last, so a scan killed before that is followed by one that processes the folder again. */
const finishFolder = async (tx: Tx, folder: WalkedFolder, folderKey: number, missing: number): Promise<void> => {
  await noteBeside(tx, folder, folderKey);
  tx.report(updated('folder', [folderKey], ASPECTS.cover));
  if (missing === 0) await tx.run('UPDATE folder SET digest = ? WHERE id = ?', [folder.digest, folderKey]);
};
