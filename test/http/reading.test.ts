// Reading over HTTP: what is refused, then a shelf read book by book and seen in every list.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

const UUID = '01890000-0000-7000-8000-000000000000';

let temp: TempApp;
let token: string;
let other: string;
let libraryId: string;
/** Ids by title. */
let book: Record<string, string> = {};
let series: Record<string, string> = {};

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const put = (title: string, body: unknown, options: CallOptions = {}): Promise<Answer> => {
  temp.advance(2000);
  return api('PUT', `/books/${book[title]}/progress`, { body, ...options });
};

const post = (path: string, body?: unknown): Promise<Answer> => {
  temp.advance(2000);
  return api('POST', path, { body });
};

/** Titles of a list, in the envelope or plain. */
const titles = async (path: string, options: CallOptions = {}): Promise<string[]> => {
  const { json } = await api('GET', path, options);
  return (json.data ?? json).map((one: { title: string }) => one.title);
};

const scan = async (): Promise<void> => {
  await api('POST', `/libraries/${libraryId}/scan`);
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
};

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  other = await temp.tokenOf('reader');
  for (const name of ['A', 'B'])
    for (const n of [1, 2, 3]) writeBook(join(temp.shelf, name, `${name}${n}.cbz`), 4, `${name}${n}`);
  libraryId = (await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf } })).json.id;
  await scan();
  const named = (rows: readonly { id: string; title: string }[]): Record<string, string> =>
    Object.fromEntries(rows.map(({ id, title }) => [title, id]));
  book = named((await api('GET', '/books')).json.data);
  series = named((await api('GET', '/series')).json.data);
};

const refusals = (check: Check): void => {
  const bad: readonly (readonly [string, unknown, string])[] = [
    ['a page of text', { current_page: 'two' }, 'current_page'],
    ['half a page', { current_page: 1.5 }, 'current_page'],
    ['a share above 1', { progressPercentage: 1.2 }, 'progressPercentage'],
    ['a time that is none', { current_page: 1, clientTime: 'yesterday' }, 'clientTime'],
    ['a month that is none', { current_page: 1, updatedAt: '2026-13-01T00:00:00Z' }, 'updatedAt'],
    ['a day that is none', { current_page: 1, client_time: '2026-02-31T00:00:00Z' }, 'client_time'],
    ['an hour that is none', { current_page: 1, clientTime: '2026-02-28T24:00:00Z' }, 'clientTime'],
    ['nothing', {}, 'current_page'],
  ];
  for (const [what, body, at] of bad) {
    check(`progress: ${what} is 400 and names ${at}`, async () => {
      const answer = await put('A1', body);
      assert.equal([answer.status, answer.json.details[0].path], [400, at]);
    });
  }
  const requests: readonly (readonly [string, string, unknown, number])[] = [
    ['GET', '/books/recently-read?limit=few', undefined, 400],
    ['GET', '/series/in-progress?limit=1.5', undefined, 400],
    ['GET', '/books/on-deck?pageSize=x', undefined, 400],
    ['GET', `/libraries/${UUID}/books/on-deck`, undefined, 404],
    ['POST', '/want-to-read', {}, 400],
    ['POST', '/want-to-read', { bookId: UUID, seriesId: UUID }, 400],
    ['POST', '/want-to-read', { bookId: UUID }, 404],
    ['POST', '/want-to-read', { seriesId: 'x' }, 400],
    ['POST', '/want-to-read/bulk', { bookIds: Array(1001).fill(UUID) }, 400],
    ['PUT', '/want-to-read/order', {}, 400],
    ['GET', '/want-to-read?sort=best', undefined, 400],
    ['GET', '/want-to-read?sort=added_at', undefined, 400],
    ['DELETE', `/want-to-read/books/${UUID}`, undefined, 204],
    ['DELETE', `/want-to-read/series/${UUID}`, undefined, 204],
    ['DELETE', '/want-to-read/series/x', undefined, 400],
  ];
  for (const [method, path, body, status] of requests) {
    check(`${method} ${path} ${JSON.stringify(body)?.slice(0, 60) ?? ''} is ${status}`, async () =>
      assert.is((await api(method, path, { body })).status, status),
    );
  }
  check('progression: a document without a locator, with a wrong share, or too long is refused', async () => {
    const ask = async (body: unknown): Promise<number> =>
      (await api('PUT', `/books/${book.A1}/progression`, { body })).status;
    assert.equal(
      [
        await ask({}),
        await ask({ locator: { locations: { totalProgression: 2 } } }),
        await ask({ locator: { text: 'x'.repeat(40_000) } }),
      ],
      [400, 400, 413],
    );
  });
};

