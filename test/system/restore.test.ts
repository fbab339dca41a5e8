// A restore that is killed after each of its steps: the next start finds the old database or the new one, whole, and never none.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { copyDatabase } from '../../core/upkeep/backup.js';
import { restoreDatabase, restoreSteps } from '../../core/upkeep/restore.js';
import { fetch } from '../described.js';
import { assert, block, IS_FULL, thrownBy } from '../kit.js';
import { CHEAP, checkUnpacked, makeFolder, PASSWORD, run, unpacked, usersOf } from './backup-folder.js';
import { kill, startProgram } from './program.js';

const MODULE = new URL('../../core/upkeep/restore.js', import.meta.url).href;
const OLD_IMAGE = '01890000-0000-7000-8000-0000000000a1';
const NEW_IMAGE = '01890000-0000-7000-8000-0000000000b1';

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

/** Runs the first `count` steps in a process of its own, which then ends as one does that is killed. */
const killedAfter = async (folder: string, source: string, count: number): Promise<void> => {
  const restore = { path: join(folder, 'longbox.db'), source, keptFolder: join(folder, 'backups'), nowMs: 0 };
  const script = `const { restoreSteps } = await import(${JSON.stringify(MODULE)});
    for (const step of restoreSteps(${JSON.stringify(restore)}).slice(0, ${count})) await step.run();
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  assert.equal([code, signal], [null, 'SIGKILL']);
};

const signsIn = async (address: string, username: string): Promise<boolean> => {
  const body = JSON.stringify({ username, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${address}/api/v1/auth/login`, { method: 'POST', headers, body })).status === 200;
};

const STEPS = restoreSteps({ path: '', source: '', keptFolder: '', nowMs: 0 }).map(({ name }) => name);
const COPIED = STEPS.indexOf('copy it next to the database');
const IMAGES = STEPS.indexOf('add the uploaded images');
const REPLACE = STEPS.indexOf('replace the database');
/** How many steps are done before the kill, outside a full run: up to those that leave something new behind. */
const TRIED: ReadonlySet<number> = new Set([COPIED + 1, IMAGES + 1, REPLACE, REPLACE + 1, STEPS.length]);

