// Lists of what somebody has read, for somebody who has read nothing: the answer from memory is that of the database, and ends with the
// first page they read.
import { join } from 'node:path';
import { userById } from '../../core/access/users.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;
let userKey: number;
let libraryId: string;
let bookId: string;

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const lists = (): readonly string[] => {
  const names = ['/books/on-deck', '/books/in-progress', '/books/recently-read', '/series/in-progress'];
  const all = [...names, ...names.map((name) => `/libraries/${libraryId}${name}`)];
  return all.flatMap((path) =>
    ['', '?page=3&pageSize=7', '?limit=2', '?full=true', '?a=b&page_size=0'].map((q) => path + q),
  );
};

const open = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (const n of [1, 2]) writeBook(join(temp.shelf, 'A', `A${n}.cbz`), 4, `A${n}`);
  libraryId = (await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf } })).json.id;
  await api('POST', `/libraries/${libraryId}/scan`);
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
  bookId = (await api('GET', '/books')).json.data[0].id;
  const { id } = (await api('GET', '/auth/me')).json;
  userKey = (await userById(temp.app.db, id))?.key ?? 0;
};

const whole = ({ status, bytes, header }: Answer) => [status, bytes.toString(), header('link'), header('content-type')];

const refusals = (check: Check): void => {
  check('what is malformed or hidden is refused as before, also from memory', async () => {
    await temp.app.unreadUsers.look(userKey);
    assert.ok(temp.app.unreadUsers.has(userKey));
    assert.is((await api('GET', '/books/on-deck?page=two')).status, 400);
    assert.is((await api('GET', '/books/on-deck', { token: 'nonsense' })).status, 401);
    assert.is((await api('GET', '/libraries/01890000-0000-7000-8000-000000000000/books/on-deck')).status, 404);
  });
};

const answers = (check: Check): void => {
  check('each list is the same from memory', async () => {
    for (const path of lists()) {
      await api('PUT', `/books/${bookId}/progress`, { body: { current_page: 1 } });
      await api('DELETE', `/books/${bookId}/progress`);
      assert.not(temp.app.unreadUsers.has(userKey), 'a write ends what is known');
      const read = await api('GET', path);
      assert.is(read.status, 200, path);
      assert.ok(temp.app.unreadUsers.has(userKey), `${path} was empty`);
      for (const time of ['second', 'third'])
        assert.equal(whole(await api('GET', path)), whole(read), `${path}, the ${time} time`);
    }
  });

  check('the first page read is in the next answer, and cleared progress is not', async () => {
    assert.equal((await api('GET', '/books/in-progress')).json.total, 0);
    await api('PUT', `/books/${bookId}/progress`, { body: { current_page: 2 } });
    assert.equal((await api('GET', '/books/in-progress')).json.total, 1);
    assert.equal((await api('GET', '/books/recently-read')).json.length, 1);
    await api('PUT', `/books/${bookId}/progress`, { body: { is_completed: true } });
    assert.equal((await api('GET', '/books/on-deck')).json.total, 1);
    await api('DELETE', `/books/${bookId}/progress`);
    assert.equal((await api('GET', '/books/on-deck')).json.total, 0);
  });
};

const hooks = { before: open, after: () => temp.close() };

block('lists of somebody who has read nothing: refused', refusals, hooks);
block('lists of somebody who has read nothing: answers', answers, hooks);
