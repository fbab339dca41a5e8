// Writes exchanges of paths: each book follows its content, with its progress, lists and edits. What is new at a path becomes a new book, and a
// book whose content is gone is deleted like any missing one. After an interruption, the next scan finds what is left changed or missing as
// before.

import type { BookRow, GoneBook } from '../catalog/report-rows.js';
import { reportGoneBooks, reportMoved, reportNewBooks } from '../catalog/report-rows.js';
import { resettleBooks } from '../catalog/settled-books.js';
import { raiseRatings } from '../catalog/settled-series.js';
import { settleUnions } from '../catalog/taxonomy-links.js';
import { newId } from '../model/ids.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import type { ScanContext } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import { DUE } from './due-series.js';
import { batchesOf, chainsOf, endingAt, partOf } from './exchange-chains.js';
import { findExchanges } from './exchanges.js';
import type { Exchange, Holder } from './holders.js';
import { mergeOne } from './merge-books.js';
import { MOVED } from './series-of-moves.js';
import { touchedBook } from './touched.js';

/** Their rows are as they were when the files were compared; nobody has used those that are replaced since then. */
const areUnchanged = async (
  tx: Tx,
  holders: readonly Holder[],
  replaced: readonly Holder[],
  libraryKey: number,
): Promise<boolean> => {
  const unused = new Set(replaced.filter(({ isTouched }) => isTouched === 0));
  const [row] = await tx.all<{ n: number }>(
    `SELECT count(*) AS n FROM json_each(?1) j CROSS JOIN book b ON b.id = j.value ->> 0
     WHERE b.library_id = ?2 AND b.deleted = 0 AND b.folder_id = j.value ->> 1 AND b.file_name = j.value ->> 2
       AND b.file_size = j.value ->> 3 AND b.file_mtime = j.value ->> 4
       AND (j.value ->> 5 = 0 OR NOT ${touchedBook('b')})`,
    [
      JSON.stringify(
        holders.map((one) => [one.key, one.folder, one.name, one.size, one.mtimeMs, Number(unused.has(one))]),
      ),
      libraryKey,
    ],
  );
  return row?.n === holders.length;
};

/** A name that no file can have. */
const setAside = (tx: Tx, holders: readonly Holder[]): Promise<number> =>
  tx.run("UPDATE book SET file_name = file_name || '/' || id WHERE id IN (SELECT value FROM json_each(?))", [
    JSON.stringify(holders.map(({ key }) => key)),
  ]);

/** It is read again at its new path: its tags and its number may have changed. */
const place = async (tx: Tx, exchanges: readonly Exchange[], nowMs: number): Promise<void> => {
  const rows = exchanges.map(({ from, to }) => [from.key, to.folder, to.series, to.name, to.size, to.mtimeMs]);
  await tx.run(
    `UPDATE book SET folder_id = j.value ->> 1, series_id = j.value ->> 2, file_name = j.value ->> 3, file_size = j.value ->> 4,
       file_mtime = j.value ->> 5, due = 1, attempts = 0, analyzed = 0, file_hash = '', hash_due = 1, analysis_error = NULL, updated_at = ?1
     FROM json_each(?2) j WHERE book.id = j.value ->> 0`,
    [nowMs, JSON.stringify(rows)],
  );
};

/** A row at a path. */
interface Placed extends BookRow {
  readonly folder: number;
  readonly name: string;
}

const insertNew = (tx: Tx, libraryKey: number, left: readonly Holder[], nowMs: number): Promise<Placed[]> =>
  tx.all<Placed>(
    `INSERT INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, due, never_readable, created_at, updated_at)
     SELECT unhex(j.value ->> 1), ?1, j.value ->> 2, j.value ->> 3, j.value ->> 4, j.value ->> 5, j.value ->> 6, b.format, '', '', 1, 1, ?2, ?2
     FROM json_each(?3) j CROSS JOIN book b ON b.id = j.value ->> 0
     RETURNING id, hex(uuid) AS hex, series_id AS series, folder_id AS folder, file_name AS name`,
    [
      libraryKey,
      nowMs,
      JSON.stringify(
        left.map(({ key, series, folder, name, size, mtimeMs }) => [
          key,
          newId(nowMs),
          series,
          folder,
          name,
          size,
          mtimeMs,
        ]),
      ),
    ],
  );

/** New rows whose path a known book took, and known ones whose content is nowhere. */
const removeReplaced = async (
  tx: Tx,
  libraryKey: number,
  replaced: readonly Holder[],
  nowMs: number,
): Promise<void> => {
  const isNew = ({ koreaderHash }: Holder): boolean => koreaderHash === null;
  const keys = JSON.stringify(replaced.filter(isNew).map(({ key }) => key));
  const gone = await tx.all<GoneBook>(
    'DELETE FROM book WHERE id IN (SELECT value FROM json_each(?)) RETURNING id, hex(uuid) AS hex, series_id AS series, never_readable AS neverReadable',
    [keys],
  );
  reportGoneBooks(tx, libraryKey, gone);
  const lost = replaced.filter((one) => !isNew(one)).map(({ key }) => key);
  await tx.run('UPDATE book SET deleted = 1, due = 0, updated_at = ? WHERE id IN (SELECT value FROM json_each(?))', [
    nowMs,
    JSON.stringify(lost),
  ]);
  tx.report(updated('book', lost, MOVED));
  tx.report(told('book', lost, ['deleted']));
};

