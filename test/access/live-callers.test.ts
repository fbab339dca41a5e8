// Answers that go on for somebody, over sockets: they end when what was signed in with is revoked, expires or may do less; nothing else ends
// them.
import { API } from '../../http/api/surface.js';
import type { HttpAdapter, Reply } from '../../http/server/adapter.js';
import { createDispatch } from '../../http/surface/dispatch.js';
import { RecentLog } from '../../http/surface/recent-log.js';
import { media } from '../../http/surface/replies.js';
import { type Route, route } from '../../http/surface/route.js';
import { buildRouter } from '../../http/surface/router.js';
import type { Surface } from '../../http/surface/surface.js';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { NO_SCRAPE } from '../no-scrape.js';
import { BACK_ENDS, type Server, startServer } from '../system/back-end.js';
import { RawClient } from '../system/raw-client.js';
import { basicPair, briefToken, openPeople, PASSWORD, type People, type Person } from './people.js';

const MINUTE_MS = 60_000;

/** Says one thing, and then nothing until it is ended. */
async function* quiet(signal: AbortSignal): AsyncGenerator<string> {
  yield 'begun';
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

const LIVE: Reply = {
  status: 200,
  headers: [['Content-Type', 'text/event-stream']],
  body: { kind: 'stream', isLive: true, open: quiet },
};

const row = (path: string, access: Route['access'], administrator = false): Route =>
  route({
    id: `test.${path}`,
    method: 'GET',
    path,
    access,
    administrator,
    reply: { 200: media('text/event-stream') },
    about: 'For this test.',
    run: () => LIVE,
  });

const PATHS = ['/any', '/books', '/admin', '/all'];
const NEWS: Surface = {
  ...API,
  name: 'news',
  prefix: '/news',
  rows: [row('/any', 'user'), row('/books', 'BooksWrite'), row('/admin', 'BooksRead', true), row('/all', 'public')],
};

interface Scene {
  readonly people: People;
  readonly server: Server;
}

const openScene = async (adapter: HttpAdapter): Promise<Scene> => {
  const people = await openPeople();
  const dispatch = createDispatch({
    app: people.temp.app,
    router: buildRouter([NEWS, { ...API, prefix: '' }]),
    settings: {
      cookieSecure: false,
      subPath: '',
      version: 'test',
      appAddresses: [],
      host: '127.0.0.1',
      recentLog: new RecentLog(),
      scrape: NO_SCRAPE,
    },
    kept: null,
    cors: { origins: [] },
    isTrustedProxy: () => false,
    onUntrustedProxy: () => undefined,
    baseUrl: null,
    traffic: null,
    onDone: null,
    onFault: () => undefined,
  });
  const routes = Object.fromEntries(PATHS.map((path) => [`/news${path}`, dispatch]));
  return { people, server: await startServer(adapter, {}, { routes }) };
};

interface Stream {
  /** Resolves when the server has ended it as it ends what is complete. */
  ended(): Promise<void>;
  readonly client: RawClient;
}

const listenTo = async ({ server }: Scene, path: string, header: string): Promise<Stream> => {
  const client = await RawClient.open(server.port);
  client.send(`GET /news${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
  await until('the stream begins', () => client.receivedBytes > 0);
  return {
    client,
    ended: async () => {
      const reply = await client.reply();
      assert.equal([reply?.status, reply?.body.toString(), client.isCut], [200, 'begun', false]);
      client.end();
    },
  };
};

const bearer = (token: string): string => `Authorization: Bearer ${token}`;

/** Still open after somebody else's stream, begun later, was ended by something that came later too. */
const goesOn = async (scene: Scene, { client }: Stream): Promise<void> => {
  const { people } = scene;
  const other = await people.join(`other${Math.random().toString(36).slice(2)}`);
  const control = await listenTo(scene, '/any', bearer(other.token));
  await change(people, other, { isActive: false });
  await control.ended();
  const before = client.receivedBytes;
  await people.temp.app.liveCallers.checkAll();
  assert.equal([client.isClosed, client.receivedBytes], [false, before]);
  client.end();
};

const change = async ({ ask, admin }: People, { id }: Person, body: unknown): Promise<void> => {
  assert.is((await ask(admin.token, 'PATCH', `/users/${id}`, { body })).status, 200);
};

const newKey = async ({ ask }: People, { token }: Person, more = {}): Promise<{ id: string; key: string }> => {
  const { status, json } = await ask(token, 'POST', '/api-keys', { body: { name: 'Tablet', ...more } });
  assert.is(status, 201);
  return json;
};

const ends = (check: Check, scene: () => Scene): void => {
  let count = 0;
  const somebody = (role: 'reader' | 'maintainer' | 'admin' = 'maintainer'): Promise<Person> => {
    count += 1;
    return scene().people.join(`listener${count}`, role);
  };
  const CHANGES: readonly (readonly [what: string, path: string, end: (person: Person) => Promise<unknown>])[] = [
    ['is disabled', '/any', (person) => change(scene().people, person, { isActive: false })],
    ['is deleted', '/any', ({ id }) => scene().people.ask(scene().people.admin.token, 'DELETE', `/users/${id}`)],
    ['logs out', '/any', ({ token }) => scene().people.ask(token, 'POST', '/auth/logout')],
    ['loses the permission', '/books', (person) => change(scene().people, person, { role: 'reader' })],
    ['is no administrator any more', '/admin', (person) => change(scene().people, person, { role: 'maintainer' })],
  ];
  for (const [what, path, end] of CHANGES)
    check(`of somebody who ${what}`, async () => {
      const person = await somebody(path === '/admin' ? 'admin' : 'maintainer');
      const stream = await listenTo(scene(), path, bearer(person.token));
      await end(person);
      await stream.ended();
    });
  check('of a password that is sent along, when there is another one', async () => {
    const person = await somebody();
    const stream = await listenTo(scene(), '/any', `Authorization: ${basicPair(person.name, PASSWORD)}`);
    await change(scene().people, person, { email: 'elsewhere@example.org' });
    const { ask, admin } = scene().people;
    assert.is(
      (await ask(admin.token, 'PUT', `/users/${person.id}`, { body: { password: 'another one 7' } })).status,
      200,
    );
    await stream.ended();
  });
  const KEYS: readonly (readonly [what: string, end: (person: Person, id: string) => Promise<unknown>])[] = [
    ['deleted', ({ token }, id) => scene().people.ask(token, 'DELETE', `/api-keys/${id}`)],
    [
      'disabled',
      ({ token }, id) => scene().people.ask(token, 'PATCH', `/api-keys/${id}`, { body: { isActive: false } }),
    ],
    [
      'left with fewer permissions',
      ({ token }, id) =>
        scene().people.ask(token, 'PATCH', `/api-keys/${id}`, { body: { permissions: ['BooksRead'] } }),
    ],
  ];
  for (const [what, end] of KEYS)
    check(`of an API key that is ${what}, and of no other key`, async () => {
      const person = await somebody();
      const [one, two] = [await newKey(scene().people, person), await newKey(scene().people, person)];
      const stream = await listenTo(scene(), '/books', `X-API-Key: ${one.key}`);
      const other = await listenTo(scene(), '/books', bearer(two.key));
      await end(person, one.id);
      await stream.ended();
      await goesOn(scene(), other);
    });
  check('of an API key that expires', async () => {
    const { people } = scene();
    const person = await somebody();
    const expires_at = new Date(people.temp.app.clock.now() + MINUTE_MS).toISOString();
    const { key } = await newKey(people, person, { expires_at });
    const lasting = await newKey(people, person, { expires_at });
    people.temp.advance(MINUTE_MS - 20);
    const stream = await listenTo(scene(), '/any', `X-API-Key: ${key}`);
    const other = await listenTo(scene(), '/any', `X-API-Key: ${lasting.key}`);
    await people.ask(person.token, 'PATCH', `/api-keys/${lasting.id}`, { body: { expiresAt: null } });
    const later = new Date(people.temp.app.clock.now() + MINUTE_MS).toISOString();
    const brief = await newKey(people, person, { expires_at: later });
    const shortened = await listenTo(scene(), '/any', `X-API-Key: ${brief.key}`);
    await people.ask(person.token, 'PATCH', `/api-keys/${brief.id}`, { body: { expires_at } });
    people.temp.advance(20);
    await Promise.all([stream.ended(), shortened.ended()]);
    await goesOn(scene(), other);
  });
  check('of a token that expires, although its session goes on', async () => {
    const { people } = scene();
    const token = await briefToken(people.temp, await somebody());
    const stream = await listenTo(scene(), '/any', bearer(token));
    await people.temp.app.liveCallers.checkAll();
    assert.not(stream.client.isClosed);
    people.temp.advance(20);
    await stream.ended();
  });
};

const rests = (check: Check, scene: () => Scene): void => {
  check('what changes about somebody else, or not for the worse, ends none; nor does a public one end', async () => {
    const { people } = scene();
    const person = await people.join('steady');
    const stream = await listenTo(scene(), '/any', bearer(person.token));
    const open = await listenTo(scene(), '/all', 'X-A: 1');
    await change(people, person, { role: 'maintainer' });
    await people.signIn(person.name);
    await goesOn(scene(), open);
    await goesOn(scene(), stream);
  });
  check('whose client has left is forgotten', async () => {
    const { people } = scene();
    const person = await people.join('brief');
    const { client } = await listenTo(scene(), '/any', bearer(person.token));
    client.end();
    await until('it is forgotten', () => people.temp.app.liveCallers.size === 0);
  });
};

for (const adapter of BACK_ENDS) {
  let scene: Scene;
  block(
    `answers that go on over ${adapter.name} end`,
    (check) => {
      ends(check, () => scene);
      rests(check, () => scene);
    },
    {
      before: async () => {
        scene = await openScene(adapter);
      },
      after: async () => {
        assert.equal(scene.server.faults, []);
        await scene.server.stop();
        await scene.people.temp.close();
      },
    },
  );
}
