// Health: what probes are told, what administrators are told, and that neither waits for what hangs.
import { chmodSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openPool } from '../../core/engine/pool.js';
import { NOBODY } from '../../core/model/viewer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { PoolHealth } from '../../core/upkeep/pool-health.js';
import { Probe } from '../../core/upkeep/probe.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

interface Found {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly action: string | null;
}

const withApp = async (use: (temp: TempApp) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    await use(temp);
  } finally {
    await temp.close();
  }
};

/** What is kept for a moment is too old then. */
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1100));

const checks = async (temp: TempApp, token: string): Promise<Found[]> => {
  const answer = await temp.call('GET', '/api/v1/health/details', { token });
  assert.is(answer.status, 200);
  return answer.json.checks;
};

/** As told to someone who sees these libraries. */
const named = ({ app }: TempApp, libraries: readonly number[] | null): Promise<readonly Found[]> =>
  app.health.find({ ...NOBODY, scope: { ...NOBODY.scope, libraries } });

const statuses = async (temp: TempApp): Promise<(number | string)[]> => {
  const found: (number | string)[] = [];
  for (const path of ['/health', '/health/live', '/health/ready', '/api/v1/health']) {
    const { status, bytes } = await temp.call('GET', path);
    found.push(status);
    if (path === '/health') found.push(bytes.toString());
    assert.is((await temp.call('HEAD', path)).status, status, `HEAD ${path}`);
  }
  return found;
};

const library = async (temp: TempApp, token: string, name: string): Promise<string> => {
  const path = join(temp.folder, name);
  writeBook(join(path, 'Ants', 'Ants 1.cbz'), 1, name);
  const body = { name, path, scanImmediately: true };
  assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  return path;
};

const titled = (found: readonly Found[], name: string): Found => {
  const one = found.find((finding) => finding.name === name);
  if (one === undefined) throw new Error(`no check ${name} among ${found.map(({ name }) => name).join(', ')}`);
  return one;
};

block('health', (check) => {
  check('a healthy server says so in every way, and how only to administrators', () =>
    withApp(async (temp) => {
      assert.equal(await statuses(temp), [200, 'OK', 200, 200, 200]);
      const { json } = await temp.call('GET', '/api/v1/health');
      assert.equal(json, { status: 'ok', version: 'test', database: 'ok' });
      const reader = await temp.tokenOf('reader');
      assert.is((await temp.call('GET', '/api/v1/health/details', { token: reader })).status, 403);
      assert.is((await temp.call('GET', '/api/v1/health/details')).status, 401);
      const found = await checks(temp, await temp.tokenOf('admin'));
      for (const { name, status, message, action } of found) {
        if (name === 'data folder' || name === 'cache folder') continue; // of whatever disk this runs on
        assert.equal([status, action], ['ok', null], `${name}: ${message}`);
      }
      assert.equal(
        found.map(({ name }) => name),
        ['database', 'database writes', 'data folder', 'cache', 'cache folder', 'worker threads', 'tasks', 'clock'],
      );
    }),
  );
  check('while it stops it is alive, and not ready', () =>
    withApp(async (temp) => {
      temp.app.health.stopping();
      assert.equal(await statuses(temp), [503, 'Service Unavailable', 200, 503, 503]);
      assert.is(titled(await checks(temp, await temp.tokenOf('admin')), 'server').status, 'failing');
    }),
  );
  check('a database file that is gone is noticed, although open connections still read it', () =>
    withApp(async (temp) => {
      const token = await temp.tokenOf('admin');
      const path = join(temp.folder, 'data', 'longbox.db');
      renameSync(path, `${path}.away`);
      assert.equal(await statuses(temp), [503, 'Service Unavailable', 200, 503, 503]);
      const found = titled(await checks(temp, token), 'database');
      assert.is(found.status, 'failing');
      assert.match(found.message, /is gone/);
      assert.match(found.action ?? '', /restore/);
      renameSync(`${path}.away`, path);
      await later();
      assert.equal(await statuses(temp), [200, 'OK', 200, 200, 200]);
    }),
  );
  check('a database that waits for its turn to write is not failing, and is waited for two seconds only', () =>
    withApp(async (temp) => {
      let end: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        end = resolve;
      });
      const writer = temp.app.db.write(SYSTEM, 'interactive', () => held);
      try {
        const ready = await temp.call('GET', '/health/ready');
        assert.is(ready.status, 200);
        const found = titled(await named(temp, []), 'database writes');
        assert.is(found.status, 'warning');
        assert.match(found.message, /has not answered/);
      } finally {
        end();
        await writer;
      }
    }),
  );
  check('folders of libraries: missing, emptied, closed, and back again', () =>
    withApp(async (temp) => {
      const token = await temp.tokenOf('admin');
      const path = await library(temp, token, 'Comics');
      const told = async (): Promise<string> => {
        await later();
        const { status, message } = titled(await checks(temp, token), 'library "Comics"');
        return `${status}: ${message.replaceAll(path, '*')}`;
      };
      assert.is(await told(), 'ok: * can be read.');
      renameSync(path, `${path}-away`);
      assert.is(await told(), 'failing: The folder * does not exist.');
      assert.is((await temp.call('GET', '/health/ready')).status, 200, 'other libraries are served');
      mkdirSync(path);
      assert.is(await told(), 'warning: The folder * is empty, although the library has 1 books.');
      if (process.getuid?.() !== 0) {
        chmodSync(path, 0o000);
        assert.is(await told(), 'failing: The server may not read the folder *.');
      }
      rmSync(path, { recursive: true });
      renameSync(`${path}-away`, path);
      assert.is(await told(), 'ok: * can be read.');
    }),
  );
  check('an administrator who does not see a library is not told of it', () =>
    withApp(async (temp) => {
      const token = await temp.tokenOf('admin');
      await library(temp, token, 'Comics');
      await library(temp, token, 'Manga');
      const [manga] = await temp.app.db.all<{ id: number }>("SELECT id FROM library WHERE name = 'Manga'");
      const seen = (libraries: number[] | null): Promise<string[]> =>
        named(temp, libraries).then((found) => found.map(({ name }) => name).filter((name) => /^library/.test(name)));
      assert.equal(await seen(null), ['library "Comics"', 'library "Manga"']);
      assert.equal(await seen([manga?.id ?? 0]), ['library "Manga"']);
      assert.equal(await seen([]), []);
    }),
  );
  check('a clock that jumps is mentioned', () =>
    withApp(async (temp) => {
      const look = async (): Promise<Found> => titled(await named(temp, []), 'clock');
      assert.is((await look()).status, 'ok');
      temp.advance(-3 * 60 * 60_000);
      assert.match((await look()).message, /jumped 3 h backwards/);
      assert.is((await look()).status, 'warning', 'for a while');
    }),
  );
});

