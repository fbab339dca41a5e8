// Backups of the database: making one while others write, and checking one. Nothing stored is ever overwritten.
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from '../store/connection.js';
import { syncFile, syncFolder } from '../store/durable.js';

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

const integrityOf = (path: string, quick: boolean): Promise<Integrity> =>
  withConnection(path, async (connection) => {
    const [version] = await connection.all<{ user_version: number }>('PRAGMA user_version');
    const rows = await connection.all<Record<string, string>>(quick ? 'PRAGMA quick_check' : 'PRAGMA integrity_check');
    const broken = await connection.all<Record<string, string | number>>('PRAGMA foreign_key_check');
    const faults = rows.map((row) => Object.values(row)[0] ?? '').filter((text) => text !== 'ok');
    const dangling = broken.map(
      (row) => `row ${row.rowid ?? '?'} of ${row.table} points to a missing row of ${row.parent}`,
    );
    const [ours] = await connection.all<{ count: number }>(
      `SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table' AND name IN (${TABLES.map((name) => `'${name}'`).join(', ')})`,
    );
    const schema = ours?.count === TABLES.length ? (version?.user_version ?? 0) : 0;
    return { schema, faults: [...(schema === 0 ? ['it has no tables of Longbox'] : []), ...faults, ...dangling] };
  });

/** A consistent copy, also while a server runs. The name appears only when the copy is complete and sound. Returns its size in bytes. */
export const backupDatabase = async (path: string, target: string): Promise<number> => {
  await must(path);
  if (await exists(target)) throw new AppError('Conflict', `${target} already exists; choose another file.`);
  const folder = dirname(target);
  if (folder === join(dirname(path), OWN_FOLDER)) await mkdir(folder, { recursive: true, mode: 0o700 });
  // No other is created: without the removable disk that was meant, the copy would land on the system disk.
  if (!(await exists(folder))) throw new AppError('NotFound', `There is no folder "${folder}".`);
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  try {
    await withConnection(path, (connection) => connection.run('VACUUM INTO ?', [partial]));
    await chmod(partial, 0o600);
    const { faults } = await checkDatabase(partial, true);
    if (faults.length > 0) throw new AppError('Internal', `The backup is damaged: ${faults[0]}`);
    await syncFile(partial);
    await rename(partial, target);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
  await syncFolder(folder);
  return (await stat(target)).size;
};
