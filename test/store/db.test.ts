// The database: writers never mix, readers are bounded, binds are checked.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { withConnection } from '../../core/store/connection.js';
import { type Bind, type Db, openDb, type Reads, type Tx } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { assert, block, thrownBy } from '../kit.js';

const withDb = async (
  use: (db: Db, path: string) => Promise<void>,
  queueLength = 100,
  readDeadlineMs = 5000,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-db-'));
  await migrate(join(folder, 'test.db'), join(folder, 'backups'));
  const db = await openDb({ path: join(folder, 'test.db'), readers: 2, readDeadlineMs, queueLength });
  try {
    await db.write(SYSTEM, 'interactive', (tx) =>
      tx.run('CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT'),
    );
    await use(db, join(folder, 'test.db'));
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const kindOf = async (body: () => unknown): Promise<string> => {
  const thrown = await thrownBy(body);
  return thrown instanceof AppError ? thrown.kind : String(thrown);
};

const numbers = async (db: Db): Promise<number[]> =>
  (await db.all<{ n: number }>('SELECT n FROM t ORDER BY id')).map(({ n }) => n);

const SLOW =
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000000) SELECT max(x) AS n FROM c';

block('database', (check) => {
  for (const [what, bind] of [
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a BigInt', 1n],
    ['an object', {}],
  ] as const) {
    check(`${what} is refused as a bind instead of becoming NULL`, () =>
      withDb(async (db) => assert.is(await kindOf(() => db.all('SELECT ?', [bind as never as Bind])), 'Internal')),
    );
  }
  check('closing waits for running transactions and reads, and refuses later ones', () =>
    withDb(async (db, path) => {
      let goOn: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const writes = [1, 2].map((n) =>
        db.write(SYSTEM, 'background', async (tx) => {
          await held;
          await tx.run('INSERT INTO t (n) VALUES (?)', [n]);
        }),
      );
      const read = db.snapshot(async (reads) => {
        await held;
        return reads.all<{ n: number }>('SELECT count(*) AS n FROM t');
      });
      const closing = db.close();
      assert.is(await kindOf(() => db.write(SYSTEM, 'interactive', (tx) => tx.run('DELETE FROM t'))), 'Cancelled');
      assert.is(await kindOf(() => db.all('SELECT 1')), 'Cancelled');
      goOn();
      await Promise.all([...writes, closing]);
      assert.is((await read).length, 1);
      assert.equal(await withConnection(path, (one) => one.all('SELECT n FROM t ORDER BY n')), [{ n: 1 }, { n: 2 }]);
    }),
  );
  check('a transaction that throws leaves nothing behind, and the next one works', () =>
    withDb(async (db) => {
      const failing = db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run('INSERT INTO t (n) VALUES (1)');
        throw new AppError('Conflict', 'no');
      });
      assert.is(await kindOf(() => failing), 'Conflict');
      await db.write(SYSTEM, 'interactive', (tx) => tx.run('INSERT INTO t (n) VALUES (2)'));
      assert.equal(await numbers(db), [2]);
    }),
  );
  check('two writers never share a transaction: a rollback takes only its own rows', () =>
    withDb(async (db) => {
      const slow = db.write(SYSTEM, 'background', async (tx) => {
        await tx.run('INSERT INTO t (n) VALUES (1)');
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error('rolled back');
      });
      const quick = db.write(SYSTEM, 'interactive', (tx) => tx.run('INSERT INTO t (n) VALUES (2)'));
      await Promise.allSettled([slow, quick]);
      assert.equal(await numbers(db), [2]);
    }),
  );
  check('interactive transactions go before waiting background ones', () =>
    withDb(async (db) => {
      const insert =
        (n: number) =>
        (tx: Tx): Promise<number> =>
          tx.run('INSERT INTO t (n) VALUES (?)', [n]);
      await Promise.all([
        ...[1, 2, 3].map((n) => db.write(SYSTEM, 'background', insert(n))),
        ...[10, 20].map((n) => db.write(SYSTEM, 'interactive', insert(n))),
      ]);
      const order = await numbers(db);
      assert.ok(order.indexOf(20) < order.indexOf(2), order.join(' '));
    }),
  );
  check('a background transaction runs although interactive ones never stop', () =>
    withDb(async (db) => {
      let isDone = false;
      let isFlooding = true;
      const flood = async (): Promise<void> => {
        while (isFlooding) await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE t SET n = n + 1'));
      };
      const endMs = performance.now() + 10_000;
      const floods = [flood(), flood(), flood()];
      const background = db.write(SYSTEM, 'background', async () => {
        isDone = true;
      });
      while (!isDone && performance.now() < endMs)
        await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE t SET n = n'));
      const wasDone = isDone;
      isFlooding = false;
      await Promise.all([...floods, background]);
      assert.ok(wasDone);
    }),
  );
  check('a transaction used after its end is dead', () =>
    withDb(async (db) => {
      let kept: Tx | undefined;
      await db.write(SYSTEM, 'interactive', async (tx) => {
        kept = tx;
      });
      assert.is(await kindOf(() => kept?.run('INSERT INTO t (n) VALUES (1)')), 'Internal');
    }),
  );
  check('a query past its deadline is interrupted, and the connection goes on', () =>
    withDb(
      async (db) => {
        assert.is(await kindOf(() => db.all(SLOW)), 'Timeout');
        assert.equal(await db.all('SELECT 1 AS n'), [{ n: 1 }]);
      },
      100,
      50,
    ),
  );
  check('more callers than the queue holds are refused', () =>
    withDb(async (db) => {
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => db.all('SELECT 1')));
      const refused = answers
        .filter((one) => one.status === 'rejected')
        .map((one) => (one.reason instanceof AppError ? one.reason.kind : ''));
      assert.ok(refused.length > 0 && refused.every((kind) => kind === 'Overloaded'));
    }, 4),
  );
  check('an SQL error says which statement', () =>
    withDb(async (db) =>
      assert.match(
        String(await thrownBy(() => db.all('SELECT missing FROM t'))),
        /no such column[\s\S]*SELECT missing/,
      ),
    ),
  );
  check('a snapshot sees one state, whatever is written between its reads', () =>
    withDb(async (db) => {
      const insert = (n: number) =>
        db.write(SYSTEM, 'interactive', (tx) => tx.run('INSERT INTO t (n) VALUES (?)', [n]));
      await insert(1);
      const count = async (reads: Reads) => (await reads.all<{ n: number }>('SELECT count(*) AS n FROM t'))[0]?.n;
      const seen = await db.snapshot(async (reads) => {
        const first = await count(reads);
        await insert(2);
        return [first, await count(reads), ...(await Promise.all([count(reads), count(reads)]))];
      });
      assert.equal(
        [seen, await numbers(db)],
        [
          [1, 1, 1, 1],
          [1, 2],
        ],
      );
    }),
  );
  check('a snapshot that throws, or whose statement is wrong, returns its reader unchanged', () =>
    withDb(async (db) => {
      for (let time = 0; time < 4; time += 1) {
        await thrownBy(() => db.snapshot((reads) => reads.all('SELECT missing FROM t')));
        await thrownBy(() => db.snapshot(() => Promise.reject(new Error('no'))));
      }
      await db.write(SYSTEM, 'interactive', (tx) => tx.run('INSERT INTO t (n) VALUES (7)'));
      for (let time = 0; time < 4; time += 1) assert.equal(await numbers(db), [7]);
    }),
  );
  check('a snapshot used after its end is dead', () =>
    withDb(async (db) => {
      const kept = await db.snapshot((reads) => Promise.resolve({ reads }));
      assert.is(await kindOf(() => kept.reads.all('SELECT 1')), 'Internal');
    }),
  );
  check('a snapshot past its deadline ends, whether in a query or while waiting, and its reader goes on', () =>
    withDb(
      async (db) => {
        assert.is(await kindOf(() => db.snapshot((reads) => reads.all(SLOW))), 'Timeout');
        const waits = (reads: Reads) => reads.all('SELECT 1').then(() => new Promise(() => undefined));
        const kinds = await Promise.all([1, 2, 3, 4].map(() => kindOf(() => db.snapshot(waits))));
        assert.equal(kinds, ['Timeout', 'Timeout', 'Timeout', 'Timeout']);
        await db.write(SYSTEM, 'interactive', (tx) => tx.run('INSERT INTO t (n) VALUES (3)'));
        assert.equal(await Promise.all([numbers(db), numbers(db)]), [[3], [3]]);
      },
      100,
      50,
    ),
  );
  check('more snapshots than readers all end', () =>
    withDb(async (db) => {
      const one = (reads: Reads) => Promise.all([reads.all('SELECT 1'), reads.all('SELECT 2')]);
      assert.is((await Promise.all(Array.from({ length: 50 }, () => db.snapshot(one)))).length, 50);
    }),
  );
  check('readers cannot write', () =>
    withDb(async (db) => assert.ok(await thrownBy(() => db.all('INSERT INTO t (n) VALUES (1)')))),
  );
});
