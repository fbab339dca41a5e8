// Deleting a user: everything that is theirs goes with them, also while they read, and nothing of it becomes somebody else's.
import type { Caller } from '../../core/access/caller.js';
import { removeUser } from '../../core/access/user-removal.js';
import { AppError } from '../../core/model/errors.js';
import { bytesOfUuid } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import { forgetReading, ROWS_PER_TRANSACTION } from '../../core/reading/forget-user.js';
import { updateProgress } from '../../core/reading/progress.js';
import { type Batch, SYSTEM } from '../../core/store/feed.js';
import { reportChanged } from '../changed-rows.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';
import { openPeople, type People, type Person } from './people.js';

let shelf: StockedShelf;
let people: People;
let books: readonly { readonly id: string; readonly seriesId: string }[] = [];

const keyOf = async ({ id }: Person): Promise<number> => {
  const [row] = await people.temp.app.db.all<{ id: number }>('SELECT id FROM user WHERE uuid = ?', [bytesOfUuid(id)]);
  return row?.id ?? 0;
};

/** Tables with a column that names a user, and how many rows this one has in each. */
const rowsOf = async (key: number): Promise<Record<string, number>> => {
  const { db } = people.temp.app;
  const tables = await db.all<{ name: string }>(
    `SELECT m.name FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f ON f."table" = 'user' WHERE m.type = 'table' GROUP BY m.name`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await db.all<{ n: number }>(`SELECT count(*) AS n FROM ${name} WHERE user_id = ?`, [key]);
    counts[name] = row?.n ?? 0;
  }
  return counts;
};

const BY_HAND = [
  `INSERT INTO sharing_tag (uuid, name, name_key, created_at, updated_at) VALUES (randomblob(16), 'Kids', 'kids', 0, 0)`,
  `INSERT INTO access_group (uuid, name, name_key, created_at, updated_at) VALUES (randomblob(16), 'Family', 'family', 0, 0)`,
];
const OF_USER = [
  `INSERT INTO api_key (uuid, user_id, name, prefix, secret_hash, permissions, created_at, updated_at)
   VALUES (randomblob(16), ?, 'Tablet', 'abcd1234', randomblob(32), '[]', 0, 0)`,
  `INSERT INTO mail_link (hash, user_id, purpose, email_key, created_at, expires_at) VALUES (randomblob(32), ?, 'verify_email', '', 0, 0)`,
  `INSERT INTO identity (provider, subject, user_id, created_at, seen_at) VALUES ('x', 'y', ?, 0, 0)`,
  `INSERT INTO refresh_token (hash, session_id, created_at, expires_at) SELECT randomblob(32), id, 0, 0 FROM session WHERE user_id = ?`,
  `INSERT INTO user_grant (user_id, sharing_tag_id, uuid, access, created_at) SELECT ?, id, randomblob(16), 'deny', 0 FROM sharing_tag`,
  'INSERT INTO access_group_member (access_group_id, user_id, created_at) SELECT id, ?, 0 FROM access_group',
  `INSERT INTO access_group_told (user_id, provider, access_group_id) SELECT ?, 'x', id FROM access_group`,
  'INSERT INTO user_restriction (user_id, all_libraries, updated_at) VALUES (?, 1, 0)',
  `INSERT INTO user_preference (user_id, key, value, updated_at) VALUES (?, 'ui.theme', '1', 0)`,
  `INSERT INTO reader_profile (uuid, user_id, device, value, created_at, updated_at) VALUES (randomblob(16), ?, '', '1', 0, 0)`,
  'INSERT INTO sync_secret (user_id, salt, hash, set_at) VALUES (?, randomblob(16), randomblob(32), 0)',
  `INSERT INTO sync_document (user_id, document, progress, percentage, device, read_at) VALUES (?, 'd', '1', 0, 'Reader', 0)`,
  'INSERT INTO user_library (user_id, library_id) SELECT ?, id FROM library',
];

/** Somebody with a row wherever users have any. */
const owner = async (name: string): Promise<Person> => {
  const person = await people.join(name);
  const [first, second, third] = books;
  const ask = (method: string, path: string, body?: unknown) => people.ask(person.token, method, path, { body });
  await ask('PUT', `/books/${first?.id}/progress`, { current_page: 1 });
  await ask('PUT', `/books/${first?.id}/progression`, {
    locator: { href: '#page=1', type: 'image/png', locations: { position: 1 } },
    device: { id: 'a', name: 'a' },
    modified: '2026-01-01T00:00:00Z',
  });
  await ask('POST', `/books/${second?.id}/read`);
  await ask('POST', `/books/${third?.id}/read`);
  await ask('POST', `/books/${third?.id}/unread`);
  await ask('POST', '/want-to-read', { bookId: first?.id });
  const key = await keyOf(person);
  await people.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    for (const sql of BY_HAND) await tx.run(sql.replace('INSERT', 'INSERT OR IGNORE'));
    for (const sql of OF_USER) await tx.run(sql, [key]);
    await reportChanged(tx);
  });
  return person;
};

const remove = async ({ id }: Person): Promise<number> =>
  (await people.ask(people.admin.token, 'DELETE', `/users/${id}`)).status;

