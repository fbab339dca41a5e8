// What is remembered of tokens: never longer than the session lives, also when it ends while it is looked up.
import { Sessions } from '../../core/access/sessions.js';
import type { Db } from '../../core/store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

let temp: TempApp;

/** The real database, whose answers can be held back. */
const slowed = (db: Db): { db: Db; hold(): void; release(): void; reached: Promise<void> } => {
  let gate = Promise.resolve();
  let open = (): void => undefined;
  let arrive = (): void => undefined;
  const reached = new Promise<void>((done) => {
    arrive = done;
  });
  const all: Db['all'] = async (sql, binds) => {
    const rows = await db.all(sql, binds);
    arrive();
    await gate;
    return rows as never;
  };
  return {
    db: { ...db, all },
    reached,
    hold: () => {
      gate = new Promise((done) => {
        open = done;
      });
    },
    release: () => open(),
  };
};

block(
  'sessions',
  (check) => {
    check('a logout during the look-up of its token is not lost', async () => {
      const slow = slowed(temp.app.db);
      const sessions = new Sessions(slow.db, temp.app.clock, { secret: Buffer.alloc(32, 7), lifetimeMs: 3_600_000 });
      const token = await temp.tokenOf('reader');
      const caller = await temp.app.sessions.verify(token);
      slow.hold();
      const looked = sessions.verify(token);
      await slow.reached;
      await sessions.close(caller);
      slow.release();
      await looked;
      assert.is(sessions.remembered(token), undefined);
      assert.match(String(await thrownBy(() => sessions.verify(token))), /session has ended/);
    });
    check('a changed account drops its tokens at once, and no others', async () => {
      const [reader, admin] = [await temp.tokenOf('reader'), await temp.tokenOf('admin')];
      const { user } = await temp.app.sessions.verify(reader);
      await temp.app.sessions.verify(admin);
      await temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run('UPDATE user SET active = 0 WHERE id = ?', [user.key]);
        tx.report(updated('user', [user.key], ASPECTS.details));
      });
      assert.is(temp.app.sessions.remembered(reader), undefined);
      assert.ok(temp.app.sessions.remembered(admin));
      assert.match(String(await thrownBy(() => temp.app.sessions.verify(reader))), /inactive/);
      await temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run('UPDATE user SET active = 1 WHERE id = ?', [user.key]);
        tx.report(updated('user', [user.key], ASPECTS.details));
      });
    });
    check('a token is cached after an undisturbed look-up', async () => {
      const token = await temp.tokenOf('reader');
      await temp.app.sessions.verify(token);
      assert.ok(temp.app.sessions.remembered(token));
    });
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
