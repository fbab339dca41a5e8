// The lock of a data folder: one holder, whoever asks and however the last one ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { acquireLock } from '../../core/upkeep/lock.js';
import { assert, block, thrownBy } from '../kit.js';

const MODULE = new URL('../../core/upkeep/lock.js', import.meta.url).href;

const withFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-lock-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const refusal = async (folder: string): Promise<string> => {
  const thrown = await thrownBy(() => acquireLock(folder, 0));
  assert.ok(thrown instanceof AppError);
  return thrown.message;
};

/** A process that takes the lock, says so in one word, and keeps it until it is ended. */
const contender = (folder: string): { child: ChildProcess; word: Promise<string> } => {
  const script = `const { acquireLock } = await import(${JSON.stringify(MODULE)});
    try { await acquireLock(${JSON.stringify(folder)}, Date.now()); console.log('won'); setInterval(() => {}, 1000); }
    catch (thrown) { console.log(thrown.kind === 'Conflict' ? 'lost' : String(thrown)); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, word: once(child.stdout ?? child, 'data').then(([text]) => String(text).trim()) };
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

block(
  'lock',
  (check) => {
    check('a folder that cannot be created is named', async () => {
      await withFolder(async (folder) => {
        writeFileSync(join(folder, 'file'), '');
        assert.match(await refusal(join(folder, 'file', 'data')), /cannot be created/);
        symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
        assert.match(await refusal(join(folder, 'link')), /cannot be created/);
      });
      // Such file systems say of every new folder that its parent is missing.
      for (const path of ['/proc/longbox', '/proc/longbox/data'])
        assert.match(await refusal(path), /cannot be created/);
    });
    check('folders that are missing above it are created too', () =>
      withFolder(async (folder) => {
        const lock = await acquireLock(join(folder, 'a', 'b', 'data'), 0);
        assert.ok(existsSync(join(folder, 'a', 'b', 'data')));
        await lock.release();
      }),
    );
    check('an invalid lock file is named', () =>
      withFolder(async (folder) => {
        writeFileSync(
          join(folder, 'longbox.lock'),
          'this is not a database, but it is long enough to be taken for one '.repeat(20),
        );
        assert.match(await refusal(folder), /cannot be locked/);
      }),
    );
    check('the same process cannot lock a folder twice, and can again after release', () =>
      withFolder(async (folder) => {
        const lock = await acquireLock(folder, Date.UTC(2026, 0, 1));
        assert.match(
          await refusal(folder),
          new RegExp(`in use by another Longbox \\(process ${process.pid} on .*2026-01-01`),
        );
        await lock.release();
        await lock.release();
        await (await acquireLock(folder, 0)).release();
      }),
    );
    check('another process is refused while the first lives, and gets the folder as soon as it is killed', () =>
      withFolder(async (folder) => {
        const first = contender(folder);
        assert.is(await first.word, 'won');
        assert.match(await refusal(folder), new RegExp(`process ${first.child.pid} `));
        await end(first.child);
        await (await acquireLock(folder, 0)).release();
      }),
    );
    check('a folder that was copied while locked is free', () =>
      withFolder(async (folder) => {
        const lock = await acquireLock(join(folder, 'a'), 0);
        cpSync(join(folder, 'a'), join(folder, 'b'), { recursive: true });
        await (await acquireLock(join(folder, 'b'), 0)).release();
        await lock.release();
      }),
    );
    check('of many concurrent starters one wins', () =>
      withFolder(async (folder) => {
        const all = Array.from({ length: 6 }, () => contender(folder));
        const words = await Promise.all(all.map(({ word }) => word));
        for (const { child } of all) await end(child);
        assert.equal(words.sort(), ['lost', 'lost', 'lost', 'lost', 'lost', 'won']);
      }),
    );
  },
  { deadlineS: 30 },
);
