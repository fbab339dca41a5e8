// The streams themselves: frames, ids and what comes after them, who may follow, and how a stream ends.
import { join } from 'node:path';
import { OF_ONE_USER_MAX } from '../../core/events/audiences.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { follow, heardIn, settle, told } from './listener.js';

let temp: TempApp;
let token: string;
let reader: string;
let libraryId: string;

const api = (method: string, path: string, body?: unknown) =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

let names = 0;
const change = async (): Promise<void> => {
  names += 1;
  assert.is((await api('PATCH', `/libraries/${libraryId}`, { description: `D${names}` })).status, 200);
};

const PATHS = ['/events/stream', '/tasks/stream', '/scans/stream'];

const frames = (check: Check): void => {
  check('an event has an id, a name and one line of data', async () => {
    const listener = await follow(temp, token);
    await change();
    await listener.news();
    const [hello, frame] = listener.text().split('\n\n');
    assert.match(hello ?? '', /^: connected\nid: [\w.]+-0$/);
    assert.match(frame ?? '', /^id: [\w.]+-1\nevent: library_updated\ndata: \{"type":"library_updated",.*\}$/);
    await listener.close();
  });
  check('unnamed: data and comments, and nothing else', async () => {
    const listener = await follow(temp, token, { path: '/events/stream?unnamed=1' });
    await change();
    await listener.news();
    assert.match(listener.text(), /^: connected\n\ndata: \{.*\}\n\n$/);
    await listener.close();
  });
  check('headers keep proxies from holding events back', async () => {
    for (const path of PATHS) {
      const { status, headers } = await temp.reply('GET', `/api/v1${path}`, { token });
      const given = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
      assert.equal(
        [status, given.get('content-type'), given.get('cache-control'), given.get('x-accel-buffering')],
        [200, 'text/event-stream; charset=utf-8', 'no-cache', 'no'],
      );
    }
  });
  check('two who hear the same share bytes; who caused it is said to administrators and to themselves', async () => {
    const own = await temp.tokenOf('maintainer');
    const people = [await follow(temp, token), await follow(temp, reader), await follow(temp, own)];
    const body = { description: 'by the maintainer' };
    assert.is((await temp.call('PATCH', `/api/v1/libraries/${libraryId}`, { token: own, body })).status, 200);
    const { user } = await temp.app.callers.byToken(own);
    const ids = [];
    for (const one of people) ids.push((await one.news()).map(({ data }) => [data.userId, data.user_id]));
    assert.equal(ids, [[[user.id, user.id]], [[undefined, undefined]], [[user.id, user.id]]]);
    for (const one of people) await one.close();
  });
  check('a comment goes out when nothing happens', async () => {
    const listener = await follow(temp, token);
    temp.app.events.keepAlive();
    await until('the comment', () => listener.text().endsWith(': keep-alive\n\n'));
    await listener.close();
  });
};

