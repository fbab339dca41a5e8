// The plugins of KOReader for the comic-server API, by the names of their repositories: hchsoon, kokomga, akamuraasai and Eernie. They read
// JSON only from a content type that they know, ask for bodies as they are, and count only 200 as an answer.
import { assert, block, type Check } from '../kit.js';
import {
  type Answer,
  type App,
  type AppServer,
  basicOf,
  PAGES,
  PERSON,
  startAppServer,
  VOLUMES,
} from './app-server.js';
import { filledText, int, listOf, number, orNull, type Reader, record, text, yesNo } from './strict.js';

let server: AppServer;
let hchsoon: App;
let kokomga: App;
let plain: App;

const BASIC = { Authorization: basicOf(PERSON.username, PERSON.password) };
const ACCEPTED = [
  'application/json',
  'application/webpub+json',
  'application/vnd.readium.position-list+json',
  'application/vnd.readium.progression+json',
];
const KINDLE = {
  'User-Agent': 'Mozilla/5.0 (X11; U; Linux armv7l like Android; en-us) AppleWebKit/531.2+ Kindle/3.0+',
  Accept: ACCEPTED.join(','),
  'Accept-Encoding': 'identity',
};

const wrapped = (content: Reader): Reader => record({ content: listOf(content), totalPages: int, last: yesNo });
const series = record({ id: filledText, name: text, booksCount: int, metadata: record({ title: filledText }) });
const book = record({
  id: filledText,
  seriesId: filledText,
  seriesTitle: text,
  name: filledText,
  number: int,
  sizeBytes: int,
  media: record({ mediaType: filledText, mediaProfile: text, pagesCount: int, status: text }),
  metadata: record({ title: filledText, number: text, numberSort: number }),
  readProgress: orNull(record({ page: int, completed: yesNo })),
});

/** What hchsoon does with each answer before it looks inside. */
const decoded = (answer: Answer, at: string): Answer => {
  assert.is(answer.status, 200, `${at}: ${answer.bytes.toString().slice(0, 200)}`);
  assert.is(answer.header('content-encoding'), '', `${at}: as it is`);
  assert.is(Number(answer.header('content-length')), answer.bytes.length, `${at}: the length that was announced`);
  const type = answer.header('content-type');
  assert.ok(
    ACCEPTED.some((known) => type.includes(known)),
    `${at}: a content type that it decodes, not ${type}`,
  );
  return answer;
};

// biome-ignore lint/suspicious/noExplicitAny: read by a strict reader first
const read = async (path: string, reader: Reader, body?: unknown): Promise<any> => {
  const answer = await hchsoon.send(body === undefined ? 'GET' : 'POST', path, { body });
  reader(decoded(answer, path).json, path);
  return answer.json;
};

const titled = async (words: string) => {
  const { content } = await read('/api/v1/books/list?size=1000&page=0', wrapped(book), { fullTextSearch: words });
  return content[0];
};

const zotId = async (): Promise<string> =>
  (await read('/api/v1/series/list?size=1000&page=0', wrapped(series), { fullTextSearch: 'Zot' })).content[0].id;

const booksOf = async (seriesId: string) => {
  const body = { condition: { allOf: [{ seriesId: { operator: 'is', value: seriesId } }] } };
  return (await read('/api/v1/books/list?size=1000&page=0', wrapped(book), body)).content;
};

const keys = (check: Check): void => {
  check('hchsoon: a password is exchanged for a key, which signs in; the same comment again is 400', async () => {
    const login = server.app('/komga', { ...KINDLE, ...BASIC });
    const sent = { body: { comment: 'KOReader on a Kindle' } };
    const made = await login.send('POST', '/api/v2/users/me/api-keys', sent);
    record({ id: filledText, key: filledText, comment: filledText })(decoded(made, 'api-keys').json, '');
    assert.is((await login.send('POST', '/api/v2/users/me/api-keys', sent)).status, 400);
    hchsoon = server.app('/komga', { ...KINDLE, 'X-API-Key': made.json.key });
    await read('/api/v1/libraries', listOf(record({ id: filledText, name: filledText })));
  });
  check('hchsoon: with a key that is wrong, 401', async () => {
    assert.is((await hchsoon.with({ 'X-API-Key': 'wrong' }).send('GET', '/api/v1/libraries')).status, 401);
  });
};

