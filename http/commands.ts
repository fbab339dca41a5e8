// The commands that look after a data folder: check, backup, restore, reset-password.

import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Passwords } from '../core/access/passwords.js';
import { resetPassword } from '../core/access/users.js';
import { systemClock } from '../core/engine/clock.js';
import { AppError } from '../core/model/errors.js';
import { backupFolder, databasePath } from '../core/start.js';
import { openDb } from '../core/store/db.js';
import { backupDatabase, checkDatabase, restoreDatabase } from '../core/upkeep/backup.js';
import { acquireLock } from '../core/upkeep/lock.js';
import type { Config } from './config.js';
import { sizeText } from './config-keys.js';
import { hashCostOf } from './engine-options.js';

const say = (sentence: string): void => {
  process.stdout.write(`${sentence}\n`);
};

const databaseOf = (config: Config): string => databasePath(resolve(config.dataDir));

/** Exit code 1 when something is wrong. The cache is not looked at: it is made again when it is damaged. */
export const checkCommand = async (config: Config): Promise<number> => {
  const path = databaseOf(config);
  const { schema, faults } = await checkDatabase(path, false);
  say(`${path}: schema ${schema}`);
  for (const fault of faults) say(`  ${fault}`);
  say(faults.length === 0 ? 'the database is sound' : `${faults.length} faults; restore a backup`);
  return faults.length === 0 ? 0 : 1;
};

export const backupCommand = async (config: Config, file: string): Promise<number> => {
  const bytes = await backupDatabase(databaseOf(config), resolve(file));
  say(
    `wrote ${resolve(file)} (${sizeText(bytes)}${/\d$/.test(sizeText(bytes)) ? ' bytes' : ''}); the folder secrets/ is not in it`,
  );
  return 0;
};

export const restoreCommand = async (config: Config, file: string): Promise<number> => {
  const folder = resolve(config.dataDir);
  const lock = await acquireLock(folder, Date.now());
  try {
    const kept = await restoreDatabase(databasePath(folder), resolve(file), backupFolder(folder), Date.now());
    say(`restored ${resolve(file)}`);
    if (kept !== null) say(`the database that was there is kept as ${kept}`);
    return 0;
  } finally {
    await lock.release();
  }
};

/** Typed without showing it on a terminal; the first line of the input otherwise. */
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

export const resetPasswordCommand = async (config: Config, userName: string): Promise<number> => {
  const path = databaseOf(config);
  await checkDatabase(path, true);
  const db = await openDb({ path, readers: 1, readDeadlineMs: 10_000, queueLength: 10 });
  try {
    const passwords = new Passwords(systemClock, hashCostOf(config));
    await resetPassword(db, systemClock, passwords, userName, await readPassword());
    say(
      `the password of ${userName} is changed; every session of theirs has ended (a running server notices within 30 s)`,
    );
    return 0;
  } finally {
    await db.close();
  }
};
