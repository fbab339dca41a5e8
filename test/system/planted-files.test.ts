// Files that somebody else puts beside a backup, or beside what is made of one: they are not obeyed, and nothing of ours lies where they could
// be. And what a restore that fails or is interrupted leaves.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { copyDatabase } from '../../core/upkeep/backup.js';
import { restoreBackup, restoreSteps, undoInterrupted } from '../../core/upkeep/restore.js';
import { backupSteps } from '../../core/upkeep/write-backup.js';
import { assert, block, thrownBy } from '../kit.js';
import { makeFolder, run, usersOf } from './backup-folder.js';

const IMAGE = '01890000-0000-7000-8000-0000000000b1';
const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const LOCK_PAGE = 0x4000_0000 / 4096 + 1;

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

/** A journal that is due to be rolled back, and whose super-journal SQLite then deletes (https://www.sqlite.org/fileformat.html, 3). */
const plantJournal = (database: string, victim: string): void => {
  const name = Buffer.from(victim);
  const header = Buffer.alloc(512);
  MAGIC.copy(header);
  for (const [index, value] of [0, 1, Math.ceil(statSync(database).size / 4096), 512, 4096].entries())
    header.writeUInt32BE(value, 8 + 4 * index);
  const ends = Buffer.alloc(12);
  ends.writeUInt32BE(LOCK_PAGE, 0);
  ends.writeUInt32BE(name.length, 4);
  ends.writeUInt32BE(
    name.reduce((sum, byte) => sum + byte, 0),
    8,
  );
  writeFileSync(`${database}-journal`, Buffer.concat([header, ends.subarray(0, 4), name, ends.subarray(4), MAGIC]));
};

const restoreOf = (folder: string, source: string) => ({
  path: join(folder, 'longbox.db'),
  source,
  keptFolder: join(folder, 'backups'),
  nowMs: 0,
});

const copied = (name: string): string => {
  cpSync(at('data'), at(name), { recursive: true });
  return at(name);
};

const runUntil = async (restore: ReturnType<typeof restoreOf>, name: string): Promise<void> => {
  for (const step of restoreSteps(restore)) {
    await step.run();
    if (step.name === name) return;
  }
  throw new Error(`no step "${name}"`);
};

const leftIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /private|partial|restored|adding|tmp/.test(name));

