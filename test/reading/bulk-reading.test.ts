// Many books and series marked at once, and reports of reading that come late.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let books: readonly { readonly id: string; readonly title: string; readonly seriesId: string }[] = [];

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

const ask = (method: string, path: string, body?: unknown, who = ann): Promise<Answer> =>
  people.ask(who.token, method, path, body === undefined ? {} : { body });
const idsOf = (...titles: readonly string[]): string[] =>
  titles.map((title) => books.find((book) => book.title === title)?.id ?? '');
const seriesOf = (title: string): string => books.find((book) => book.title === title)?.seriesId ?? '';
const finished = async (who = ann): Promise<string[]> => {
  const { json } = await ask('GET', '/progress', undefined, who);
  const ids = json.progress.filter((one: { completed: boolean }) => one.completed);
  return ids.map((one: { bookId: string }) => books.find(({ id }) => id === one.bookId)?.title).sort();
};
const mark = (what: 'books' | 'series', word: 'read' | 'unread', ids: readonly string[], who = ann) =>
  ask('POST', `/${what}/bulk/${word}`, what === 'books' ? { bookIds: ids } : { seriesIds: ids }, who);

const stock = async (): Promise<void> => {
  const { temp, admin } = people;
  for (const [library, names] of [
    ['0', ['Ants', 'Bees']],
    ['1', ['Cats']],
  ] as const) {
    for (const name of names)
      for (const n of [1, 2, 3]) writeBook(join(temp.shelf, library, name, `${name} ${n}.cbz`), 4, `${name}${n}`);
    writeFileSync(join(temp.shelf, library, names[0], 'Broken.cbz'), 'no archive');
    const body = { name: library, path: join(temp.shelf, library), scanImmediately: true };
    await people.ask(admin.token, 'POST', '/libraries', { body });
  }
  await until('the scans end', () => temp.app.scans.active().length === 0);
  books = (await people.ask(admin.token, 'GET', '/books?pageSize=100')).json.data;
};

const many = (check: Check): void => {
  check('lists that are none, too long or of no ids are 400', async () => {
    const long = Array.from({ length: 1001 }, () => UNKNOWN);
    for (const [what, field] of [
      ['books', 'bookIds'],
      ['series', 'seriesIds'],
    ] as const)
      for (const word of ['read', 'unread'])
        for (const value of [undefined, null, 'x', ['x'], long, [null]])
          assert.is((await ask('POST', `/${what}/bulk/${word}`, { [field]: value })).status, 400);
    assert.equal(await finished(), []);
  });
  check('unknown ids, and none at all, change nothing', async () => {
    for (const what of ['books', 'series'] as const)
      for (const word of ['read', 'unread'] as const)
        for (const ids of [[], [UNKNOWN]]) {
          const { status, json } = await mark(what, word, ids);
          assert.equal([status, json.count], [200, 0]);
        }
  });
  check('books are read, each once, what is not analysed is left; read ones do not count again', async () => {
    const ids = idsOf('Ants 1', 'Bees 2');
    const { json } = await mark('books', 'read', [...ids, ...ids, UNKNOWN, ...idsOf('Broken')]);
    assert.is(json.count, 2);
    assert.match(json.message, /1 not yet analysed/);
    assert.equal(await finished(), ['Ants 1', 'Bees 2']);
    const again = await mark('books', 'read', idsOf('Ants 1', 'Ants 2'));
    assert.equal(again.json, { count: 1, message: 'Marked 1 books as read' });
  });
  check('series are read and unread as wholes, also several; counters follow', async () => {
    const ids = [seriesOf('Ants 1'), seriesOf('Bees 1')];
    assert.is((await mark('series', 'read', ids)).json.count, 3);
    assert.equal(await finished(), ['Ants 1', 'Ants 2', 'Ants 3', 'Bees 1', 'Bees 2', 'Bees 3']);
    for (const id of ids) assert.is((await ask('GET', `/series/${id}`)).json.unreadCount, id === ids[0] ? 1 : 0);
    assert.is((await mark('series', 'unread', ids.slice(0, 1))).json.count, 3);
    assert.equal(await finished(), ['Bees 1', 'Bees 2', 'Bees 3']);
    assert.is((await ask('GET', `/series/${ids[0]}`)).json.unreadCount, 4);
    assert.is((await mark('books', 'unread', idsOf('Bees 1', 'Bees 2', 'Ants 1'))).json.count, 2);
    assert.equal(await finished(), ['Bees 3']);
  });
  check('what somebody does not see is neither read nor unread, and nobody else reads with them', async () => {
    const bob = await people.join('bob');
    await mark('series', 'read', [seriesOf('Cats 1')], bob);
    const { json } = await people.ask(people.admin.token, 'GET', '/libraries');
    const [first] = json.data.filter(({ name }: { name: string }) => name === '0');
    const limited = (libraryIds: readonly string[] | null) =>
      people.ask(people.admin.token, 'PATCH', `/users/${bob.id}`, { body: { libraryIds } });
    await limited([first.id]);
    assert.is((await mark('books', 'unread', idsOf('Cats 1'), bob)).json.count, 0);
    assert.is((await mark('series', 'unread', [seriesOf('Cats 1')], bob)).json.count, 0);
    assert.is((await mark('books', 'read', idsOf('Cats 2', 'Ants 1'), bob)).json.count, 1);
    await limited(null);
    assert.equal(await finished(bob), ['Ants 1', 'Cats 1', 'Cats 2', 'Cats 3']);
    assert.equal(await finished(), ['Bees 3']);
  });
};

