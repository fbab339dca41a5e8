// An upgrade of the database on disks that are too small for it: refused before anything is changed, or ended without a loss.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { type Earlier, unpackEarlier } from '../earlier.js';
import { addRows } from '../earlier-rows.js';
import { assert, block, thrownBy } from '../kit.js';
import { checkOnDisks, type SmallDisk } from '../small-disk.js';
import { kill, spawnProgram, startProgram } from './program.js';

const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
const DISK_MB = 64;
const COPY = 'longbox-schema-11.db';
/** What the log of a step is given at least, and a little for the files of the program itself. */
const LOG_BYTES = 17 * 1024 * 1024;
const WHOLE = { schema: MIGRATIONS.length, faults: [] };

let earlier: Earlier;
let bytes: Buffer;

/** The database of the earlier version in a data folder on the disk. */
const placeOn = (disk: SmallDisk): { data: string; path: string; backups: string } => {
  const data = join(disk.path, 'data');
  const path = join(data, 'longbox.db');
  mkdirSync(data);
  copyFileSync(earlier.database, path);
  return { data, path, backups: join(data, 'backups') };
};

const FACTS: Readonly<Record<string, (disk: SmallDisk) => Promise<void>>> = {
  'without room for the copy the start is refused in one sentence, and nothing is changed': async (disk) => {
    const { data, path, backups } = placeOn(disk);
    disk.fill(LOG_BYTES + bytes.length / 2);
    const { ended, printed } = spawnProgram(['serve', '--data', data, '--port', '0'], CHEAP);
    assert.is(await ended, 1, printed());
    const [said = '', ...others] = printed().trim().split('\n');
    assert.match(
      said,
      /not enough space to upgrade .* from schema 11 to \d+\. It needs \d+ MB .* and \d+ MB are free\. Free \d+ MB more/,
    );
    assert.equal(others, []);
    assert.ok(readFileSync(path).equals(bytes), 'the database is as it was');
    assert.not.ok(existsSync(backups));
    disk.empty();
    await kill(await startProgram(['--data', data], CHEAP));
    assert.equal(await checkDatabase(path, false), WHOLE);
  },
  'a disk of its own for the copies needs room for the copy alone': async (disk) => {
    const path = join(earlier.folder, 'elsewhere.db');
    copyFileSync(earlier.database, path);
    disk.fill(bytes.length / 2);
    assert.match(
      String(await thrownBy(() => migrate(path, disk.path))),
      new RegExp(`on the disk of ${disk.path} \\(a copy`),
    );
    disk.empty();
    disk.fill(bytes.length * 1.5);
    await migrate(path, disk.path);
    assert.equal(await checkDatabase(path, false), WHOLE);
  },
  'a disk that is full in the middle of the copy keeps none of it': async (disk) => {
    const { path, backups } = placeOn(disk);
    const onNote = (note: string): void => {
      if (note.startsWith('copying')) disk.fill(bytes.length / 2);
    };
    const thrown = await thrownBy(() => migrate(path, backups, { onNote }));
    assert.is(thrown instanceof AppError && thrown.kind, 'StorageFull');
    assert.equal(readdirSync(backups), []);
    assert.ok(readFileSync(path).equals(bytes), 'the database is as it was');
    disk.empty();
    await migrate(path, backups);
    assert.equal(await checkDatabase(path, false), WHOLE);
  },
  'a disk that is full in the middle of the steps loses nothing': async (disk) => {
    const { path, backups } = placeOn(disk);
    const onNote = (note: string): void => {
      if (note.includes('schema 14 of')) disk.fill(0);
    };
    const thrown = await thrownBy(() => migrate(path, backups, { onNote }));
    assert.is(thrown instanceof AppError && thrown.kind, 'StorageFull');
    disk.empty();
    assert.equal(await checkDatabase(path, false), { schema: 13, faults: [] });
    await migrate(path, backups);
    assert.equal(await checkDatabase(path, false), WHOLE);
    assert.equal(readdirSync(backups), [COPY]);
  },
};

block('an upgrade on a small disk', (check) => checkOnDisks(check, DISK_MB, FACTS), {
  before: async () => {
    earlier = await unpackEarlier();
    await addRows(earlier);
    bytes = readFileSync(earlier.database);
  },
  after: () => rmSync(earlier.folder, { recursive: true, force: true }),
});
