// A restore that is killed after each of its steps: the next start finds the old database or the new one, whole, and never none.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { restoreDatabase, restoreSteps } from '../../core/upkeep/restore.js';
import { fetch } from '../described.js';
import { assert, block } from '../kit.js';
import { kill, spawnProgram, startProgram } from './program.js';

const MODULE = new URL('../../core/upkeep/restore.js', import.meta.url).href;
const PASSWORD = 'Secret123!';
const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

/** A data folder as a killed server leaves it: `first` in the database or its log, `late` in the log only. */
const makeFolder = async (folder: string, first: string, late: string): Promise<void> => {
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
  await kill(program);
};

const usersOf = (database: string): Promise<readonly string[]> =>
  withConnection(database, async (connection) => {
    const [sound] = await connection.all<Record<string, string>>('PRAGMA integrity_check');
    assert.equal(Object.values(sound ?? {}), ['ok']);
    return (await connection.all<{ name: string }>('SELECT username AS name FROM user ORDER BY id')).map(
      ({ name }) => name,
    );
  });

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

const run = async (...args: readonly string[]): Promise<{ code: number | null; text: string }> => {
  const program = spawnProgram(args, CHEAP);
  return { code: await program.ended, text: program.printed() };
};

const signsIn = async (address: string, username: string): Promise<boolean> => {
  const body = JSON.stringify({ username, password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${address}/api/v1/auth/login`, { method: 'POST', headers, body })).status === 200;
};

const STEPS = restoreSteps({ path: '', source: '', keptFolder: '', nowMs: 0 }).map(({ name }) => name);
const REPLACE = STEPS.indexOf('replace the database');

block(
  'restore',
  (check) => {
    for (const [index, name] of ['start', ...STEPS].entries()) {
      check(
        `killed after "${name}": the ${index > REPLACE ? 'new' : 'old'} database is served, and restoring again works`,
        async () => {
          const folder = at(`killed-${index}`);
          cpSync(at('old'), folder, { recursive: true });
          await killedAfter(folder, at('copy.db'), index);
          const program = await startProgram(['--data', folder], CHEAP);
          const { setupRequired } = (await (await fetch(`${program.address}/api/v1/setup/status`)).json()) as {
            setupRequired: boolean;
          };
          assert.is(setupRequired, false);
          const [old, fresh] = [await signsIn(program.address, 'late'), await signsIn(program.address, 'other-late')];
          await kill(program);
          assert.equal([old, fresh], [index <= REPLACE, index > REPLACE]);
          const database = join(folder, 'longbox.db');
          const kept = await restoreDatabase({
            path: database,
            source: at('copy.db'),
            keptFolder: join(folder, 'backups'),
            nowMs: 1,
          });
          assert.equal(await usersOf(database), ['other', 'other-late']);
          assert.equal(await usersOf(kept ?? ''), index > REPLACE ? ['other', 'other-late'] : ['old', 'late']);
          assert.equal(
            readdirSync(folder).filter((file) => /^longbox\.db[.-]/.test(file)),
            [],
          );
        },
      );
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
        const { code, text } = await run('restore', file, '--data', folder);
        assert.is(code, 1);
        assert.match(text, words);
        assert.not.match(text, /\n {4}at /);
      }
      assert.equal(await usersOf(join(folder, 'longbox.db')), ['old', 'late']);
    });
    check('a backup creates no folder: the disk that was meant may be out', async () => {
      const { code, text } = await run('backup', at('no-disk', 'copy.db'), '--data', at('other'));
      assert.is(code, 1, text);
      assert.match(text, new RegExp(`There is no folder "${at('no-disk')}"`));
      assert.not.ok(existsSync(at('no-disk')));
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
      await makeFolder(at('old'), 'old', 'late');
      await makeFolder(at('other'), 'other', 'other-late');
      assert.is((await run('backup', at('copy.db'), '--data', at('other'))).code, 0);
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 60,
  },
);