const lists = (check: Check): void => {
  check('before anything is read there is nothing to continue', async () => {
    for (const path of ['/books/in-progress', '/books/on-deck', '/books/recently-read', '/series/in-progress'])
      assert.equal(await titles(path), [], path);
    assert.equal((await api('GET', '/progress')).json, { progress: [], total: 0 });
  });
  check('a begun book is in progress, a finished one puts the next of its series on deck', async () => {
    assert.is((await put('A1', { currentPage: 2 })).status, 200);
    const done = (await post(`/books/${book.B1}/read`)).json;
    assert.equal([done.currentPage, done.completed, done.progressPercentage], [4, true, 1]);
    assert.equal(await titles('/books/in-progress'), ['A1']);
    assert.equal(await titles('/books/on-deck'), ['B2']);
    assert.equal(await titles('/books/recently-read?limit=1'), ['B1']);
    assert.equal(await titles('/series/in-progress'), ['A']);
    assert.equal(await titles('/books/on-deck', { token: other }), [], 'of somebody else');
    for (const path of ['books/in-progress', 'books/on-deck', 'books/recently-read', 'series/in-progress'])
      assert.equal(await titles(`/libraries/${libraryId}/${path}`), await titles(`/${path}`), path);
    assert.equal(await titles(`/books/on-deck?libraryId=${UUID}`), []);
  });
  check('on deck is an envelope whose links keep the query', async () => {
    await post(`/books/${book.A1}/read`);
    const { json } = await api('GET', `/books/on-deck?pageSize=1&libraryId=${libraryId}`);
    assert.equal([json.total, json.totalPages, json.data[0].title], [2, 2, 'A2']);
    const next = await api('GET', json.links.next.replace('/api/v1', ''));
    assert.equal([next.json.data[0].title, next.json.links.next], ['B2', null]);
  });
  check('series and books show the progress of the requesting user', async () => {
    const mine = (await api('GET', `/series/${series.A}`)).json;
    const theirs = (await api('GET', `/series/${series.A}`, { token: other })).json;
    assert.equal([mine.unreadCount, theirs.unreadCount], [2, 3]);
    const [first] = (await api('GET', `/series/${series.A}/books`)).json;
    assert.equal([first.readProgress.completed, first.wantToRead], [true, false]);
  });
  check('progress lists records newest first, currently reading only the open ones', async () => {
    await put('A3', { current_page: 1 });
    const all = (await api('GET', '/progress')).json;
    assert.equal(
      [all.total, all.progress.map(({ bookId }: { bookId: string }) => bookId)],
      [3, [book.A3, book.A1, book.B1]],
    );
    assert.is((await api('GET', '/progress?pageSize=1&page=2')).json.progress[0].bookId, book.A1);
    assert.equal(
      (await api('GET', '/progress/currently-reading')).json.progress.map((one: { bookId: string }) => one.bookId),
      [book.A3],
    );
  });
  check('late updates from a device do not undo newer reading', async () => {
    const late = new Date(Date.parse((await api('GET', `/books/${book.A3}/progress`)).json.updatedAt) - 60_000);
    assert.is((await put('A3', { current_page: 3, clientTime: late.toISOString() })).json.currentPage, 1);
    assert.is((await put('A3', { current_page: 3 }, { headers: { 'user-agent': 'Reader/1' } })).json.currentPage, 3);
    const rows = await temp.app.db.all<{ device_name: string | null }>(
      'SELECT device_name FROM read_progress WHERE completed = 0',
    );
    assert.equal(rows, [{ device_name: 'Reader/1' }]);
  });
  check('a whole series read and unread', async () => {
    assert.is((await post(`/series/${series.A}/read`)).json.count, 2);
    assert.is((await api('GET', `/series/${series.A}`)).json.unreadCount, 0);
    assert.equal(await titles('/books/on-deck'), ['B2']);
    assert.is((await post(`/series/${series.A}/unread`)).json.count, 3);
    assert.is((await api('GET', `/series/${series.A}`)).json.unreadCount, 3);
    assert.is((await post(`/books/${book.B1}/unread`)).status, 204);
    assert.equal(await titles('/books/on-deck'), []);
  });
  check('newest books and series come first', async () => {
    temp.advance(10_000);
    writeBook(join(temp.shelf, 'C', 'C1.cbz'), 4, 'C1');
    await scan();
    for (const at of ['', `/libraries/${libraryId}`]) {
      assert.equal((await titles(`${at}/books/recently-added?pageSize=1`))[0], 'C1');
      assert.equal(await titles(`${at}/series/recently-added?limit=1`), ['C']);
      assert.is((await titles(`${at}/series/recently-updated`)).length, 3);
    }
  });
  check('previous and next book', async () => {
    const beside = async (title: string): Promise<unknown[]> => {
      const { json } = await api('GET', `/books/${book[title]}/adjacent`);
      return [json.prev?.title ?? null, json.next?.title ?? null];
    };
    assert.equal(
      [await beside('A1'), await beside('A2'), await beside('A3')],
      [
        [null, 'A2'],
        ['A1', 'A3'],
        ['A2', null],
      ],
    );
  });
};

