// The lock of a data folder: one holder, whoever asks and however the last one ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { acquireLock, LOCK_FILE } from '../../core/upkeep/lock.js';
import { assert, block, type Check, thrownBy } from '../kit.js';

const root = mkdtempSync(join(tmpdir(), 'longbox-lock-'));
const NOW_MS = Date.now();

/** A data folder whose lock file (or the one of a takeover) holds this. */
const folderWith = (name: string, content: unknown, file = LOCK_FILE): string => {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
};

const record = (over: object): object => ({
  pid: 1,
  host: hostname(),
  startedAt: '2020-01-01T00:00:00.000Z',
  processStart: null,
  ...over,
});

// Says ready, waits for a line, tries to take the folder, says how it went, and holds it until its input ends.
const STARTER = `
import { createInterface } from 'node:readline';
const { acquireLock } = await import(process.argv[1]);
process.stdout.write('ready\\n');
for await (const folder of createInterface({ input: process.stdin })) {
  try { acquireLock(folder, Date.now()); process.stdout.write('won\\n'); }
  catch (thrown) { process.stdout.write('lost ' + thrown.message + '\\n'); }
}`;

interface Starter {
  readonly child: ChildProcess;
  take(folder: string): Promise<string>;
  end(signal?: NodeJS.Signals): Promise<void>;
}

const starter = async (): Promise<Starter> => {
  const module = new URL('../../core/upkeep/lock.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', STARTER, module], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = once(child, 'exit');
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  assert.is(await nextLine(), 'ready');
  return {
    child,
    take: (folder) => {
      child.stdin.write(`${folder}\n`);
      return nextLine();
    },
    end: async (signal) => {
      if (signal === undefined) child.stdin.end();
      else child.kill(signal);
      await gone;
    },
  };
};

/** A pid that surely belonged to a process, and no longer does. */
const deadPid = async (): Promise<number> => {
  const one = await starter();
  await one.end();
  return one.child.pid ?? 0;
};

const HELD: readonly (readonly [string, object, RegExp])[] = [
  ['a living process', { pid: process.pid }, new RegExp(`process ${process.pid} on .*, started 2020-01-01`)],
  [
    'a process of another computer',
    { pid: 999_999_999, host: 'other-nas' },
    /on other-nas.*If other-nas no longer runs it, delete .*longbox\.lock/,
  ],
];

const LEFTOVERS: readonly (readonly [string, string])[] = [
  ['an empty file', ''],
  ['half a record', '{"pid":12,"ho'],
  ['another kind of file', '[1,2]'],
  ['a pid that is none', JSON.stringify(record({ pid: -1 }))],
];

const refusals = (check: Check): void => {
  for (const [fact, over, want] of HELD) {
    check(`a lock of ${fact} is respected`, async () => {
      const folder = folderWith(`held ${fact}`, record(over));
      assert.match(String(await thrownBy(() => acquireLock(folder, NOW_MS))), want);
      assert.match(readFileSync(join(folder, LOCK_FILE), 'utf8'), /2020-01-01/);
    });
  }
  check('a lock that says nothing is respected while it is fresh', async () => {
    const folder = folderWith('fresh', '');
    assert.match(String(await thrownBy(() => acquireLock(folder, NOW_MS))), /just starting/);
  });
  check('a folder that cannot be used is named', async () => {
    const folder = join(folderWith('file', 'x'), LOCK_FILE);
    assert.match(
      String(await thrownBy(() => acquireLock(folder, NOW_MS))),
      /cannot be used \(EEXIST|cannot be used \(ENOTDIR/,
    );
  });
  check('the same process cannot take a folder twice, and can again after release', async () => {
    const folder = join(root, 'deep', 'twice');
    const lock = acquireLock(folder, NOW_MS);
    assert.match(String(await thrownBy(() => acquireLock(folder, NOW_MS))), new RegExp(`process ${process.pid} on`));
    lock.release();
    lock.release();
    assert.equal(readdirSync(folder), []);
    acquireLock(folder, NOW_MS).release();
  });
  check('release leaves the lock of somebody else alone', () => {
    const folder = join(root, 'replaced');
    const lock = acquireLock(folder, NOW_MS);
    writeFileSync(lock.path, JSON.stringify(record({ host: 'other' })));
    lock.release();
    assert.ok(existsSync(lock.path));
  });
};

const takeovers = (check: Check): void => {
  for (const [fact, content] of LEFTOVERS) {
    check(`an old lock that is ${fact} is taken over`, () => {
      const folder = folderWith(`leftover ${fact}`, content);
      utimesSync(join(folder, LOCK_FILE), NOW_MS / 1000 - 60, NOW_MS / 1000 - 60);
      acquireLock(folder, NOW_MS).release();
      assert.equal(readdirSync(folder), []);
    });
  }
  check('the lock of a process that is gone is taken over', async () => {
    const folder = folderWith('gone', record({ pid: await deadPid() }));
    const lock = acquireLock(folder, NOW_MS);
    assert.is(JSON.parse(readFileSync(lock.path, 'utf8')).pid, process.pid);
    assert.equal(readdirSync(folder), [LOCK_FILE]);
    lock.release();
  });
  check('a crash in the middle of a takeover does not block the next one', async () => {
    const pid = await deadPid();
    const folder = folderWith('crashed', record({ pid }));
    folderWith('crashed', record({ pid }), `${LOCK_FILE}.next`);
    acquireLock(folder, NOW_MS).release();
    assert.equal(readdirSync(folder), []);
  });
  if (process.platform !== 'linux') {
    check.skip('a pid that now belongs to another process is no holder', 'start times are read from /proc');
    return;
  }
  check('a pid that now belongs to another process is no holder', () => {
    const folder = folderWith('reused', record({ pid: process.pid, processStart: 'an-earlier-boot:42' }));
    acquireLock(folder, NOW_MS).release();
  });
};

const processes = (check: Check): void => {
  check('a second process is refused while the first lives, and gets the folder after its crash', async () => {
    const folder = join(root, 'two');
    const first = await starter();
    const second = await starter();
    try {
      assert.is(await first.take(folder), 'won');
      assert.match(await second.take(folder), new RegExp(`^lost .*process ${first.child.pid} on`));
      await first.end('SIGKILL');
      assert.is(await second.take(folder), 'won');
    } finally {
      await second.end();
    }
  });
  check('of many starters at once one wins, also over a stale lock', async () => {
    const pid = await deadPid();
    const crowd = await Promise.all(Array.from({ length: 6 }, starter));
    try {
      for (const round of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const folder = round % 2 === 0 ? folderWith(`crowd ${round}`, record({ pid })) : join(root, `crowd ${round}`);
        const said = await Promise.all(crowd.map((one) => one.take(folder)));
        assert.is(said.filter((line) => line === 'won').length, 1, said.join('\n'));
        assert.equal(readdirSync(folder), [LOCK_FILE]);
      }
    } finally {
      await Promise.all(crowd.map((one) => one.end()));
    }
  });
};

block(
  'lock',
  (check) => {
    refusals(check);
    takeovers(check);
    processes(check);
  },
  { after: () => rmSync(root, { recursive: true }) },
);
