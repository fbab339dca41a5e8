// Komf, which fetches metadata and covers for books: it follows events, reads series and books as strictly as Komelia, sends metadata with
// links and locks, and replaces the covers that it uploaded before.
import { formOf, image } from '../form.js';
import { assert, block, type Check } from '../kit.js';
import { ADMIN, type App, type AppServer, basicOf, startAppServer, VOLUMES } from './app-server.js';
import { book, id as idText, library, pageOf, series } from './comic-shapes.js';
import { type Events, watchEvents } from './event-reader.js';
import { listOf, oneOf, type Reader, record, text, yesNo } from './strict.js';

let server: AppServer;
let app: App;
let events: Events;

const thumbnail = (owner: 'bookId' | 'seriesId'): Reader =>
  record({ id: text, [owner]: idText, type: oneOf('GENERATED', 'SIDECAR', 'USER_UPLOADED'), selected: yesNo });

type Kind = 'books' | 'series';

const OWNERS = { books: 'bookId', series: 'seriesId' } as const;

const coversOf = (kind: Kind, id: string) =>
  app.read(`api/v1/${kind}/${id}/thumbnails`, listOf(thumbnail(OWNERS[kind])));

const upload = async (kind: Kind, id: string, selected: boolean): Promise<string> => {
  const { body, headers } = await formOf({ file: image('png-palette-alpha.png'), selected: String(selected) });
  const { address, headers: own } = app.place(`api/v1/${kind}/${id}/thumbnails`);
  const type = headers['content-type'] ?? '';
  const answer = await fetch(address, {
    method: 'POST',
    headers: { ...own, 'Content-Type': type },
    body: new Uint8Array(body),
  });
  assert.is(answer.status, 200);
  const made = (await answer.json()) as { readonly id: string };
  thumbnail(OWNERS[kind])(made, '');
  return made.id;
};

const zot = async () => {
  const body = { fullTextSearch: 'Zot', condition: { type: 'AllOfSeries', allOf: [] } };
  const page = await app.read('api/v1/series/list?page=0&size=500&unpaged=false', pageOf(series), { body });
  return page.content[0];
};

const booksOf = async (seriesId: string) => {
  const condition = { type: 'SeriesId', seriesId: { type: 'Is', operator: 'is', value: seriesId } };
  const path = 'api/v1/books/list?unpaged=true&sort=metadata.numberSort,asc';
  return (await app.read(path, pageOf(book), { body: { condition } })).content;
};

const reading = (check: Check): void => {
  check('libraries, series and their books, and the events that are followed', async () => {
    const headers = { Authorization: basicOf(ADMIN.username, ADMIN.password), Accept: 'application/json' };
    app = server.app('/komga/', headers);
    const libraries = await app.read('api/v1/libraries', listOf(library));
    const found = await zot();
    assert.is(found.libraryId, libraries[0].id);
    await app.read(`api/v1/libraries/${found.libraryId}`, library);
    await app.read(`api/v1/series/${found.id}`, series);
    const books = await booksOf(found.id);
    assert.is(books.length, VOLUMES);
    await app.read(`api/v1/books/${books[0].id}`, book);
    events = await watchEvents(app, 'sse/v1/events');
  });
};

const SERIES_CHANGE = {
  status: 'ENDED',
  title: 'Zot!',
  titleSort: 'Zot',
  alternateTitles: [{ label: 'Native', title: 'ゾット' }],
  summary: 'What Komf found.',
  publisher: 'Another House',
  readingDirection: 'LEFT_TO_RIGHT',
  ageRating: 13,
  language: 'en',
  genres: ['Science Fiction', 'Drama'],
  tags: ['found'],
  totalBookCount: 36,
  links: [
    { label: 'MyAnimeList', url: 'https://list.example/manga/1' },
    { label: 'Kitsu', url: 'https://kitsu.example/manga/1' },
  ],
} as const;

const BOOK_CHANGE = {
  title: 'The first part',
  summary: 'It begins.',
  number: '1',
  numberSort: 1,
  releaseDate: '2019-04-05',
  authors: [
    { name: 'Ann Author', role: 'writer' },
    { name: 'Cy Colour', role: 'colorist' },
    { name: 'Tam Word', role: 'translator' },
  ],
  tags: ['found'],
  isbn: '9780306406157',
  links: [{ label: 'Publisher', url: 'https://house.example/1' }],
};

const locksOf = (fields: object, value: boolean) =>
  Object.fromEntries(Object.keys(fields).map((field) => [`${field}Lock`, value]));