const replays = (check: Check): void => {
  check('who comes back with an id is told what they missed, in order and once', async () => {
    const first = await follow(temp, token);
    await change();
    await first.news();
    const lastId = first.lastId();
    await first.close();
    await change();
    await settle(temp, token); // otherwise both would be one event
    await change();
    const second = await follow(temp, token, { headers: { 'last-event-id': lastId } });
    const heard = await second.news();
    assert.equal(told(heard), ['library_updated', 'library_updated']);
    const number = (id: string | undefined): number => Number(id?.split('-').at(-1));
    assert.equal(
      heard.map(({ id }) => number(id)),
      [number(lastId) + 1, number(lastId) + 2],
    );
    await second.close();
  });
  check('an id that was sent before anything happened does as well', async () => {
    const first = await follow(temp, token);
    const lastId = first.lastId();
    await first.close();
    await change();
    const second = await follow(temp, token, { headers: { 'last-event-id': lastId } });
    assert.equal(told(await second.news()), ['library_updated']);
    await second.close();
  });
  for (const [what, of] of [
    ['of another start of the server', (id: string) => `x${id}`],
    ['that was never sent', (id: string) => `${id}999`],
    ['that is no id', () => 'what'],
    ['that is very long', () => 'w'.repeat(5000)],
  ] as const)
    check(`an id ${what}: resync`, async () => {
      const first = await follow(temp, token);
      const second = await follow(temp, token, { headers: { 'last-event-id': of(first.lastId()) } });
      const [heard] = await second.news();
      assert.equal([heard?.event, heard?.data.type], ['resync', 'resync']);
      assert.is(heard?.id, first.lastId(), 'from here on nothing is missed');
      for (const one of [first, second]) await one.close();
    });
  check('somebody whose limits changed meanwhile: resync', async () => {
    const first = await follow(temp, reader);
    const lastId = first.lastId();
    await first.close();
    const { user } = await temp.app.callers.byToken(reader);
    const limit = async (ageLimit: object | null): Promise<void> => {
      const body = { ageLimit };
      assert.is((await temp.call('PATCH', `/api/v1/users/${user.id}`, { token, body })).status, 200);
    };
    await limit({ max: 12 });
    const second = await follow(temp, reader, { headers: { 'last-event-id': lastId } });
    assert.equal(told(await second.news()), ['resync']);
    await limit(null);
    assert.equal(told(await second.news()), ['resync'], 'also while they follow');
    await second.close();
  });
  check('whoever falls behind all that is kept is told so, and ended', async () => {
    const caller = await temp.app.callers.byToken(token);
    const slow = await temp.app.events.subscribe('entities', caller, '', new AbortController().signal);
    const log = slow.audience.logs.entities;
    log.append([
      { ordinal: 1, news: { type: 'resync', at: 0 } },
      { ordinal: 2, news: { type: 'resync', at: 0 } },
    ]);
    log.trim(1000);
    assert.equal(await slow.next(), { kind: 'slow' });
    temp.app.events.leave(slow);
  });
};

const people = (check: Check): void => {
  check('a cookie is enough, a token in the address is not', async () => {
    for (const path of PATHS) {
      const cookie = `auth_token=${token}`;
      assert.is((await temp.reply('GET', `/api/v1${path}`, { headers: { cookie } })).status, 200);
      assert.is((await temp.reply('GET', `/api/v1${path}?token=${token}`)).status, 401);
    }
  });
  check('a key needs the permission to read libraries', async () => {
    const keyOf = async (permission: string): Promise<string> =>
      (await api('POST', '/api-keys', { name: 'K', permissions: [permission] })).json.key;
    const [books, libraries] = [await keyOf('books-read'), await keyOf('libraries-read')];
    for (const path of PATHS) {
      assert.is((await temp.reply('GET', `/api/v1${path}`, { token: books })).status, 403);
      assert.is((await temp.reply('GET', `/api/v1${path}`, { token: libraries })).status, 200);
    }
  });
  check('a stream ends when its user is disabled, and tells nothing of what comes with it or later', async () => {
    const gone = await temp.tokenOf('reader');
    const listener = await follow(temp, gone);
    const { user } = await temp.app.callers.byToken(gone);
    assert.is((await api('PATCH', `/users/${user.id}`, { isActive: false })).status, 200);
    await listener.ended;
    await change();
    assert.equal(heardIn(listener.text()), []);
  });
  check('a user who is disabled hears nothing of the same moment', async () => {
    const gone = await temp.tokenOf('reader');
    const caller = await temp.app.callers.byToken(gone);
    const following = await temp.app.events.subscribe('entities', caller, '', new AbortController().signal);
    assert.is((await api('PATCH', `/users/${caller.user.id}`, { isActive: false })).status, 200);
    await settle(temp, token);
    assert.equal(await following.next(), { kind: 'over' });
  });
  check('of more streams of one user than there may be, the oldest ends, and those of others stay', async () => {
    const other = await follow(temp, reader);
    const oldest = await follow(temp, token, { path: '/tasks/stream' });
    const own = [];
    for (let at = 1; at < OF_ONE_USER_MAX; at += 1) own.push(await follow(temp, token));
    assert.is(temp.app.events.size, OF_ONE_USER_MAX + 1);
    own.push(await follow(temp, token));
    await oldest.ended;
    assert.is(temp.app.events.size, OF_ONE_USER_MAX + 1);
    await change();
    for (const one of [other, own[0], own.at(-1)]) assert.is((await one?.news())?.length, 1);
    for (const one of [other, ...own]) await one.close();
  });
  check('nothing is left of who has left', async () => {
    const listener = await follow(temp, token);
    assert.is(temp.app.events.size, 1);
    await listener.close();
    await until('nobody follows', () => temp.app.events.size === 0);
  });
};

