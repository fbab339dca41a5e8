// Covers that users uploaded or chose: which there are, and which of them is shown in place of the one from the files. At most one is.
import { AppError } from '../../model/errors.js';
import { bytesOfUuid, newId } from '../../model/ids.js';
import type { Viewer } from '../../model/viewer.js';
import type { Reader, Tx } from '../../store/db.js';
import { packed } from '../../store/packed.js';
import { andVisibleBook } from '../visibility.js';
import { OWNERS, touchOwner } from './owners.js';
import type { CoverOwner } from './shown.js';

export interface StoredCover {
  readonly id: string;
  readonly source: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly selected: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A new one, whose image is stored under this id. */
export interface NewCover {
  readonly id: string;
  readonly source: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** One book, series or list in a transaction. */
export interface Owned {
  readonly owner: CoverOwner;
  readonly key: number;
  readonly nowMs: number;
}

export const COVERS_MAX = 50;
export const UPLOADED = 'custom';

const COLUMNS = packed<StoredCover>({
  id: { sql: 'c.uuid', as: 'uuid' },
  source: { sql: 'c.source' },
  width: { sql: 'c.width' },
  height: { sql: 'c.height' },
  bytes: { sql: 'c.size_bytes' },
  selected: { sql: 'c.selected', as: 'boolean' },
  createdAt: { sql: 'c.created_at' },
  updatedAt: { sql: 'c.updated_at' },
});

/** Those with an image of their own, oldest first. */
export const coversOf = async (from: Reader, owner: CoverOwner, key: number): Promise<StoredCover[]> => {
  const rows = await from.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM cover c WHERE c.${owner}_id = ? AND c.of_book IS NULL ORDER BY c.id`,
    [key],
  );
  return rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
};

export const unknownCover = (owner: CoverOwner): AppError =>
  new AppError('NotFound', `The ${OWNERS[owner].word} has no cover with this id.`);

export const coverById = async (from: Reader, owner: CoverOwner, key: number, id: string): Promise<StoredCover> => {
  const found = (await coversOf(from, owner, key)).find((cover) => cover.id === id);
  if (found === undefined) throw unknownCover(owner);
  return found;
};

/** Before an image is decoded as well: no work is done for one that could not be kept. */
export const refuseMany = async (from: Reader, owner: CoverOwner, key: number): Promise<void> => {
  const [row] = await from.all<{ n: number }>(
    `SELECT count(*) AS n FROM cover WHERE ${owner}_id = ? AND of_book IS NULL`,
    [key],
  );
  if ((row?.n ?? 0) < COVERS_MAX) return;
  throw new AppError('BadRequest', `A ${OWNERS[owner].word} has at most ${COVERS_MAX} covers; delete one first.`);
};

/** Nothing is selected any more: the cover from the files is shown. */
const deselect = async (tx: Tx, { owner, key, nowMs }: Owned): Promise<void> => {
  await tx.run(`DELETE FROM cover WHERE ${owner}_id = ? AND of_book IS NOT NULL`, [key]);
  await tx.run(`UPDATE cover SET selected = 0, updated_at = ? WHERE ${owner}_id = ? AND selected = 1`, [nowMs, key]);
};

export const resetCover = async (tx: Tx, owned: Owned): Promise<void> => {
  await deselect(tx, owned);
  await touchOwner(tx, owned.owner, owned.key, owned.nowMs);
};

export const selectCover = async (tx: Tx, owned: Owned, id: string): Promise<StoredCover> => {
  const { owner, key, nowMs } = owned;
  await coverById(tx, owner, key, id);
  await deselect(tx, owned);
  await tx.run('UPDATE cover SET selected = 1, updated_at = ? WHERE uuid = ?', [nowMs, bytesOfUuid(id)]);
  await touchOwner(tx, owner, key, nowMs);
  return coverById(tx, owner, key, id);
};

/** A new cover is selected at once, unless it is only to be kept. One of the same page replaces the earlier one. */
export const addCover = async (tx: Tx, owned: Owned, made: NewCover, isShown: boolean): Promise<StoredCover> => {
  const { owner, key, nowMs } = owned;
  if (made.source !== UPLOADED)
    await tx.run(`DELETE FROM cover WHERE ${owner}_id = ? AND source = ?`, [key, made.source]);
  await refuseMany(tx, owner, key);
  if (isShown) await deselect(tx, owned);
  await tx.run(
    `INSERT INTO cover (uuid, ${owner}_id, source, width, height, size_bytes, selected, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?8, ?7, ?7)`,
    [bytesOfUuid(made.id), key, made.source, made.width, made.height, made.bytes, nowMs, Number(isShown)],
  );
  await touchOwner(tx, owner, key, nowMs);
  return coverById(tx, owner, key, made.id);
};

/** Without it, the cover from the files is shown, if it was selected. */
export const removeCover = async (tx: Tx, { owner, key, nowMs }: Owned, id: string): Promise<void> => {
  await coverById(tx, owner, key, id);
  await tx.run('DELETE FROM cover WHERE uuid = ?', [bytesOfUuid(id)]);
  await touchOwner(tx, owner, key, nowMs);
};

/** The newest one that was uploaded. */
export const selectUploaded = async (tx: Tx, owned: Owned): Promise<void> => {
  const uploaded = (await coversOf(tx, owned.owner, owned.key)).filter(({ source }) => source === UPLOADED);
  const newest = uploaded.at(-1);
  if (newest === undefined)
    throw new AppError('NotFound', `No cover has been uploaded for this ${OWNERS[owned.owner].word}.`);
  await selectCover(tx, owned, newest.id);
};

const hasBook = async (tx: Tx, { owner, key }: Owned, { scope }: Viewer, bookId: string): Promise<boolean> => {
  const [ofSeries, binds] = owner === 'series' ? [' AND b.series_id = ?', [key]] : ['', []];
  const found = await tx.all(
    `SELECT 1 FROM book b WHERE b.uuid = ? AND b.deleted = 0${ofSeries}${andVisibleBook(scope, 'b')}`,
    [bytesOfUuid(bookId), ...binds],
  );
  return found.length > 0;
};

/** The cover of a book is shown, for a series only that of one of its own. */
export const chooseBook = async (tx: Tx, owned: Owned, viewer: Viewer, bookId: string): Promise<void> => {
  const { owner, key, nowMs } = owned;
  if (!(await hasBook(tx, owned, viewer, bookId)))
    throw new AppError(
      'NotFound',
      owner === 'series' ? 'The series has no book with this id.' : 'There is no book with this id.',
    );
  await deselect(tx, owned);
  await tx.run(
    `INSERT INTO cover (uuid, ${owner}_id, source, of_book, selected, created_at, updated_at)
     VALUES (unhex(?1), ?2, 'book', ?3, 1, ?4, ?4)`,
    [newId(nowMs), key, bytesOfUuid(bookId), nowMs],
  );
  await touchOwner(tx, owner, key, nowMs);
};