block('a look at something that may hang', (check) => {
  check('is one at a time, answered in time, and kept for a moment', async () => {
    let looks = 0;
    let end: (value: string) => void = () => undefined;
    const probe = new Probe<string>(
      () => {
        looks += 1;
        return new Promise((resolve) => {
          end = resolve;
        });
      },
      () => 'late',
    );
    const asked = await Promise.all([probe.get(), probe.get(), probe.get()]);
    assert.equal(asked, ['late', 'late', 'late']);
    await later();
    assert.is(await probe.get(), 'late');
    assert.is(looks, 1, 'the first has not ended');
    end('well');
    await later();
    const again = probe.get();
    await Promise.resolve();
    assert.is(looks, 2);
    end('well again');
    assert.is(await again, 'well again');
    assert.is(probe.get(), 'well again');
    assert.is(looks, 2);
  });
});

block('threads that do nothing', (check) => {
  const pool = { running: 0, waiting: 0, waitingInteractive: 0, threads: 0, ended: 0, notStarted: 0 };
  const health = new PoolHealth({ load: () => pool, lostThreads: 0 });
  check('fail when jobs wait and none begins; a long job is no failure', () => {
    assert.is(health.look(0).status, 'ok');
    pool.waiting = 3;
    assert.is(health.look(10_000).status, 'ok');
    assert.is(health.look(40_000).status, 'failing');
    pool.running = 1;
    assert.is(health.look(60_000).status, 'ok');
    assert.is(health.look(900_000).status, 'warning');
    pool.ended = 1;
    assert.is(health.look(900_001).status, 'ok');
  });
  check('fail when no thread can be started, until one is, or nobody tried for a minute', () => {
    const starting = { running: 0, waiting: 0, waitingInteractive: 0, threads: 0, ended: 0, notStarted: 0 };
    const found = new PoolHealth({ load: () => starting, lostThreads: 0 });
    const lookAfter = (notStarted: number, atMs: number): string => {
      starting.notStarted = notStarted;
      starting.ended += 1;
      return found.look(atMs).status;
    };
    assert.equal(
      [lookAfter(0, 0), lookAfter(2, 1000), lookAfter(3, 2000), lookAfter(3, 50_000)],
      ['ok', 'ok', 'failing', 'failing'],
    );
    assert.is(lookAfter(0, 51_000), 'ok', 'a thread was started');
    assert.is(lookAfter(5, 60_000), 'failing');
    assert.is(lookAfter(5, 120_000), 'ok', 'else no work would ever come');
    assert.is(lookAfter(6, 121_000), 'failing');
  });
  check('that cannot be started are counted by the pool, and make the server not ready', async () => {
    const pool = openPool({
      entry: new URL('no-such-thread.js', import.meta.url).href,
      ...{ threads: 1, idleTimeoutMs: 1000, queueInteractive: 10, queueBackground: 10, jobDeadlineMs: 10_000 },
    });
    try {
      const found = new PoolHealth(pool);
      found.look();
      for (let n = 0; n < 3; n += 1) {
        const input = { path: '/none' } as never; // no thread ever reads it
        await pool.run('page', input, { lane: 'interactive' }).catch(() => undefined);
      }
      assert.is(pool.load().notStarted, 3);
      assert.equal([found.look().status, /No thread can be started/.test(found.look().message)], ['failing', true]);
    } finally {
      await pool.close();
    }
  });
});
