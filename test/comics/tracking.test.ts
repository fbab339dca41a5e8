// Progress, trackers and the values of filters of the comic-server API, and that every surface sees the same.
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let limited: Person;

type Body = object | undefined;

const ask = (method: string, path: string, body?: Body, who = ann): Promise<Answer> =>
  people.temp.call(method, `/komga${path}`, { token: who.token, ...(body === undefined ? {} : { body }) });
const native = (method: string, path: string, body?: Body): Promise<Answer> =>
  people.ask(ann.token, method, path, body === undefined ? {} : { body });
const list = async (path: string, who = ann): Promise<unknown> => {
  const { status, json } = await ask('GET', path, undefined, who);
  assert.is(status, 200, path);
  return json;
};

const infoOf = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  for (const n of ['1', '1.1', '2', '3']) {
    const told = `<Number>${n}</Number><Writer>Ann</Writer><CoverArtist>Cy</CoverArtist><Genre>Noir</Genre><Tags>fog</Tags><Publisher>House</Publisher><Year>1999</Year><LanguageISO>en</LanguageISO><AgeRating>Teen</AgeRating>`;
    writeBook(join(temp.shelf, 'one', 'Ants', `Ants ${n}.cbz`), 5, n, infoOf(told));
  }
  writeBook(join(temp.shelf, 'two', 'Bees', 'Bees 1.cbz'), 2, 'b', infoOf('<Inker>Bo</Inker><Genre>Comedy</Genre>'));
  for (const name of ['one', 'two']) {
    const body = { name, path: join(temp.shelf, name), scanImmediately: true, numberStrategy: 'metadata' };
    await people.ask(admin.token, 'POST', '/libraries', { body });
  }
  await until('all is analysed', async () => {
    const { data } = (await people.ask(admin.token, 'GET', '/books?pageSize=50')).json;
    return (
      temp.app.scans.active().length === 0 &&
      data.length === 5 &&
      data.every(({ analyzed }: { analyzed: boolean }) => analyzed)
    );
  });
  await until('terms are settled', async () => (await people.ask(admin.token, 'GET', '/genres')).json.total === 2);
  ann = await people.join('ann');
  limited = await people.join('limited');
  const libraries = (await people.ask(admin.token, 'GET', '/libraries')).json.data as { id: string; name: string }[];
  const two = libraries.filter(({ name }) => name === 'two').map(({ id }) => id);
  await people.ask(admin.token, 'PATCH', `/users/${limited.id}`, { body: { libraryIds: two } });
};

const series = async (): Promise<string> => {
  const { content } = (await ask('GET', '/api/v1/series?search=Ants')).json;
  return content[0].id;
};
interface Shown {
  readonly id: string;
  readonly readProgress: { readonly page: number; readonly completed: boolean } | null;
}
const books = async (): Promise<readonly Shown[]> => {
  const path = `/api/v1/series/${await series()}/books?unpaged=true&sort=metadata.numberSort,asc`;
  return (await ask('GET', path)).json.content;
};
const firstId = async (): Promise<string> => (await books())[0]?.id ?? '';
const shown = async (id: string): Promise<Shown['readProgress']> =>
  (await ask('GET', `/api/v1/books/${id}`)).json.readProgress;
const none = async (): Promise<void> => {
  assert.is((await ask('DELETE', `/api/v1/series/${await series()}/read-progress`)).status, 204);
};

