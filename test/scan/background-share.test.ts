// What a drain leaves to others of the background queue: it asks for a quarter of it at once and no more.
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { door } from './covered-shelf.js';

const BOOKS = 20;
const QUEUE = 12;

/** The most jobs of a kind that were asked for at once. None of them runs before `share` are waiting. */
const most = ({ app: { pool } }: TempApp, kinds: readonly string[], share: number): ReadonlyMap<string, number> => {
  const found = new Map(kinds.map((kind) => [kind, 0]));
  const waiting = new Map(kinds.map((kind) => [kind, 0]));
  const doors = new Map(kinds.map((kind) => [kind, door()]));
  const { run } = pool;
  pool.run = async (name, input, options) => {
    const now = (waiting.get(name) ?? 0) + 1;
    waiting.set(name, now);
    if (found.has(name)) found.set(name, Math.max(found.get(name) ?? 0, now));
    if (now >= share) doors.get(name)?.open();
    await doors.get(name)?.opened;
    return (await run
      .call(pool, name, input, options)
      .finally(() => waiting.set(name, (waiting.get(name) ?? 0) - 1))) as never;
  };
  return found;
};

block('the share of a drain', (check) => {
  check('due analyses and due covers ask for a quarter of the background queue at once', async () => {
    const temp = await tempApp({ overrides: [{ key: 'pool.queue_background', text: String(QUEUE) }] });
    try {
      const asked = most(temp, ['analyze', 'cover'], QUEUE / 4);
      for (let n = 0; n < BOOKS; n += 1) writeBook(join(temp.shelf, 'Series', `Book ${n}.cbz`), 1, `book ${n}`);
      const token = await temp.tokenOf('admin');
      const body = { name: 'Shelf', path: temp.shelf };
      const { id } = (await temp.call('POST', '/api/v1/libraries', { token, body })).json;
      await temp.call('POST', `/api/v1/libraries/${id}/scan`, { token });
      const isLeft =
        'SELECT 1 FROM book WHERE due <> 0 OR cover_due <> 0 UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM book)';
      await until('all are read and have covers', async () => (await temp.app.db.all(isLeft)).length === 0);
      assert.equal(Object.fromEntries(asked), { analyze: QUEUE / 4, cover: QUEUE / 4 });
      assert.equal(temp.faults, []);
    } finally {
      await temp.close();
    }
  });
});
