// The upgrade of a database in which every book has a locked field: facts are copied in batches, and the disk must have room for them.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { type Earlier, unpackEarlier } from '../earlier.js';
import { contentOf } from '../earlier-rows.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { checkOnDisks, type SmallDisk } from '../small-disk.js';
import { COPY, killedAt, scriptFor } from './killed-upgrade.js';

const WHOLE = { schema: MIGRATIONS.length, faults: [] };
/** The step that copies them. */
const VERSION = 18;
const BOOKS = 20_000;
const MB = 1024 * 1024;
/** Every upgrade has this much for its log, whatever the size of the database. */
const LOG_BYTES = 16 * MB;
const DISK_MB = 192;

/** A locked title and about 1 kB of facts; keys of the fixture's own rows are below. */
const ROWS = `
CREATE TEMP TABLE n AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${BOOKS}) SELECT n FROM c;
INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, number, page_count,
    analyzed, created_at, updated_at)
  SELECT 1000 + n, randomblob(16), library_id, series_id, folder_id, 'many ' || n || '.cbz', 1, 1, 'cbz', 'Many ' || n, printf('many %06d', n),
    n, 5, 1, n, n FROM n CROSS JOIN book b WHERE b.id = (SELECT min(id) FROM book);
INSERT INTO book_metadata (book_id, uuid, facts, locks, created_at, updated_at)
  SELECT 1000 + n, randomblob(16), json_object('title', 'Many ' || n, 'summary', hex(randomblob(400)), 'year', 2019), '["title"]', 1, 1 FROM n;
PRAGMA wal_checkpoint(TRUNCATE);`;

let root = '';
let database = '';

/** A copy of it in a folder of its own. */
const placeIn = (parent: string): { path: string; backups: string } => {
  const folder = mkdtempSync(join(parent, 'one-'));
  const path = join(folder, 'longbox.db');
  copyFileSync(database, path);
  return { path, backups: join(folder, 'backups') };
};

const one = async <T>(path: string, sql: string): Promise<T | undefined> =>
  (await withConnection(path, (connection) => connection.all<T>(sql)))[0];

/** In the batch with this number, counted from 0: when it begins, or when its rows are written but not committed. */
const inBatch = (number: number, moment: 'begins' | 'ends'): string =>
  `let batches = 0;
   const step = MIGRATIONS[${VERSION - 1}];
   const batch = async (...args) => {
     if (${moment === 'begins'} && batches === ${number}) die();
     const reached = await step.batch(...args);
     if (${moment === 'ends'} && batches === ${number}) die();
     batches += 1;
     return reached;
   };
   await migrate(path, backups, { steps: MIGRATIONS.with(${VERSION - 1}, { ...step, batch }) });`;

const inBatches = (check: Check): void => {
  let undisturbed: ReadonlyMap<string, string> = new Map();
  check('the log of the copied facts stays small', async () => {
    const { path, backups } = placeIn(root);
    // While another connection is open, the log is not removed and never shrinks: its size is its peak.
    const other = await Connection.open(path, true);
    try {
      await other.exec('PRAGMA journal_mode=WAL; SELECT count(*) FROM book');
      await migrate(path, backups);
      const { size: log } = statSync(`${path}-wal`);
      const [source] = await other.all<{ bytes: number }>('SELECT sum(octet_length(facts)) AS bytes FROM book_source');
      assert.ok((source?.bytes ?? 0) > LOG_BYTES, `${source?.bytes} bytes were copied`);
      assert.ok(log > 0 && log < LOG_BYTES, `the log has ${log} bytes`);
    } finally {
      await other.close();
    }
    undisturbed = await withConnection(path, contentOf);
  });
  check(
    'killed in and between its batches, it resumes at the next start, and no row is missing or different',
    async () => {
      const { path, backups } = placeIn(root);
      const reached: number[] = [];
      for (const [number, moment] of [
        [0, 'ends'],
        [1, 'begins'],
        [2, 'ends'],
        [3, 'begins'],
        [0, 'begins'],
      ] as const) {
        await killedAt(scriptFor(path, backups, inBatch(number, moment)));
        assert.is((await checkDatabase(path, true)).schema, VERSION - 1);
        reached.push((await one<{ reached: number }>(path, 'SELECT reached FROM schema_upgrade'))?.reached ?? -1);
      }
      // Each start resumed after the last stored batch: one batch, then two, then three more.
      assert.equal(
        reached,
        [...reached].sort((a, b) => a - b),
      );
      assert.equal(
        reached.map((key) => reached.indexOf(key)),
        [0, 1, 2, 3, 3],
      );
      await migrate(path, backups);
      assert.equal(await checkDatabase(path, false), WHOLE);
      const found = await withConnection(path, contentOf);
      assert.ok(found.size > 0);
      assert.equal([...found.keys()], [...undisturbed.keys()]);
      for (const [table, rows] of undisturbed) assert.ok(found.get(table) === rows, `table "${table}" differs`);
      assert.equal(readdirSync(backups), [COPY]);
    },
  );
};

/** How many MB the refusal says are missing. */
const missingMb = async (path: string, backups: string): Promise<number> => {
  const said = String(await thrownBy(() => migrate(path, backups)));
  const [, megabytes] = /not enough space .* needs \d+ MB .* and \d+ MB are free\. Free (\d+) MB more/.exec(said) ?? [];
  assert.ok(megabytes !== undefined, said);
  return Number(megabytes);
};

const DISK_FACTS: Readonly<Record<string, (disk: SmallDisk) => Promise<void>>> = {
  'what the copied facts add must have room beside the copy and the log; what is asked for is enough': async (disk) => {
    const { path, backups } = placeIn(disk.path);
    const before = readFileSync(path);
    // Room for the copy, the log and half of the facts.
    const free = before.length + LOG_BYTES + before.length / 8 + BOOKS * 450;
    disk.fill(free);
    const more = await missingMb(path, backups);
    assert.ok(readFileSync(path).equals(before), 'the database is as it was');
    assert.not.ok(existsSync(backups) || existsSync(`${path}-wal`));
    disk.empty();
    disk.fill(free + more * 1e6);
    await migrate(path, backups);
    assert.equal(await checkDatabase(path, false), WHOLE);
  },
  'with its copies elsewhere, too': async (disk) => {
    const { path } = placeIn(disk.path);
    const backups = join(mkdtempSync(join(root, 'elsewhere-')), 'backups');
    const size = statSync(path).size;
    disk.fill(LOG_BYTES + size / 8 + BOOKS * 450);
    assert.ok((await missingMb(path, backups)) > 0);
    assert.not.ok(existsSync(backups));
  },
  'after an interruption only what is left must have room': async (disk) => {
    const { path, backups } = placeIn(disk.path);
    await killedAt(scriptFor(path, backups, inBatch(8, 'begins')));
    disk.fill(LOG_BYTES + statSync(path).size / 8 + BOOKS * 450);
    await migrate(path, backups);
    assert.equal(await checkDatabase(path, false), WHOLE);
  },
};

let earlier: Earlier;

block(
  'an upgrade of many locked books',
  (check) => {
    inBatches(check);
    checkOnDisks(check, DISK_MB, DISK_FACTS);
  },
  {
    deadlineS: 180,
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-locks-'));
      earlier = await unpackEarlier();
      database = earlier.database;
      await withConnection(database, (connection) => connection.exec(ROWS));
    },
    after: () => {
      for (const folder of [root, earlier.folder]) rmSync(folder, { recursive: true, force: true });
    },
  },
);
