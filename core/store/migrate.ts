// Brings a database to the newest schema by append-only steps, after a copy of it was put aside. A start that is interrupted anywhere is
// finished by the next one.
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';
import { type Statements, withConnection } from './connection.js';
import { syncFile, syncFolder } from './durable.js';
import { makeFolder } from './make-folder.js';
import { MIGRATIONS } from './migrations/index.js';
import type { BatchStep, Step } from './schema-step.js';
import { refuseWithoutRoom } from './upgrade-space.js';

export interface MigrateOptions {
  /** All of them unless told. */
  readonly steps?: readonly Step[];
  readonly onNote?: (sentence: string) => void;
}

type Executing = Statements & { exec(sql: string): Promise<void> };

/** How far batches are is noted no more often. */
const NOTE_MS = 1000;
/** The same for the copy; a quick one is over before its first note. */
const COPY_NOTE_MS = 5000;

/**
 * Created as each transaction begins. While the table is there an upgrade has begun: its copy is not made again, and batches go on after `reached`. It
 * comes with the first step and not with the copy: until then the program of before may run once more, and what it writes belongs in a copy.
 */
export const UPGRADE_TABLE = `CREATE TABLE IF NOT EXISTS schema_upgrade (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reached INTEGER NOT NULL
) STRICT;`;
const BEGIN = `BEGIN IMMEDIATE;
${UPGRADE_TABLE}
INSERT OR IGNORE INTO schema_upgrade (id, reached) VALUES (1, 0);`;

/** Runs last in the transaction that completes a step. */
const endOf = (version: number, isLast: boolean): string =>
  `${isLast ? 'DROP TABLE schema_upgrade' : 'UPDATE schema_upgrade SET reached = 0'};\nPRAGMA user_version=${version};\nCOMMIT;`;

/** Files with everything in them are their owner's alone; SQLite gives the files beside them the same mode. One that is there keeps its mode. */
const createPrivately = async (path: string): Promise<void> => (await open(path, 'a', 0o600)).close();

/** Returns the versions applied. Throws when the database was written by a newer program, or when the disk has no room for the upgrade. */
export const migrate = async (
  path: string,
  backupFolder: string,
  { steps = MIGRATIONS, onNote = () => undefined }: MigrateOptions = {},
): Promise<readonly number[]> => {
  if (path !== ':memory:') await createPrivately(path);
  return withConnection(path, async (connection) => {
    const present = await numberOf(connection, 'user_version');
    if (present > steps.length) {
      throw new AppError(
        'BadRequest',
        `The database has schema ${present}, but this version knows schemas only up to ${steps.length}. Start the newer version, or restore a backup from ${backupFolder}.`,
      );
    }
    if (present === steps.length) return [];
    if (present === 0) return create(connection, steps);
    await prepare(connection, { path, backupFolder, from: present, steps }, onNote);
    await connection.exec('PRAGMA journal_mode=WAL');
    const applied: number[] = [];
    for (const [index, step] of steps.entries()) {
      const version = index + 1;
      if (version <= present) continue;
      onNote(`upgrading the database to schema ${version} of ${steps.length}`);
      const end = endOf(version, version === steps.length);
      if (typeof step === 'string') await connection.exec(`${BEGIN}\n${step}\n;${end}`);
      else await runBatches(connection, step, end, onNote);
      applied.push(version);
    }
    return applied;
  });
};

/** A new database has nothing to keep, so one transaction makes all of it: a slow disk waits once. */
const create = async (connection: Executing, steps: readonly Step[]): Promise<readonly number[]> => {
  await connection.exec('PRAGMA journal_mode=WAL');
  await connection.exec('BEGIN IMMEDIATE');
  for (const step of steps) {
    if (typeof step === 'string') await connection.exec(step);
    else await runEmpty(connection, step);
  }
  await connection.exec(`PRAGMA user_version=${steps.length};\nCOMMIT;`);
  return steps.map((_, index) => index + 1);
};

const runEmpty = async (connection: Executing, { name, first, batch }: BatchStep): Promise<void> => {
  if (first !== undefined) await connection.exec(first);
  const reached = await batch(connection, 0);
  if (reached !== null) throw new AppError('Internal', `The step "${name}" found rows in a new database.`);
};