const work = (check: Check): void => {
  check('a scan: its task runs, gets on and ends; the scan too', async () => {
    const tasks = await follow(temp, token, { path: '/tasks/stream' });
    const scans = await follow(temp, token, { path: '/scans/stream' });
    for (let book = 0; book < 5; book += 1) writeBook(join(temp.shelf, 'Ants', `Ants ${book}.cbz`), 2, `a${book}`);
    await api('POST', `/libraries/${libraryId}/scan`);
    const heard = await tasks.hears('the end of the task', ({ data }) => data.status === 'completed');
    const own = heard.filter(({ data }) => data.taskType === 'scan_library').map(({ data }) => data);
    assert.equal([own[0].status, own.at(-1).status], ['running', 'completed']);
    for (const data of own)
      assert.equal(
        [data.type, data.task_id, data.task_type, data.library_id, data.libraryId],
        ['task_progress', data.taskId, 'scan_library', libraryId, libraryId],
      );
    assert.equal(own.at(-1).progress, { current: 5, total: 5, message: '5 of 5' });
    const of = await scans.hears('the end of the scan', ({ data }) => data.status === 'completed');
    assert.ok(of.every(({ event, data }) => event === 'scan_progress' && data.libraryId === libraryId));
    const { libraryId: _, ...last } = of.at(-1)?.data ?? {};
    assert.equal([last.filesTotal, last.filesProcessed, last.booksFound, last.errors], [5, 5, 5, []]);
    for (const one of [tasks, scans]) await one.close();
  });
  check('a task that is cancelled, waiting or not', async () => {
    const tasks = await follow(temp, token, { path: '/tasks/stream' });
    await api('POST', `/libraries/${libraryId}/scan?mode=deep`);
    await api('POST', `/libraries/${libraryId}/scan/cancel`);
    const ended = (status: string): boolean => status === 'cancelled' || status === 'completed';
    await tasks.hears('the end', ({ data }) => data.taskType === 'scan_library' && ended(data.status));
    await tasks.close();
  });
  check('active scans come first', async () => {
    await until('it rests', () => temp.app.scans.active().length === 0);
    await api('POST', `/libraries/${libraryId}/scan?mode=deep`);
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    // Nothing can be stored meanwhile: what is heard was so before.
    const holding = temp.app.db.write(null, 'interactive', () => held);
    await settle(temp, token);
    await settle(temp, token); // what is said of scans follows a step
    const late = await follow(temp, token, { path: '/scans/stream' });
    await late.hears('the scan', ({ event, data }) => event === 'scan_progress' && data.libraryId === libraryId);
    go();
    await holding;
    await late.close();
    await until('it rests', () => temp.app.scans.active().length === 0);
  });
};

block(
  'streams of events',
  (check) => {
    for (const part of [frames, replays, people, work]) part(check);
    check('events.unnamed is what a client gets that does not say', async () => {
      const other = await tempApp({ overrides: [{ key: 'events.unnamed', text: 'true' }] });
      const own = await other.tokenOf('admin');
      const [plain, named] = [await follow(other, own), await follow(other, own, { path: '/events/stream?unnamed=0' })];
      assert.equal([plain.text(), named.text().startsWith(': connected\nid: ')], [': connected\n\n', true]);
      for (const one of [plain, named]) await one.close();
      await other.close();
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      reader = await temp.tokenOf('reader');
      libraryId = (await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf })).json.id;
    },
    after: async () => {
      assert.equal(temp.faults, []);
      await temp.close();
    },
  },
);
