// Other titles of a series, each with a label that says what it is ("Japanese", "short"). Search finds the series by them as by its own
// title.

import type { Clock } from '../engine/clock.js';
import { cleanName } from '../model/clean-name.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import { keyList, listsByKey } from '../store/by-key.js';
import type { Bind, Db, Reader, Tx } from '../store/db.js';
import { packed } from '../store/packed.js';
import { type Asking, asAsked } from './asking.js';
import { lockSeries } from './locks.js';
import { resolve } from './public-ids.js';

export interface AlternateTitle {
  readonly id: string;
  readonly seriesId: string;
  readonly label: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface LabelledTitle {
  readonly label: string;
  readonly title: string;
}

/** The fields a caller may set; absent means unchanged. */
export interface TitleChange {
  readonly label?: string | undefined;
  readonly title?: string | undefined;
}

export const TITLES_MAX = 100;
export const TITLE_MAX = 500;
export const LABEL_MAX = 100;

const COLUMNS = packed<AlternateTitle>({
  id: { sql: 't.uuid', as: 'uuid' },
  seriesId: { sql: 's.uuid', as: 'uuid' },
  label: { sql: 't.label' },
  title: { sql: 't.title' },
  createdAt: { sql: 't.created_at' },
  updatedAt: { sql: 't.updated_at' },
});

const select = async (from: Reader, where: string, binds: readonly Bind[]): Promise<AlternateTitle[]> => {
  const rows = await from.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM series_title t JOIN series s ON s.id = t.series_id WHERE ${where} ORDER BY t.id`,
    binds,
  );
  return rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
};

/** The titles of a series whose key is known, in the order they were given. */
export const titlesOfKey = (from: Reader, seriesKey: number): Promise<AlternateTitle[]> =>
  select(from, 't.series_id = ?', [seriesKey]);

/** The titles of each of these series. */
export const titlesOfKeys = (
  from: Reader,
  keys: readonly number[],
): Promise<ReadonlyMap<number, readonly AlternateTitle[]>> =>
  listsByKey(
    from,
    `SELECT s.id AS key, ${COLUMNS.expression} AS row FROM json_each(?) j
     CROSS JOIN series_title t ON t.series_id = j.value JOIN series s ON s.id = t.series_id ORDER BY t.id`,
    [keyList(keys)],
    COLUMNS.read,
  );

export const alternateTitles = async (db: Db, viewer: Viewer, seriesId: string): Promise<AlternateTitle[]> =>
  titlesOfKey(db, (await resolve(db, 'series', seriesId, viewer)).key);

const titleOf = async (from: Reader, key: number, id: string): Promise<AlternateTitle> => {
  const [title] = await select(from, 't.series_id = ? AND t.uuid = ?', [key, bytesOfUuid(id)]);
  if (title === undefined) throw new AppError('NotFound', 'The series has no alternate title with this id.');
  return title;
};

const checkText = (field: keyof TitleChange, given: string, most: number): string => {
  const text = cleanName(given);
  if (text !== '' && text.length <= most) return text;
  const message = `must be text of 1 to ${most} characters`;
  throw new AppError('BadRequest', `Invalid body: ${field} ${message}.`, [{ path: field, message }]);
};

const refuseMany = async (tx: Tx, key: number): Promise<void> => {
  const [row] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM series_title WHERE series_id = ?', [key]);
  if ((row?.n ?? 0) >= TITLES_MAX)
    throw new AppError('BadRequest', `A series has at most ${TITLES_MAX} alternate titles.`);
};

const addTitleIn = async (
  { tx, viewer, nowMs }: Asking,
  seriesId: string,
  wanted: LabelledTitle,
): Promise<AlternateTitle> => {
  const label = checkText('label', wanted.label, LABEL_MAX);
  const title = checkText('title', wanted.title, TITLE_MAX);
  const id = newId(nowMs);
  const { key } = await resolve(tx, 'series', seriesId, viewer);
  await refuseMany(tx, key);
  await tx.run(
    'INSERT INTO series_title (uuid, series_id, label, title, created_at, updated_at) VALUES (unhex(?1), ?2, ?3, ?4, ?5, ?5)',
    [id, key, label, title, nowMs],
  );
  await lockSeries(tx, key, 'alternateTitles', nowMs);
  return titleOf(tx, key, uuidOfHex(id));
};

export const addTitle = (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  seriesId: string,
  wanted: LabelledTitle,
): Promise<AlternateTitle> => asAsked(db, clock, viewer, (asking) => addTitleIn(asking, seriesId, wanted));

export const changeTitle = async (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  seriesId: string,
  id: string,
  change: TitleChange,
): Promise<AlternateTitle> => {
  const label = change.label === undefined ? undefined : checkText('label', change.label, LABEL_MAX);
  const title = change.title === undefined ? undefined : checkText('title', change.title, TITLE_MAX);
  const now = clock.now();
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const { key } = await resolve(tx, 'series', seriesId, viewer);
    const old = await titleOf(tx, key, id);
    if (label === undefined && title === undefined) return old;
    await tx.run('UPDATE series_title SET label = ?, title = ?, updated_at = ? WHERE uuid = ?', [
      label ?? old.label,
      title ?? old.title,
      now,
      bytesOfUuid(id),
    ]);
    await lockSeries(tx, key, 'alternateTitles', now);
    return titleOf(tx, key, id);
  });
};

const removeTitleIn = async ({ tx, viewer, nowMs }: Asking, seriesId: string, id: string): Promise<void> => {
  const { key } = await resolve(tx, 'series', seriesId, viewer);
  await titleOf(tx, key, id);
  await tx.run('DELETE FROM series_title WHERE uuid = ?', [bytesOfUuid(id)]);
  await lockSeries(tx, key, 'alternateTitles', nowMs);
};

export const removeTitle = (db: Db, clock: Clock, viewer: Viewer, seriesId: string, id: string): Promise<void> =>
  asAsked(db, clock, viewer, (asking) => removeTitleIn(asking, seriesId, id));

/** Titles that are there already keep their ids. */
export const replaceTitlesIn = async (
  asking: Asking,
  seriesId: string,
  wanted: readonly LabelledTitle[],
): Promise<void> => {
  const isSame = (one: LabelledTitle) => (other: LabelledTitle) =>
    one.label === other.label && one.title === other.title;
  const { key } = await resolve(asking.tx, 'series', seriesId, asking.viewer);
  const present = await titlesOfKey(asking.tx, key);
  for (const one of present) if (!wanted.some(isSame(one))) await removeTitleIn(asking, seriesId, one.id);
  for (const one of wanted) if (!present.some(isSame(one))) await addTitleIn(asking, seriesId, one);
};
