// Recognises moved and renamed files: a missing book and a new file of the same size, partial hash and full hash are one book.
// The old row keeps its id, progress and lists and takes over the place of the new row.
import { settleUnions } from '../catalog/taxonomy-links.js';
import { AppError } from '../model/errors.js';
import type { LibraryRules } from '../model/strategies.js';
import type { Tx } from '../store/db.js';
import type { Added, Missing, ScanContext } from './context.js';
import { countersOf, renumberSeries, settleCounters } from './counters.js';
import { missingBooks } from './missing.js';

interface Move {
  readonly from: Missing;
  readonly to: Added;
}

/** Books deleted earlier whose size is that of a new file: they may have come back under another name. */
const deletedCandidates = async ({ parts, library, findings }: ScanContext): Promise<Missing[]> => {
  const sizes = [...findings.addedBySize.keys()];
  if (sizes.length === 0) return [];
  return missingBooks(
    parts.db,
    'library_id = ? AND deleted = 1 AND koreader_hash IS NOT NULL AND file_size IN (SELECT value FROM json_each(?))',
    [library.key, JSON.stringify(sizes)],
  );
};

/** Hashes only what could match: a new file whose size is that of a missing book. The cheap hash decides whether the dear one is made. */
const matchOne = async (
  { parts, library, signal }: ScanContext,
  missing: Missing,
  candidates: readonly Added[],
  taken: ReadonlySet<number>,
): Promise<Added | undefined> => {
  for (const candidate of candidates) {
    if (taken.has(candidate.key)) continue;
    if (signal.aborted) throw new AppError('Cancelled');
    const options = { lane: 'background', signal } as const;
    const place = { path: candidate.path, root: library.root };
    const partial = await parts.pool.run('partial', place, options).catch(() => undefined); // unreadable: no match
    if (partial === undefined || partial.koreaderHash !== missing.koreaderHash) continue;
    const whole = await parts.pool.run('fingerprint', place, options).catch(() => undefined);
    if (whole !== undefined && whole.fileHash === missing.fileHash) return candidate;
  }
  return undefined;
};

const findMoves = async (context: ScanContext): Promise<Move[]> => {
  const { findings } = context;
  if (findings.addedBySize.size === 0) return [];
  const moves: Move[] = [];
  const taken = new Set<number>();
  for (const missing of [...findings.missing.values(), ...(await deletedCandidates(context))]) {
    const candidates = findings.addedBySize.get(missing.fileSize);
    if (candidates === undefined || missing.koreaderHash === null || missing.fileHash === '') continue;
    const to = await matchOne(context, missing, candidates, taken);
    if (to === undefined) continue;
    taken.add(to.key);
    moves.push({ from: missing, to });
  }
  return moves;
};

interface Place {
  readonly folder_id: number;
  readonly series_id: number;
  readonly file_name: string;
  readonly file_mtime: number;
  readonly title: string;
  readonly title_sort: string;
  readonly volume: number | null;
  readonly chapter: number | null;
}

/** What comes from the file name, in the order of the binds below, unless its field is locked. */
const NAMED = [
  { column: 'title', lock: 'title' },
  { column: 'title_sort', lock: 'title' },
  { column: 'volume', lock: 'volume' },
  { column: 'chapter', lock: 'chapter' },
] as const;

/**
 * The new row makes way, the old row takes its place; analysis stays valid, since the bytes are the same. What came from the old file
 * name comes from the new one. Where titles are made of more than the file name, the book is analysed again to tell them.
 */
const takeOver = async (tx: Tx, { from, to }: Move, rules: LibraryRules, nowMs: number): Promise<void> => {
  const byName = rules.bookStrategy === 'filename';
  const [place] = await tx.all<Place>(
    'SELECT folder_id, series_id, file_name, file_mtime, title, title_sort, volume, chapter FROM book WHERE id = ?',
    [to.key],
  );
  if (place === undefined) return;
  await tx.run('DELETE FROM book WHERE id = ?', [to.key]);
  await tx.run(
    'UPDATE book SET folder_id = ?, series_id = ?, file_name = ?, file_mtime = ?, deleted = 0, due = max(?, 1 - analyzed), updated_at = ? WHERE id = ?',
    [place.folder_id, place.series_id, place.file_name, place.file_mtime, Number(!byName), nowMs, from.key],
  );
  if (!byName) return;
  await tx.run(
    `UPDATE book SET ${NAMED.map(({ column, lock }, at) => `${column} = iif(instr(m.locks, '"${lock}"'), ${column}, ?${at + 1})`).join(', ')}
     FROM (SELECT coalesce((SELECT locks FROM book_metadata WHERE book_id = ?5), '') AS locks) m WHERE id = ?5`,
    [place.title, place.title_sort, place.volume, place.chapter, from.key],
  );
};