const numberOf = async (connection: Statements, pragma: string): Promise<number> => {
  const [row] = await connection.all<Record<string, number>>(`PRAGMA ${pragma}`);
  return row?.[pragma] ?? 0;
};

interface Due {
  readonly path: string;
  readonly backupFolder: string;
  readonly from: number;
  readonly steps: readonly Step[];
}

const partialOf = (target: string): string => `${target}.partial`;

/** What the steps that are due add for good. `reached` is the place in the first of them. */
const growthOf = async (connection: Statements, { from, steps }: Due, reached: number): Promise<number> => {
  let bytes = 0;
  for (const [index, step] of steps.entries())
    if (index >= from && typeof step !== 'string')
      bytes += (await step.growth?.(connection, index === from ? reached : 0)) ?? 0;
  return bytes;
};

/** Everything before the first change: room on the disk, and the copy. */
const prepare = async (connection: Statements, due: Due, onNote: (sentence: string) => void): Promise<void> => {
  const { path, backupFolder, from, steps } = due;
  const begun = await connection.all("SELECT 1 FROM sqlite_schema WHERE name = 'schema_upgrade'");
  const hasBegun = begun.length > 0;
  const target = join(backupFolder, `longbox-schema-${from}.db`);
  await rm(partialOf(target), { force: true }); // a copy that was interrupted takes the room of this one
  const pageSize = await numberOf(connection, 'page_size');
  const freeBytes = (await numberOf(connection, 'freelist_count')) * pageSize;
  const databaseBytes = (await numberOf(connection, 'page_count')) * pageSize - freeBytes;
  const copyBytes = hasBegun ? 0 : databaseBytes;
  const added = await growthOf(connection, due, hasBegun ? await reachedIn(connection) : 0);
  const growthBytes = Math.max(0, added - freeBytes);
  await refuseWithoutRoom({ path, backupFolder, from, to: steps.length, databaseBytes, copyBytes, growthBytes });
  if (hasBegun) return;
  await copyAside(connection, backupFolder, target, databaseBytes, onNote);
};

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

/** A consistent copy, also while others write; the final name appears only when it is whole. */
const copyAside = async (
  connection: Statements,
  folder: string,
  target: string,
  bytes: number,
  onNote: (sentence: string) => void,
): Promise<void> => {
  const partial = partialOf(target);
  onNote(`copying the database (${megabytes(bytes)} MB) to ${target} before it is upgraded`);
  await makeFolder(folder);
  await createPrivately(partial);
  const noteProgress = ({ size }: { size: number }): void =>
    onNote(`copied ${megabytes(size)} of ${megabytes(bytes)} MB`);
  // Whatever keeps the size from being read keeps the copy from being made, which says so.
  const timer = setInterval(() => void stat(partial).then(noteProgress, () => undefined), COPY_NOTE_MS);
  try {
    await connection.run('VACUUM INTO ?', [partial]);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  } finally {
    clearInterval(timer);
  }
  await syncFile(partial);
  await rename(partial, target);
  await syncFolder(folder);
};

const reachedIn = async (connection: Statements): Promise<number> => {
  const [row] = await connection.all<{ reached: number }>('SELECT reached FROM schema_upgrade');
  return row?.reached ?? 0;
};

const runBatches = async (
  connection: Executing,
  { name, first, batch }: BatchStep,
  end: string,
  onNote: (sentence: string) => void,
): Promise<void> => {
  let notedMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    await connection.exec(BEGIN);
    const done = await reachedIn(connection);
    if (done === 0 && first !== undefined) await connection.exec(first);
    const reached = await batch(connection, done);
    if (reached === null) return connection.exec(end);
    if (reached.key <= done) throw new AppError('Internal', `The step "${name}" got no further than row ${done}.`);
    await connection.run('UPDATE schema_upgrade SET reached = ?', [reached.key]);
    await connection.exec('COMMIT');
    if (performance.now() - notedMs < NOTE_MS) continue;
    notedMs = performance.now();
    onNote(`upgrading the database, ${name}: ${reached.key} of ${reached.lastKey}`);
  }
};
