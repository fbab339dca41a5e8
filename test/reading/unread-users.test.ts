// Who has read nothing, remembered: never wrong about anybody, whatever is written, and whenever somebody looks.

import fc from 'fast-check';
import { unrestricted } from '../../core/model/viewer.js';
import { markSeriesRead, markSeriesUnread } from '../../core/reading/mark.js';
import { clearProgress, markBookRead, updateProgress } from '../../core/reading/progress.js';
import { UnreadUsers } from '../../core/reading/unread-users.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { idOf, openStock, readerOf, type Stock } from './stock.js';

const USERS = 3;
const SERIES = 2;
const KEYS = [1, 2, 3];

const user = fc.integer({ min: 1, max: USERS });
const pick = fc.nat(50);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('put' as const, 'read' as const), user, pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('clear' as const), user, pick }) },
  fc.record({ do: fc.constantFrom('readAll' as const, 'clearAll' as const), user, pick }),
  fc.record({ do: fc.constantFrom('delete' as const, 'restore' as const, 'purge' as const), pick }),
  fc.record({ do: fc.constantFrom('leave' as const, 'join' as const, 'unreported' as const), user, pick }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Book {
  readonly key: number;
  readonly id: string;
}

let stock: Stock;

const readNothing = async (): Promise<number[]> => {
  const rows = await stock.db.all<{ id: number }>('SELECT DISTINCT user_id AS id FROM read_progress');
  const readers = new Set(rows.map(({ id }) => id));
  return KEYS.filter((key) => !readers.has(key));
};

const exists = async (key: number): Promise<boolean> =>
  (await stock.db.all('SELECT 1 FROM user WHERE id = ?', [key])).length > 0;

const changeBooks = async (todo: Step, book: Book): Promise<void> => {
  const sql: Record<string, string> = {
    delete: 'UPDATE book SET deleted = 1 WHERE id = ?',
    restore: 'UPDATE book SET deleted = 0 WHERE id = ?',
    purge: 'DELETE FROM book WHERE id = ?',
  };
  await stock.settle((tx) => tx.run(sql[todo.do] ?? '', [book.key]));
};

/** A new user gets the key of one who left. */
const changeUsers = (todo: Step, key: number): Promise<unknown> =>
  stock.db.write(SYSTEM, 'interactive', (tx) =>
    todo.do === 'leave'
      ? tx.run('DELETE FROM user WHERE id = ?', [key])
      : tx.run(
          `INSERT OR IGNORE INTO user (id, uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at)
           VALUES (?1, randomblob(16), ?2, ?2, ?2, ?2, '', 'reader', 0, 0)`,
          [key, `u${key}`],
        ),
  );

const take = async (todo: Step, books: readonly Book[]): Promise<void> => {
  stock.advance(1000);
  const book = books[todo.pick % books.length] ?? { key: 0, id: idOf(0) };
  if (!('user' in todo)) return changeBooks(todo, book);
  const key = todo.user;
  if (todo.do === 'leave' || todo.do === 'join') return void (await changeUsers(todo, key));
  if (!(await exists(key))) return;
  const viewer = unrestricted(key);
  const series = idOf(1 + (todo.pick % SERIES));
  // A book may have been purged.
  const ignored = (): undefined => undefined;
  if (todo.do === 'put') await updateProgress(stock, readerOf(key), book.id, { currentPage: 2 }).catch(ignored);
  if (todo.do === 'read') await markBookRead(stock, readerOf(key), book.id).catch(ignored);
  if (todo.do === 'clear') await clearProgress(stock, viewer, book.id).catch(ignored);
  if (todo.do === 'readAll') await markSeriesRead(stock, readerOf(key), series);
  if (todo.do === 'clearAll') await markSeriesUnread(stock, viewer, series);
  if (todo.do === 'unreported')
    await stock.db.write(SYSTEM, 'background', (tx) =>
      tx.run(
        `INSERT OR IGNORE INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, completed, started_at, updated_at)
         SELECT ?, id, series_id, 1 - deleted, randomblob(16), 1, 0, 1, 1 FROM book WHERE id = ?`,
        [key, book.key],
      ),
    );
};

const aShelf = async (): Promise<readonly Book[]> => {
  await stock.reset(USERS, SERIES);
  const books: Book[] = [];
  for (const series of [1, 2, 1]) books.push(await stock.add({ series, number: 1, pages: 4, analyzed: true }));
  return books;
};

const remembered = (unread: UnreadUsers): number[] => KEYS.filter((key) => unread.has(key));

const histories = (check: Check): void => {
  check('whoever is remembered has read nothing, after each step of any history', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.constantFrom(...KEYS)), { maxLength: 40 }), async (steps) => {
        const books = await aShelf();
        const unread = new UnreadUsers(stock.db);
        for (const [todo, seen] of steps) {
          // Somebody looks before, while and after it is written.
          await Promise.all([unread.look(seen), take(todo, books), unread.look(1 + (seen % USERS))]);
          const nothing = await readNothing();
          const wrong = remembered(unread).filter((key) => !nothing.includes(key));
          assert.equal(wrong, [], `after ${todo.do}`);
          await unread.look(seen);
          assert.is(unread.has(seen), nothing.includes(seen), `a look after ${todo.do}`);
        }
      }),
      { numRuns: IS_FULL ? 60 : 20, interruptAfterTimeLimit: 7000 },
    ),
  );
};

const rules = (check: Check): void => {
  check('nobody is known before somebody looked, and a reader never is', async () => {
    const [book] = await aShelf();
    const unread = new UnreadUsers(stock.db);
    await markBookRead(stock, readerOf(2), book?.id ?? '');
    assert.equal(remembered(unread), []);
    for (const key of KEYS) await unread.look(key);
    assert.equal(remembered(unread), [1, 3]);
  });

  check('a book read while somebody looks is never overlooked', async () => {
    const [book] = await aShelf();
    const unread = new UnreadUsers(stock.db);
    const looks: Promise<void>[] = [];
    const read = updateProgress(stock, readerOf(1), book?.id ?? '', { currentPage: 2 });
    for (let n = 0; n < 20; n += 1) {
      looks.push(unread.look(1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await read;
    assert.not(unread.has(1), 'when the write has resolved');
    await Promise.all(looks);
    assert.not(unread.has(1), 'when every look has ended');
  });

  check('the progress of one user says nothing of another', async () => {
    const [book] = await aShelf();
    const unread = new UnreadUsers(stock.db);
    for (const key of KEYS) await unread.look(key);
    await updateProgress(stock, readerOf(2), book?.id ?? '', { currentPage: 2 });
    assert.equal(remembered(unread), [1, 3]);
    await stock.settle((tx) => tx.run('UPDATE book SET deleted = 1'));
    assert.equal(remembered(unread), [1, 3], 'nor does a scan');
  });

  check('only so many users are remembered, and the last of them', async () => {
    await aShelf();
    const unread = new UnreadUsers(stock.db, 2);
    for (const key of KEYS) await unread.look(key);
    assert.equal(remembered(unread), [2, 3]);
  });
};

const hooks = {
  before: async () => {
    stock = await openStock();
  },
  after: () => stock.close(),
};

block('users who have read nothing: rules', rules, hooks);
block('users who have read nothing: random histories', histories, hooks);
