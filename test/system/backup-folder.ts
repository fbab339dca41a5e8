// Data folders with users and uploaded images, made by the real program, and the content of backups, read by the system's own tar.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOfUuid } from '../../core/model/ids.js';
import { withConnection } from '../../core/store/connection.js';
import { fetch } from '../described.js';
import { assert } from '../kit.js';
import { kill, spawnProgram, startProgram } from './program.js';

export const PASSWORD = 'Secret123!';
export const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };

/** Adds a cover of a collection: its file, then its row, as the server does. */
export const addCover = async (folder: string, id: string, bytes: string | Buffer): Promise<void> => {
  mkdirSync(join(folder, 'uploads'), { recursive: true });
  writeFileSync(join(folder, 'uploads', `${id}.jpg`), bytes);
  await withConnection(join(folder, 'longbox.db'), async (connection) => {
    await connection.exec(`INSERT OR IGNORE INTO collection (id, uuid, name, name_key, name_sort, created_at, updated_at)
      VALUES (1, randomblob(16), 'Kept', 'kept', 'kept', 0, 0)`);
    await connection.run(
      `INSERT INTO cover (uuid, collection_id, source, width, height, size_bytes, selected, created_at, updated_at)
       VALUES (?, 1, 'custom', 1, 1, ?, 0, 0, 0)`,
      [bytesOfUuid(id), bytes.length],
    );
  });
};

/** The id of a cover, and its file. */
export interface Image {
  readonly id: string;
  readonly text: string;
}

/** A data folder as a killed server leaves it: `first` in the database or its log, `late` and the image in the log only. */
export const makeFolder = async (folder: string, first: string, late: string, image?: Image): Promise<void> => {
  const program = await startProgram(['--data', folder], CHEAP);
  const body = JSON.stringify({ username: first, email: `${first}@example.com`, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const made = await fetch(`${program.address}/api/v1/setup/initialize`, { method: 'POST', headers, body });
  assert.is(made.status, 200);
  await withConnection(join(folder, 'longbox.db'), (connection) =>
    connection.run(
      `INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at)
       SELECT randomblob(16), ?1, ?1, ?1, ?1, password_hash, 'admin', 0, 0 FROM user LIMIT 1`,
      [late],
    ),
  );
  if (image !== undefined) await addCover(folder, image.id, image.text);
  await kill(program);
};

export const run = async (...args: readonly string[]): Promise<{ code: number | null; text: string }> => {
  const program = spawnProgram(args, CHEAP);
  return { code: await program.ended, text: program.printed() };
};

export const usersOf = (database: string): Promise<readonly string[]> =>
  withConnection(database, async (connection) => {
    const [sound] = await connection.all<Record<string, string>>('PRAGMA integrity_check');
    assert.equal(Object.values(sound ?? {}), ['ok']);
    return (await connection.all<{ name: string }>('SELECT username AS name FROM user ORDER BY id')).map(
      ({ name }) => name,
    );
  });

/** The folder that a backup was unpacked to. */
export const unpacked = (backup: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-unpacked-'));
  const { status, stderr } = spawnSync('tar', ['-xf', backup, '-C', folder], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  return folder;
};

/** Fails unless every image that the database of an unpacked backup refers to is there, and the list of contents is right. */
export const checkUnpacked = async (folder: string): Promise<{ readonly covers: number }> => {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  for (const { name, bytes, sha256 } of files as { name: string; bytes: number; sha256: string }[]) {
    const found = readFileSync(join(folder, name));
    assert.equal([found.length, createHash('sha256').update(found).digest('hex')], [bytes, sha256], name);
  }
  await usersOf(join(folder, 'longbox.db'));
  const ids = await withConnection(join(folder, 'longbox.db'), (connection) =>
    connection.all<{ id: string }>('SELECT lower(hex(uuid)) AS id FROM cover WHERE of_book IS NULL'),
  );
  const images = new Set(readdirSync(join(folder, 'uploads')).map((name) => name.replaceAll(/-|\.jpg$/g, '')));
  assert.equal(
    ids.filter(({ id }) => !images.has(id)),
    [],
  );
  return { covers: ids.length };
};
