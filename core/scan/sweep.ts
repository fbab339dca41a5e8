// The end of discovery: missing books are recognised elsewhere or soft-deleted, unless so many vanished at once that a missing disk is more
// likely.
import { settleUnions } from '../catalog/taxonomy-links.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import { countAdded } from './added.js';
import { applyExchanges } from './apply-exchanges.js';
import type { ScanContext } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import type { Discovery } from './discover.js';
import { DUE } from './due-series.js';
import { missingBooks } from './missing.js';
import { applyMoves, recogniseAdded, recogniseCopies } from './recognise.js';
import { showSwept } from './unswept.js';

const ROWS_PER_TRANSACTION = 300;

const LIVE_IN_FOLDERS = 'deleted = 0 AND folder_id IN (SELECT value FROM json_each(?))';

/** Whether no file was found where books are known: an unmounted disk looks like that. Their rows are not read, since there may be a million. */
const isAllMissing = async ({ parts, findings }: ScanContext, vanished: readonly number[]): Promise<boolean> => {
  if (findings.filesFound > 0) return false;
  if (findings.missing.size > 0) return true;
  const rows = await parts.db.all(`SELECT 1 FROM book WHERE ${LIVE_IN_FOLDERS} LIMIT 1`, [JSON.stringify(vanished)]);
  return rows.length > 0;
};

/** Books in vanished folders are missing too. */
const noteVanishedFolders = async ({ parts, findings }: ScanContext, folderKeys: readonly number[]): Promise<void> => {
  if (folderKeys.length === 0) return;
  const rows = await missingBooks(parts.db, LIVE_IN_FOLDERS, [JSON.stringify(folderKeys)]);
  for (const row of rows) findings.missing.set(row.key, row);
  for (const key of folderKeys) findings.heldDigests.set(key, '');
};

const liveBooks = async ({ parts, library }: ScanContext): Promise<number> => {
  const [row] = await parts.db.all<{ n: number }>('SELECT book_count AS n FROM library WHERE id = ?', [library.key]);
  return row?.n ?? 0;
};

const softDelete = async (context: ScanContext): Promise<void> => {
  const { parts, library, findings } = context;
  const missing = [...findings.missing.values()];
  for (let at = 0; at < missing.length; at += ROWS_PER_TRANSACTION) {
    const slice = missing.slice(at, at + ROWS_PER_TRANSACTION);
    findings.booksRemoved += slice.length;
    const touched = [...new Set(slice.map((book) => book.seriesKey))];
    const now = parts.clock.now();
    await parts.db.write(SYSTEM, 'background', async (tx) => {
      const before = await countersOf(tx, touched);
      await tx.run(
        'UPDATE book SET deleted = 1, due = 0, updated_at = ? WHERE id IN (SELECT value FROM json_each(?))',
        [now, JSON.stringify(slice.map((book) => book.key))],
      );
      const gone = slice.map((book) => book.key);
      tx.report(updated('book', gone, ASPECTS.list | ASPECTS.content | ASPECTS.reading));
      tx.report(told('book', gone, ['deleted']));
      await recountSeries(tx, library.key, touched, before, DUE.all, now);
      await settleUnions(tx, touched);
    });
  }
};

const recordHeldDigests = async ({ parts, findings }: ScanContext): Promise<void> => {
  const rows = [...findings.heldDigests];
  if (rows.length === 0) return;
  await parts.db.write(SYSTEM, 'background', async (tx) => {
    await tx.run('UPDATE folder SET digest = j.value ->> 1 FROM json_each(?) j WHERE folder.id = j.value ->> 0', [
      JSON.stringify(rows),
    ]);
    const keys = rows.map(([key]) => key);
    tx.report(updated('folder', keys, ASPECTS.details));
  });
};

/**
 * `acceptMissing`: the owner confirms that the files are really gone, however many there are. Resolves to whether the stored books are now
 * those in the folder.
 */
export const sweep = async (context: ScanContext, discovery: Discovery, acceptMissing: boolean): Promise<boolean> => {
  const { findings, warn, library } = context;
  if (!acceptMissing && (await isAllMissing(context, discovery.vanishedFolders))) {
    warn(`The library folder ${library.root} is empty; is its disk mounted? Nothing was removed.`);
    return false;
  }
  await noteVanishedFolders(context, discovery.vanishedFolders);
  const knownBefore = findings.missing.size === 0 ? 0 : (await liveBooks(context)) - (await countAdded(context));
  await applyExchanges(context);
  await applyMoves(context);
  await recogniseAdded(context);
  // What a part was found to hold may have moved there from another part, which was not looked at.
  if (context.part === null) await showSwept(context.parts.db, library);
  const missing = findings.missing.size;
  if (missing * 2 > knownBefore && !acceptMissing) {
    warn(
      `${missing} of ${knownBefore} known files vanished at once; is a disk missing? Nothing was removed. If they are really gone, scan again with acceptMissing=true.`,
    );
    return false;
  }
  await recogniseCopies(context);
  findings.booksRemoved += missing - findings.missing.size; // those whose progress went to a copy
  await softDelete(context);
  await recordHeldDigests(context);
  return true;
};
