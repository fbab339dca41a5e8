// What events miss while they start over: they start over once more.
import { Events } from '../../core/events/events.js';
import type { Db } from '../../core/store/db.js';
import type { Listener } from '../../core/store/feed.js';
import { tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';

block('events that were missed', (check) => {
  check('what is missed after the snapshot of a new start was opened is made up for as well', async () => {
    const temp = await tempApp();
    const { db, clock, scans, coverCounts, callers } = temp.app;
    const faults: unknown[] = [];
    let listener: Listener | undefined;
    let isMissing = false;
    const feed = {
      get sequence() {
        return db.feed.sequence;
      },
      get isPending() {
        return db.feed.isPending;
      },
      listen: (one: Listener) => {
        listener = one;
      },
    } as Db['feed'];
    const snapshot: Db['snapshot'] = (body) =>
      db.snapshot((from) => {
        if (isMissing) listener?.forget();
        isMissing = false;
        return body(from);
      });
    const onFault = (thrown: unknown): void => {
      faults.push(thrown);
    };
    const events = new Events({ db: { ...db, feed, snapshot }, clock, scans, coverCounts, onFault });
    try {
      const caller = await callers.byToken(await temp.tokenOf('admin'));
      const subscription = await events.subscribe('entities', caller, '', new AbortController().signal);
      let heard = 0;
      const listening = (async () => {
        for (;;) {
          const taken = await subscription.next();
          if (taken.kind === 'over') return;
          if (taken.kind === 'news') heard += taken.slice.told.filter(({ news }) => news.type === 'resync').length;
        }
      })();
      isMissing = true;
      listener?.forget();
      await until('two new starts', () => heard === 2);
      assert.equal(faults, []);
      await events.stop();
      await listening;
    } finally {
      await events.stop();
      await temp.close();
    }
  });
});
