// Mihon and Tachiyomi with the comic-server extension: filters, browsing, chapters, pages, covers; and its tracker (mihon-tracker.ts).
import { assert, block, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PAGES, PERSON, startAppServer, VOLUMES } from './app-server.js';
import { trackerFacts } from './mihon-tracker.js';
import { int, listOf, number, oneOf, perhaps, type Reader, record, text, yesNo } from './strict.js';

let server: AppServer;
let app: App;

/** What it shows as the author: it compares the whole word. */
const WRITER = 'writer';

const IMAGES = { Accept: 'image/*,*/*;q=0.8' };
const AGENT = { 'User-Agent': 'TachiyomiKomga/1.4.60', 'Accept-Encoding': 'gzip' };

const author = record({ name: text, role: text });

/** What the parser of the extension requires; everything else has a default. */
const series = record({
  id: text,
  libraryId: text,
  name: text,
  fileLastModified: text,
  booksCount: int,
  metadata: record({
    status: text,
    title: text,
    titleSort: text,
    summary: text,
    summaryLock: yesNo,
    readingDirection: text,
    readingDirectionLock: yesNo,
    publisher: text,
    publisherLock: yesNo,
    ageRatingLock: yesNo,
    language: text,
    languageLock: yesNo,
    genres: listOf(text),
    genresLock: yesNo,
    tags: listOf(text),
    tagsLock: yesNo,
  }),
  booksMetadata: record({
    summary: text,
    summaryNumber: text,
    created: text,
    lastModified: text,
    authors: listOf(author),
  }),
});
const book = record({
  id: text,
  seriesId: text,
  seriesTitle: text,
  name: text,
  number,
  fileLastModified: text,
  sizeBytes: number,
  size: text,
  media: record({ status: text, mediaType: text, pagesCount: int, mediaProfile: oneOf('DIVINA', 'PDF', 'EPUB', '') }),
  metadata: record({
    title: text,
    titleLock: yesNo,
    summary: text,
    summaryLock: yesNo,
    number: text,
    numberLock: yesNo,
    numberSort: number,
    numberSortLock: yesNo,
    releaseDate: perhaps(text),
    releaseDateLock: yesNo,
    authors: listOf(author),
    authorsLock: yesNo,
    tags: listOf(text),
    tagsLock: yesNo,
  }),
});
const page = record({ number: int, fileName: text, mediaType: text });
const collection = record({
  id: text,
  name: text,
  ordered: yesNo,
  seriesIds: listOf(text),
  createdDate: text,
  lastModifiedDate: text,
  filtered: yesNo,
});
const readList = record({
  id: text,
  name: text,
  summary: text,
  bookIds: listOf(text),
  createdDate: text,
  lastModifiedDate: text,
  filtered: yesNo,
});
const wrapped = (content: Reader): Reader =>
  record({
    content: listOf(content),
    empty: yesNo,
    first: yesNo,
    last: yesNo,
    number: int,
    numberOfElements: int,
    size: int,
    totalElements: int,
    totalPages: int,
  });

const zotId = async (): Promise<string> => {
  const found = await app.read('/api/v1/series?search=Zot&page=0&deleted=false', wrapped(series));
  assert.equal([found.totalElements, found.content[0].metadata.title], [1, 'Zot']);
  return found.content[0].id;
};

/** As the extension asks: all of one series. */
const chapters = async (id: string) =>
  (await app.read(`/api/v1/series/${id}/books?unpaged=true&media_status=READY&deleted=false`, wrapped(book))).content;

const signIn = (check: Check): void => {
  check('without an answer to the challenge there is nothing; the challenge asks for Basic, once', async () => {
    const bare = server.app('/komga', AGENT);
    for (const headers of [{}, { Authorization: basicOf(PERSON.username, 'wrong') }]) {
      const refused = await bare.send('GET', '/api/v1/libraries', { headers });
      assert.is(refused.status, 401);
      assert.match(refused.header('www-authenticate'), /^Basic realm="[^"]+"/);
    }
    const { username, password } = PERSON;
    const known = await bare.send('GET', '/api/v1/libraries', {
      headers: { Authorization: basicOf(username, password) },
    });
    assert.is(known.status, 200);
  });
  check('an API key in X-API-Key signs in; a wrong one does not', async () => {
    assert.is((await app.send('GET', '/api/v1/libraries')).status, 200);
    assert.is((await app.with({ 'X-API-Key': 'svc_wrong' }).send('GET', '/api/v1/libraries')).status, 401);
  });
};

