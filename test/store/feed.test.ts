// What transactions report: told after the commit, in order, and never of what was rolled back.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, openDb, type Tx } from '../../core/store/db.js';
import {
  ALL_ASPECTS,
  ASPECTS,
  type Batch,
  created,
  KEYS_MAX,
  removed,
  SYSTEM,
  updated,
} from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { assert, block, thrownBy } from '../kit.js';

interface Opened {
  readonly db: Db;
  readonly faults: unknown[];
  readonly told: Batch[];
  readonly path: string;
}

const withDb = async (use: (opened: Opened) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-feed-'));
  const path = join(folder, 'test.db');
  await migrate(path, join(folder, 'backups'));
  const faults: unknown[] = [];
  const told: Batch[] = [];
  const db = await openDb({
    path,
    readers: 1,
    readDeadlineMs: 5000,
    queueLength: 100,
    onFault: (thrown) => faults.push(thrown),
  });
  db.feed.listen({ onBatch: (batch) => told.push(batch), forget: () => told.splice(0) });
  try {
    await use({ db, faults, told, path });
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const stored = async (db: Db): Promise<number> =>
  (await db.all<{ sequence: number }>('SELECT sequence FROM change_feed'))[0]?.sequence ?? -1;

const addGenre = (tx: Tx, name: string): Promise<number> =>
  tx.run('INSERT INTO genre (uuid, name, name_key, created_at) VALUES (randomblob(16), ?1, ?1, 0)', [name]);

const GENRE = { id: 1, hex: '0198C0DE00007000800000000000000A' };

block('the feed of changes', (check) => {
  check('listeners get the public ids of created and removed rows in the order of their keys', () =>
    withDb(async ({ db, told }) => {
      const other = { id: 9, hex: '0198c0de00007000800000000000000b' };
      await db.write(SYSTEM, 'interactive', async (tx) => {
        tx.report(created('genre', [other, GENRE]));
        tx.report(removed('tag', [GENRE]));
      });
      assert.equal(
        told[0]?.reports.map(({ keys, publicIds }) => ({ keys, publicIds })),
        [
          {
            keys: [9, 1],
            publicIds: ['0198c0de-0000-7000-8000-00000000000b', '0198c0de-0000-7000-8000-00000000000a'],
          },
          { keys: [1], publicIds: ['0198c0de-0000-7000-8000-00000000000a'] },
        ],
      );
      assert.equal(
        db.feed.since(0)?.flatMap(({ reports }) => reports.map(({ keys, publicIds }) => ({ keys, publicIds }))),
        [
          { keys: [9, 1], publicIds: undefined },
          { keys: [1], publicIds: undefined },
        ],
      );
    }),
  );
  check('a committed report is delivered with its stored number, before write resolves', () =>
    withDb(async ({ db, told }) => {
      await db.write(SYSTEM, 'interactive', async (tx) => {
        await addGenre(tx, 'a');
        tx.report(created('genre', [GENRE]));
        assert.equal(told, []);
      });
      await db.write(SYSTEM, 'background', async (tx) => tx.report(updated('book', [7, 8], ASPECTS.list)));
      assert.equal(told, [
        { sequence: 1, by: SYSTEM, reports: [created('genre', [GENRE])] },
        { sequence: 2, by: SYSTEM, reports: [updated('book', [7, 8], ASPECTS.list)] },
      ]);
      assert.is(await stored(db), 2);
      assert.is(db.feed.sequence, 2);
    }),
  );
  check('nothing is delivered for a transaction that was rolled back, and its number is not used', () =>
    withDb(async ({ db, told }) => {
      await thrownBy(() =>
        db.write(SYSTEM, 'interactive', async (tx) => {
          await addGenre(tx, 'a');
          tx.report(created('genre', [GENRE]));
          throw new Error('no');
        }),
      );
      // The commit itself fails: a foreign key that is checked at the end.
      await thrownBy(() =>
        db.write(SYSTEM, 'interactive', async (tx) => {
          await tx.run('PRAGMA defer_foreign_keys = ON');
          await tx.run('INSERT INTO book_genre (book_id, genre_id) VALUES (1, 1)');
          tx.report(updated('book', [1], ASPECTS.list));
        }),
      );
      assert.equal(told, []);
      assert.is(db.feed.isPending, false);
      assert.is(await stored(db), 0);
    }),
  );
  check('it is pending from before the commit until it is delivered', () =>
    withDb(async ({ db }) => {
      const seen: boolean[] = [];
      db.feed.listen({ onBatch: () => seen.push(db.feed.isPending), forget: () => undefined });
      await db.write(SYSTEM, 'interactive', async (tx) => {
        tx.report(updated('book', [1], ASPECTS.list));
        seen.push(db.feed.isPending);
      });
      assert.equal(seen, [false, false]);
      db.feed.announce();
      assert.is(db.feed.isPending, true);
      db.feed.withdraw();
      assert.is(db.feed.isPending, false);
    }),
  );
  check(
    'a transaction that reads, or changes no row, reports nothing; one that writes without a report changes everything',
    () =>
      withDb(async ({ db, told }) => {
        await db.write(SYSTEM, 'interactive', (tx) => tx.all('SELECT 1'));
        await db.write(SYSTEM, 'interactive', (tx) => tx.run('DELETE FROM genre'));
        assert.equal(told, []);
        await db.write(SYSTEM, 'interactive', (tx) => addGenre(tx, 'a'));
        await db.write(SYSTEM, 'interactive', (tx) => tx.all("UPDATE genre SET name = 'b' RETURNING id"));
        await db.write(SYSTEM, 'interactive', (tx) => tx.all("DELETE FROM genre WHERE name = 'a' RETURNING id"));
        assert.equal(
          told.map(({ reports }) => reports),
          [[updated('everything', 'all', ALL_ASPECTS)], [updated('everything', 'all', ALL_ASPECTS)]],
        );
      }),
  );
  check('a report without keys is empty, and one with very many covers all rows', () =>
    withDb(async ({ db, told }) => {
      await db.write(SYSTEM, 'interactive', async (tx) => {
        tx.report(updated('book', [], ASPECTS.list));
        tx.report(
          removed(
            'book',
            Array.from({ length: KEYS_MAX + 1 }, (_, id) => ({ ...GENRE, id })),
            { libraryKey: 7, seriesKey: 8 },
          ),
        );
      });
      assert.equal(told[0]?.reports, [
        { kind: 'book', change: 'removed', keys: 'all', aspects: ALL_ASPECTS, libraryKey: 7, seriesKey: 8 },
      ]);
    }),
  );
  check(
    'a listener that throws is emptied and the error is recorded; the others are called, and the write succeeds',
    () =>
      withDb(async ({ db, faults, told }) => {
        let forgotten = 0;
        db.feed.listen({
          onBatch: () => {
            throw new Error('broken');
          },
          forget: () => {
            forgotten += 1;
          },
        });
        const after: number[] = [];
        db.feed.listen({ onBatch: ({ sequence }) => after.push(sequence), forget: () => undefined });
        await db.write(SYSTEM, 'interactive', async (tx) => tx.report(updated('book', [1], ASPECTS.list)));
        assert.is(forgotten, 1);
        assert.equal(faults.map(String), ['Error: broken']);
        assert.is(told.length, 1);
        assert.equal(after, [1]);
      }),
  );
  check('numbers continue after a restart, and where another process wrote', () =>
    withDb(async ({ db, told, path }) => {
      const report = async (tx: Tx): Promise<void> => tx.report(updated('book', [1], ASPECTS.list));
      await db.write(SYSTEM, 'interactive', report);
      const other = await openDb({ path, readers: 1, readDeadlineMs: 5000, queueLength: 10 });
      await other.write(SYSTEM, 'interactive', report);
      assert.is(other.feed.sequence, 2);
      await other.close();
      await db.write(SYSTEM, 'interactive', report);
      assert.equal(
        told.map(({ sequence }) => sequence),
        [1, 3],
      );
      assert.is(db.feed.since(1)?.length, 1);
    }),
  );
});