const rows = (check: Check): void => {
  check('nothing of a deleted user is left in any table, and everything of others is', async () => {
    const person = await owner('first');
    const key = await keyOf(person);
    const full = await rowsOf(key);
    assert.equal(
      Object.entries(full).filter(([, n]) => n === 0),
      [],
      'a table without a row proves nothing',
    );
    const neighbour = await people.join('neighbour');
    await people.ask(neighbour.token, 'POST', `/books/${books[0]?.id}/read`);
    const before = await rowsOf(await keyOf(neighbour));
    assert.is(await remove(person), 204);
    assert.equal(new Set(Object.values(await rowsOf(key))), new Set([0]));
    const [tokens] = await people.temp.app.db.all<{ n: number }>(
      'SELECT count(*) AS n FROM refresh_token WHERE session_id NOT IN (SELECT id FROM session)',
    );
    assert.is(tokens?.n, 0);
    assert.equal(await rowsOf(await keyOf(neighbour)), before);
    assert.is(await remove(person), 404);
  });
  check('a key of a deleted user is never the key of another', async () => {
    const gone = await people.join('gone');
    const key = await keyOf(gone);
    await remove(gone);
    assert.ok((await keyOf(await people.join('next'))) > key);
  });
};

/** Read-throughs of one book, more than one transaction deletes. */
const addHistory = async (key: number, count: number): Promise<void> => {
  await people.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    await tx.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO read_completion (uuid, user_id, book_id, started_at, completed_at)
       SELECT randomblob(16), ?, (SELECT min(id) FROM book), i, i FROM n`,
      [count, key],
    );
    await reportChanged(tx);
  });
};

const adminCaller = async (): Promise<Caller> => people.temp.app.callers.byToken(people.admin.token);

const long = (check: Check): void => {
  check('years of reading go in several transactions; from the first on nobody signs in', async () => {
    const person = await people.join('reader');
    await addHistory(await keyOf(person), 3 * ROWS_PER_TRANSACTION);
    const seen: Batch[] = [];
    people.temp.app.db.feed.listen({ onBatch: (batch) => seen.push(batch), forget: () => undefined });
    const transactions = 4;
    assert.is(await remove(person), 204);
    const own = seen.filter(({ by }) => by !== SYSTEM);
    const told = own.map(({ reports }) => reports.filter(({ kind }) => kind === 'user').map(({ change }) => change));
    assert.equal(told.slice(0, transactions), [['updated'], [], [], ['removed']]);
  });
  check('a deletion that was interrupted leaves a disabled account that can be deleted again', async () => {
    const person = await people.join('half');
    await addHistory(await keyOf(person), 2 * ROWS_PER_TRANSACTION);
    let times = 0;
    const by = { caller: await adminCaller(), address: null };
    const interrupted = removeUser(people.temp.app, by, person.id, (tx, key) => {
      times += 1;
      if (times === 2) throw new Error('the server ends here');
      return forgetReading(tx, key);
    });
    assert.match(String(await thrownBy(() => interrupted)), /ends here/);
    assert.is((await people.ask(person.token, 'GET', '/auth/me')).status, 401);
    const { json } = await people.ask(people.admin.token, 'GET', `/users/${person.id}`);
    assert.is(json.isActive, false);
    assert.is(await remove(person), 204);
  });
};

const reading = (check: Check): void => {
  check('somebody who reads while they are deleted is Unauthorized, and nothing of it stays', async () => {
    const person = await people.join('busy');
    const key = await keyOf(person);
    const turn = (n: number): Promise<{ readonly status: number }> =>
      people.ask(person.token, 'PUT', `/books/${books[n % books.length]?.id}/progress`, { body: { current_page: 1 } });
    const turns = Array.from({ length: 30 }, (_, n) => turn(n));
    const [status, ...answers] = await Promise.all([remove(person), ...turns]);
    assert.is(status, 204);
    for (const answer of answers)
      assert.ok(typeof answer !== 'number' && [200, 401].includes(answer.status), JSON.stringify(answer));
    assert.equal(new Set(Object.values(await rowsOf(key))), new Set([0]));
  });
  check('what was let in before and is written after is refused, not a fault', async () => {
    const person = await people.join('late');
    const { app } = people.temp;
    const { user } = await app.callers.byToken(person.token);
    await remove(person);
    const reader = { viewer: unrestricted(user.key), device: { id: 'x', name: null } };
    for (const late of [
      () => updateProgress(app, reader, books[0]?.id ?? '', { currentPage: 1 }),
      () => app.sessions.open(user),
    ]) {
      const thrown = await thrownBy(late);
      assert.is(thrown instanceof AppError && thrown.kind, 'Unauthorized');
    }
  });
  check('no answer was a server error', () => assert.equal(people.temp.faults, []));
};

block(
  'deleted users',
  (check) => {
    for (const part of [rows, long, reading]) part(check);
  },
  {
    before: async () => {
      shelf = await stockedShelf(['one-page', 'six-pages', 'natural-order', 'mixed-case-ext']);
      people = await openPeople(shelf.temp);
      books = (await people.ask(people.admin.token, 'GET', '/books?pageSize=10')).json.data;
    },
    after: () => shelf.temp.close(),
  },
);
