// First pages made in advance: afterwards the first requests prepare no statement; and whatever the state of the server, nothing fails.
import { once } from 'node:events';
import { join } from 'node:path';
import { Database } from '@appthreat/sqlite3';
import { likelyUser } from '../../core/access/users.js';
import { faultOf } from '../../core/model/errors.js';
import { databasePath } from '../../core/start.js';
import { withConnection } from '../../core/store/connection.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { firstPages } from '../../http/api/first-pages.js';
import { API, ROOT } from '../../http/api/surface.js';
import { RecentLog } from '../../http/surface/recent-log.js';
import { buildRouter } from '../../http/surface/router.js';
import { coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { NO_SCRAPE } from '../no-scrape.js';

const SETTINGS = {
  cookieSecure: false,
  subPath: '',
  version: 'test',
  appAddresses: [],
  host: '127.0.0.1',
  recentLog: new RecentLog(),
  scrape: NO_SCRAPE,
};

/** What a client shows first. */
const FIRST = [
  '/libraries',
  '/books',
  '/series',
  '/books/on-deck',
  '/books/in-progress',
  '/books/recently-added',
  '/books/recently-read',
  '/series/in-progress',
  '/series/recently-added',
  '/series/recently-updated',
];

interface Warm {
  readonly temp: TempApp;
  readonly token: string;
  readonly libraryId: string;
  wake(): Promise<void>;
}

const withApp = async (use: (warm: Warm) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const { warmUp } = temp.app;
    warmUp.steps = firstPages(temp.app, buildRouter([API, ROOT]), SETTINGS);
    const token = await temp.tokenOf('admin');
    for (const n of [1, 2]) writeBook(join(temp.shelf, 'A', `A${n}.cbz`), 4, `A${n}`);
    const body = { name: 'Shelf', path: temp.shelf };
    const libraryId = (await temp.call('POST', '/api/v1/libraries', { token, body })).json.id;
    await temp.call('POST', `/api/v1/libraries/${libraryId}/scan`, { token });
    await until(
      'the scan ends',
      async () => (await temp.call('GET', '/api/v1/scans/active', { token })).json.length === 0,
    );
    await coversMade(temp);
    await until('nothing runs', () => !temp.app.tasks.isBusy);
    await use({
      temp,
      token,
      libraryId,
      wake: () => {
        warmUp.wake();
        return warmUp.done();
      },
    });
  } finally {
    await temp.close();
  }
};

/** Statements that any connection prepares while `body` runs. */
const preparedBy = async (body: () => Promise<unknown>): Promise<string[]> => {
  const { prepare } = Database.prototype;
  const prepared: string[] = [];
  Database.prototype.prepare = function (this: Database, ...given: unknown[]) {
    prepared.push(String(given[0]));
    return Reflect.apply(prepare, this, given);
  } as typeof prepare;
  try {
    await body();
  } finally {
    Database.prototype.prepare = prepare;
  }
  return prepared;
};

const faults = (check: Check): void => {
  check('a server without users has nothing to show and makes nothing', async () => {
    const temp = await tempApp();
    try {
      const { warmUp } = temp.app;
      warmUp.steps = firstPages(temp.app, buildRouter([API, ROOT]), SETTINGS);
      assert.equal(await warmUp.steps(new AbortController().signal), []);
      warmUp.wake();
      await warmUp.done();
      assert.equal(temp.faults, []);
    } finally {
      await temp.close();
    }
  });
  check('a library that is removed after the pages were listed is left out', () =>
    withApp(async ({ temp, token, libraryId, wake }) => {
      const { signal } = new AbortController();
      const steps = await temp.app.warmUp.steps(signal);
      assert.is((await temp.call('DELETE', `/api/v1/libraries/${libraryId}`, { token })).status, 204);
      // The removal reads too, and a page gives way to it.
      const kinds = steps.map(async (step) =>
        step(signal).then(
          () => 'made',
          (thrown) => faultOf(thrown).kind,
        ),
      );
      for (const kind of await Promise.all(kinds)) assert.ok(kind === 'made' || kind === 'Cancelled', kind);
      await wake();
      assert.equal(temp.faults, []);
    }),
  );
  check('a table that cannot be read is one fault, however often it is tried, and later requests answer', () =>
    withApp(async ({ temp, token, wake }) => {
      await wake();
      const rename = (from: string, to: string): Promise<unknown> =>
        withConnection(databasePath(join(temp.folder, 'data')), (one) =>
          one.exec(`ALTER TABLE ${from} RENAME TO ${to}`),
        );
      await rename('want_to_read', 'lost');
      await wake();
      await wake();
      assert.is(temp.faults.length, 1);
      await rename('lost', 'want_to_read');
      assert.is((await temp.call('GET', '/api/v1/books', { token })).status, 200);
      temp.faults.splice(0);
    }),
  );
  check('a stop does not wait for a page that takes for ever', async () => {
    const temp = await tempApp();
    const { app } = temp;
    let state = 'waits';
    app.warmUp.steps = () =>
      Promise.resolve([
        async (signal) => {
          state = 'runs';
          await once(signal, 'abort');
          state = 'ended';
        },
      ]);
    app.warmUp.wake();
    await until('the page is being made', () => state === 'runs');
    await temp.close();
    assert.is(state, 'ended');
    assert.equal(temp.faults, []);
  });
};

