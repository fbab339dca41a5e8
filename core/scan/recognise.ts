// Recognises missing books in other files (same-book.ts). One record of the two is left: that of the missing book, which has the history,
// takes over the file; if people have used the other one as well, what they did with the missing book is added to it instead.
import { keysIn } from '../store/feed.js';
import { addedKeys, addedOfKeys } from './added.js';
import { isAlike, MORE_BYTES, PART } from './alike-sizes.js';
import { writeMoves } from './apply-moves.js';
import type { Missing, ScanContext } from './context.js';
import { mayBeCopies, mergeCopiedSeries } from './copied-series.js';
import { mergeBooks } from './merge-books.js';
import { missingBooks } from './missing.js';
import { findMoves, type Move } from './moves.js';
import { candidates, type Found, unambiguous } from './same-book.js';
import { touchedBook, touchedSeries } from './touched.js';

const touchedOf = async ({ parts }: ScanContext, keys: readonly number[]): Promise<ReadonlySet<number>> => {
  const rows = await parts.db.all<{ id: number }>(
    `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value WHERE ${touchedBook('b')}`,
    [JSON.stringify(keys)],
  );
  return new Set(rows.map(({ id }) => id));
};

/** Those that people used, or whose series they changed or listed. */
const wantedOf = async ({ parts }: ScanContext, keys: readonly number[]): Promise<readonly number[]> => {
  const rows = await parts.db.all<{ id: number }>(
    `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN series s ON s.id = b.series_id
     WHERE ${touchedBook('b')} OR ${touchedSeries('s')}`,
    [JSON.stringify(keys)],
  );
  return rows.map(({ id }) => id);
};

const missingOf = async ({ parts, findings }: ScanContext, keys: readonly number[]): Promise<Map<number, Missing>> => {
  const gone = keys.filter((key) => !findings.missing.has(key));
  const earlier = await missingBooks(parts.db, 'id IN (SELECT value FROM json_each(?))', [JSON.stringify(gone)]);
  return new Map([...findings.missing, ...earlier.map((one) => [one.key, one] as const)]);
};

/** A move, and the evidence for it. */
interface Match extends Move {
  readonly sign: Found['sign'];
}

const matchesOf = async (context: ScanContext, found: readonly Found[]): Promise<readonly Match[]> => {
  const missing = await missingOf(
    context,
    found.map(({ from }) => from),
  );
  const live = await addedOfKeys(
    context,
    found.map(({ to }) => to),
  );
  const targets = new Map(live.map((one) => [one.key, one]));
  return found.flatMap(({ from, to, sign }) => {
    const [one, other] = [missing.get(from), targets.get(to)];
    return one === undefined || other === undefined ? [] : [{ from: one, to: other, sign }];
  });
};

const applyMatches = async (context: ScanContext, found: readonly Found[], areCopies = false): Promise<void> => {
  if (found.length === 0) return;
  const used = await touchedOf(
    context,
    found.map(({ from }) => from),
  );
  const pairs = await matchesOf(context, found);
  await mergeCopiedSeries(context, pairs, areCopies);
  const moves = pairs.filter(({ to }) => !to.isTouched);
  await writeMoves(
    context,
    moves.map(({ sign, ...move }) => ({ ...move, ...(sign !== 'bytes' && { isOtherFile: true as const }) })),
  );
  await mergeBooks(
    context,
    pairs.filter(({ from, to }) => to.isTouched && used.has(from.key)),
  );
};

/**
 * Those of the added books that are not read yet and may be missing ones: in a folder from which a book is gone, or as large as one. The
 * others are read after the sweep, as always.
 */
