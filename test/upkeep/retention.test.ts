// Which backups count, and which the schedule removes: also when the clock was ahead, and when there are files that only look like backups.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { backupsIn, lastBackup, ownName, removeOld } from '../../core/upkeep/backup-files.js';
import { descriptionText } from '../../core/upkeep/backup-parts.js';
import { newestBackups } from '../../core/upkeep/installation.js';
import { TarWriter } from '../../core/upkeep/tar.js';
import { writeBackup } from '../../core/upkeep/write-backup.js';
import { assert, block } from '../kit.js';

const [PAST, NOW, FUTURE] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2), Date.UTC(2030, 0, 1)];

let root = '';
let made = 0;

const newFolder = (): string => {
  made += 1;
  const folder = join(root, `backups-${made}`);
  mkdirSync(folder);
  return folder;
};

const scheduled = async (folder: string, nowMs: number): Promise<string> => {
  const name = ownName('scheduled', nowMs);
  const database = join(root, 'longbox.db');
  await writeBackup({ database, uploads: join(root, 'uploads'), target: join(folder, name), nowMs }, folder);
  return name;
};

/** Two kilobytes: a description and an end. */
const fake = async (folder: string, nowMs: number): Promise<void> => {
  const handle = await open(join(folder, ownName('scheduled', nowMs)), 'wx');
  const tar = new TarWriter(handle, 0, {});
  await tar.addText('backup.json', descriptionText({ version: '0.1.0', schema: MIGRATIONS.length, createdAt: nowMs }));
  await tar.end();
  await handle.close();
};

block(
  'retention',
  (check) => {
    check('the backup just made stays, and those of a clock that was ahead go first', async () => {
      const folder = newFolder();
      await scheduled(folder, FUTURE);
      await scheduled(folder, FUTURE + 1000);
      const past = await scheduled(folder, PAST);
      const now = await scheduled(folder, NOW);
      assert.is(await removeOld(folder, 2, now, NOW), 2);
      assert.equal(readdirSync(folder).sort(), [past, now].sort());
      assert.is(await removeOld(folder, 1, now, NOW), 1);
      assert.equal(readdirSync(folder), [now]);
    });
    check('the last backup is never one of the future', async () => {
      const folder = newFolder();
      await scheduled(folder, FUTURE);
      assert.is(await lastBackup(folder, NOW), null);
      const past = await scheduled(folder, PAST);
      assert.is((await lastBackup(folder, NOW))?.name, past);
    });
    check('a file with nothing but a description is not complete, and no real one goes for it', async () => {
      const folder = newFolder();
      const past = await scheduled(folder, PAST);
      for (const more of [1, 2, 3]) await fake(folder, PAST + more);
      const now = await scheduled(folder, NOW);
      const complete = (await backupsIn(folder)).filter((file) => file.complete).map(({ name }) => name);
      assert.equal(complete, [now, past]);
      assert.is(await removeOld(folder, 2, now, NOW), 0);
    });
    check('a backup that is damaged after it was listed is listed as such', async () => {
      const folder = newFolder();
      const name = await scheduled(folder, PAST);
      const listed = async (): Promise<boolean | undefined> => (await backupsIn(folder))[0]?.complete;
      assert.equal([await listed(), await listed()], [true, true]);
      const bytes = readFileSync(join(folder, name));
      const { atime, mtime } = statSync(join(folder, name));
      writeFileSync(join(folder, name), bytes.fill(0, 512));
      utimesSync(join(folder, name), atime, mtime);
      assert.is(await listed(), false);
    });
    check('a link that leads nowhere does not hide the backups', async () => {
      const folder = newFolder();
      symlinkSync(join(folder, 'gone'), join(folder, 'longbox-manual-1.tar'));
      writeFileSync(join(folder, 'mine.tar'), 'x');
      assert.equal(newestBackups(folder), [join(folder, 'mine.tar')]);
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-retention-'));
      await migrate(join(root, 'longbox.db'), root);
      await withConnection(join(root, 'longbox.db'), (one) => one.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 120,
  },
);
