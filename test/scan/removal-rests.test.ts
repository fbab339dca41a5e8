// A removal makes way for readers: it rests while lists are read, goes on to its end, and stops between two transactions.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { insertMany } from './many-books.js';

const SIZES = [300, 200, 100];
const BOOKS = SIZES.reduce((sum, size) => sum + size, 0);

const booksIn = async ({ app }: TempApp): Promise<number> =>
  (await app.db.all<{ n: number }>('SELECT count(*) AS n FROM book'))[0]?.n ?? 0;

/** Reads lists all the time while `body` runs. */
const whileReading = async (temp: TempApp, token: string, body: () => Promise<void>): Promise<void> => {
  let isOver = false;
  const reading = (async (): Promise<void> => {
    while (!isOver) assert.is((await temp.call('GET', '/api/v1/books?pageSize=1', { token })).status, 200);
  })();
  try {
    await body();
  } finally {
    isOver = true;
    await reading;
  }
};

const withRemoval = async (body: (temp: TempApp) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    const root = join(temp.shelf, 'going');
    mkdirSync(root);
    await temp.app.db.write(SYSTEM, 'background', (tx) => insertMany(tx, { library: 1, root, sizes: SIZES }));
    const { json } = await temp.call('GET', '/api/v1/libraries', { token });
    await whileReading(temp, token, async () => {
      assert.is((await temp.call('DELETE', `/api/v1/libraries/${json.data[0].id}`, { token })).status, 204);
      await body(temp);
    });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

block('removing a library while lists are read', (check) => {
  check('it comes to its end', () =>
    withRemoval(async (temp) => {
      await until('its rows are gone', async () => (await temp.app.db.all('SELECT id FROM library')).length === 0);
      assert.is(await booksIn(temp), 0);
    }),
  );
  check('it stops in the middle when its tasks do', () =>
    withRemoval(async (temp) => {
      await until('some rows are gone', async () => (await booksIn(temp)) < BOOKS);
      await temp.app.tasks.stop();
      const left = await booksIn(temp);
      assert.ok(left > 0, 'it was stopped in the middle');
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.is(await booksIn(temp), left);
    }),
  );
});