const browsing = (check: Check): void => {
  check('hchsoon: pages of series and books until the number of pages', async () => {
    const shelf = await read('/api/v1/series/list?size=1000&page=0', wrapped(series), { fullTextSearch: '' });
    assert.equal([shelf.content.length, shelf.totalPages, shelf.last], [2, 1, true]);
    assert.is((await booksOf(await zotId())).length, VOLUMES);
    const beyond = await read('/api/v1/series/list?size=1000&page=1', wrapped(series), { fullTextSearch: '' });
    assert.is(beyond.content.length, 0);
  });
  check('hchsoon: pages from 1, with an image type, and the number of bytes that was announced', async () => {
    const [{ id, media }] = await booksOf(await zotId());
    assert.is(media.pagesCount, PAGES);
    await read(`/api/v1/books/${id}`, book);
    for (let page = 1; page <= PAGES; page += 1) await hchsoon.image(`/api/v1/books/${id}/pages/${page}`);
    assert.is((await hchsoon.send('GET', `/api/v1/books/${id}/pages/0`)).status, 400);
    await hchsoon.image(`/api/v1/books/${id}/thumbnail?v=1720000000`);
    await read(`/api/v1/books/${id}/next`, book);
  });
};

const downloads = (check: Check): void => {
  check('hchsoon: a download goes on where it stopped', async () => {
    const [{ id, sizeBytes }] = await booksOf(await zotId());
    const path = `/api/v1/books/${id}/file`;
    const whole = await hchsoon.send('GET', path);
    assert.equal([whole.status, whole.bytes.length], [200, sizeBytes]);
    assert.is(Number(whole.header('content-length')), sizeBytes);
    const rest = await hchsoon.send('GET', path, { headers: { Range: 'bytes=100-' } });
    assert.equal([rest.status, rest.header('content-range')], [206, `bytes 100-${sizeBytes - 1}/${sizeBytes}`]);
    assert.ok(rest.bytes.equals(whole.bytes.subarray(100)));
    const end = await hchsoon.send('GET', path, { headers: { Range: `bytes=${sizeBytes}-` } });
    assert.is(end.status, 416, 'there is no more');
  });
};

const epubs = (check: Check): void => {
  check('hchsoon: an EPUB by its manifest and positions; for a comic the manifest is 400', async () => {
    const { id, media } = await titled('Incomplete Theft');
    assert.is(media.mediaProfile, 'EPUB');
    const manifest = await read(
      `/api/v1/books/${id}/manifest/epub`,
      record({ metadata: record({ title: filledText }), readingOrder: listOf(record({ href: filledText })) }),
    );
    assert.ok(manifest.readingOrder.length > 0);
    const { total, positions } = await read(
      `/api/v1/books/${id}/positions`,
      record({ total: int, positions: listOf(record({ href: filledText, locations: record({ position: int }) })) }),
    );
    assert.is(positions.length, total);
    const [comic] = await booksOf(await zotId());
    assert.is((await hchsoon.send('GET', `/api/v1/books/${comic.id}/manifest/epub`)).status, 400);
  });
  check('hchsoon: progression; what is older than what is stored is 409', async () => {
    const { id } = await titled('Incomplete Theft');
    const path = `/api/v1/books/${id}/progression`;
    assert.is((await hchsoon.send('GET', path)).status, 204, 'none yet');
    const { positions } = await read(`/api/v1/books/${id}/positions`, record({ positions: listOf(record({})) }));
    const at = (modified: string, index: number) => ({
      device: { id: 'koreader', name: 'KOReader' },
      modified,
      locator: positions[index],
    });
    await hchsoon.change('PUT', path, at('2026-02-01T10:00:00Z', 1));
    await hchsoon.change('PUT', path, at('2026-02-01T11:00:00Z', 2));
    assert.is((await hchsoon.send('PUT', path, { body: at('2026-02-01T10:30:00Z', 0) })).status, 409);
    const stored = await read(path, record({ device: record({ id: text, name: text }), modified: text }));
    assert.equal(
      [stored.device.id, stored.modified, stored.locator.locations.position],
      ['koreader', '2026-02-01T11:00:00Z', positions[2].locations.position],
    );
  });
};

const readProgress = async (id: string) => (await read(`/api/v1/books/${id}`, book)).readProgress;