const ofBooks = (check: Check): void => {
  check('a report without a page, of an odd page or of an unknown book changes nothing', async () => {
    await none();
    const id = await firstId();
    const bad = [
      {},
      { completed: false },
      { page: 0 },
      { page: 6 },
      { page: 'x' },
      { page: null },
      { completed: 'yes' },
    ];
    for (const body of bad) {
      const { status, json } = await ask('PATCH', `/api/v1/books/${id}/read-progress`, body);
      assert.equal([status, json.status, json.path], [400, 400, `/komga/api/v1/books/${id}/read-progress`]);
    }
    const unknown = '01890000000070008000000000000000';
    assert.is((await ask('PATCH', `/api/v1/books/${unknown}/read-progress`, { page: 1 })).status, 404);
    assert.is((await ask('PATCH', `/api/v1/books/${id}/read-progress`, { page: 1 }, limited)).status, 404);
    assert.is(await shown(id), null);
  });
  check('a page, the last page, and a finished book whatever page comes with it', async () => {
    const id = await firstId();
    for (const [body, page, completed] of [
      [{ page: 3 }, 3, false],
      [{ page: 4, completed: false }, 4, false],
      [{ page: 5 }, 5, true],
      [{ page: 2, completed: false }, 2, false],
      [{ page: 1, completed: true }, 5, true],
      [{ page: 2, completed: false }, 2, false],
      [{ completed: true }, 5, true],
    ] as const) {
      const answer = await ask('PATCH', `/api/v1/books/${id}/read-progress`, body);
      assert.equal([answer.status, answer.bytes.length], [204, 0]);
      const progress = await shown(id);
      assert.equal([progress?.page, progress?.completed], [page, completed], JSON.stringify(body));
    }
    assert.is((await ask('DELETE', `/api/v1/books/${id}/read-progress`)).status, 204);
    assert.is(await shown(id), null);
  });
  check('a page turned here is seen by the native API, and the other way round', async () => {
    await none();
    const id = await firstId();
    await ask('PATCH', `/api/v1/books/${id}/read-progress`, { page: 3 });
    assert.is((await native('GET', '/books/in-progress')).json.data[0].readProgress.currentPage, 3);
    await native('PUT', `/books/${(await native('GET', '/books/in-progress')).json.data[0].id}/progress`, {
      current_page: 4,
    });
    assert.is((await shown(id))?.page, 4);
  });
};

const ofSeries = (check: Check): void => {
  const track = async (): Promise<unknown> => {
    const json = (await ask('GET', `/api/v2/series/${await series()}/read-progress/tachiyomi`)).json;
    return [json.booksReadCount, json.booksUnreadCount, json.booksInProgressCount, json.lastReadContinuousNumberSort];
  };
  const upTo = async (number: unknown): Promise<number> =>
    (await ask('PUT', `/api/v2/series/${await series()}/read-progress/tachiyomi`, { lastBookNumberSortRead: number }))
      .status;
  check('a series is marked by POST and PATCH, and unmarked by DELETE', async () => {
    const path = `/api/v1/series/${await series()}/read-progress`;
    for (const [method, body] of [
      ['POST', undefined],
      ['PATCH', { completed: true }],
    ] as const) {
      await none();
      assert.is((await ask(method, path, body)).status, 204);
      assert.equal(await track(), [4, 0, 0, 3]);
    }
    assert.is((await ask('PATCH', path, { completed: false })).status, 204);
    assert.equal(await track(), [0, 4, 0, 0]);
  });
  check('a tracker marks up to its number in 32 bits, and 0 changes nothing', async () => {
    await none();
    for (const bad of ['x', null, undefined]) assert.is(await upTo(bad), 400);
    assert.is(await upTo(0), 204);
    assert.equal(await track(), [0, 4, 0, 0]);
    assert.is(await upTo(Math.fround(1.1)), 204);
    assert.equal(await track(), [2, 2, 0, Math.fround(1.1)]);
    assert.is(await upTo(1), 204);
    assert.equal(await track(), [2, 2, 0, Math.fround(1.1)]);
  });
  check('the older tracker counts books', async () => {
    await none();
    const path = `/api/v1/series/${await series()}/read-progress/tachiyomi`;
    assert.is((await ask('PUT', path, { lastBookRead: 3 })).status, 204);
    assert.equal((await ask('GET', path)).json, {
      booksCount: 4,
      booksReadCount: 3,
      booksUnreadCount: 1,
      booksInProgressCount: 0,
      lastReadContinuousIndex: 3,
    });
    assert.is((await ask('GET', path, undefined, limited)).status, 404);
  });
};

const ofLists = (check: Check): void => {
  check('the queue is tracked as a read list', async () => {
    await none();
    const path = '/api/v1/readlists/want-to-read/read-progress/tachiyomi';
    const all = await books();
    for (const { id } of all.slice(0, 2)) {
      const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      await native('POST', '/want-to-read', { bookId: uuid });
    }
    assert.equal((await ask('GET', path)).json.booksCount, 2);
    assert.is((await ask('PUT', path, { lastBookRead: 1 })).status, 204);
    const { booksReadCount, lastReadContinuousIndex } = (await ask('GET', path)).json;
    assert.equal([booksReadCount, lastReadContinuousIndex], [1, 1]);
    assert.equal((await ask('GET', path, undefined, limited)).json.booksCount, 0);
  });
  check('books of a read list are filtered', async () => {
    await none();
    const all = await books();
    await ask('PATCH', `/api/v1/books/${all[1]?.id}/read-progress`, { completed: true });
    const path = '/api/v1/readlists/want-to-read/books';
    const found = async (filter: string): Promise<string[]> =>
      (await ask('GET', `${path}?${filter}`)).json.content.map(({ id }: Shown) => id);
    const ids = all.slice(0, 2).map(({ id }) => id);
    assert.equal(await found('media_status=READY&deleted=false'), ids);
    assert.equal(await found('media_status=ERROR,UNSUPPORTED'), []);
    assert.equal(await found('deleted=true'), []);
    assert.equal(await found('read_status=READ'), ids.slice(1));
  });
};

