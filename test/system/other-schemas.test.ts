// Databases that do not consist of what our steps create are not restored; those of every earlier version are, upgraded or not.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { copyDatabase } from '../../core/upkeep/backup.js';
import { restoreBackup } from '../../core/upkeep/restore.js';
import { TarWriter } from '../../core/upkeep/tar.js';
import { type Earlier, unpackEarlier } from '../earlier.js';
import { assert, block, IS_FULL, thrownBy } from '../kit.js';

const NEWEST = MIGRATIONS.length;

let root = '';
let earlier: Earlier;
let made = 0;
const at = (name: string): string => join(root, name);

/** A copy of a database that is made only once. */
const madeFor = async (schema: number): Promise<string> => {
  const first = at(`first-${schema}.db`);
  if (!existsSync(first)) {
    await migrate(first, at('kept'), { steps: MIGRATIONS.slice(0, schema) });
    await withConnection(first, (one) => one.exec('PRAGMA journal_mode=DELETE'));
  }
  made += 1;
  const path = at(`schema-${made}.db`);
  copyFileSync(first, path);
  return path;
};

const restored = async (source: string): Promise<void> => {
  made += 1;
  const folder = at(`data-${made}`);
  await restoreBackup({ path: join(folder, 'longbox.db'), source, keptFolder: join(folder, 'backups'), nowMs: 0 });
  assert.equal(readdirSync(folder), ['longbox.db']);
};

const changed = async (sql: string): Promise<string> => {
  const path = await madeFor(NEWEST);
  await withConnection(path, (one) => one.exec(sql));
  return path;
};

const refusalOf = async (source: string): Promise<string> => String(await thrownBy(() => restored(source)));

const ENDLESS = '(WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c)';

const REFUSED: Readonly<Record<string, readonly [sql: string, words: RegExp]>> = {
  'an extra trigger, which is not run': [
    `CREATE TRIGGER x BEFORE DELETE ON session BEGIN SELECT ${ENDLESS}; END`,
    /is not one of schema \d+: the trigger "x" is not part of it/,
  ],
  'an extra table': ['CREATE TABLE x (a)', /the table "x" is not part of it/],
  'a table that SQLite is said to have added': [
    "PRAGMA writable_schema=ON; CREATE TABLE x (a); UPDATE sqlite_schema SET name = 'sqlite_x', tbl_name = 'sqlite_x' WHERE name = 'x'",
    /sqlite_x|not a Longbox database/,
  ],
  'a view in place of a table': [
    'PRAGMA legacy_alter_table=ON; ALTER TABLE book_look RENAME TO old_look; CREATE VIEW book_look AS SELECT * FROM old_look',
    /old_look|book_look/,
  ],
  'a missing index': ['DROP INDEX book_by_hash', /the index "book_by_hash" is missing/],
  'a missing table': ['DROP TABLE duplicate_group', /duplicate_group/],
  'a column more': ['ALTER TABLE session ADD COLUMN x INTEGER', /the table "session" differs/],
  'an earlier version than it has': ['PRAGMA user_version=5', /is not one of schema 5/],
  'no version': ['PRAGMA user_version=-1', /not a Longbox database/],
};

block(
  'other schemas',
  (check) => {
    for (const [name, [sql, words]] of Object.entries(REFUSED))
      check(`refused: ${name}`, async () => {
        assert.match(await refusalOf(await changed(sql)), words);
      });
    check('refused: a backup that says another schema than its database has', async () => {
      const database = await madeFor(NEWEST);
      const source = at('says.tar');
      const handle = await open(source, 'wx');
      const tar = new TarWriter(handle, 0, {});
      const said = { format: 'longbox-backup', formatVersion: 1, version: '0.1.0', schema: 12 };
      await tar.addText('backup.json', JSON.stringify({ ...said, createdAt: '2026-01-31T12:00:00.000Z' }));
      await tar.addFile('longbox.db', database);
      await tar.addText('manifest.json', JSON.stringify({ files: [...tar.written] }));
      await tar.end();
      await handle.close();
      assert.match(await refusalOf(source), /says that its database has schema 12, but it has schema \d+/);
      writeFileSync(source, Buffer.concat([readFileSync(source), Buffer.from('more')]));
      assert.match(await refusalOf(source), /is not a valid backup: something follows its end/);
    });
    check(`restored: one of ${IS_FULL ? 'each' : 'every fifth'} version from 11 on`, async () => {
      for (let schema = 11; schema <= NEWEST; schema += IS_FULL ? 1 : 5) await restored(await madeFor(schema));
    });
    check('restored: one that version 11 wrote, before and after its upgrade', async () => {
      const path = at('upgraded.db');
      copyFileSync(earlier.database, path);
      await copyDatabase(path, at('earlier.db'));
      await restored(at('earlier.db'));
      await migrate(path, at('kept'));
      await withConnection(path, (one) => one.exec('ANALYZE'));
      await copyDatabase(path, at('later.db'));
      await restored(at('later.db'));
    });
    check('restored: one of an upgrade that was interrupted, before a step and in one', async () => {
      const path = at('interrupted.db');
      copyFileSync(earlier.database, path);
      const failing = MIGRATIONS.map((step, index) =>
        typeof step === 'string' || index < 11 ? step : { ...step, batch: () => Promise.reject(new Error('killed')) },
      );
      await thrownBy(() => migrate(path, at('kept'), { steps: failing }));
      await copyDatabase(path, at('before.db'));
      await restored(at('before.db'));
      const begun = MIGRATIONS.map((step) => (typeof step === 'string' ? step : { ...step, batch: begin }));
      await thrownBy(() => migrate(path, at('kept'), { steps: begun }));
      await copyDatabase(path, at('in.db'));
      await restored(at('in.db'));
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-schemas-'));
      earlier = await unpackEarlier();
    },
    after: () => {
      for (const folder of [root, earlier.folder]) rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);

let batches = 0;
/** One batch is stored, the next is not. */
async function begin(): Promise<{ key: number; lastKey: number }> {
  batches += 1;
  if (batches > 1) throw new Error('killed');
  return { key: 1, lastKey: 2 };
}