const browse = (check: Check): void => {
  check('all lists of its filters answer, in one go', async () => {
    const [libraries, collections, genres, tags, publishers, authors] = await Promise.all([
      app.read('/api/v1/libraries', listOf(record({ id: text, name: text }))),
      app.read('/api/v1/collections?unpaged=true', wrapped(collection)),
      app.read('/api/v1/genres', listOf(text)),
      app.read('/api/v1/tags', listOf(text)),
      app.read('/api/v1/publishers', listOf(text)),
      app.read('/api/v1/authors', listOf(author)),
    ]);
    assert.is(libraries.length, 1);
    assert.ok(Array.isArray(collections.content));
    assert.ok(genres.includes('Adventure') && tags.includes('robots') && publishers.includes('House'));
    const ann = authors.find(
      ({ name, role }: { name: string; role: string }) => name === 'Ann Author' && role === WRITER,
    );
    assert.ok(ann, JSON.stringify(authors));
  });
  for (const [what, path] of [
    ['popular', '/series?search=&page=0&deleted=false&sort=metadata.titleSort,asc'],
    ['latest', '/series?search=&page=0&deleted=false&sort=lastModifiedDate,desc'],
    ['a search without words', '/series?search=&page=0&deleted=false&sort=relevance,asc'],
    ['random', '/series?page=0&deleted=false&sort=random,asc'],
    ['by number of books', '/series?page=0&deleted=false&sort=booksCount,desc'],
    ['by last reading', '/series?page=0&deleted=false&sort=readDate,desc'],
    [
      'all genres and tags',
      '/series?page=0&genre=Adventure,Drama&tag=robots&publisher=House&author=Ann%20Author,writer',
    ],
    ['of one status', '/series?page=0&status=ONGOING,ENDED&read_status=UNREAD&read_status=IN_PROGRESS'],
  ] as const)
    check(`series: ${what}`, async () => {
      const found = await app.read(`/api/v1${path}`, wrapped(series));
      const names = found.content.map(({ metadata }: { metadata: { title: string } }) => metadata.title);
      assert.ok(names.includes('Zot'), names.join());
    });
  check('filters exclude: a genre, an author, a library, a status that nothing has', async () => {
    for (const query of [
      'genre=Cookery',
      'author=Nobody,writer',
      'library_id=00000000000000000000000000000000',
      'read_status=READ',
    ])
      assert.is((await app.read(`/api/v1/series?page=0&${query}`, wrapped(series))).totalElements, 0, query);
  });
  check('books and read lists are browsed the same way', async () => {
    const books = await app.read('/api/v1/books?search=&page=0&deleted=false&sort=createdDate,desc', wrapped(book));
    assert.is(books.totalElements, VOLUMES + 5);
    await app.read('/api/v1/readlists?search=&page=0&deleted=false&sort=name,asc', wrapped(readList));
  });
  check('details and cover of a series', async () => {
    const id = await zotId();
    const found = await app.read(`/api/v1/series/${id}`, series);
    assert.is(found.booksCount, VOLUMES);
    assert.equal(found.booksMetadata.authors.filter(({ role }: { role: string }) => role === WRITER).length, 1);
    await app.image(`/api/v1/series/${id}/thumbnail`, { headers: IMAGES });
  });
};

const read = (check: Check): void => {
  check('the chapters of a series are all of its books, not a page of them', async () => {
    const found = await chapters(await zotId());
    assert.is(found.length, VOLUMES);
    const numbers = found.map(({ metadata }: { metadata: { numberSort: number } }) => metadata.numberSort);
    assert.equal(
      numbers,
      Array.from({ length: VOLUMES }, (_, index) => index + 1),
    );
  });
  check('pages of a chapter, their images and the cover', async () => {
    const [{ id }] = await chapters(await zotId());
    await app.read(`/api/v1/books/${id}?unpaged=true&media_status=READY&deleted=false`, book);
    const pages = await app.read(`/api/v1/books/${id}/pages`, listOf(page));
    assert.equal(
      pages.map(({ number: at }: { number: number }) => at),
      Array.from({ length: PAGES }, (_, index) => index + 1),
    );
    for (const { number: at, mediaType } of pages)
      assert.is(
        (await app.image(`/api/v1/books/${id}/pages/${at}`, { headers: IMAGES })).header('content-type'),
        mediaType,
      );
    await app.image(`/api/v1/books/${id}/thumbnail`, { headers: IMAGES });
  });
  check('pages of the types that Android shows come as they are; what is converted is PNG', async () => {
    const { content } = await app.read('/api/v1/books?search=image-formats&page=0', wrapped(book));
    const path = `/api/v1/books/${content[0].id}/pages`;
    const pages = await app.read(path, listOf(page));
    for (const { number: at, mediaType } of pages)
      assert.is((await app.image(`${path}/${at}`, { headers: IMAGES })).header('content-type'), mediaType);
    const { number: webp } = pages.find(({ mediaType }: { mediaType: string }) => mediaType === 'image/webp');
    const converted = await app.image(`${path}/${webp}?convert=png`, { headers: IMAGES });
    assert.is(converted.header('content-type'), 'image/png');
    assert.is((await app.send('GET', `${path}/${webp}?convert=bmp`)).status, 400);
  });
};

block(
  'Mihon',
  (check) => {
    signIn(check);
    browse(check);
    read(check);
    trackerFacts(check, () => ({ server, zotId, chapters }));
  },
  {
    before: async () => {
      server = await startAppServer();
      app = server.app('/komga', { ...AGENT, 'X-API-Key': server.key });
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