/** Lists of names are shown in order. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value) && typeof value[0] === 'string' ? [...value].sort() : value;

const assertShown = (metadata: Readonly<Record<string, unknown>>, change: object, isLocked: boolean): void => {
  for (const [field, value] of Object.entries(change)) {
    assert.equal(sorted(metadata[field]), sorted(value), field);
    assert.is(metadata[`${field}Lock`], isLocked, `${field}Lock`);
  }
};

const changing = (check: Check): void => {
  check('metadata of a series with all locks is shown as it was sent, and reported', async () => {
    const { id, libraryId } = await zot();
    await app.change('PATCH', `api/v1/series/${id}/metadata`, { ...SERIES_CHANGE, ...locksOf(SERIES_CHANGE, true) });
    const { metadata } = await app.read(`api/v1/series/${id}`, series);
    assertShown(metadata, SERIES_CHANGE, true);
    assert.equal(await events.next('SeriesChanged'), { seriesId: id, libraryId });
  });
  check('metadata of a book with all locks is shown as it was sent, and reported', async () => {
    const { id: seriesId, libraryId } = await zot();
    const [{ id }] = await booksOf(seriesId);
    await app.change('PATCH', `api/v1/books/${id}/metadata`, { ...BOOK_CHANGE, ...locksOf(BOOK_CHANGE, true) });
    const { metadata } = await app.read(`api/v1/books/${id}`, book);
    assertShown(metadata, BOOK_CHANGE, true);
    assert.equal(await events.next('BookChanged'), { bookId: id, seriesId, libraryId });
  });
  check('metadata without locks, and a part of it: what is not sent stays', async () => {
    const { id } = await zot();
    await app.change('PATCH', `api/v1/series/${id}/metadata`, { summary: 'Another summary.' });
    const { metadata } = await app.read(`api/v1/series/${id}`, series);
    assertShown(metadata, { ...SERIES_CHANGE, summary: 'Another summary.' }, true);
  });
  check('a reset with all locks off shows what the file says', async () => {
    const { id: seriesId } = await zot();
    const [{ id, name }] = await booksOf(seriesId);
    const empty = { title: name, summary: '', number: '1', numberSort: 1, releaseDate: null, isbn: null };
    const reset = { ...empty, authors: [], tags: [], links: [] };
    await app.change('PATCH', `api/v1/books/${id}/metadata`, { ...reset, ...locksOf(reset, false) });
    const { metadata } = await app.read(`api/v1/books/${id}`, book);
    assert.equal(
      Object.keys(locksOf(reset, false)).filter((lock) => metadata[lock]),
      [],
    );
    assert.equal([metadata.isbn, metadata.links], ['', []]);
  });
};

const covers = (check: Check): void => {
  for (const kind of ['series', 'books'] as const)
    check(`covers of ${kind} are listed, uploaded, selected and replaced`, async () => {
      const found = await zot();
      const id = kind === 'series' ? found.id : (await booksOf(found.id))[0].id;
      const uploads = async () =>
        (await coversOf(kind, id))
          .filter(({ type }: { type: string }) => type === 'USER_UPLOADED')
          .map((one: { id: string; selected: boolean }) => [one.id, one.selected]);
      assert.equal(await uploads(), []);
      const before = await app.image(`api/v1/${kind}/${id}/thumbnail`);
      const first = await upload(kind, id, true);
      const event = await events.next(kind === 'series' ? 'ThumbnailSeriesAdded' : 'ThumbnailBookAdded');
      record({ [OWNERS[kind]]: idText, selected: yesNo })(event, '');
      assert.equal(await uploads(), [[first, true]]);
      const uploaded = await app.image(`api/v1/${kind}/${id}/thumbnail`);
      assert.not.equal(uploaded.bytes, before.bytes);
      const second = await upload(kind, id, false);
      assert.equal(await uploads(), [
        [first, true],
        [second, false],
      ]);
      const path = `api/v1/${kind}/${id}/thumbnails`;
      assert.is((await app.send('PUT', `${path}/${second}/selected`)).status, 202);
      assert.is((await app.send('DELETE', `${path}/${first}`)).status, 202);
      assert.equal(await uploads(), [[second, true]]);
      await app.image(`${path}/${second}`);
      assert.is((await app.send('DELETE', `${path}/${second}`)).status, 202);
      assert.equal((await app.image(`api/v1/${kind}/${id}/thumbnail`)).bytes, before.bytes);
    });
};

block(
  'Komf',
  (check) => {
    reading(check);
    changing(check);
    covers(check);
  },
  {
    before: async () => {
      server = await startAppServer();
    },
    after: async () => {
      events?.close();
      await server.stop();
    },
    deadlineS: 120,
  },
);