const progress = (check: Check): void => {
  check('hchsoon and Eernie: page and completed in one', async () => {
    const [{ id }] = await booksOf(await zotId());
    await hchsoon.change('PATCH', `/api/v1/books/${id}/read-progress`, { page: 2, completed: false });
    assert.equal([(await readProgress(id)).page, (await readProgress(id)).completed], [2, false]);
    await plain.change('PATCH', `/api/v1/books/${id}/read-progress`, { page: PAGES, completed: true });
    assert.equal([(await readProgress(id)).page, (await readProgress(id)).completed], [PAGES, true]);
  });
};

const others = (check: Check): void => {
  check('kokomga: the account, by either version; a key of its own', async () => {
    for (const version of ['v2', 'v1'])
      await kokomga.read(`/api/${version}/users/me`, record({ id: filledText, email: filledText }));
    const body = { comment: 'KOReader Client' };
    await kokomga.read('/api/v2/users/me/api-keys', record({ key: filledText }), { body });
  });
  check('kokomga: shelves, a search in a series, what is being read, next, cover and file', async () => {
    const id = await zotId();
    await kokomga.read('/api/v1/libraries', listOf(record({ id: filledText, name: text })));
    await kokomga.read('/api/v1/series', wrapped(series));
    await kokomga.read('/api/v1/series/new', wrapped(series));
    await kokomga.read('/api/v1/books/ondeck', wrapped(book));
    const found = await kokomga.read(`/api/v1/books?search=Part&series_id=${id}`, wrapped(book));
    assert.is(found.content.length, 20);
    const [first, second, third] = await booksOf(id);
    await kokomga.change('PATCH', `/api/v1/books/${second.id}/read-progress`, { page: 1, completed: false });
    const reading = await kokomga.read('/api/v1/books?read_status=IN_PROGRESS&sort=lastModified,desc', wrapped(book));
    assert.ok(reading.content.some((one: { id: string }) => one.id === second.id));
    assert.not.ok(reading.content.some((one: { id: string }) => one.id === first.id));
    assert.is((await kokomga.read(`/api/v1/books/${second.id}/next`, book)).id, third.id);
    await kokomga.image(`/api/v1/books/${first.id}/thumbnail`, { headers: { Accept: 'image/*' } });
    assert.is((await kokomga.send('GET', `/api/v1/books/${first.id}/file`)).bytes.length, first.sizeBytes);
  });
  check('akamuraasai: 500 series, all books of one in order, what is being read, latest, collections', async () => {
    const path = '/api/v1/series?search=zot&page=0&size=500&sort=metadata.titleSort,asc';
    const [{ id }] = (await plain.read(path, wrapped(series))).content;
    const all = await plain.read(`/api/v1/series/${id}/books?unpaged=true&sort=metadata.numberSort,asc`, wrapped(book));
    assert.equal(
      all.content.map(({ metadata }: { metadata: { numberSort: number } }) => metadata.numberSort),
      Array.from({ length: VOLUMES }, (_, index) => index + 1),
    );
    await plain.read('/api/v1/books?read_status=IN_PROGRESS&sort=readProgress.readDate,desc', wrapped(book));
    await plain.read('/api/v1/books/latest', wrapped(book));
    await plain.read('/api/v1/series/new', wrapped(series));
    const made = await server.admin('POST', '/collections', { name: 'Kept' });
    assert.is(made.status, 201);
    const { content } = await plain.read('/api/v1/collections', wrapped(record({ id: filledText, name: filledText })));
    const kept = content.find(({ name }: { name: string }) => name === 'Kept');
    assert.is((await plain.read(`/api/v1/collections/${kept.id}/series`, wrapped(series))).content.length, 0);
  });
  check('Eernie: all series on one page, and the file of a book', async () => {
    const all = await plain.read('/api/v1/series?unpaged=true', wrapped(series));
    assert.equal([all.content.length, all.totalPages, all.last], [2, 1, true]);
    const file = await plain.send('GET', `/api/v1/books/${(await titled('Incomplete Theft')).id}/file`);
    assert.equal([file.status, file.header('content-type')], [200, 'application/epub+zip']);
  });
};

block(
  'KOReader, plugins',
  (check) => {
    keys(check);
    browsing(check);
    downloads(check);
    epubs(check);
    progress(check);
    others(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      kokomga = server.app('/komga', { ...BASIC, Accept: 'application/json' });
      plain = server.app('/komga', BASIC);
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
