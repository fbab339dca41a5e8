// Copies of the database: making one while others write, and checking one.
import { open, rm, stat } from 'node:fs/promises';
import { AppError } from '../model/errors.js';
import { type Reader, withConnection } from '../store/connection.js';

/** Where the server keeps copies that it makes itself, next to its database. */
export const OWN_FOLDER = 'backups';

export interface Integrity {
  /** 0 for a database that is empty, or another program's. */
  readonly schema: number;
  /** The database's messages about what is wrong; empty when it is sound. */
  readonly faults: readonly string[];
}

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const must = async (path: string): Promise<void> => {
  if (!(await exists(path))) throw new AppError('NotFound', `There is no database at ${path}.`);
};

/** Tables of every schema; a file of another program does not have all of them. */
const TABLES = ['user', 'session', 'library', 'folder', 'series', 'book', 'read_progress'];

/** `quick` skips what takes long on a large database: comparing indexes with their tables. */
export const checkDatabase = async (path: string, quick: boolean): Promise<Integrity> => {
  await must(path);
  return integrityOf(path, quick).catch((thrown: unknown) => {
    const code = /SQLITE_(?:CORRUPT|NOTADB)/.exec(String(thrown))?.[0];
    if (code === undefined) throw thrown;
    return { schema: 0, faults: [`it cannot be read (${code})`] };
  });
};

/** 0 for a database that is empty, or another program's. */
export const ownSchema = async (from: Reader): Promise<number> => {
  const [version] = await from.all<{ user_version: number }>('PRAGMA user_version');
  const [ours] = await from.all<{ count: number }>(
    `SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table' AND name IN (${TABLES.map((name) => `'${name}'`).join(', ')})`,
  );
  return ours?.count === TABLES.length ? (version?.user_version ?? 0) : 0;
};

const integrityOf = (path: string, quick: boolean): Promise<Integrity> =>
  withConnection(path, async (connection) => {
    const schema = await ownSchema(connection);
    const rows = await connection.all<Record<string, string>>(quick ? 'PRAGMA quick_check' : 'PRAGMA integrity_check');
    const broken = await connection.all<Record<string, string | number>>('PRAGMA foreign_key_check');
    const faults = rows.map((row) => Object.values(row)[0] ?? '').filter((text) => text !== 'ok');
    const dangling = broken.map(
      (row) => `row ${row.rowid ?? '?'} of ${row.table} points to a missing row of ${row.parent}`,
    );
    return { schema, faults: [...(schema === 0 ? ['it has no tables of Longbox'] : []), ...faults, ...dangling] };
  });

/** A consistent copy in a new file, also while a server writes. `signal` ends it. */
export const copyDatabase = async (path: string, target: string, signal?: AbortSignal): Promise<void> => {
  await must(path);
  await removeDatabase(target);
  // SQLite fills an empty file, and would give a new one the mode that the umask says.
  await (await open(target, 'wx', 0o600)).close();
  await withConnection(path, (connection) => connection.run('VACUUM INTO ?', [target]), signal).catch(
    (thrown: unknown) => {
      throw signal?.aborted === true ? new AppError('Cancelled', undefined, null, thrown) : thrown;
    },
  );
};

/** The files that SQLite applies to a database when it opens it, and those it only works with. */
export const PENDING = ['-wal', '-journal'];
export const BESIDE = [...PENDING, '-shm'];

/** Also what SQLite keeps beside it. */
export const removeDatabase = async (path: string): Promise<void> => {
  for (const suffix of ['', ...BESIDE]) await rm(path + suffix, { force: true });
};