block(
  'planted files',
  (check) => {
    check('a journal beside a copy of the database is not rolled back, and the file that it names stays', async () => {
      const [folder, shared] = [copied('hot'), at('shared')];
      mkdirSync(shared);
      const source = join(shared, 'copy.db');
      cpSync(at('copy.db'), source);
      writeFileSync(at('victim'), 'precious');
      plantJournal(source, at('victim'));
      const { code, text } = await run('restore', source, '--data', folder);
      assert.ok(existsSync(at('victim')));
      assert.is(code, 1, text);
      assert.match(text, /copy\.db-journal lies beside \S+copy\.db\. A restore does not apply it/);
      assert.equal(readdirSync(shared), ['copy.db', 'copy.db-journal']);
      assert.equal(await usersOf(join(folder, 'longbox.db')), ['anna', 'late']);
    });
    check('nor is a write-ahead log applied that lies beside one', async () => {
      const folder = copied('log');
      const source = at('logged.db');
      cpSync(at('copy.db'), source);
      writeFileSync(`${source}-wal`, 'not of this database');
      const thrown = await thrownBy(() => restoreBackup(restoreOf(folder, source)));
      assert.match(String(thrown), /logged\.db-wal lies beside/);
    });
    check('a copy in WAL mode is restored without anything being created beside it', async () => {
      const folder = copied('wal');
      mkdirSync(at('disk'));
      const source = at('disk', 'copy.db');
      cpSync(at('copy.db'), source);
      await withConnection(source, (one) => one.exec('PRAGMA journal_mode=WAL'));
      assert.is(readFileSync(source).readUInt8(18), 2);
      const before = [statSync(source).mtimeMs, statSync(at('disk')).mtimeMs];
      await restoreBackup(restoreOf(folder, source));
      assert.equal([statSync(source).mtimeMs, statSync(at('disk')).mtimeMs], before);
      assert.equal(await usersOf(join(folder, 'longbox.db')), ['other', 'other-late']);
    });
    check('while a backup is made, only its unfinished file lies beside its target', async () => {
      const folder = copied('making');
      mkdirSync(at('target'));
      const target = at('target', 'one.tar');
      const job = { database: join(folder, 'longbox.db'), uploads: join(folder, 'uploads'), target, nowMs: 0 };
      const seen = new Set<string>();
      const modes = new Set<string>();
      const plan = backupSteps(job, '');
      for (const { run: runStep } of plan.steps) {
        await runStep();
        for (const name of readdirSync(at('target'))) seen.add(name);
        for (const name of readdirSync(folder))
          if (name.startsWith('longbox-private-')) modes.add((statSync(join(folder, name)).mode & 0o777).toString(8));
      }
      assert.equal([...seen].sort(), ['one.tar', 'one.tar.partial']);
      assert.equal([...modes], ['700']);
      assert.equal(leftIn(folder), []);
    });
    check('a folder that a killed process left is removed at the next start, one in use is not', async () => {
      const folder = copied('left');
      mkdirSync(join(folder, 'longbox-private-abcdef'), { mode: 0o700 });
      writeFileSync(join(folder, 'longbox-private-abcdef', 'longbox.db'), 'cut off');
      const job = { database: join(folder, 'longbox.db'), uploads: '', target: at('other.tar'), nowMs: 0 };
      const plan = backupSteps(job, '');
      for (const { run: runStep, name } of plan.steps) {
        await runStep();
        if (name === 'copy the database') break;
      }
      await undoInterrupted(join(folder, 'longbox.db'), join(folder, 'backups'), () => undefined);
      const left = readdirSync(folder).filter((name) => name.startsWith('longbox-private-'));
      assert.is(left.length, 1);
      assert.ok(readdirSync(join(folder, left[0] ?? '')).includes('longbox.db'));
      await plan.abandon();
      assert.equal(leftIn(folder), []);
    });
    check('what an interrupted restore left is no source, and is not deleted for it', async () => {
      const folder = copied('own');
      const source = join(folder, 'longbox.db.restored');
      cpSync(at('copy.db'), source);
      const { code, text } = await run('restore', source, '--data', folder);
      assert.is(code, 1, text);
      assert.match(text, /left unfinished, and cannot be restored/);
      assert.ok(readFileSync(source).equals(readFileSync(at('copy.db'))));
    });
    check('a restore that does not come to its end changes no image that was there', async () => {
      const folder = copied('undone');
      const image = join(folder, 'uploads', `${IMAGE}.jpg`);
      mkdirSync(dirname(image));
      writeFileSync(image, 'as it was');
      const restore = restoreOf(folder, at('copy.tar'));
      await runUntil(restore, 'remove the write-ahead log of the database');
      await undoInterrupted(restore.path, restore.keptFolder, () => undefined);
      assert.is(readFileSync(image, 'utf8'), 'as it was');
      assert.equal(leftIn(folder), []);
      assert.equal(await usersOf(restore.path), ['anna', 'late']);
    });
    check('one that ends once the database was replaced is finished by the next start', async () => {
      const folder = copied('finished');
      const image = join(folder, 'uploads', `${IMAGE}.jpg`);
      mkdirSync(dirname(image));
      writeFileSync(image, 'as it was');
      const restore = restoreOf(folder, at('copy.tar'));
      await runUntil(restore, 'replace the database');
      await undoInterrupted(restore.path, restore.keptFolder, () => undefined);
      assert.is(readFileSync(image, 'utf8'), 'the new image');
      assert.equal(leftIn(folder), []);
    });
    check('a folder with the name of an image is refused in words, before anything changes', async () => {
      const folder = copied('folder');
      mkdirSync(join(folder, 'uploads', `${IMAGE}.jpg`), { recursive: true });
      const named = (): readonly string[] =>
        readdirSync(folder, { recursive: true })
          .map(String)
          .filter((name) => !name.startsWith('longbox.lock'));
      const before = named();
      const { code, text } = await run('restore', at('copy.tar'), '--data', folder);
      assert.is(code, 1, text);
      assert.match(text, /b1\.jpg is a folder, and an image of the backup has that name/);
      assert.equal(named(), before);
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-planted-'));
      await makeFolder(at('data'), 'anna', 'late');
      await usersOf(at('data', 'longbox.db'));
      await makeFolder(at('other'), 'other', 'other-late', { id: IMAGE, text: 'the new image' });
      assert.is((await run('backup', at('copy.tar'), '--data', at('other'))).code, 0);
      await copyDatabase(at('other', 'longbox.db'), at('copy.db'));
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 120,
  },
);
