// Events and small answers of the comic-server API, and work that is started there.
import { join } from 'node:path';
import { openPeople, type People, type Person } from '../access/people.js';
import { type Answer, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let library = '';
let book = '';

const ask = (method: string, path: string, who = people.admin): Promise<Answer> =>
  people.temp.call(method, `/komga${path}`, { token: who.token });

const stock = async (): Promise<void> => {
  people = await openPeople();
  const { temp, admin } = people;
  writeBook(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 2, 'a');
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  library = (await people.ask(admin.token, 'POST', '/libraries', { body })).json.id;
  await until('the book is there', async () => {
    const { data } = (await people.ask(admin.token, 'GET', '/books')).json;
    book = data[0]?.id ?? '';
    return temp.app.scans.active().length === 0 && data[0]?.analyzed === true;
  });
  ann = await people.join('ann');
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
      const found = new RegExp(`event:${name}\\ndata:(.*)\\n\\n`).exec(text)?.[1];
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
  });
  check('small answers are what apps expect', async () => {
    assert.equal((await ask('GET', '/api/v1/claim', ann)).json, { isClaimed: true });
    assert.equal((await ask('GET', '/api/v1/oauth2/providers', ann)).json, []);
    for (const whose of ['global', 'user'])
      assert.equal((await ask('GET', `/api/v1/client-settings/${whose}/list`, ann)).json, {});
    assert.is((await ask('GET', '/actuator/info', ann)).json.build.name, 'longbox');
    assert.is((await ask('GET', '/api/v1/announcements', ann)).status, 403);
    assert.is(Number.isInteger((await ask('DELETE', '/api/v1/tasks')).json), true);
  });
};

block('the server by the comic-server API', facts, { before: stock, after: () => people.temp.close() });
