// The order of reads: look-ups before lists and scans, users in turn, and no user fills the queue for others.
import { AppError } from '../../core/model/errors.js';
import type { Reads } from '../../core/store/db.js';
import { assert, block } from '../kit.js';
import { openTempDb, type TempDb } from '../temp-db.js';

const withDb = async (use: (db: TempDb['db']) => Promise<void>): Promise<void> => {
  const { db, close } = await openTempDb('readers');
  try {
    await use(db);
  } finally {
    await close();
  }
};

/** Takes a few hundredths of a second. */
const SLOW =
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT max(x) AS n FROM c';

const ENDLESS = SLOW.replace('100000', '10000000000');

/** Runs reads at the same time; returns their names in the order in which they ended. */
const inOrder = async (reads: readonly (readonly [name: string, read: Promise<unknown>])[]): Promise<string[]> => {
  const ended: string[] = [];
  await Promise.all(
    reads.map(async ([name, read]) => {
      await read;
      ended.push(name);
    }),
  );
  return ended;
};

const times = (count: number, reads: Reads, sql: string) => Array.from({ length: count }, () => reads.all(sql));

const assertCancelled = async (read: Promise<unknown>): Promise<void> => {
  const kind = await read.then(
    () => 'read',
    (thrown: AppError) => thrown.kind,
  );
  assert.is(kind, 'Cancelled');
};

block('readers', (check) => {
  check('a look-up waits neither for queued nor for running scans', () =>
    withDb(async (db) => {
      const scans = times(5, db.readsFor({ user: 1 }, 'scan'), SLOW).map((read) => ['scan', read] as const);
      assert.is((await inOrder([...scans, ['look-up', db.all('SELECT 1')]]))[0], 'look-up');
    }),
  );
  check('users take turns, however many reads one of them requests', () =>
    withDb(async (db) => {
      for (const lane of ['list', 'scan'] as const) {
        const many = times(8, db.readsFor({ user: 1 }, lane), SLOW).map((read) => ['many', read] as const);
        const one = ['one', db.readsFor({ user: 2 }, lane).all('SELECT 1')] as const;
        const order = await inOrder([...many, one]);
        assert.ok(order.indexOf('one') <= 6, order.join(' '));
      }
    }),
  );
  check('knows how long ago a list was read; look-ups do not count', () =>
    withDb(async (db) => {
      await db.all('SELECT 1');
      assert.is(db.quietMs(), Number.POSITIVE_INFINITY);
      for (const lane of ['list', 'scan'] as const) {
        await db.readsFor({ user: 1 }, lane).all('SELECT 1');
        const quiet = db.quietMs();
        assert.ok(quiet >= 0 && quiet < Number.POSITIVE_INFINITY, `${quiet} ms`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        assert.ok(db.quietMs() > quiet);
      }
      await db.readsFor({ user: 1 }, 'list').all('SELECT 1');
      const before = db.quietMs();
      await db.all('SELECT 1');
      assert.ok(db.quietMs() >= before);
    }),
  );
  check('only the user who floods the queue is refused', () =>
    withDb(async (db) => {
      const flood = await Promise.allSettled([
        ...times(1000, db.readsFor({ user: 1 }, 'list'), 'SELECT 1'),
        ...times(1000, db.readsFor({ user: 1 }, 'scan'), 'SELECT 1'),
        ...times(3, db.readsFor({ user: 2 }, 'list'), 'SELECT 2'),
        ...times(3, db.readsFor({ user: 2 }, 'scan'), 'SELECT 2'),
        ...times(3, db, 'SELECT 3'),
      ]);
      const refused = flood.filter((one) => one.status === 'rejected');
      assert.ok(refused.length > 0);
      assert.ok(refused.every(({ reason }) => reason instanceof AppError && reason.kind === 'Overloaded'));
      assert.ok(flood.slice(2000).every(({ status }) => status === 'fulfilled'));
    }),
  );
  check('a list and a scan are read although look-ups never stop', () =>
    withDb(async (db) => {
      let isFlooding = true;
      const endMs = performance.now() + 10_000;
      const lookUp = async (): Promise<void> => {
        while (isFlooding && performance.now() < endMs) await db.all('SELECT 1');
      };
      const flood = Promise.all(Array.from({ length: 8 }, lookUp)).then(() => 'flood');
      const reads = (['scan', 'list'] as const).map((lane) => db.readsFor({ user: 1 }, lane).all('SELECT 1'));
      const first = await Promise.race([flood, Promise.all(reads).then(() => 'reads')]);
      isFlooding = false;
      await flood;
      assert.is(first, 'reads');
    }),
  );
  check('reads that nobody waits for leave the queue or are interrupted, and their connections stay usable', () =>
    withDb(async (db) => {
      const left = new AbortController();
      const gone = db.readsFor({ user: 1, signal: left.signal }, 'list');
      const running = [gone.all(ENDLESS), db.snapshot((reads) => reads.all(ENDLESS), { user: 1, signal: left.signal })];
      const waiting = times(5, gone, ENDLESS);
      const other = db.readsFor({ user: 2 }, 'list').all<{ n: number }>('SELECT 1 AS n');
      setImmediate(() => left.abort());
      const ended = await Promise.allSettled([...running, ...waiting, gone.all('SELECT 1')]);
      for (const one of ended) assert.is(one.status === 'rejected' && (one.reason as AppError).kind, 'Cancelled');
      assert.equal(await other, [{ n: 1 }]);
      assert.equal(await Promise.all([db.all('SELECT 2 AS n'), db.all('SELECT 2 AS n')]), [[{ n: 2 }], [{ n: 2 }]]);
    }),
  );
  check('a spare read ends as soon as somebody waits, and its connection is theirs', () =>
    withDb(async (db) => {
      const { signal } = new AbortController();
      let isOver = false;
      const ended = assertCancelled(db.spare(signal).all(ENDLESS)).finally(() => {
        isOver = true;
      });
      // It may not have begun when the first of these are read.
      while (!isOver) {
        const read = await Promise.all(Array.from({ length: 3 }, () => db.all('SELECT 1 AS n')));
        assert.equal(read.flat(), [{ n: 1 }, { n: 1 }, { n: 1 }]);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await ended;
      assert.equal(await db.spare(signal).all('SELECT 3 AS n'), [{ n: 3 }]);
    }),
  );
  check('a spare read waits while anybody reads, and leaves the queue when it is cancelled', () =>
    withDb(async (db) => {
      const left = new AbortController();
      const order = await inOrder([
        ['list', db.readsFor({ user: 1 }, 'list').all(SLOW)],
        ['spare', db.spare(new AbortController().signal).all('SELECT 1')],
        ['cancelled', assertCancelled(db.spare(left.signal).all('SELECT 1')).finally(() => undefined)],
        ['abort', Promise.resolve().then(() => left.abort())],
      ]);
      assert.equal(order.slice(-2), ['list', 'spare']);
    }),
  );
  check('closing ends spare reads, and spare reads do not count as lists that are read', async () => {
    const { db, close } = await openTempDb('spare');
    const { signal } = new AbortController();
    await db.spare(signal).readsFor({ user: 1 }, 'list').all('SELECT 1');
    assert.is(db.quietMs(), Number.POSITIVE_INFINITY);
    const ended = [assertCancelled(db.spare(signal).all(ENDLESS)), assertCancelled(db.spare(signal).all(ENDLESS))];
    await db.all('SELECT 1');
    await close();
    await Promise.all(ended);
    await assertCancelled(db.spare(signal).all('SELECT 1'));
  });
});