const late = (check: Check): void => {
  const put = async (body: object): Promise<Answer> => ask('PUT', `/books/${idsOf('Bees 1')[0]}/progress`, body);
  const at = (seconds: number): string => new Date(people.temp.app.clock.now() + seconds * 1000).toISOString();

  check('modified: a report older than what is stored changes nothing, and is answered with that', async () => {
    people.temp.advance(3_600_000);
    const stored = (await put({ currentPage: 3, modified: at(-60) })).json;
    assert.equal([stored.currentPage, stored.updatedAt], [3, at(-60)]);
    assert.equal((await put({ currentPage: 1, modified: at(-120) })).json, stored);
    const { json } = await put({ currentPage: 2, modified: at(-30) });
    assert.equal([json.currentPage, json.updatedAt], [2, at(-30)]);
  });
  check('modified: a time to come counts as now, and no time is 400', async () => {
    assert.is((await put({ currentPage: 1, modified: at(86_400) })).json.updatedAt, at(0));
    for (const modified of ['yesterday', '2026-13-01T00:00:00Z', 12]) {
      const { status, json } = await put({ currentPage: 2, modified });
      assert.equal([status, json.details[0].path], [400, 'modified']);
    }
  });
  check('modified: a report of before the book was marked unread, together with others, changes nothing', async () => {
    people.temp.advance(60_000);
    await mark('books', 'unread', idsOf('Bees 1', 'Bees 2'));
    assert.is((await put({ currentPage: 4, modified: at(-30) })).status, 204);
    assert.is((await put({ currentPage: 2, modified: at(0) })).json.currentPage, 2);
  });
};

const untouched = (check: Check): void => {
  check(
    'modified: nor does a report of a book that was never opened here, once its series was marked unread',
    async () => {
      const at = (seconds: number): string => new Date(people.temp.app.clock.now() + seconds * 1000).toISOString();
      const put = (title: string, modified: string): Promise<Answer> =>
        ask('PUT', `/books/${idsOf(title)[0]}/progress`, { currentPage: 3, modified });
      people.temp.advance(60_000);
      for (const title of ['Ants 1', 'Ants 2'])
        assert.is((await ask('GET', `/books/${idsOf(title)[0]}/progress`)).status, 204);
      assert.is((await ask('POST', `/series/${seriesOf('Ants 1')}/unread`)).json.count, 0);
      assert.is((await put('Ants 1', at(-30))).status, 204);
      assert.is((await put('Ants 1', at(0))).json.currentPage, 3);
      await mark('series', 'unread', [seriesOf('Ants 1')]);
      assert.is((await put('Ants 2', at(-30))).status, 204);
    },
  );
};

block(
  'reading in bulk',
  (check) => {
    many(check);
    late(check);
    untouched(check);
    check('nothing was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
      ann = await people.join('ann');
      await stock();
    },
    after: () => people.temp.close(),
  },
);