const ofValues = (check: Check): void => {
  check('values of filters are plain lists of texts', async () => {
    assert.equal(await list('/api/v1/genres'), ['Comedy', 'Noir']);
    assert.equal(await list('/api/v1/tags'), ['fog']);
    assert.equal(await list('/api/v1/tags/series'), ['fog']);
    assert.equal(await list('/api/v1/tags/book'), ['fog']);
    assert.equal(await list('/api/v1/publishers'), ['House']);
    assert.equal(await list('/api/v1/languages'), ['en']);
    assert.equal(await list('/api/v1/series/release-dates'), ['1999']);
    assert.equal(await list('/api/v1/authors/names'), ['Ann', 'Bo', 'Cy']);
    assert.equal(await list('/api/v1/authors/roles'), ['cover', 'inker', 'writer']);
    assert.equal(await list('/api/v1/genres?library_id=x'), []);
    assert.is(((await list('/api/v1/age-ratings')) as string[]).includes('None'), true);
  });
  check('authors are pairs of name and role, plain or by the page', async () => {
    const all = [
      { name: 'Ann', role: 'writer' },
      { name: 'Bo', role: 'inker' },
      { name: 'Cy', role: 'cover' },
    ];
    assert.equal(await list('/api/v1/authors'), all);
    assert.equal(await list('/api/v1/authors?search=AN'), all.slice(0, 1));
    const page = (await list('/api/v2/authors?size=2&page=1')) as {
      content: unknown;
      totalPages: number;
      last: boolean;
    };
    assert.equal([page.content, page.totalPages, page.last], [all.slice(2), 2, true]);
    assert.equal(((await list('/api/v2/authors?role=WRITER')) as { content: unknown }).content, all.slice(0, 1));
    assert.equal(((await list('/api/v2/authors?role=reader')) as { content: unknown }).content, []);
    assert.equal(await list(`/api/v1/authors?series_id=${await series()}`), [all[0], all[2]]);
  });
  check('somebody who sees one library is told of nothing in another', async () => {
    assert.equal(await list('/api/v1/genres', limited), ['Comedy']);
    assert.equal(await list('/api/v1/tags', limited), []);
    assert.equal(await list('/api/v1/authors', limited), [{ name: 'Bo', role: 'inker' }]);
    assert.equal(await list('/api/v1/publishers', limited), []);
    assert.equal(await list('/api/v1/series/release-dates', limited), []);
  });
  check('sharing labels are for administrators', async () => {
    await people.ask(people.admin.token, 'POST', '/admin/sharing-tags', { body: { name: 'family' } });
    assert.equal(await list('/api/v1/sharing-labels'), []);
    assert.equal(await list('/api/v1/sharing-labels', people.admin), ['family']);
  });
  check(
    'a key of an administrator that does not administer is not told of sharing tags, whoever asked before',
    async () => {
      const { token } = people.admin;
      const path = '/api/v1/series?search=Ants';
      const tag = (await people.ask(token, 'POST', '/admin/sharing-tags', { body: { name: 'secret' } })).json.id;
      await people.ask(token, 'PUT', `/series/${uuidOfHex(await series())}/sharing-tags`, {
        body: { sharingTagIds: [tag] },
      });
      const body = { name: 'few', permissions: ['SeriesRead'] };
      const { json } = await people.ask(token, 'POST', '/api-keys', { body });
      const labels = async (key: string): Promise<unknown> => {
        const answer = await people.temp.call('GET', `/komga${path}`, { token: key });
        assert.is(answer.json.totalElements, 1);
        return answer.json.content[0].metadata.sharingLabels;
      };
      assert.equal(await labels(token), ['secret']);
      assert.equal(await labels(json.key), []);
      assert.equal(await labels(token), ['secret']);
    },
  );
};

block(
  'tracking',
  (check) => {
    ofBooks(check);
    ofSeries(check);
    ofLists(check);
    ofValues(check);
  },
  { before: stock, after: () => people.temp.close() },
);
