// Copies of the database: making one while others write, checking one, putting one back. Nothing that is stored is ever overwritten.
import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from '../store/connection.js';
import { MIGRATIONS } from '../store/migrations/index.js';

export interface Integrity {
  readonly schema: number;
  /** Sentences of the database about what is wrong; empty when it is sound. */
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

/** `quick` leaves out what takes long on a large database: the comparison of indexes with their tables. */
export const checkDatabase = async (path: string, quick: boolean): Promise<Integrity> => {
  await must(path);
  return withConnection(path, async (connection) => {
    const [version] = await connection.all<{ user_version: number }>('PRAGMA user_version');
    const rows = await connection.all<Record<string, string>>(quick ? 'PRAGMA quick_check' : 'PRAGMA integrity_check');
    const broken = await connection.all<Record<string, string | number>>('PRAGMA foreign_key_check');
    const faults = rows.map((row) => Object.values(row)[0] ?? '').filter((text) => text !== 'ok');
    const dangling = broken.map(
      (row) => `row ${row.rowid ?? '?'} of ${row.table} points to a missing row of ${row.parent}`,
    );
    return { schema: version?.user_version ?? 0, faults: [...faults, ...dangling] };
  });
};

/** A consistent copy, also beside a running server. The name appears only when the copy is whole and sound. Returns its size in bytes. */
export const backupDatabase = async (path: string, target: string): Promise<number> => {
  await must(path);
  if (await exists(target)) throw new AppError('Conflict', `${target} exists already; name another file.`);
  await mkdir(dirname(target), { recursive: true });
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  await withConnection(path, (connection) => connection.run('VACUUM INTO ?', [partial]));
  await chmod(partial, 0o600);
  const { faults } = await checkDatabase(partial, true);
  if (faults.length > 0) throw new AppError('Internal', `The copy is not sound: ${faults[0]}`);
  await rename(partial, target);
  return (await stat(target)).size;
};

const checkSource = async (source: string): Promise<void> => {
  await must(source);
  const { schema, faults } = await checkDatabase(source, true).catch((thrown: unknown) => {
    throw new AppError('BadRequest', `${source} is not a database of Longbox.`, null, thrown);
  });
  if (schema < 1) throw new AppError('BadRequest', `${source} is not a database of Longbox.`);
  if (schema > MIGRATIONS.length)
    throw new AppError(
      'BadRequest',
      `${source} was written by a newer version (schema ${schema}); install that one first.`,
    );
  if (faults.length > 0) throw new AppError('BadRequest', `${source} is damaged: ${faults[0]}`);
};

/** Puts a copy in the place of the database, which is kept under a name with the time. Only for a stopped server. Returns that name. */
export const restoreDatabase = async (
  path: string,
  source: string,
  keptFolder: string,
  nowMs: number,
): Promise<string | null> => {
  await checkSource(source);
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.restored`;
  await rm(fresh, { force: true });
  await withConnection(source, (connection) => connection.run('VACUUM INTO ?', [fresh]));
  await chmod(fresh, 0o600);
  let kept: string | null = null;
  if (await exists(path)) {
    await mkdir(keptFolder, { recursive: true });
    kept = join(keptFolder, `longbox-before-restore-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.db`);
    // Folds the write-ahead log into the file first, so that the kept copy is complete by itself.
    await withConnection(path, (connection) => connection.all('PRAGMA wal_checkpoint(TRUNCATE)'));
    await rename(path, kept);
  }
  for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
  await rename(fresh, path);
  return kept;
};
