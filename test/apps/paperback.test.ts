// Paperback 0.9 and 0.8 and its tracker: conditions with several keys, sort keys that do not exist, a slash at the end.
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PERSON, startAppServer, VOLUMES } from './app-server.js';
import { filledText, int, listOf, matching, oneOf, perhaps, type Reader, record, text } from './strict.js';

let server: AppServer;
let app: App;

const author = record({ name: text, role: matching(/^[a-z ]+$/) });
const wrapped = (content: Reader): Reader => record({ content: listOf(content), totalElements: int, totalPages: int });
const series = record({
  id: filledText,
  name: text,
  booksCount: int,
  metadata: record({
    title: text,
    summary: text,
    status: oneOf('ENDED', 'ONGOING', 'ABANDONED', 'HIATUS'),
    genres: listOf(text),
    tags: listOf(text),
    lastModified: filledText,
    alternateTitles: listOf(record({ label: text, title: text })),
    links: listOf(record({ label: text, url: text })),
  }),
  booksMetadata: record({ authors: listOf(author), summary: text }),
});
const book = record({
  id: filledText,
  seriesId: filledText,
  seriesTitle: text,
  number: int,
  created: filledText,
  media: record({ pagesCount: int, status: text }),
  metadata: record({
    title: text,
    number: matching(/^\d+(?:\.\d+)?$/),
    releaseDate: perhaps(text),
    authors: listOf(author),
  }),
});
const page = record({ number: int, mediaType: filledText, fileName: text });

const searched = async (text = 'zot') => {
  const body = { fullTextSearch: text, condition: { allOf: [{ oneShot: { operator: 'isFalse' } }] } };
  const path = '/api/v1/series/list?page=0&size=40&sort=metadata.titleSort,asc';
  return (await app.read(path, wrapped(series), { body })).content;
};

const current = (check: Check): void => {
  check('0.9: the login needs an address that is not empty; a wrong password is 401', async () => {
    await app.read('/api/v2/users/me', record({ email: filledText }));
    const wrong = app.with({ Authorization: basicOf(PERSON.username, 'wrong') });
    assert.is((await wrong.send('GET', '/api/v2/users/me')).status, 401);
  });
  check('0.9: filters of its search', async () => {
    await app.read('/api/v1/genres', listOf(text));
    await app.read('/api/v1/tags/series', listOf(text));
    await app.read('/api/v1/collections', wrapped(record({ id: text, name: text })));
    await app.read('/api/v1/libraries', listOf(record({ id: text, name: text })));
  });
  check('0.9: a search with conditions, in every order that it offers', async () => {
    for (const order of [
      'metadata.titleSort,asc',
      'created,desc',
      'lastModified,desc',
      'readDate,desc',
      'booksCount,desc',
    ]) {
      const condition = {
        allOf: [{ genre: { operator: 'is', value: 'Drama' } }, { tag: { operator: 'isNot', value: 'nothing' } }],
      };
      const found = await app.read(`/api/v1/series/list?page=0&size=40&sort=${order}`, wrapped(series), {
        body: { fullTextSearch: '', condition },
      });
      assert.is(found.totalElements, 1, order);
    }
    assert.is((await searched('no such words')).length, 0);
  });
  check('0.9: chapters by one condition with several keys, all of which count', async () => {
    const [{ id }] = await searched();
    const chapters = async (more: object): Promise<readonly unknown[]> => {
      const condition = {
        seriesId: { operator: 'is', value: id },
        deleted: { operator: 'isFalse' },
        mediaStatus: { operator: 'is', value: 'READY' },
        ...more,
      };
      return (await app.read('/api/v1/books/list?unpaged=true', wrapped(book), { body: { condition } })).content;
    };
    assert.is((await chapters({})).length, VOLUMES);
    assert.is((await chapters({ mediaStatus: { operator: 'is', value: 'ERROR' } })).length, 0);
    assert.is((await chapters({ deleted: { operator: 'isTrue' } })).length, 0);
  });
  check('0.9: details, pages, images, progress', async () => {
    const [{ id }] = await searched();
    await app.read(`/api/v1/series/${id}`, series);
    const { content } = await app.read(`/api/v1/series/${id}/books`, wrapped(book));
    const pages = await app.read(`/api/v1/books/${content[0].id}/pages`, listOf(page));
    await app.image(`/api/v1/books/${content[0].id}/pages/${pages[0].number}`);
    await app.image(`/api/v1/books/${content[0].id}/pages/${pages[0].number}?convert=png`);
    await app.change('PATCH', `/api/v1/books/${content[0].id}/read-progress`, { completed: true });
    const tracking = await app.read(`/api/v2/series/${id}/read-progress/tachiyomi`, record({ booksReadCount: int }));
    assert.is(tracking.booksReadCount, 1);
  });
};

const earlier = (check: Check): void => {
  check('0.8: a sort key that does not exist is ignored', async () => {
    for (const order of ['titleSort', 'lastModified,desc', 'unheard.of,asc'])
      await app.read(`/api/v1/series?search=zot&page=0&size=20&sort=${order}`, wrapped(series));
  });
  check('0.8: chapters, what is being read, home', async () => {
    const [{ id }] = await searched();
    const chapters = await app.read(
      `/api/v1/series/${id}/books?unpaged=true&media_status=READY&deleted=false`,
      wrapped(book),
    );
    assert.is(chapters.content.length, VOLUMES);
    await app.change('PATCH', `/api/v1/books/${chapters.content[4].id}/read-progress`, { page: 2 });
    const path = '/api/v1/books?sort=readProgress.readDate,desc&read_status=IN_PROGRESS&page=0&size=20&deleted=false';
    assert.equal(
      (await app.read(path, wrapped(book))).content.map(({ id: one }: { id: string }) => one),
      [chapters.content[4].id],
    );
    for (const row of ['series/new', 'series/updated']) await app.read(`/api/v1/${row}`, wrapped(series));
    await app.read('/api/v1/books/ondeck', wrapped(book));
  });
  check('its tracker: a slash at the end; page 1 and completed together end completed', async () => {
    const [{ id }] = await searched();
    await app.read(`/api/v1/series/${id}/`, series);
    const { content } = await app.read(`/api/v1/series/${id}/books?unpaged=true`, wrapped(book));
    const last = content.at(-1).id;
    await app.change('PATCH', `/api/v1/books/${last}/read-progress`, { page: 1, completed: true });
    const found = await app.read(`/api/v1/books/${last}`, record({ readProgress: record({ completed: oneOf(true) }) }));
    assert.ok(found);
  });
};

block(
  'Paperback',
  (check) => {
    current(check);
    earlier(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      app = server.app('/komga', {
        authorization: basicOf(PERSON.username, PERSON.password),
        Accept: '*/*',
        'User-Agent': 'Paperback/0.9 (iOS)',
      });
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