const memory = (check: Check): void => {
  check('read history keeps finished read-throughs until it is deleted', async () => {
    const at = `/books/${book.B1}/read-history`;
    const { json } = await api('GET', at);
    assert.equal([json.readCount, json.entries.length, json.entries[0].completedAt], [1, 1, json.lastCompletedAt]);
    assert.is((await api('GET', `/series/${series.A}/read-history`)).json.readCount, 1);
    assert.equal((await api('GET', `/series/${series.A}?full=true`)).json.readCount, 1);
    assert.equal((await api('GET', `/books/${book.B1}/full`)).json.readCount, 1);
    assert.is((await api('DELETE', `${at}/${json.entries[0].id}`, { token: other })).status, 404);
    assert.is((await api('DELETE', `${at}/${json.entries[0].id}`)).status, 204);
    assert.is((await api('GET', at)).json.readCount, 0);
    assert.is((await api('DELETE', `/books/${book.A1}/read-history`)).status, 204);
    assert.is((await api('GET', `/series/${series.A}/read-history`)).json.readCount, 0);
    assert.is((await api('DELETE', '/user/read-history')).status, 204);
    assert.is((await api('GET', `/series/${series.A}/read-history`)).json.readCount, 0);
  });
  check('a progression document is returned unchanged', async () => {
    const at = `/books/${book.A2}/progression`;
    assert.is((await api('GET', at)).status, 204);
    const modified = new Date(temp.app.clock.now()).toISOString();
    const body = {
      device: { id: 'd', name: 'Phone' },
      modified,
      locator: { href: 'page-2', type: 'image/png', locations: { position: 2, fragments: ['x'] } },
    };
    assert.is((await api('PUT', at, { body })).status, 204);
    assert.equal((await api('GET', at)).json, body);
    const { currentPage, updatedAt } = (await api('GET', `/books/${book.A2}/progress`)).json;
    assert.equal([currentPage, updatedAt], [2, modified]);
  });
  check('progress from before a clearing does not come back', async () => {
    const late = { current_page: 3, client_time: '2025-12-31T10:00:00Z' };
    assert.is((await api('PUT', `/books/${book.B1}/progress`, { body: late, token: other })).status, 200);
    assert.is((await api('DELETE', `/books/${book.B1}/progress`, { token: other })).status, 204);
    assert.is((await api('PUT', `/books/${book.B1}/progress`, { body: late, token: other })).status, 204);
    assert.is((await api('GET', `/books/${book.B1}/progress`, { token: other })).status, 204);
  });
  check('want to read: entries, flags, order, removal', async () => {
    const first = await post('/want-to-read', { bookId: book.A1 });
    assert.equal([first.status, first.json.itemType, first.json.bookId], [201, 'book', book.A1]);
    assert.is((await post('/want-to-read', { bookId: book.A1 })).json.id, first.json.id);
    const bulk = { bookIds: [book.A1, book.A2, UUID], seriesIds: [series.B] };
    assert.equal((await post('/want-to-read/bulk', bulk)).json, { added: 2, alreadyPresent: 1 });
    assert.is((await api('GET', `/books/${book.A1}`)).json.wantToRead, true);
    assert.is((await api('GET', `/series/${series.B}`)).json.wantToRead, true);
    assert.is((await api('GET', `/books/${book.A1}`, { token: other })).json.wantToRead, false);
    const items = async (sort: string): Promise<{ id: string }[]> =>
      (await api('GET', `/want-to-read?sort=${sort}`)).json.items;
    const [a, b, c] = (await items('custom')).map(({ id }) => id);
    assert.is((await api('PUT', '/want-to-read/order', { body: { entryIds: [c, a, UUID] } })).status, 204);
    assert.equal(
      (await items('custom')).map(({ id }) => id),
      [c, b, a],
    );
    assert.is((await items('oldest'))[0]?.id, first.json.id);
    const names = { newest: ['added_at:desc', 'desc'], oldest: ['added_at:asc', 'asc'], custom: ['position'] };
    for (const [sort, others] of Object.entries(names))
      for (const name of others) assert.equal(await items(name), await items(sort), name);
    assert.not.equal(await items('oldest'), await items('position'));
    assert.is((await api('DELETE', `/want-to-read/books/${book.A1}`, { token: other })).status, 204);
    for (let n = 0; n < 2; n += 1) assert.is((await api('DELETE', `/want-to-read/books/${book.A1}`)).status, 204);
    assert.is((await api('GET', '/want-to-read')).json.total, 2);
  });
  check('removed books leave lists and counts, and return with their progress', async () => {
    await put('B2', { current_page: 2 });
    const [path, aside] = [join(temp.shelf, 'B', 'B2.cbz'), join(temp.folder, 'aside.cbz')];
    renameSync(path, aside);
    await scan();
    assert.equal(await titles('/series/in-progress'), ['A']);
    assert.is((await api('GET', `/series/${series.B}`)).json.unreadCount, 2);
    renameSync(aside, path);
    await scan();
    assert.equal(await titles('/series/in-progress'), ['A', 'B']);
    assert.equal((await titles('/books/in-progress'))[0], 'B2');
  });
  check('no answer was a server error', () => assert.equal(temp.faults, []));
};

block(
  'reading over HTTP',
  (check) => {
    for (const part of [refusals, lists, memory]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