const pages = (check: Check): void => {
  check('the first request for each list prepares no statement, on whichever connection it is read', () =>
    withApp(async ({ temp, token, libraryId, wake }) => {
      await temp.call('GET', '/api/v1/auth/me', { token });
      const addresses = [...FIRST, `/libraries/${libraryId}/books`, `/libraries/${libraryId}/series`];
      await temp.app.warmUp.done(); // those that a scan makes
      await temp.app.db.shrink();
      assert.ok((await preparedBy(wake)).length > addresses.length);
      await wake(); // what gave way to other reads
      for (const address of addresses) {
        const get = () => temp.call('GET', `/api/v1${address}`, { token });
        const prepared = await preparedBy(async () => {
          const answers = await Promise.all([get(), get(), get()]);
          assert.equal(
            answers.map(({ status }) => status),
            [200, 200, 200],
          );
        });
        assert.equal(prepared, [], address);
      }
      const letters = { token, body: {} };
      const prepared = await preparedBy(() => temp.call('POST', '/api/v1/series/list/alphabetical-groups', letters));
      assert.equal(prepared, []);
    }),
  );
  check('they are those of whoever signed in last, or of the first user', () =>
    withApp(async ({ temp }) => {
      const nameOf = async (): Promise<string | undefined> => (await likelyUser(temp.app.db))?.username;
      const first = await nameOf();
      temp.advance(1000);
      await temp.tokenOf('reader');
      assert.match((await nameOf()) ?? '', /^reader-/);
      await temp.app.db.write(SYSTEM, 'interactive', (tx) => {
        tx.report(updated('session', 'all', ASPECTS.details));
        return tx.run('DELETE FROM session');
      });
      assert.is(await nameOf(), first);
    }),
  );
  check('a scan that ends makes them', () =>
    withApp(async ({ temp, token, libraryId }) => {
      const { warmUp } = temp.app;
      await warmUp.done();
      let count = 0;
      warmUp.steps = () => {
        count += 1;
        return Promise.resolve([]);
      };
      await temp.call('POST', `/api/v1/libraries/${libraryId}/scan?mode=deep`, { token });
      await until('they are made', () => count > 0);
    }),
  );
  check('a rest frees all statements, and the first pages have theirs again', () =>
    withApp(async ({ temp, token, wake }) => {
      const get = (query: string) => temp.call('GET', `/api/v1/books${query}`, { token });
      const again = () => preparedBy(async () => [await get('?sort=file_size'), await get('')]);
      await again();
      assert.equal(await again(), []);
      await temp.app.db.shrink();
      await wake();
      await wake();
      assert.equal(
        (await again()).map((sql) => sql.includes('file_size')),
        [true],
      );
    }),
  );
  check('nothing is written', () =>
    withApp(async ({ temp, wake }) => {
      await wake();
      const { sequence } = temp.app.db.feed;
      await wake();
      assert.is(temp.app.db.feed.sequence, sequence);
      assert.equal(temp.faults, []);
    }),
  );
};

block('first pages: faults', faults);
block('first pages made in advance', pages);
