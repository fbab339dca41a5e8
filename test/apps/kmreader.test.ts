// KMReader (Swift): Basic on every request, ISO dates without a fraction, the Divina manifest, PATCH of the progress of a series.
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PAGES, PERSON, startAppServer, VOLUMES } from './app-server.js';
import { timestamp } from './comic-shapes.js';
import { filledText, int, listOf, number, orNull, perhaps, type Reader, record, text, yesNo } from './strict.js';

let server: AppServer;
let app: App;

const sort = record({ sorted: yesNo, unsorted: yesNo, empty: yesNo });
const wrapped = (content: Reader): Reader =>
  record({
    content: listOf(content),
    pageable: record({ pageNumber: int, pageSize: int, offset: int, sort, paged: yesNo, unpaged: yesNo }),
    totalElements: int,
    totalPages: int,
    last: yesNo,
    first: yesNo,
    number: int,
    numberOfElements: int,
    size: int,
    empty: yesNo,
    sort,
  });
const series = record({
  id: filledText,
  libraryId: filledText,
  name: text,
  url: text,
  created: timestamp,
  lastModified: timestamp,
  booksCount: int,
  booksReadCount: int,
  booksUnreadCount: int,
  booksInProgressCount: int,
  metadata: record({ title: text, titleSort: text, created: perhaps(timestamp), lastModified: perhaps(timestamp) }),
  booksMetadata: record({ created: perhaps(timestamp), lastModified: perhaps(timestamp) }),
  deleted: yesNo,
  oneshot: yesNo,
});
const book = record({
  id: filledText,
  seriesId: filledText,
  libraryId: filledText,
  name: text,
  url: text,
  number,
  created: timestamp,
  lastModified: timestamp,
  sizeBytes: int,
  size: text,
  media: record({ status: text, mediaType: filledText, pagesCount: int }),
  metadata: record({ title: text, number: text, numberSort: number }),
  readProgress: orNull(
    record({ page: int, completed: yesNo, readDate: timestamp, created: timestamp, lastModified: timestamp }),
  ),
});
const bookPage = record({ number: int, fileName: text, mediaType: text, size: text });

const zot = async () =>
  (await app.read('/api/v1/series?search=Zot&page=0&size=20&sort=metadata.titleSort,asc', wrapped(series))).content[0];

const booksOf = async (seriesId: string) => {
  const body = { condition: { allOf: [{ seriesId: { operator: 'is', value: seriesId } }] } };
  return (await app.read('/api/v1/books/list?page=0&size=500&sort=metadata.numberSort,asc', wrapped(book), { body }))
    .content;
};

const browse = (check: Check): void => {
  check('the login tells the person and the roles', async () => {
    await app.read(
      '/api/v2/users/me?remember-me=true',
      record({ id: filledText, email: filledText, roles: listOf(text) }),
    );
    const wrong = app.with({ Authorization: basicOf(PERSON.username, 'wrong') });
    assert.is((await wrong.send('GET', '/api/v2/users/me?remember-me=true')).status, 401);
  });
  check('libraries, series by search and by list, new and updated, on deck', async () => {
    await app.read('/api/v1/libraries', listOf(record({ id: filledText, name: text, root: text })));
    const { content } = await app.read('/api/v1/libraries', listOf(record({}))).then((all) => ({ content: all }));
    await app.read(
      `/api/v1/series?page=0&size=20&sort=metadata.titleSort,asc&library_id=${content[0].id}`,
      wrapped(series),
    );
    await app.read('/api/v1/series/list?page=0&size=20', wrapped(series), { body: {} });
    await app.read('/api/v1/series/new?page=0&size=20', wrapped(series));
    await app.read('/api/v1/series/updated?page=0&size=20', wrapped(series));
    await app.read('/api/v1/books/ondeck?page=0&size=20', wrapped(book));
  });
  check('up to 500 books at once', async () => assert.is((await booksOf((await zot()).id)).length, VOLUMES));
};

const read = (check: Check): void => {
  check('the Divina manifest has an address that loads for each page, with its size', async () => {
    const [{ id }] = await booksOf((await zot()).id);
    const order = listOf(record({ href: filledText, type: filledText, width: int, height: int }));
    const answer = await app.send('GET', `/api/v1/books/${id}/manifest`, {
      headers: { Accept: 'application/divina+json' },
    });
    assert.is(answer.status, 200);
    assert.match(answer.header('content-type'), /^application\/(?:divina|webpub)\+json/);
    record({ readingOrder: order })(answer.json, '');
    assert.is(answer.json.readingOrder.length, PAGES);
    for (const { href, type } of answer.json.readingOrder)
      assert.is(
        (await app.image(new URL(href, app.place(`/api/v1/books/${id}/manifest`).address).href)).header('content-type'),
        type,
      );
  });
  check('without it: pages and their images; next and previous', async () => {
    const found = await booksOf((await zot()).id);
    const pages = await app.read(`/api/v1/books/${found[1].id}/pages`, listOf(bookPage));
    await app.image(`/api/v1/books/${found[1].id}/pages/${pages[0].number}`);
    assert.is((await app.read(`/api/v1/books/${found[1].id}/previous`, book)).id, found[0].id);
    assert.is((await app.read(`/api/v1/books/${found[1].id}/next`, book)).id, found[2].id);
  });
  check('the file comes with its name, and in parts', async () => {
    const [{ id, sizeBytes, name }] = await booksOf((await zot()).id);
    const whole = await app.send('GET', `/api/v1/books/${id}/file`);
    assert.equal([whole.status, whole.bytes.length], [200, sizeBytes]);
    const disposition = whole.header('content-disposition');
    assert.match(disposition, /^attachment;/);
    assert.ok(disposition.includes(encodeURIComponent(name)), `${disposition} has no ${name}`);
    const part = await app.send('GET', `/api/v1/books/${id}/file`, { headers: { Range: 'bytes=4-' } });
    assert.equal([part.status, part.header('content-range')], [206, `bytes 4-${sizeBytes - 1}/${sizeBytes}`]);
    assert.ok(part.bytes.equals(whole.bytes.subarray(4)));
  });
};

const progress = (check: Check): void => {
  check('progress of a book, whose dates are read back', async () => {
    const [{ id }] = await booksOf((await zot()).id);
    await app.change('PATCH', `/api/v1/books/${id}/read-progress`, { page: 3, completed: false });
    const { readProgress } = await app.read(`/api/v1/books/${id}`, book);
    assert.equal([readProgress.page, readProgress.completed], [3, false]);
    await app.change('DELETE', `/api/v1/books/${id}/read-progress`);
    assert.is((await app.read(`/api/v1/books/${id}`, book)).readProgress, null);
  });
  check('a series is marked with PATCH, and unmarked', async () => {
    const { id } = await zot();
    await app.change('PATCH', `/api/v1/series/${id}/read-progress`, { completed: true });
    assert.is((await app.read(`/api/v1/series/${id}`, series)).booksReadCount, VOLUMES);
    await app.change('DELETE', `/api/v1/series/${id}/read-progress`);
    assert.is((await app.read(`/api/v1/series/${id}`, series)).booksReadCount, 0);
  });
};

block(
  'KMReader',
  (check) => {
    browse(check);
    read(check);
    progress(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      app = server.app('/komga', {
        Authorization: basicOf(PERSON.username, PERSON.password),
        Accept: 'application/json',
        'User-Agent': 'KMReader/3.0 CFNetwork/1490 Darwin/23',
      });
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