block(
  'restore',
  (check) => {
    for (const [index, name] of ['start', ...STEPS].entries()) {
      const fact = `killed after "${name}": the ${index > REPLACE ? 'new' : 'old'} database is served, and restoring again works`;
      if (!IS_FULL && !TRIED.has(index)) {
        check.skip(fact, 'only in a full run');
        continue;
      }
      check(fact, async () => {
        const folder = at(`killed-${index}`);
        cpSync(at('old'), folder, { recursive: true });
        await killedAfter(folder, at('copy.tar'), index);
        const program = await startProgram(['--data', folder], CHEAP);
        const { setupRequired } = (await (await fetch(`${program.address}/api/v1/setup/status`)).json()) as {
          setupRequired: boolean;
        };
        assert.is(setupRequired, false);
        const [old, fresh] = [await signsIn(program.address, 'late'), await signsIn(program.address, 'other-late')];
        await kill(program);
        assert.equal([old, fresh], [index <= REPLACE, index > REPLACE]);
        const isUnderWay = existsSync(join(folder, 'longbox.db.restored'));
        assert.not.ok(isUnderWay, 'the start has cleaned up');
        const said = /a restore was interrupted before it replaced anything/.test(program.printed());
        assert.is(said, index > COPIED && index <= REPLACE);
        assert.is(readFileSync(join(folder, 'uploads', `${OLD_IMAGE}.jpg`), 'utf8'), 'the old image');
        assert.is(existsSync(join(folder, 'uploads', `${NEW_IMAGE}.jpg`)), index > IMAGES);
        const database = join(folder, 'longbox.db');
        const kept = await restoreDatabase({
          path: database,
          source: at('copy.tar'),
          keptFolder: join(folder, 'backups'),
          nowMs: 1,
        });
        assert.equal(await usersOf(database), ['other', 'other-late']);
        assert.is(readFileSync(join(folder, 'uploads', `${NEW_IMAGE}.jpg`), 'utf8'), 'the new image');
        const before = unpacked(kept ?? '');
        assert.equal(await checkUnpacked(before), { covers: 1 });
        const users = await usersOf(join(before, 'longbox.db'));
        assert.equal(users, index > REPLACE ? ['other', 'other-late'] : ['old', 'late']);
        rmSync(before, { recursive: true });
        assert.equal(
          readdirSync(join(folder, 'backups')).filter((file) => file.includes('.partial')),
          [],
        );
        assert.equal(
          readdirSync(folder).filter((file) => /^longbox\.db[.-]/.test(file)),
          [],
        );
      });
    }
    check('a damaged database is replaced, and kept with its WAL', async () => {
      const folder = at('damaged');
      cpSync(at('old'), folder, { recursive: true });
      writeFileSync(join(folder, 'longbox.db'), 'no database at all '.repeat(1000));
      const log = readFileSync(join(folder, 'longbox.db-wal'));
      const { code, text } = await run('restore', at('copy.db'), '--data', folder);
      assert.is(code, 0, text);
      assert.equal(await usersOf(join(folder, 'longbox.db')), ['other', 'other-late']);
      const kept = /kept as (\S+)/.exec(text)?.[1] ?? '';
      assert.match(readFileSync(kept, 'utf8'), /^no database at all/);
      assert.ok(readFileSync(`${kept}-wal`).equals(log));
    });
    check(
      'a copy of the database alone, as earlier versions made, leaves the uploaded images as they are',
      async () => {
        const folder = at('alone');
        cpSync(at('old'), folder, { recursive: true });
        const { code, text } = await run('restore', at('copy.db'), '--data', folder);
        assert.is(code, 0, text);
        assert.match(text, /contains no uploaded images/);
        assert.equal(await usersOf(join(folder, 'longbox.db')), ['other', 'other-late']);
        assert.ok(existsSync(join(folder, 'uploads', `${OLD_IMAGE}.jpg`)));
      },
    );
    check('an image that was damaged since is replaced; one that is as it was is left alone', async () => {
      const folder = at('damaged-image');
      cpSync(at('other'), folder, { recursive: true });
      const image = join(folder, 'uploads', `${NEW_IMAGE}.jpg`);
      const { ino } = statSync(image);
      assert.is((await run('restore', at('copy.tar'), '--data', folder)).code, 0);
      assert.is(statSync(image).ino, ino);
      writeFileSync(image, 'the bad image');
      assert.is((await run('restore', at('copy.tar'), '--data', folder)).code, 0);
      assert.is(readFileSync(image, 'utf8'), 'the new image');
    });
    check(
      'a restore into a new folder that is interrupted does not leave a server that anybody can set up',
      async () => {
        const folder = at('new');
        mkdirSync(folder);
        await killedAfter(folder, at('copy.tar'), COPIED + 1);
        const { code, text } = await run('serve', '--data', folder, '--port', '0');
        assert.is(code, 1, text);
        assert.match(text, /A restore into \S+ was interrupted\. Run "longbox restore FILE" again/);
        assert.is((await run('restore', at('copy.tar'), '--data', folder)).code, 0);
        assert.equal(await usersOf(join(folder, 'longbox.db')), ['other', 'other-late']);
      },
    );
    check('users who were signed in when the copy was made are not signed in afterwards', async () => {
      const folder = at('sessions');
      cpSync(at('old'), folder, { recursive: true });
      const database = join(folder, 'longbox.db');
      const sessions = (path: string) => withConnection(path, (one) => one.all('SELECT uuid FROM session'));
      await withConnection(at('copy.db'), (one) =>
        one.run('INSERT INTO session (uuid, user_id, created_at, expires_at) SELECT randomblob(16), 1, 0, 1e15'),
      );
      assert.ok((await sessions(at('copy.db'))).length > 0);
      const { code, text } = await run('restore', at('copy.db'), '--data', folder);
      assert.is(code, 0, text);
      assert.match(text, /everybody has to sign in again/);
      assert.equal(await sessions(database), []);
    });
    check('anything but a backup is refused, and nothing changes', async () => {
      const folder = at('refused');
      cpSync(at('old'), folder, { recursive: true });
      writeFileSync(at('nonsense.db'), 'nonsense '.repeat(1000));
      writeFileSync(at('empty.db'), '');
      await withConnection(at('other.db'), (connection) =>
        connection.exec('CREATE TABLE user (id INTEGER); PRAGMA user_version = 3'),
      );
      for (const [file, words] of [
        [at('nonsense.db'), /not a Longbox database/],
        [at('empty.db'), /not a Longbox database/],
        [at('other.db'), /not a Longbox database/],
        [at('missing.db'), /There is no file/],
      ] as const) {
        const place = { path: join(folder, 'longbox.db'), keptFolder: join(folder, 'backups'), nowMs: 0 };
        assert.match(String(await thrownBy(() => restoreDatabase({ ...place, source: file }))), words);
      }
      const { code, text } = await run('restore', at('nonsense.db'), '--data', folder);
      assert.is(code, 1);
      assert.match(text, /not a Longbox database/);
      assert.not.match(text, /\n {4}at /);
      assert.equal(await usersOf(join(folder, 'longbox.db')), ['old', 'late']);
    });
    check('a folder in use by a server is left alone', async () => {
      const folder = at('running');
      cpSync(at('old'), folder, { recursive: true });
      const program = await startProgram(['--data', folder], CHEAP);
      const { code, text } = await run('restore', at('copy.db'), '--data', folder);
      assert.is(code, 1);
      assert.match(text, new RegExp(`in use by another Longbox \\(process ${program.child.pid}`));
      assert.not.ok(existsSync(join(folder, 'longbox.db.restored')));
      assert.ok(await signsIn(program.address, 'late'));
      await kill(program);
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-restore-'));
      await makeFolder(at('old'), 'old', 'late', { id: OLD_IMAGE, text: 'the old image' });
      await makeFolder(at('other'), 'other', 'other-late', { id: NEW_IMAGE, text: 'the new image' });
      const { code, text } = await run('backup', at('copy.tar'), '--data', at('other'));
      assert.is(code, 0, text);
      assert.match(text, /the database and 1 uploaded image; it does not include the folders secrets\/ and cache\//);
      await copyDatabase(at('other', 'longbox.db'), at('copy.db'));
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 120,
  },
);
