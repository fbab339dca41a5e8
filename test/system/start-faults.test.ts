// What keeps the program from starting, as its owner reads it: one sentence that says what to do, and exit code 1.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { EARLIER_LOGIN, unpackEarlier } from '../earlier.js';
import { assert, block } from '../kit.js';
import { spawnProgram, startProgram } from './program.js';

const PROGRAM = fileURLToPath(new URL('../../http/longbox.cjs', import.meta.url));

const NOBODY = 65_534;

let root = '';
const at = (...parts: readonly string[]): string => join(root, ...parts);

const saysOnce = (text: string, words: readonly RegExp[]): void => {
  for (const one of words) assert.match(text, one);
  assert.not.match(text, /\n {4}at /, 'no stack');
  assert.is(
    text
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('longbox: ')).length,
    1,
    text,
  );
};

const refuses = async (
  words: readonly RegExp[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  command: readonly string[] = ['serve', '--port', '0', '--host', '127.0.0.1'],
): Promise<void> => {
  const program = spawnProgram([...command, '--data', folder], environment);
  assert.is(await program.ended, 1, program.printed());
  saysOnce(program.printed(), words);
};

/** A file system of its own, or why there can be none here. */
const mounted = (folder: string, size: string): { unmount(): void; readOnly(): void } | string => {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (thrown) {
    return `cannot mount: ${String(thrown).split('\n')[0]}`;
  }
  return {
    unmount: () => execFileSync('umount', [folder]),
    readOnly: () => execFileSync('mount', ['-o', 'remount,ro', folder]),
  };
};

const canMount = (): string | null => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-mount-'));
  try {
    const mount = mounted(folder, '1m');
    if (typeof mount === 'string') return mount;
    mount.unmount();
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const NO_MOUNT = canMount();
const NO_LIMITS = process.platform === 'linux' ? null : 'limits of open files are read from /proc';

block(
  'faults at the start',
  (check) => {
    check('a database of garbage is reported as damaged, and the backups are named', async () => {
      const folder = at('garbage');
      cpSync(at('sound'), folder, { recursive: true });
      writeFileSync(join(folder, 'longbox.db'), 'garbage '.repeat(2000));
      const copy = join(folder, 'backups', 'mine.db');
      await refuses([/is damaged/, /longbox check/, new RegExp(`longbox restore ${copy}`)], folder);
      const checked = spawnProgram(['check', '--data', folder]);
      assert.is(await checked.ended, 1);
      assert.match(checked.printed(), new RegExp(`cannot be read \\(SQLITE_NOTADB\\)[^]*longbox restore ${copy}`));
      await refuses([/is damaged/], folder, {}, ['backup', at('copy-of-garbage.db')]);
      await refuses([/is damaged/], folder, {}, ['user', 'reset-password', 'admin']);
    });
    check('so is one with a damaged page', async () => {
      const folder = at('page');
      cpSync(at('sound'), folder, { recursive: true });
      const database = join(folder, 'longbox.db');
      execFileSync('dd', ['if=/dev/urandom', `of=${database}`, 'bs=4096', 'seek=1', 'count=12', 'conv=notrunc'], {
        stdio: 'pipe',
      });
      execFileSync('dd', ['if=/dev/urandom', `of=${database}`, 'bs=1', 'seek=100', 'count=3900', 'conv=notrunc'], {
        stdio: 'pipe',
      });
      await refuses([/is damaged/, /longbox restore/], folder);
    });
    check('a password is not reset in a database of an earlier schema, which is left as it is', async () => {
      const earlier = await unpackEarlier();
      try {
        const words = [/schema 11, not \d+/, /Start the server once with this version/];
        await refuses(words, earlier.data, {}, ['user', 'reset-password', EARLIER_LOGIN.username]);
        assert.equal(await checkDatabase(earlier.database, true), { schema: 11, faults: [] });
      } finally {
        rmSync(earlier.folder, { recursive: true });
      }
    });
    check('a cache that is a file is named', async () => {
      writeFileSync(at('plain'), 'x');
      await refuses([/plain is not a folder/, /SVC_CACHE__PATH/], at('cache'), { SVC_CACHE__PATH: at('plain') });
      await refuses([/cannot be used/], at('cache'), { SVC_CACHE__PATH: at('plain', 'below') });
    });
    if (NO_LIMITS !== null) check.skip('too few open files are reported', NO_LIMITS);
    else
      check('too few open files are reported, and the required limit is enough', async () => {
        const withLimit = async (limit: number, args: readonly string[]): Promise<[number | null, string]> => {
          const child = spawn('sh', ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, PROGRAM, ...args], {
            stdio: ['ignore', 'pipe', 'pipe'],
          });
          let text = '';
          let isAsked = false; // a second signal ends it at once, with 1
          for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', (chunk) => {
              text += String(chunk);
              if (text.includes('listening') && !isAsked) isAsked = child.kill('SIGTERM');
            });
          }
          const [code] = await once(child, 'exit');
          return [typeof code === 'number' ? code : null, text];
        };
        const serve = ['serve', '--data', at('few'), '--port', '0', '--host', '127.0.0.1'];
        const [code, text] = await withLimit(64, serve);
        assert.is(code, 1);
        assert.match(text, /needs a limit of at least 384 open files; the limit here is 64.*ulimit -n 4096/);
        assert.not.match(text, /\n {4}at /);
        assert.equal((await withLimit(384, serve))[0], 0);
      });
    if (NO_MOUNT !== null) check.skip('a disk that is read-only or full is named', NO_MOUNT);
    else {
      check('a data folder on a read-only disk is named', async () => {
        const mount = mounted(at('read-only'), '16m');
        if (typeof mount === 'string') throw new Error(mount);
        try {
          cpSync(at('sound'), at('read-only', 'data'), { recursive: true });
          mount.readOnly();
          await refuses(
            [/data folder \S+read-only\/data is not writable \(EROFS\)/, /--data/],
            at('read-only', 'data'),
          );
          await refuses([/cannot be created: EROFS/], at('read-only', 'other'));
        } finally {
          mount.unmount();
        }
      });
      check('a data folder on a full disk is named', async () => {
        const mount = mounted(at('full'), '4m');
        if (typeof mount === 'string') throw new Error(mount);
        try {
          cpSync(at('sound', 'longbox.db'), at('full', 'data', 'longbox.db'));
          try {
            writeFileSync(at('full', 'rest'), Buffer.alloc(8 * 1024 * 1024));
          } catch {
            // until nothing is left, which is what is wanted
          }
          await refuses([/no space left/i], at('full', 'data'));
          rmSync(at('full', 'rest'));
          const taken = statSync(at('full', 'data', 'longbox.db')).size + 128 * 1024;
          writeFileSync(at('full', 'rest'), Buffer.alloc(4 * 1024 * 1024 - taken));
          const copy = at('sound', 'backups', 'mine.db');
          await refuses([/not enough space for a restore/], at('full', 'data'), {}, ['restore', copy]);
          await refuses([/not enough space for a backup/], at('full', 'data'), {}, ['backup', at('full', 'copy.db')]);
          assert.equal(
            [...readdirSync(at('full', 'data')), ...readdirSync(at('full'))].filter((name) =>
              /restored|partial|copy/.test(name),
            ),
            [],
            'half a copy takes no room',
          );
        } finally {
          mount.unmount();
        }
      });
    }
    check('a data folder that is not writable is named', async () => {
      chmodSync(root, 0o755);
      mkdirSync(at('locked'));
      chmodSync(at('locked'), 0o555);
      // Root may write everywhere, so the program runs as somebody else.
      const user = process.getuid?.() === 0 ? NOBODY : undefined;
      const program = spawnProgram(['serve', '--port', '0', '--data', at('locked')], {}, undefined, user);
      assert.is(await program.ended, 1, program.printed());
      saysOnce(program.printed(), [/is not writable \(EACCES\)/, /user id \d+/]);
    });
  },
  {
    before: async () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-faults-'));
      const program = await startProgram(['--data', at('sound')]);
      program.child.kill('SIGTERM');
      assert.is(await program.ended, 0);
      const copy = spawnProgram(['backup', at('sound', 'backups', 'mine.db'), '--data', at('sound')]);
      assert.is(await copy.ended, 0, copy.printed());
    },
    after: () => rmSync(root, { recursive: true, force: true }),
    deadlineS: 60,
  },
);