const toRead = async ({ parts, findings }: ScanContext, added: readonly number[]): Promise<readonly number[]> => {
  const rows = await parts.db.all<{ id: number; folder: number; size: number; isWanted: number }>(
    `SELECT n.id, n.folder_id AS folder, n.file_size AS size,
       EXISTS (SELECT 1 FROM book d WHERE d.folder_id = n.folder_id AND d.deleted = 1)
       OR EXISTS (SELECT 1 FROM book d INDEXED BY book_gone WHERE d.library_id = n.library_id AND d.deleted = 1
         AND d.file_size BETWEEN n.file_size - n.file_size / ${PART} - ${MORE_BYTES} AND n.file_size + n.file_size / ${PART} + ${MORE_BYTES}) AS isWanted
     FROM json_each(?) j CROSS JOIN book n ON n.id = j.value WHERE n.due = 1`,
    [JSON.stringify(added)],
  );
  const missing = [...findings.missing.values()];
  const folders = new Set(missing.map(({ folderKey }) => folderKey));
  const sizes = missing.map(({ fileSize }) => fileSize).sort((one, other) => one - other);
  return rows
    .filter(({ folder, size, isWanted }) => isWanted === 1 || folders.has(folder) || isAlike(size, sizes))
    .map(({ id }) => id);
};

const isGone = ({ parts, library }: ScanContext): Promise<boolean> =>
  parts.db
    .all('SELECT 1 FROM book WHERE library_id = ? AND deleted = 1 LIMIT 1', [library.key])
    .then((rows) => rows.length > 0);

/** Missing books, now or earlier, that are added ones in other files than those of `moves`. */
const foundAdded = async (context: ScanContext, moves: readonly Move[]): Promise<readonly Found[]> => {
  const { parts, findings, hadBooks } = context;
  if (!hadBooks || (findings.missing.size === 0 && !(await isGone(context)))) return [];
  const taken = new Set(moves.flatMap(({ from, to }) => [from.key, to.key]));
  const isLeft = (key: number): boolean => !taken.has(key);
  const fresh = [...(await addedKeys(context)), ...findings.revived.keys()];
  const added = [...new Set(fresh)].filter((key) => !findings.missing.has(key) && isLeft(key));
  if (added.length === 0) return [];
  const unread = await toRead(context, added);
  if (unread.length > 0) await context.analyse(unread);
  const keys = new Set(added);
  const isAdded = (key: number): boolean => keys.has(key);
  const found = [
    ...(await candidates(parts.db, 'w', [...findings.missing.keys()].filter(isLeft), isAdded)),
    ...(await candidates(parts.db, 'n', added, isAdded)),
  ];
  return unambiguous(found.filter(({ from }) => isLeft(from)));
};

/** Files that were moved or renamed. What becomes of a series that is at both paths depends on all its books, also those in other files. */
export const applyMoves = async (context: ScanContext): Promise<void> => {
  const moves = await findMoves(context);
  if (!(await mayBeCopies(context, moves))) return writeMoves(context, moves);
  const all = [...moves, ...(await matchesOf(context, await foundAdded(context, moves)))];
  await mergeCopiedSeries(context, all, false);
  await writeMoves(context, moves, all);
};

/** The same in other files. Before it is decided whether too many are missing. */
export const recogniseAdded = async (context: ScanContext): Promise<void> =>
  applyMatches(context, await foundAdded(context, []));

/** Live books whose files have changed since they were read. */
const changedKeys = async ({ parts, library }: ScanContext): Promise<readonly number[]> =>
  keysIn(
    await parts.db.all<{ id: number }>(
      'SELECT id FROM book INDEXED BY book_due WHERE due = 1 AND analyzed = 0 AND library_id = ? AND deleted = 0',
      [library.key],
    ),
  );

/** Missing books that people used, or whose series they did, of which the library has had another copy for some time. After it is decided that they are gone. */
export const recogniseCopies = async (context: ScanContext): Promise<void> => {
  const { parts, findings } = context;
  if (findings.missing.size === 0) return;
  const wanted = await wantedOf(context, [...findings.missing.keys()]);
  if (wanted.length === 0) return;
  const isThere = (key: number): boolean => !findings.missing.has(key);
  const unread = await toRead(context, (await changedKeys(context)).filter(isThere));
  if (unread.length > 0) await context.analyse(unread);
  const found = await candidates(parts.db, 'w', wanted, isThere);
  await applyMatches(context, unambiguous(found), true);
};
