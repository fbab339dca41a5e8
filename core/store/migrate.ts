// Brings a database to the newest schema: append-only steps, each in one transaction, after a backup of the database was made.
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { withConnection } from './connection.js';
import { syncFile, syncFolder } from './durable.js';
import { MIGRATIONS } from './migrations/index.js';

const versionOf = (rows: readonly { user_version: number }[]): number => rows[0]?.user_version ?? 0;

/** Password hashes are in it. */
const PRIVATE = 0o600;

/** A new database is readable only by its owner; SQLite gives the files next to it the same mode. An existing one keeps its mode. */
const createPrivately = async (path: string): Promise<void> => (await open(path, 'a', PRIVATE)).close();

/** Returns the versions applied. Throws when the database was written by a newer version. */
export const migrate = async (path: string, backupFolder: string): Promise<readonly number[]> => {
  if (path !== ':memory:') await createPrivately(path);
  return withConnection(path, async (connection) => {
    const present = versionOf(await connection.all<{ user_version: number }>('PRAGMA user_version'));
    if (present > MIGRATIONS.length) {
      throw new AppError(
        'BadRequest',
        `The database has schema ${present}, but this version knows schemas only up to ${MIGRATIONS.length}. Start the newer version, or restore a backup from ${backupFolder}.`,
      );
    }
    const due = MIGRATIONS.slice(present);
    if (due.length === 0) return [];
    if (present > 0) await copyAside(connection, backupFolder, present);
    else await connection.exec('PRAGMA journal_mode=WAL');
    for (const [index, sql] of due.entries()) {
      const version = present + index + 1;
      await connection.exec(`BEGIN IMMEDIATE;\n${sql}\n;PRAGMA user_version=${version};\nCOMMIT;`);
    }
    return due.map((_, index) => present + index + 1);
  });
};

/** VACUUM INTO makes a consistent copy while others write; the final name appears only when the copy is complete. */
const copyAside = async (
  connection: { run(sql: string, binds: readonly string[]): Promise<number> },
  folder: string,
  version: number,
): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const target = join(folder, `longbox-schema-${version}.db`);
  const partial = `${target}.partial`;
  await rm(partial, { force: true });
  await connection.run('VACUUM INTO ?', [partial]);
  await chmod(partial, PRIVATE);
  await syncFile(partial);
  await rename(partial, target);
  await syncFolder(folder);
};
