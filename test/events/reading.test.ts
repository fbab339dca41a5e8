// What people read is told to their own clients, and to nobody else, not even as a gap between the events of others.
import { ASPECTS, updated } from '../../core/store/feed.js';
import { type GuardedShelf, guardedShelf, type Shown } from '../access/guarded-shelf.js';
import { coversMade } from '../app.js';
import { assert, block } from '../kit.js';
import { follow, type Heard, heardIn, type Listener } from './listener.js';

let shelf: GuardedShelf;
let own: Listener;
let other: Listener;

const as = async (token: string, method: string, path: string, body?: unknown) => {
  const options = { token, headers: { 'user-agent': 'Tablet' }, ...(body === undefined ? {} : { body }) };
  const { status, bytes, json } = await shelf.temp.call(method, `/api/v1${path}`, options);
  assert.ok(status < 300, `${method} ${path} ${status} ${bytes}`);
  return json;
};

const one = (title: string): Shown => {
  const found = shelf.all.find((shown) => shown.title === title);
  if (found === undefined) throw new Error(`no series ${title}`);
  return found;
};

const told = ({ data }: Heard) => [data.bookId, data.currentPage, data.pageOffset, data.completed];

block(
  'events about what somebody reads',
  (check) => {
    check('a page, the place inside it and the end of the book, in the words of the record', async () => {
      const { id, books } = one('Ants');
      const path = `/books/${books[1]}/progress`;
      shelf.temp.advance(5000);
      await as(shelf.free, 'PUT', path, { currentPage: 1, pageOffset: 0.25 });
      const [heard, ...more] = await own.news();
      const { currentPage, pageOffset, completed, updatedAt } = await as(shelf.free, 'GET', path);
      assert.equal(more, []);
      assert.equal([currentPage, pageOffset, completed], [1, 0.25, false]);
      assert.is(heard?.event, 'read_progress_changed');
      const { timestamp, ...data } = heard?.data ?? {};
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.equal(data, {
        type: 'read_progress_changed',
        book_id: books[1],
        bookId: books[1],
        series_id: id,
        seriesId: id,
        current_page: 1,
        currentPage: 1,
        page_offset: 0.25,
        pageOffset: 0.25,
        completed: false,
        updated_at: updatedAt,
        updatedAt,
        device: 'Tablet',
      });
      await as(shelf.free, 'PUT', path, { currentPage: 2 });
      assert.equal((await own.news()).map(told), [[books[1], 2, null, true]]);
      await as(shelf.free, 'DELETE', path);
      assert.equal((await own.news()).map(told), [[books[1], null, null, false]]);
    });
    check('a series that is marked: each book once, and nothing of the series besides', async () => {
      const { id, books } = one('Cats');
      await as(shelf.free, 'POST', `/series/${id}/unread`);
      await own.news();
      await as(shelf.free, 'POST', `/series/${id}/read`);
      const byBook = (a: Heard, b: Heard) => books.indexOf(a.data.bookId) - books.indexOf(b.data.bookId);
      const heard = (await own.news()).sort(byBook);
      assert.equal(
        heard.map(told),
        books.map((book) => [book, 2, null, true]),
      );
    });
    check('more books at once than are told one by one: the series, without a book', async () => {
      const { key, id } = one('Cats');
      const { user } = await shelf.temp.app.callers.byToken(shelf.free);
      const many = Array.from({ length: 501 }, (_, at) => at + 1);
      await shelf.temp.app.db.write(user.key, 'interactive', async (tx) => {
        tx.report({ ...updated('book', many, ASPECTS.reading), userKey: user.key });
        tx.report({ ...updated('series', [key], ASPECTS.reading), userKey: user.key });
      });
      const heard = await own.news();
      assert.equal(
        heard.map(({ data }) => [data.seriesId, data.bookId, data.currentPage]),
        [[id, null, null]],
      );
    });
    check('nobody else hears of it, and the numbers of their events have no gap', async () => {
      const { id, books } = one('Ants');
      await as(shelf.free, 'PATCH', `/series/${id}`, { title: 'Ants one' });
      const [before] = await other.news();
      for (const currentPage of [1, 2]) await as(shelf.free, 'PUT', `/books/${books[0]}/progress`, { currentPage });
      await as(shelf.free, 'PATCH', `/series/${id}`, { title: 'Ants' });
      const after = await other.news();
      assert.equal(
        after.map(({ event }) => event),
        ['series_updated'],
      );
      const numberOf = (heard: Heard | undefined): number => Number(heard?.id?.split('-').at(-1));
      assert.is(numberOf(after[0]), numberOf(before) + 1);
      assert.not(other.text().includes('read_progress'));
    });
    check('they have no id, so that whoever comes back is sent the other events from where they were', async () => {
      const { id, books } = one('Ants');
      const { length } = await own.news();
      assert.ok(length > 0);
      const lastId = own.lastId();
      await as(shelf.free, 'PUT', `/books/${books[0]}/progress`, { currentPage: 1 });
      assert.equal(
        (await own.news()).map((heard) => heard.id),
        [undefined],
      );
      assert.is(own.lastId(), lastId);
      await as(shelf.free, 'PATCH', `/series/${id}`, { title: 'Ants two' });
      const back = await follow(shelf.temp, shelf.free, { headers: { 'last-event-id': lastId } });
      assert.equal(
        (await back.news()).map(({ event }) => event),
        ['series_updated'],
      );
      await back.close();
    });
    check('a key that may not read progress is told none; the form without names has them too', async () => {
      const { books } = one('Ants');
      const key = await as(shelf.free, 'POST', '/api-keys', { name: 'K', permissions: ['LibrariesRead'] });
      const [blind, unnamed] = [
        await follow(shelf.temp, key.key),
        await follow(shelf.temp, shelf.free, { path: '/events/stream?unnamed=true' }),
      ];
      await as(shelf.free, 'PUT', `/books/${books[0]}/progress`, { currentPage: 2 });
      const heard = await unnamed.news();
      assert.equal(heardIn(blind.text()), []);
      assert.equal(
        heard.map(({ event, data }) => [event, data.type]),
        [[undefined, 'read_progress_changed']],
      );
      await Promise.all([blind.close(), unnamed.close()]);
    });
    check('what is hidden from a reader is not told, although they read it before', async () => {
      const bees = one('Bees');
      const { user } = await shelf.temp.app.callers.byToken(shelf.limited);
      await as(shelf.free, 'PATCH', `/users/${user.id}`, { ageLimit: { max: 12, unrated: 'allow' } });
      await as(shelf.free, 'PATCH', `/series/${bees.id}/metadata`, { ageRating: 18 });
      await other.news();
      const rows = await shelf.temp.app.db.all<{ id: number }>('SELECT id FROM book WHERE series_id = ?', [bees.key]);
      await shelf.temp.app.db.write(user.key, 'interactive', async (tx) => {
        const keys = rows.map(({ id }) => id);
        tx.report({ ...updated('book', keys, ASPECTS.reading), userKey: user.key });
        tx.report({ ...updated('series', [bees.key], ASPECTS.reading), userKey: user.key });
      });
      assert.equal(await other.news(), []);
      await as(shelf.limited, 'PUT', `/books/${one('Cats').books[0]}/progress`, { currentPage: 1 });
      assert.is((await other.news()).length, 1);
    });
    check('who takes nothing while very many books are marked has to reload', async () => {
      const { user } = await shelf.temp.app.callers.byToken(shelf.free);
      const caller = await shelf.temp.app.callers.byToken(shelf.free);
      const idle = await shelf.temp.app.events.subscribe('entities', caller, '', new AbortController().signal);
      const books = shelf.all.flatMap(({ id, books: [book = ''] }) => ({ id, book }));
      const news = Array.from({ length: 1001 }, () => ({
        type: 'reading_updated' as const,
        entityType: 'book' as const,
        readId: books[0]?.book ?? '',
        seriesId: books[0]?.id ?? '',
        onlyUserKey: user.key,
        userId: user.id,
        at: 0,
        readTo: null,
        areBooksNamed: true,
      }));
      idle.tellReading(news.slice(0, 1000));
      assert.is((await idle.next()).kind, 'reading');
      idle.tellReading(news);
      assert.is((await idle.next()).kind, 'resync');
      shelf.temp.app.events.leave(idle);
      assert.is((await idle.next()).kind, 'over');
    });
  },
  {
    before: async () => {
      shelf = await guardedShelf();
      await coversMade(shelf.temp); // these are reported too
      [own, other] = [await follow(shelf.temp, shelf.free), await follow(shelf.temp, shelf.limited)];
    },
    after: async () => {
      await Promise.all([own.close(), other.close()]);
      await shelf.temp.close();
    },
  },
);
