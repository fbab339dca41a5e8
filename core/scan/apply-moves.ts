// Writes recognised moves: the old row keeps its id, progress and lists, and replaces the new row. Each small transaction leaves a state
// from which a later scan can resume.
import { followReplaced } from '../catalog/covers/replaced.js';
import { reportGoneBooks, reportMoved } from '../catalog/report-rows.js';
import { resettleBooks } from '../catalog/settled-books.js';
import { raiseRatings } from '../catalog/settled-series.js';
import { settleUnions } from '../catalog/taxonomy-links.js';
import type { LibraryRules } from '../model/strategies.js';
import type { Tx } from '../store/db.js';
import { SYSTEM, updated } from '../store/feed.js';
import type { Added } from './added.js';
import type { Missing, ScanContext } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import { DUE } from './due-series.js';
import type { Move } from './moves.js';
import { MOVED, settleTargets } from './series-of-moves.js';
import { touchedBook } from './touched.js';

/** Occupies the writer for about 50 ms. */
const MOVES_PER_TRANSACTION = 100;

interface Place {
  readonly hex: string;
  readonly folder_id: number;
  readonly series_id: number;
  readonly file_name: string;
  readonly file_mtime: number;
  readonly file_size: number;
  readonly never_readable: number;
}

/** A moved file had taken over the row of a deleted book. That row is deleted again, as it was, under a name that no file can have. */
const setAside = (
  tx: Tx,
  { key, fileSize, fileMtime, koreaderHash, fileHash, isHashDue }: Missing,
  nowMs: number,
): Promise<number> =>
  tx.run(
    `UPDATE book SET file_name = file_name || '/' || id, file_size = ?, file_mtime = ?, koreader_hash = ?, file_hash = ?, hash_due = ?,
       deleted = 1, due = 0, analyzed = 0, updated_at = ? WHERE id = ?`,
    [fileSize, fileMtime, koreaderHash, fileHash, Number(isHashDue), nowMs, key],
  );

const placeOf = async (tx: Tx, { key, instead }: Added): Promise<Place | undefined> => {
  const [place] = await tx.all<Place>(
    `SELECT hex(uuid) AS hex, folder_id, series_id, file_name, file_mtime, file_size, never_readable FROM book
     WHERE id = ? AND (? OR NOT ${touchedBook('book')})`,
    [key, Number(instead !== undefined)],
  );
  return place;
};

/**
 * The old row replaces the new one; its analysis stays valid, since the bytes are the same. If titles depend on more than the file name, or
 * the new row has a history of its own, the book is analysed again: files next to it may have stayed behind. Returns where the book is now;
 * undefined when the new row is gone, or somebody touched it while files were compared.
 */
const takeOver = async (
  tx: Tx,
  { from, to, isOtherFile }: Move,
  rules: LibraryRules,
  nowMs: number,
): Promise<Place | undefined> => {
  const byName = rules.bookStrategy === 'filename' && to.instead === undefined;
  const place = await placeOf(tx, to);
  if (place === undefined) return undefined;
  if (to.instead === undefined) await tx.run('DELETE FROM book WHERE id = ?', [to.key]);
  else await setAside(tx, to.instead, nowMs);
  await tx.run(
    'UPDATE book SET folder_id = ?, series_id = ?, file_name = ?, file_mtime = ?, deleted = 0, due = max(?, 1 - analyzed), updated_at = ? WHERE id = ?',
    [place.folder_id, place.series_id, place.file_name, place.file_mtime, Number(!byName), nowMs, from.key],
  );
  if (isOtherFile === true)
    await tx.run(
      `UPDATE book SET file_size = ?, due = 1, attempts = 0, analyzed = 0, file_hash = '', hash_due = 1, analysis_error = NULL WHERE id = ?`,
      [place.file_size, from.key],
    );
  return place;
};

interface Taken extends Move {
  /** Where the book is now. */
  readonly place: Place;
}

/** `seriesOf`: the series of each row before the moves. */
const reportTaken = (
  tx: Tx,
  libraryKey: number,
  taken: readonly Taken[],
  seriesOf: ReadonlyMap<number, number>,
): void => {
  const moved = taken.map(({ from, place }) => {
    const to = place.series_id;
    return { id: from.key, from: seriesOf.get(from.key) ?? to, to };
  });
  reportMoved(tx, libraryKey, moved, MOVED);
  const aside = taken.filter(({ to }) => to.instead !== undefined);
  tx.report(
    updated(
      'book',
      aside.map(({ to }) => to.key),
      MOVED,
    ),
  );
  const gone = taken.filter(({ to }) => to.instead === undefined);
  reportGoneBooks(
    tx,
    libraryKey,
    gone.map(({ to, place }) => ({
      id: to.key,
      hex: place.hex,
      series: place.series_id,
      neverReadable: place.never_readable,
    })),
  );
};

const takeOverSome = async ({ parts, library, findings }: ScanContext, moves: readonly Move[]): Promise<void> => {
  const now = parts.clock.now();
  const taken = await parts.db.write(SYSTEM, 'background', async (tx) => {
    const done: Taken[] = [];
    const keys = JSON.stringify(moves.flatMap(({ from, to }) => [from.key, to.key]));
    const rows = await tx.all<{ id: number; series: number }>(
      'SELECT id, series_id AS series FROM book WHERE id IN (SELECT value FROM json_each(?))',
      [keys],
    );
    const seriesOf = new Map(rows.map(({ id, series }) => [id, series]));
    const touched = [...new Set(seriesOf.values())];
    const before = await countersOf(tx, touched);
    for (const move of moves) {
      const place = await takeOver(tx, move, library, now);
      if (place !== undefined) done.push({ ...move, place });
    }
    const moved = done.map(({ from }) => from.key);
    const replaced = done.filter(({ to }) => to.instead === undefined);
    await followReplaced(
      tx,
      replaced.map(({ from, place }) => ({ goneHex: place.hex, present: from.key })),
      now,
    );
    await resettleBooks(tx, moved, now);
    reportTaken(tx, library.key, done, seriesOf);
    await recountSeries(tx, library.key, touched, before, DUE.all, now);
    await settleUnions(tx, touched);
    await raiseRatings(tx, moved, now);
    return done;
  });
  for (const { from } of taken) findings.missing.delete(from.key);
  findings.filesProcessed += taken.length;
};

/** `all`: with moves that are written later, for the series. */
export const writeMoves = async (context: ScanContext, moves: readonly Move[], all = moves): Promise<void> => {
  if (moves.length === 0) return;
  await settleTargets(context, all);
  const taken = moves.filter(({ to }) => !to.isTouched);
  for (let at = 0; at < taken.length; at += MOVES_PER_TRANSACTION)
    await takeOverSome(context, taken.slice(at, at + MOVES_PER_TRANSACTION));
};