/**
 * A renamed folder: every live book of the new series came from one old series that has no other live book left. The old series
 * keeps its id and takes the new path and name (unless its title is locked), and the new row goes.
 */
const keepSeries = async (
  tx: Tx,
  libraryKey: number,
  oldKey: number,
  newKey: number,
  nowMs: number,
): Promise<boolean> => {
  if (oldKey === newKey) return false;
  const [left] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM book WHERE series_id = ? AND deleted = 0', [
    oldKey,
  ]);
  if (left?.n !== 0) return false;
  const [fresh] = await tx.all<{ path: string; name: string; name_sort: string }>(
    'SELECT path, name, name_sort FROM series WHERE id = ?',
    [newKey],
  );
  if (fresh === undefined) return false;
  await tx.run('UPDATE book SET series_id = ? WHERE series_id = ?', [oldKey, newKey]);
  const before = await countersOf(tx, [newKey]);
  await tx.run('DELETE FROM series WHERE id = ?', [newKey]);
  await tx.run('UPDATE library SET series_count = series_count - ?, book_count = book_count - ? WHERE id = ?', [
    before.series,
    before.books,
    libraryKey,
  ]);
  await tx.run(
    `UPDATE series SET path = ?1, name = CASE WHEN t.locked THEN name ELSE ?2 END,
       name_sort = CASE WHEN t.locked OR title_sort IS NOT NULL THEN name_sort ELSE ?3 END, updated_at = ?4
     FROM (SELECT EXISTS (SELECT 1 FROM series o JOIN json_each(o.locks) k WHERE o.id = ?5 AND k.value = 'title') AS locked) t
     WHERE id = ?5`,
    [fresh.path, fresh.name, fresh.name_sort, nowMs, oldKey],
  );
  return true;
};

/** Old series to the one new series its books went to; a series whose books went apart, or met others there, is not in it. */
const renamedSeries = (
  moves: readonly Move[],
  freshCounts: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> => {
  const targets = new Map<number, Set<number>>();
  const sources = new Map<number, Set<number>>();
  const arrived = new Map<number, number>();
  for (const { from, to } of moves) {
    targets.set(from.seriesKey, (targets.get(from.seriesKey) ?? new Set()).add(to.seriesKey));
    sources.set(to.seriesKey, (sources.get(to.seriesKey) ?? new Set()).add(from.seriesKey));
    arrived.set(to.seriesKey, (arrived.get(to.seriesKey) ?? 0) + 1);
  }
  const renamed = new Map<number, number>();
  for (const [oldKey, news] of targets) {
    const [newKey] = news;
    if (newKey === undefined || news.size !== 1 || sources.get(newKey)?.size !== 1) continue;
    if (arrived.get(newKey) === freshCounts.get(newKey)) renamed.set(oldKey, newKey);
  }
  return renamed;
};

/** Applies all moves in one transaction; returns the number of books recognised. */
export const applyMoves = async (context: ScanContext): Promise<number> => {
  const { parts, library, findings } = context;
  const moves = await findMoves(context);
  if (moves.length === 0) return 0;
  const now = parts.clock.now();
  const touched = [...new Set(moves.flatMap(({ from, to }) => [from.seriesKey, to.seriesKey]))];
  await parts.db.write('background', async (tx) => {
    const before = await countersOf(tx, touched);
    const counts = await tx.all<{ series_id: number; n: number }>(
      'SELECT series_id, count(*) AS n FROM book WHERE deleted = 0 AND series_id IN (SELECT value FROM json_each(?)) GROUP BY series_id',
      [JSON.stringify(moves.map(({ to }) => to.seriesKey))],
    );
    for (const move of moves) await takeOver(tx, move, library, now);
    await settleCounters(tx, library.key, touched, before, now);
    const renamed = renamedSeries(moves, new Map(counts.map(({ series_id, n }) => [series_id, n])));
    for (const [oldKey, newKey] of renamed) {
      const beforeRename = await countersOf(tx, [oldKey]);
      if (await keepSeries(tx, library.key, oldKey, newKey, now))
        await settleCounters(tx, library.key, [oldKey], beforeRename, now);
    }
    await settleUnions(tx, touched);
    await renumberSeries(tx, touched, library);
  });
  for (const { from, to } of moves) {
    findings.missing.delete(from.key);
    parts.onBooksChanged([from.id, to.id]);
  }
  findings.filesProcessed += moves.length;
  return moves.length;
};
