// A database with every table and no rows, made once for each process: most tests are not about how one comes to be, and its thirty-odd steps
// take longer than everything else that starts.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../core/store/migrate.js';
import { databasePath } from '../core/upkeep/places.js';

let made: Promise<Buffer> | undefined;

const make = async (): Promise<Buffer> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-new-'));
  try {
    const path = databasePath(folder);
    await migrate(path, join(folder, 'backups'));
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Puts it where a data folder has its database. */
export const putNewDatabase = async (folder: string): Promise<void> => {
  made ??= make();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(databasePath(folder), await made, { mode: 0o600 });
};
