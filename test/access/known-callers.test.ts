// What is known of callers for a moment: never longer than what they signed in with lives, also when it ends while it is looked up.
import { Callers } from '../../core/access/callers.js';
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

/** The same parts on another database. */
const callersOn = (db: Db): Callers => {
  const { clock, passwords, throttle, lastUse } = temp.app;
  const options = { secret: Buffer.alloc(32, 7), lifetimeMs: 3_600_000, refreshMs: null };
  const sessions = new Sessions({ db, clock, lastUse }, options);
  const providerTokens = { find: () => undefined };
  return new Callers({ db, clock, sessions, passwords, throttle, lastUse, providerTokens });
};

const isKnown = (callers: Callers, token: string): boolean => !(callers.byToken(token) instanceof Promise);

block(
  'known callers',
  (check) => {
    check('a logout during the look-up of its token is not lost', async () => {
      const slow = slowed(temp.app.db);
      const callers = callersOn(slow.db);
      const token = await temp.tokenOf('reader');
      const caller = await temp.app.callers.byToken(token);
      slow.hold();
      const looked = callers.byToken(token);
      await slow.reached;
      await temp.app.sessions.close(caller, null);
      const after = thrownBy(() => callers.byToken(token));
      slow.release();
      await looked;
      assert.match(String(await after), /session has ended/, 'who asks after the logout does not share that look-up');
      assert.match(String(await thrownBy(() => callers.byToken(token))), /session has ended/);
    });
    check('requests that come together share a look-up', async () => {
      const slow = slowed(temp.app.db);
      const callers = callersOn(slow.db);
      const token = await temp.tokenOf('reader');
      slow.hold();
      const all = Array.from({ length: 20 }, () => callers.byToken(token));
      assert.is(new Set(all).size, 1);
      slow.release();
      assert.is(new Set(await Promise.all(all)).size, 1);
    });
    check('a changed account drops its callers at once, and no others', async () => {
      const { callers, db } = temp.app;
      const [reader, admin] = [await temp.tokenOf('reader'), await temp.tokenOf('admin')];
      const { user } = await callers.byToken(reader);
      await callers.byToken(admin);
      assert.ok(isKnown(callers, reader));
      await db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run('UPDATE user SET active = 0 WHERE id = ?', [user.key]);
        tx.report(updated('user', [user.key], ASPECTS.details));
      });
      assert.ok(isKnown(callers, admin));
      assert.match(String(await thrownBy(() => callers.byToken(reader))), /inactive/);
      await db.write(SYSTEM, 'interactive', async (tx) => {
        await tx.run('UPDATE user SET active = 1 WHERE id = ?', [user.key]);
        tx.report(updated('user', [user.key], ASPECTS.details));
      });
    });
    check('nobody is known for longer than half a minute, nor than the token lives', async () => {
      const { callers } = temp.app;
      const token = await temp.tokenOf('reader');
      await callers.byToken(token);
      temp.advance(29_999);
      assert.ok(isKnown(callers, token));
      temp.advance(1);
      const again = callers.byToken(token);
      assert.ok(again instanceof Promise);
      await again;
      temp.advance(24 * 3_600_000 - 30_000 - 10_000);
      await callers.byToken(token);
      temp.advance(10_000);
      assert.match(String(await thrownBy(() => callers.byToken(token))), /expired/);
    });
    check('that somebody was seen drops nobody', async () => {
      const { callers, lastUse } = temp.app;
      const token = await temp.tokenOf('reader');
      temp.advance(1000);
      await callers.byToken(token);
      await lastUse.store();
      assert.ok(isKnown(callers, token));
    });
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
