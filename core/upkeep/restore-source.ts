// The file that a restore reads: checked, and its database copied to a private place. It is never opened as a database where it lies: SQLite
// would obey the journal of whoever may write to that folder.
import { open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../model/errors.js';
import { isOfDisk, withConnection } from '../store/connection.js';
import { syncFile } from '../store/durable.js';
import { makeFolder } from '../store/make-folder.js';
import { MIGRATIONS } from '../store/migrations/index.js';
import { beginEpoch } from '../store/versions.js';
import { checkDatabase, ownSchema, PENDING, removeDatabase } from './backup.js';
import { DATABASE } from './backup-parts.js';
import { unlikeSchema } from './expected-schema.js';
import { makePrivateFolder } from './private-folder.js';
import { type CheckedBackup, checkBackup, extract, kindOf, withFile } from './read-backup.js';
import { sizeOf } from './whole-file.js';

const newer = (source: string, schema: number): AppError =>
  new AppError('BadRequest', `${source} was written by a newer version (schema ${schema}); install that one first.`);

const notOurs = (source: string, thrown?: unknown): AppError =>
  new AppError('BadRequest', `${source} is not a Longbox database.`, null, thrown);

/** Of a copy of the database alone. What lies beside it may be anybody's, so it is neither applied nor ignored. */
const checkAlone = async (source: string): Promise<void> => {
  if ((await kindOf(source)) !== 'database') throw notOurs(source);
  for (const suffix of PENDING)
    if (await sizeOf(source + suffix))
      throw new AppError(
        'BadRequest',
        `${source + suffix} lies beside ${source}. A restore does not apply it, and without it the copy may be incomplete. Close the program that uses the copy, or move ${source + suffix} away if it does not belong to it.`,
      );
};

/** Null for a copy of the database alone, which is checked once it has been copied. */
export const checkSource = async (source: string): Promise<CheckedBackup | null> => {
  if ((await sizeOf(source)) === undefined) throw new AppError('NotFound', `There is no file ${source}.`);
  if (!(await stat(source)).isFile()) throw new AppError('BadRequest', `${source} is not a file.`);
  if ((await kindOf(source)) !== 'archive') {
    await checkAlone(source);
    return null;
  }
  const checked = await checkBackup(source).catch((thrown: unknown) => {
    if (!(thrown instanceof AppError) || thrown.kind === 'Internal') throw thrown;
    throw new AppError('BadRequest', `${source} is not a valid backup: ${thrown.message}.`, null, thrown);
  });
  if (checked.description.schema > MIGRATIONS.length) throw newer(source, checked.description.schema);
  return checked;
};

/** First what it consists of, which runs nothing in it; then its content. `folder` is a private one. */
const checkCopy = async (
  copy: string,
  source: string,
  checked: CheckedBackup | null,
  folder: string,
): Promise<void> => {
  const asRefusal = (thrown: unknown): never => {
    throw isOfDisk(thrown) ? thrown : notOurs(source, thrown);
  };
  const schema = await withConnection(copy, ownSchema).catch(asRefusal);
  if (schema < 1) throw notOurs(source);
  if (schema > MIGRATIONS.length) throw newer(source, schema);
  const said = checked?.description.schema ?? schema;
  if (said !== schema)
    throw new AppError(
      'BadRequest',
      `${source} says that its database has schema ${said}, but it has schema ${schema}.`,
    );
  const unlike = await unlikeSchema(copy, schema, folder);
  if (unlike !== undefined)
    throw new AppError('BadRequest', `The database of ${source} is not one of schema ${schema}: ${unlike}.`);
  const { faults } = await checkDatabase(copy, true).catch(asRefusal);
  if (faults.length > 0) throw new AppError('BadRequest', `${source} is damaged: ${faults[0]}`);
};

/** A session that has ended since the copy was made must not become valid again, nor a link that was used; a task is not begun again. */
const forget = (copy: string): Promise<void> =>
  withConnection(copy, async (connection) => {
    await connection.exec('PRAGMA journal_mode=DELETE; PRAGMA foreign_keys=ON');
    await connection.run('DELETE FROM session');
    const has = async (table: string): Promise<boolean> =>
      (await connection.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [table])).length > 0;
    if (await has('mail_link')) await connection.run('DELETE FROM mail_link');
    if (await has('task'))
      await connection.run("DELETE FROM task WHERE type = 'backup' AND state IN ('pending', 'running')");
    await beginEpoch(connection);
  });

const extractDatabase = (source: string, checked: CheckedBackup | null, target: string): Promise<void> =>
  withFile(source, async (handle) => {
    const whole = { name: source, bytes: (await handle.stat()).size, offset: 0 };
    await extract(handle, checked?.database ?? whole, target);
  });

/** The file is there from the beginning, empty: a start must notice that a restore was interrupted. */
export const copySource = async (source: string, checked: CheckedBackup | null, fresh: string): Promise<void> => {
  const folder = dirname(fresh);
  await makeFolder(folder);
  await removeDatabase(fresh);
  await (await open(fresh, 'wx', 0o600)).close();
  const { path, remove } = await makePrivateFolder(folder);
  try {
    const copy = join(path, DATABASE);
    await extractDatabase(source, checked, copy);
    await checkCopy(copy, source, checked, path);
    await forget(copy);
    await syncFile(copy);
    await rename(copy, fresh);
  } finally {
    await remove();
  }
};
