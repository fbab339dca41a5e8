// Whether a data folder was set up before. A server without users lets anybody create the first one, so it must not mistake a lost database
// for a new installation.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from '../store/connection.js';
import { codeOf, createWhole } from './whole-file.js';

export interface Places {
  readonly folder: string;
  readonly database: string;
  readonly backups: string;
  readonly cache: string;
}

/** Created with the first user, or at the first start with users. */
export const MARKER_FILE = 'longbox.set-up';
const MARKER_TEXT =
  'This data folder was set up. While this file is here, Longbox does not start without the database and its users.\n';
const SHOWN_BACKUPS = 3;

const sizeAt = (path: string): number | undefined => {
  try {
    return statSync(path).size;
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(thrown))) return [];
    throw thrown;
  }
};

/** The newest backups and copies of the database, newest first. */
export const newestBackups = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith('.db') || name.endsWith('.tar'))
    .flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false }); // none for a link that leads nowhere
      return found?.isFile() === true ? [{ path: join(folder, name), time: found.mtimeMs }] : [];
    })
    .sort((a, b) => b.time - a.time)
    .slice(0, SHOWN_BACKUPS)
    .map(({ path }) => path);

/** What to do when a database is lost or damaged. */
export const restoreAdvice = (backups: string): string => {
  const [newest, ...older] = newestBackups(backups);
  if (newest === undefined)
    return `There is no backup in ${backups}; to restore one from elsewhere: longbox restore FILE.`;
  const others = older.length === 0 ? '' : ` Older backups: ${older.join(', ')}.`;
  return `To restore the newest backup: longbox restore ${newest}.${others}`;
};

export const markSetUp = (folder: string): void => {
  createWhole(join(folder, MARKER_FILE), MARKER_TEXT, 0o600);
};

/** The same where nobody waits for the marker: the next start writes one that could not be written. */
export const markSetUpOr = (folder: string, onFault: (thrown: unknown) => void): void => {
  try {
    markSetUp(folder);
  } catch (thrown) {
    onFault(thrown);
  }
};

/** A cache elsewhere may belong to another data folder; it counts as ours only if this folder has secrets. */
const isCacheOurs = ({ folder, cache }: Places): boolean =>
  sizeAt(join(cache, 'data.mdb')) !== undefined &&
  (cache.startsWith(join(folder, sep)) || sizeAt(join(folder, 'secrets')) !== undefined);

/** Evidence in folders older than the marker: a cache and backups exist only after there was a database with tables. */
const tracesOf = (places: Places): readonly string[] => tracesIn(places, isCacheOurs(places));

const tracesIn = ({ folder, database, backups, cache }: Places, hasCache: boolean): readonly string[] => [
  ...(sizeAt(join(folder, MARKER_FILE)) === undefined ? [] : [join(folder, MARKER_FILE)]),
  ...(newestBackups(backups).length > 0 ? [backups] : []),
  ...(hasCache ? [cache] : []),
  ...((sizeAt(`${database}-wal`) ?? 0) > 0 ? [`${database}-wal`] : []),
];

const lost = (what: string, { database, backups }: Places, traces: readonly string[]): AppError =>
  new AppError(
    'BadRequest',
    `The database ${database} ${what}, but this data folder was in use before (${traces.map((path) => basename(path)).join(', ')}). Starting would let anybody set it up again. ${restoreAdvice(backups)} To start over on purpose, choose another folder with --data, or move these away: ${[database, ...traces].join(', ')}.`,
  );

const countUsers = (database: string): Promise<number> =>
  withConnection(database, async (connection) => {
    const [table] = await connection.all<{ n: number }>("SELECT count(*) AS n FROM sqlite_master WHERE name = 'user'");
    if (table?.n !== 1) return 0;
    const [users] = await connection.all<{ n: number }>('SELECT EXISTS (SELECT 1 FROM user) AS n');
    return users?.n ?? 0;
  });

/** Runs before the database is opened, and so before a missing one is created. */
export const refuseLostDatabase = async (places: Places): Promise<void> => {
  const size = sizeAt(places.database) ?? 0;
  if (size === 0) {
    const isMissing = sizeAt(places.database) === undefined;
    // An interrupted first start leaves secrets and no database file; an empty file next to them once held something.
    const secrets = join(places.folder, 'secrets');
    const traces = [...tracesOf(places), ...(!isMissing && namesIn(secrets).length > 0 ? [secrets] : [])];
    const what = isMissing ? 'is missing' : 'is empty';
    if (traces.length > 0) throw lost(what, places, traces);
    return;
  }
  const marker = join(dirname(places.database), MARKER_FILE);
  if ((await countUsers(places.database)) > 0) markSetUp(places.folder);
  else if (sizeAt(marker) !== undefined) throw lost('has no users', places, [marker]);
};
