// kill -9 while a library is removed: nobody finds it again, and the next start removes the rest by itself.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { checkDatabase } from '../../core/upkeep/backup.js';
import { until } from '../app.js';
import { fetch } from '../described.js';
import { assert, block } from '../kit.js';
import { insertMany } from '../scan/many-books.js';
import { kill, type Program, startProgram } from './program.js';

const SIZES = [2500, ...Array.from({ length: 300 }, (_, at) => 1 + (at % 15)), 2500];
const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };

const withDb = async <T>(data: string, use: (db: Db) => Promise<T>): Promise<T> => {
  const db = await openDb({ path: join(data, 'longbox.db'), readers: 1, readDeadlineMs: 10_000, queueLength: 10 });
  try {
    return await use(db);
  } finally {
    await db.close();
  }
};

const booksIn = async (db: Db): Promise<number> =>
  (await db.all<{ n: number }>('SELECT count(*) AS n FROM book'))[0]?.n ?? 0;

const isDone = async (db: Db): Promise<boolean> =>
  (await db.all("SELECT id FROM task WHERE state = 'completed'")).length > 0;

const call = (program: Program, method: string, path: string, token: string, body?: unknown): Promise<Response> =>
  fetch(`${program.address}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const stock = async (data: string, root: string): Promise<number> => {
  mkdirSync(data);
  mkdirSync(root);
  await migrate(join(data, 'longbox.db'), join(data, 'backups'));
  return withDb(data, async (db) => {
    await db.write(SYSTEM, 'background', (tx) => insertMany(tx, { library: 1, root, sizes: SIZES }));
    return booksIn(db);
  });
};

block(
  'killed while a library is removed',
  (check) => {
    check('no one finds it at the next start, which removes the rest', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-remove-'));
      const data = join(folder, 'data');
      try {
        const all = await stock(data, join(folder, 'shelf'));
        const program = await startProgram(['--data', data]);
        const made = await call(program, 'POST', '/setup/initialize', '', ADMIN);
        const { access_token: token } = (await made.json()) as { access_token: string };
        const { data: libraries } = (await (await call(program, 'GET', '/libraries', token)).json()) as {
          data: { id: string }[];
        };
        const path = `/libraries/${libraries[0]?.id}`;
        assert.is((await call(program, 'DELETE', path, token)).status, 204);
        assert.is((await call(program, 'GET', path, token)).status, 404);
        await withDb(data, (db) => until('some of its books are gone', async () => (await booksIn(db)) < all));
        await kill(program);
        await withDb(data, async (db) => {
          const left = await booksIn(db);
          assert.ok(left > 0 && left < all, `${left} of ${all} books are left`);
        });

        const again = await startProgram(['--data', data]);
        assert.is((await call(again, 'GET', path, token)).status, 404);
        const { total } = (await (await call(again, 'GET', '/books', token)).json()) as { total: number };
        assert.is(total, 0);
        await withDb(data, (db) => until('the rest is gone', () => isDone(db)));
        again.child.kill('SIGTERM');
        assert.is(await again.ended, 0, again.printed());
        await withDb(data, async (db) => {
          assert.is(await booksIn(db), 0);
          assert.equal(await db.all('SELECT id FROM library'), []);
          assert.equal(await db.all('SELECT type, state FROM task'), [{ type: 'remove_library', state: 'completed' }]);
        });
        assert.equal((await checkDatabase(join(data, 'longbox.db'), false)).faults, []);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  },
  { deadlineS: 90 },
);
