// Events and small answers of the comic-server API, and work that is started there.
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, coversMade, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let library = '';
let book = '';
/** In a library that Ann does not see. */
let hidden = '';

const compact = (id: string): string => id.replaceAll('-', '');
const dashed = uuidOfHex;

const ask = (method: string, path: string, who = people.admin): Promise<Answer> =>
  people.temp.call(method, `/komga${path}`, { token: who.token });

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  for (const n of ['1', '2']) writeBook(join(temp.shelf, 'Ants', `Ants ${n}.cbz`), 2, n);
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  library = (await people.ask(admin.token, 'POST', '/libraries', { body })).json.id;
  await until('the books are there', async () => {
    const { data } = (await people.ask(admin.token, 'GET', '/books')).json;
    book = data[0]?.id ?? '';
    const analysed = data.filter(({ analyzed }: { analyzed: boolean }) => analyzed);
    return temp.app.scans.active().length === 0 && analysed.length === 2;
  });
  ann = await people.join('ann');
  writeBook(join(temp.shelf, '..', 'hidden', 'Bees', 'Bees 1.cbz'), 2, 'b');
  const other = { name: 'Hidden', path: join(temp.shelf, '..', 'hidden'), scanImmediately: true };
  const { id } = (await people.ask(admin.token, 'POST', '/libraries', { body: other })).json;
  await until('the hidden book is there', async () => {
    const { data } = (await people.ask(admin.token, 'GET', `/books?libraryId=${id}&library_id=${id}`)).json;
    hidden = data.length === 1 ? data[0].id : '';
    return temp.app.scans.active().length === 0 && data[0]?.analyzed === true;
  });
  await people.ask(admin.token, 'PATCH', `/users/${ann.id}`, { body: { libraryIds: [library] } });
  await coversMade(temp); // they are told too
  await until('the tasks end', () => !temp.app.tasks.isBusy);
};

/** The events of a stream, by name, until one of this name came. */
const firstOf = async (name: string, change: () => Promise<unknown>, who: Person): Promise<string> => {
  const left = new AbortController();
  const reply = await people.temp.reply('GET', '/komga/sse/v1/events', { token: who.token });
  if (reply.body.kind !== 'stream') throw new Error('no stream');
  let text = '';
  try {
    for await (const piece of reply.body.open(left.signal)) {
      if (text === '') void change();
      text += Buffer.from(piece).toString();
      const found = new RegExp(`event:(?:${name})\\ndata:(.*)\\n\\n`).exec(text)?.[1];
      if (found !== undefined) return found;
    }
  } finally {
    left.abort();
  }
  throw new Error(`no ${name} in ${text}`);
};

