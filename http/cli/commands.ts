// The commands that maintain a data folder: check, backup, restore, reset-password.

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { resetPassword } from '../../core/access/password-change.js';
import { Passwords } from '../../core/access/passwords.js';
import { systemClock } from '../../core/engine/clock.js';
import { AppError } from '../../core/model/errors.js';
import { openDb } from '../../core/store/db.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { type Places, restoreAdvice } from '../../core/upkeep/installation.js';
import { acquireLock } from '../../core/upkeep/lock.js';
import { uploadFolder } from '../../core/upkeep/places.js';
import { restoreBackup } from '../../core/upkeep/restore.js';
import { explained } from '../../core/upkeep/start-faults.js';
import { writeBackup } from '../../core/upkeep/write-backup.js';
import type { Config } from '../config/config.js';
import { sizeText } from '../config/config-keys.js';
import { hashCostOf, placesOf } from '../config/engine-options.js';
import { counted, printable } from './printable.js';

const say = (sentence: string): void => {
  process.stdout.write(`${printable(sentence)}\n`);
};

/** Faults that the owner can fix, as messages. */
const advised = async (config: Config, command: (places: Places) => Promise<number>): Promise<number> => {
  const places = placesOf(config);
  try {
    return await command(places);
  } catch (thrown) {
    throw explained(thrown, places);
  }
};

/** Exit code 1 when something is wrong. The content of the cache is not checked: a damaged cache is rebuilt. */
export const checkCommand = (config: Config): Promise<number> =>
  advised(config, async ({ database, backups }) => {
    const { schema, faults } = await checkDatabase(database, false);
    say(`${database}: schema ${schema}`);
    for (const fault of faults) say(`  ${fault}`);
    if (faults.length === 0) say('the database is sound');
    else say(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}. ${restoreAdvice(backups)}`);
    return faults.length === 0 ? 0 : 1;
  });

const NOT_INCLUDED = 'it does not include the folders secrets/ and cache/';

const sizeWords = (bytes: number): string =>
  /\d$/.test(sizeText(bytes)) ? `${sizeText(bytes)} bytes` : sizeText(bytes);

export const backupCommand = (config: Config, file: string): Promise<number> =>
  advised(config, async ({ folder, database, backups }) => {
    const target = resolve(file);
    const job = { database, uploads: uploadFolder(folder), target, nowMs: Date.now() };
    const { bytes, counts, missing } = await writeBackup(job, backups);
    const images = counted(counts.uploads, 'uploaded image');
    say(`wrote ${target} (${sizeWords(bytes)}): the database and ${images}; ${NOT_INCLUDED}`);
    if (missing > 0) say(`${counted(missing, 'uploaded image')} had been lost before and could not be included`);
    return 0;
  });

export const restoreCommand = (config: Config, file: string): Promise<number> =>
  advised(config, async ({ folder, database, backups }) => {
    const source = await realpath(resolve(file)).catch(() => resolve(file)); // a link to the latest one, perhaps
    const lock = await acquireLock(folder, Date.now());
    try {
      const job = { path: database, source, uploads: uploadFolder(folder), keptFolder: backups, nowMs: Date.now() };
      const { kept, uploads } = await restoreBackup(job);
      say(`restored ${source}: accounts and passwords are those of the backup, and everybody has to sign in again`);
      if (uploads === null) say('it contains no uploaded images: those in uploads/ were left as they are');
      else
        say(`it contained the database and ${counted(uploads, 'uploaded image')}; secrets/ and cache/ are unchanged`);
      if (kept !== null) say(`the previous data is kept as ${kept}`);
      return 0;
    } finally {
      await lock.release();
    }
  });

/** Typed without echo on a terminal; otherwise the first line of the input. */
const readPassword = async (): Promise<string> => {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write('new password: ');
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? silent : undefined,
    terminal: isTerminal,
  });
  try {
    for await (const line of lines) return line;
    throw new AppError('BadRequest', 'No password was given.');
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write('\n');
  }
};

const requireSound = async (path: string): Promise<void> => {
  const { faults, schema } = await checkDatabase(path, true);
  if (faults.length > 0) throw new AppError('BadRequest', `The database ${path} is damaged: ${faults[0]}.`);
  if (schema !== MIGRATIONS.length)
    throw new AppError(
      'BadRequest',
      `The database ${path} is of another version (schema ${schema}, not ${MIGRATIONS.length}). Start the server once with this version, so that it is upgraded.`,
    );
};

export const resetPasswordCommand = (config: Config, userName: string): Promise<number> =>
  advised(config, async ({ database }) => {
    await requireSound(database);
    const db = await openDb({ path: database, readers: 1, readDeadlineMs: 10_000, queueLength: 10 });
    try {
      const passwords = new Passwords(systemClock, hashCostOf(config));
      await resetPassword(db, systemClock, passwords, userName, readPassword);
      say(
        `the password of ${userName} was changed and all their sessions have ended (a running server notices within 30 s)`,
      );
      return 0;
    } finally {
      await db.close();
    }
  });
