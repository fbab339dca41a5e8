// How many covers are left, for whoever asks again and again: exact, and for many of them counted only now and then.
import { CoverCounts } from '../../core/scan/cover-counts.js';
import type { Db } from '../../core/store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { allMade, BOOKS, onShelf } from './covered-shelf.js';

const LIBRARY = 1;

interface Rig {
  readonly counts: CoverCounts;
  /** Statements so far. */
  counted(): number;
  pass(ms: number): void;
  /** So many covers are due from now on. */
  makeDue(most: number): Promise<void>;
}

/** All covers are made and their task has ended, so that nothing but the rig changes anything. Then all are due again. */
const onCounts = (body: (rig: Rig) => Promise<void>): Promise<void> =>
  onShelf(async (shelf) => {
    await shelf.scan();
    await allMade(shelf);
    const { db } = shelf.temp.app;
    await until('nothing works in the background', async () => {
      const [open] = await db.all<{ n: number }>(
        `SELECT count(*) AS n FROM task WHERE state NOT IN ('completed', 'failed', 'cancelled')`,
      );
      return open?.n === 0 && !db.feed.isPending;
    });
    const makeDue = (most: number): Promise<void> =>
      db.write(SYSTEM, 'background', async (tx) => {
        const keys = (await tx.all<{ id: number }>('SELECT id FROM book')).map(({ id }) => id);
        tx.report(updated('book', keys, ASPECTS.details));
        await tx.run('UPDATE book SET cover_due = id <= ?', [most]);
      });
    await makeDue(BOOKS);
    let [statements, nowMs] = [0, 0];
    const all: Db['all'] = (sql, binds) => {
      statements += 1;
      return db.all(sql, binds);
    };
    await body({
      counts: new CoverCounts({ all, feed: db.feed }, () => nowMs),
      counted: () => statements,
      pass: (ms) => {
        nowMs += ms;
      },
      makeDue,
    });
  });

block('covers that are left', (check) => {
  check('are not counted again before something has changed, and then they are', () =>
    onCounts(async ({ counts, counted, pass, makeDue }) => {
      assert.equal([await counts.left(LIBRARY), await counts.left(LIBRARY)], [BOOKS, BOOKS]);
      pass(60_000);
      assert.equal([await counts.left(LIBRARY), counted()], [BOOKS, 1]);
      await makeDue(2);
      assert.equal([await counts.left(LIBRARY), counted()], [2, 2]);
      await makeDue(0);
      pass(1);
      assert.equal([await counts.left(LIBRARY), counted()], [0, 3]);
    }),
  );
  check('those of a million are counted every two seconds, however often somebody asks', () =>
    onCounts(async ({ counts, counted, pass, makeDue }) => {
      await makeDue(BOOKS);
      const roundMs = BOOKS * 0.002;
      await counts.left(LIBRARY);
      for (let asked = 0; asked < 10; asked += 1) {
        await makeDue(1);
        pass(roundMs / 20);
        assert.is(await counts.left(LIBRARY), BOOKS);
      }
      assert.is(counted(), 1);
      pass(roundMs);
      assert.equal([await counts.left(LIBRARY), counted()], [1, 2]);
    }),
  );
  check('are counted once for all who ask at the same time', () =>
    onCounts(async ({ counts, counted }) => {
      const asked = await Promise.all(Array.from({ length: 5 }, () => counts.left(LIBRARY)));
      assert.equal([asked, counted()], [Array(5).fill(BOOKS), 1]);
    }),
  );
});