/** What people did to the books that are replaced goes to other copies of them; returns those without one. */
const handOver = async (
  tx: Tx,
  libraryKey: number,
  exchanges: readonly Exchange[],
  nowMs: number,
): Promise<readonly Holder[]> => {
  const without: Holder[] = [];
  for (const { to, copy } of exchanges) {
    if (copy === undefined) without.push(to);
    else await mergeOne(tx, libraryKey, { from: to, to: { key: copy } }, nowMs);
  }
  return without;
};

const areThere = async (tx: Tx, exchanges: readonly Exchange[]): Promise<boolean> => {
  const copies = [...new Set(exchanges.flatMap(({ copy }) => (copy === undefined ? [] : [copy])))];
  const [row] = await tx.all<{ n: number }>(
    'SELECT count(*) AS n FROM json_each(?) j CROSS JOIN book b ON b.id = j.value WHERE b.deleted = 0',
    [JSON.stringify(copies)],
  );
  return row?.n === copies.length;
};

/** The new rows at paths that were left, as they would be found by a later scan. */
const newHolders = (left: readonly Holder[], added: readonly Placed[]): readonly Holder[] =>
  left.flatMap((one) => {
    const row = added.find(({ folder, name }) => folder === one.folder && name === one.name);
    return row === undefined ? [] : [{ ...one, key: row.id, isTouched: 0, koreaderHash: null, pageHashes: null }];
  });

/** Returns the rows at the paths that were left; undefined: nothing was written, because rows have changed since they were compared. */
const write = async (
  tx: Tx,
  libraryKey: number,
  exchanges: readonly Exchange[],
  nowMs: number,
): Promise<readonly Holder[] | undefined> => {
  const [from, to] = [exchanges.map((one) => one.from), exchanges.map((one) => one.to)];
  const all = [...new Map([...from, ...to].map((one) => [one.key, one])).values()];
  const [moved, taken] = [new Set(from.map(({ key }) => key)), new Set(to.map(({ key }) => key))];
  const replacing = exchanges.filter((one) => !moved.has(one.to.key));
  const replaced = replacing.map((one) => one.to);
  if (!(await areUnchanged(tx, all, replaced, libraryKey)) || !(await areThere(tx, replacing))) return undefined;
  const gone = await handOver(tx, libraryKey, replacing, nowMs);
  const touched = [...new Set(all.map(({ series }) => series))];
  const before = await countersOf(tx, touched);
  await setAside(tx, all);
  await removeReplaced(tx, libraryKey, gone, nowMs);
  await place(tx, exchanges, nowMs);
  const left = from.filter(({ key, isMissing }) => !isMissing && !taken.has(key));
  const added = await insertNew(tx, libraryKey, left, nowMs);
  reportNewBooks(tx, libraryKey, added);
  const known = [...moved];
  await resettleBooks(tx, [...known, ...added.map(({ id }) => id)], nowMs);
  reportMoved(
    tx,
    libraryKey,
    exchanges.map((one) => ({ id: one.from.key, from: one.from.series, to: one.to.series })),
    MOVED | ASPECTS.cover,
  );
  await recountSeries(tx, libraryKey, touched, before, DUE.all, nowMs);
  await settleUnions(tx, touched);
  await raiseRatings(tx, known, nowMs);
  return newHolders(left, added);
};

/** Returns the exchanges that were written: those after one whose rows have changed since they were compared are not. */
const writeBatch = async (
  { parts, library }: ScanContext,
  batch: readonly Exchange[],
): Promise<readonly Exchange[]> => {
  const done: Exchange[] = [];
  for (let rest = batch; rest.length > 0; ) {
    const { now, later } = partOf(rest);
    const atMs = parts.clock.now();
    const left = await parts.db.write(SYSTEM, 'background', (tx) => write(tx, library.key, now, atMs));
    if (left === undefined) return done;
    done.push(...now);
    const first = now[0]?.from;
    // A circle leaves no path.
    const row = left.find(({ folder, name }) => folder === first?.folder && name === first.name);
    rest = row === undefined ? later : endingAt(later, row);
  }
  return done;
};

/** Books that changed places have not changed. Known ones whose path another one took are gone. */
const countExchanged = ({ findings }: ScanContext, written: readonly Exchange[]): void => {
  const moved = new Set(written.map(({ from }) => from.key));
  const replaced = written
    .map(({ to }) => to)
    .filter(({ key, koreaderHash }) => !moved.has(key) && koreaderHash !== null);
  findings.booksRemoved += replaced.length;
  for (const key of new Set([...moved, ...replaced.map((one) => one.key)]))
    if (findings.changedSizes.has(key)) findings.booksChanged -= 1;
};

export const applyExchanges = async (context: ScanContext): Promise<void> => {
  const exchanges = await findExchanges(context);
  const written: Exchange[] = [];
  for (const batch of batchesOf(chainsOf(exchanges))) written.push(...(await writeBatch(context, batch)));
  for (const { from } of written) context.findings.missing.delete(from.key);
  countExchanged(context, written);
};