const facts = (check: Check): void => {
  check('a changed book is told by its ids', async () => {
    const change = () => people.ask(people.admin.token, 'PATCH', `/books/${book}`, { body: { title: 'Other' } });
    const data = JSON.parse(await firstOf('BookChanged', change, ann));
    assert.equal([data.bookId, data.libraryId], [book.replaceAll('-', ''), library.replaceAll('-', '')]);
    assert.equal(Object.keys(data).sort(), ['bookId', 'libraryId', 'seriesId']);
  });
  check('what somebody reads is told to them alone', async () => {
    const page = (who: Person, n: number) =>
      people.ask(who.token, 'PUT', `/books/${book}/progress`, { body: { current_page: n } });
    const change = async () => {
      await page(people.admin, 1);
      await page(ann, 1);
    };
    const told = JSON.parse(await firstOf('ReadProgressChanged', change, ann));
    assert.equal(told, { bookId: compact(book), userId: compact(ann.id) });
    const gone = await firstOf(
      'ReadProgressDeleted',
      () => people.ask(ann.token, 'DELETE', `/books/${book}/progress`),
      ann,
    );
    assert.equal(JSON.parse(gone), { bookId: compact(book), userId: compact(ann.id) });
  });
  check('a series that is marked is told as a whole', async () => {
    const { seriesId } = (await people.ask(ann.token, 'GET', `/books/${book}`)).json;
    const path = `/komga/api/v1/series/${compact(seriesId)}/read-progress`;
    const mark = (method: string) => () => people.temp.call(method, path, { token: ann.token });
    const told = { seriesId: compact(seriesId), userId: compact(ann.id) };
    assert.equal(JSON.parse(await firstOf('ReadProgressSeriesChanged', mark('POST'), ann)), told);
    assert.equal(JSON.parse(await firstOf('ReadProgressSeriesDeleted', mark('DELETE'), ann)), told);
  });
  check('lists are told with the members that one sees, to those whom they show something', async () => {
    const { temp, admin } = people;
    const lists = '/komga/api/v1/readlists';
    const send = (method: string, path: string, body?: object) =>
      temp.call(method, path, { token: admin.token, ...(body === undefined ? {} : { body }) });
    let id = '';
    const make = async () => {
      await send('POST', lists, { name: 'Mine', bookIds: [hidden] });
      id = (await send('POST', lists, { name: 'Both', bookIds: [book, hidden] })).json.id;
    };
    const told = JSON.parse(await firstOf('ReadListAdded|ReadListChanged', make, ann));
    await until('the list is known', () => id !== '');
    assert.equal(told, { readListId: id, bookIds: [compact(book)] });
    const empty = () => send('PATCH', `${lists}/${id}`, { bookIds: [hidden] });
    assert.equal(JSON.parse(await firstOf('ReadListDeleted', empty, ann)), { readListId: id, bookIds: [] });
    const rename = async () => {
      await send('PATCH', `${lists}/${id}`, { name: 'Hidden' });
      await send('PATCH', `${lists}/${id}`, { bookIds: [book] });
    };
    assert.is(JSON.parse(await firstOf('ReadListChanged', rename, ann)).bookIds.length, 1);
    const remove = () => send('DELETE', `${lists}/${id}`);
    assert.equal(JSON.parse(await firstOf('ReadListDeleted', remove, ann)), { readListId: id, bookIds: [] });
  });
  check('covers of collections and books are told', async () => {
    const { seriesId } = (await people.ask(ann.token, 'GET', `/books/${book}`)).json;
    const body = { name: 'All', seriesIds: [compact(seriesId)] };
    const { id } = (await people.temp.call('POST', '/komga/api/v1/collections', { token: people.admin.token, body }))
      .json;
    const choose = (path: string, source: string) => () =>
      people.ask(people.admin.token, 'PATCH', `${path}/cover/source`, { body: { source } });
    const list = await firstOf(
      'ThumbnailSeriesCollectionAdded',
      choose(`/collections/${dashed(id)}`, `book:${book}`),
      ann,
    );
    assert.equal(JSON.parse(list), { collectionId: id, selected: true });
    const own = await firstOf('ThumbnailBookAdded', choose(`/books/${book}`, 'page:1'), ann);
    assert.equal(JSON.parse(own), { bookId: compact(book), seriesId: compact(seriesId), selected: true });
  });
  check('a stream says last that its session has expired, however it ended', async () => {
    const cy = await people.join('cy');
    const expired = JSON.stringify({ userId: compact(cy.id) });
    const out = () => people.temp.call('POST', '/komga/api/logout', { token: cy.token });
    assert.is(await firstOf('SessionExpired', out, cy), expired);
    const again = { ...cy, token: (await people.signIn('cy')).json.access_token };
    const disable = () => people.ask(people.admin.token, 'PATCH', `/users/${cy.id}`, { body: { isActive: false } });
    assert.is(await firstOf('SessionExpired', disable, again), expired);
  });
  check('the queue of tasks is told to administrators', async () => {
    const data = JSON.parse(await firstOf('TaskQueueStatus', async () => undefined, people.admin));
    assert.equal(Object.keys(data), ['count', 'countByType']);
  });
  check('work is accepted from those who may, for what they see', async () => {
    for (const path of [`libraries/${library}/scan`, `libraries/${library}/analyze`, `books/${book}/analyze`]) {
      assert.is((await ask('POST', `/api/v1/${path}`, ann)).status, 403, path);
      const { status, bytes } = await ask('POST', `/api/v1/${path}`);
      assert.equal([status, bytes.length], [202, 0], path);
      await until('the scan ends', () => people.temp.app.scans.active().length === 0);
    }
    assert.is((await ask('POST', '/api/v1/libraries/01890000000070008000000000000000/scan')).status, 404);
    assert.is((await ask('PUT', '/api/v1/books/thumbnails', ann)).status, 403);
    assert.is((await ask('PUT', '/api/v1/books/thumbnails?for_bigger_result_only=true')).status, 202);
    const { data } = (await people.ask(people.admin.token, 'GET', '/tasks?pageSize=50')).json;
    assert.ok(
      data.some(({ taskType }: { taskType: string }) => taskType === 'generate_thumbnails'),
      JSON.stringify(data.map(({ taskType }: { taskType: string }) => taskType)),
    );
  });
  check('small answers are what apps expect', async () => {
    assert.equal((await ask('GET', '/api/v1/claim', ann)).json, { isClaimed: true });
    assert.equal((await ask('GET', '/api/v1/oauth2/providers', ann)).json, []);
    for (const whose of ['global', 'user'])
      assert.equal((await ask('GET', `/api/v1/client-settings/${whose}/list`, ann)).json, {});
    assert.is((await ask('GET', '/actuator/info', ann)).json.build.name, 'longbox');
    assert.is((await ask('GET', '/api/v1/announcements', ann)).status, 403);
    assert.equal((await ask('GET', '/api/v1/fonts/families', ann)).json, []);
    assert.equal((await ask('GET', '/api/v1/releases')).json, []);
    for (const path of ['/api/v1/history', '/api/v1/page-hashes', '/api/v1/page-hashes/unknown']) {
      assert.is((await ask('GET', path, ann)).status, 403, path);
      const { content, totalElements, number, size, last } = (await ask('GET', `${path}?page=2&size=7`)).json;
      assert.equal([content, totalElements, number, size, last], [[], 0, 2, 7, true], path);
    }
    for (const path of ['/api/v1/settings', '/actuator/metrics']) assert.is((await ask('GET', path)).status, 404, path);
    assert.is(Number.isInteger((await ask('DELETE', '/api/v1/tasks')).json), true);
  });
  check('the last sign-in of each user, newest first; others than administrators see their own', async () => {
    const path = '/api/v2/users/authentication-activity';
    const { content, totalElements } = (await ask('GET', path)).json;
    assert.ok(content.length > 0);
    assert.is(totalElements, content.length);
    const times = content.map(({ dateTime }: { dateTime: string }) => dateTime);
    assert.equal(times, times.toSorted().reverse());
    const [newest] = content;
    assert.equal([newest.success, newest.ip], [true, null]);
    assert.equal((await ask('GET', `/api/v2/users/${newest.userId}/authentication-activity/latest`)).json, newest);
    assert.equal((await ask('GET', `${path}?page=1&size=${content.length}`)).json.content, []);
    assert.is((await ask('GET', `/api/v2/users/${'0'.repeat(32)}/authentication-activity/latest`)).status, 404);
    assert.is((await ask('GET', path, ann)).status, 403);
    const me = (await ask('GET', '/api/v2/users/me', ann)).json;
    const own = (await ask('GET', '/api/v2/users/me/authentication-activity', ann)).json.content;
    assert.ok(own.every(({ userId }: { userId: string }) => userId === me.id));
    assert.is((await ask('GET', `/api/v2/users/${me.id}/authentication-activity/latest`, ann)).status, 403);
  });
};

block('the server by the comic-server API', facts, { before: stock, after: () => people.temp.close() });
