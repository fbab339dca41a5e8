// One truth for lists: what somebody wants to read, collections and read lists are the same in apps of all kinds, whichever of them changed
// one; and apps that follow events are told of it, as of what is read anywhere.
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { ADMIN, type App, type AppServer, basicOf, PERSON, startAppServer, uuidOf } from './app-server.js';
import { type Events, watchEvents } from './event-reader.js';

let server: AppServer;
let comics: App;
/** The same as an administrator, who changes lists. */
let keeper: App;
let catalog: App;
let device: App;
let events: Events;

interface Book {
  readonly id: string;
  readonly seriesId: string;
  readonly koreaderHash: string;
}

let zot: Book;
let mixed: Book;

const compact = (id: string): string => id.replaceAll('-', '');
const succeeded = ({ status }: { readonly status: number }): void => assert.ok(status < 300, String(status));

const idsInAtom = async (path: string): Promise<string[]> => {
  const text = (await catalog.send('GET', `/v1.2${path}`)).bytes.toString();
  return [...text.matchAll(/<entry><title>[^<]*<\/title><id>urn:uuid:([^<]+)</g)].map(([, id]) => id ?? '');
};

const idsInJson = async (path: string): Promise<string[]> => {
  const feed = JSON.parse((await catalog.send('GET', `/v2${path}`)).bytes.toString());
  const lead = (feed.navigation ?? []).map(({ href }: { href: string }) => href.split('/').at(-1));
  const books = (feed.publications ?? []).map(({ metadata }: { metadata: { identifier: string } }) =>
    metadata.identifier.replace('urn:uuid:', ''),
  );
  return [...lead, ...books];
};

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => uuidOf(id));

const KINDS = {
  collections: { below: 'series', field: 'seriesIds', event: 'Collection', id: 'collectionId' },
  readlists: { below: 'books', field: 'bookIds', event: 'ReadList', id: 'readListId' },
} as const;

type Kind = keyof typeof KINDS;

const membersOf = (kind: Kind): [string, string] =>
  kind === 'collections' ? [zot.seriesId, mixed.seriesId] : [zot.id, mixed.id];

/** The members of a list in apps of each kind, in its order. */
const seenBy = async (kind: Kind, id: string): Promise<readonly (readonly [string, readonly string[]])[]> => {
  const { below, field } = KINDS[kind];
  const own = `/${kind}/${id}`;
  const inNative = async () => {
    const { status, json } = await server.native('GET', `${own}/${below}`);
    return status === 200 ? idsOf(json) : [`status ${status}`];
  };
  const inComics = async () => {
    const { status, json } = await comics.send('GET', `/api/v1${own}`);
    return status === 200 ? json[field].map(uuidOf) : [`status ${status}`];
  };
  return [
    ['native', await inNative()],
    ['comic server', await inComics()],
    ['comic server, with members', idsOf((await comics.send('GET', `/api/v1${own}/${below}`)).json.content ?? [])],
    ['OPDS 1.2', await idsInAtom(own)],
    ['OPDS 2.0', await idsInJson(own)],
  ];
};

const seenAs = async (kind: Kind, id: string, members: readonly string[]): Promise<void> => {
  const seen = await seenBy(kind, id);
  assert.equal(
    seen,
    seen.map(([app]) => [app, members]),
  );
};

interface Writer {
  make(kind: Kind, name: string, members: readonly string[]): Promise<string>;
  /** Reverses two members. */
  turn(kind: Kind, id: string, members: readonly string[]): Promise<void>;
  remove(kind: Kind, id: string): Promise<void>;
}

const WRITERS: Readonly<Record<string, Writer>> = {
  'the native API': {
    make: async (kind, name, members) => {
      const { below, field } = KINDS[kind];
      const { json } = await server.admin('POST', `/${kind}`, { name, ordered: true });
      succeeded(await server.admin('POST', `/${kind}/${json.id}/${below}`, { [field]: members }));
      return json.id;
    },
    turn: async (kind, id, members) =>
      succeeded(await server.admin('PUT', `/${kind}/${id}/${KINDS[kind].below}`, { [KINDS[kind].field]: members })),
    remove: async (kind, id) => succeeded(await server.admin('DELETE', `/${kind}/${id}`)),
  },
  'the comic-server API': {
    make: async (kind, name, members) => {
      const body = { name, ordered: true, [KINDS[kind].field]: members.map(compact) };
      const { status, json } = await keeper.send('POST', `/api/v1/${kind}`, { body });
      assert.is(status, 200);
      return uuidOf(json.id);
    },
    turn: (kind, id, members) =>
      keeper.change('PATCH', `/api/v1/${kind}/${compact(id)}`, { [KINDS[kind].field]: members.map(compact) }),
    remove: (kind, id) => keeper.change('DELETE', `/api/v1/${kind}/${compact(id)}`),
  },
};

const lists = (check: Check): void => {
  for (const [name, writer] of Object.entries(WRITERS))
    for (const kind of Object.keys(KINDS) as Kind[])
      check(`${kind} changed by ${name} are the same for all, who are told`, async () => {
        const { event, id: idField, field } = KINDS[kind];
        const members = membersOf(kind);
        const id = await writer.make(kind, `Of ${name}`, members);
        const told = (words: string[]) => ({ [idField]: compact(id), [field]: words.map(compact) });
        await until('it is told with both members', async () => {
          const data = await events.next(`${event}Added`, `${event}Changed`);
          return JSON.stringify(data) === JSON.stringify(told(members));
        });
        await seenAs(kind, id, members);
        const turned = [...members].reverse();
        await writer.turn(kind, id, turned);
        assert.equal(await events.next(`${event}Changed`), told(turned));
        await seenAs(kind, id, turned);
        await writer.remove(kind, id);
        assert.equal(await events.next(`${event}Deleted`), told([]));
        assert.equal(
          (await seenBy(kind, id)).map(([, seen]) => seen),
          [['status 404'], ['status 404'], [], [], []],
        );
      });
};

/** What is wanted, in apps of each kind: series and books apart where an app keeps them apart. */
const wantedBy = async (): Promise<unknown> => {
  const { json } = await server.native('GET', '/want-to-read');
  const ofNative = json.items.map((one: { seriesId: string | null; bookId: string }) => one.seriesId ?? one.bookId);
  const set = async (kind: Kind) =>
    (await comics.send('GET', `/api/v1/${kind}/want-to-read`)).json?.[KINDS[kind].field]?.map(uuidOf) ?? [];
  return {
    native: [...ofNative].sort(),
    comics: [...(await set('collections')), ...(await set('readlists'))].sort(),
    atom: (await idsInAtom('/want-to-read')).sort(),
    json: (await idsInJson('/want-to-read')).sort(),
  };
};

const wanted = (check: Check): void => {
  check('what somebody wants to read is the same for all', async () => {
    const all = (...ids: string[]) => ({ native: ids, comics: ids, atom: ids, json: ids });
    assert.equal(await wantedBy(), all());
    succeeded(await server.native('POST', '/want-to-read', { bookId: zot.id }));
    succeeded(await server.native('POST', '/want-to-read', { seriesId: mixed.seriesId }));
    assert.equal(await wantedBy(), all(...[zot.id, mixed.seriesId].sort()));
    succeeded(await server.native('POST', '/want-to-read', { bookId: mixed.id }));
    const entries: { id: string }[] = (await server.native('GET', '/want-to-read')).json.items;
    for (const turned of [entries, [...entries].reverse()]) {
      succeeded(await server.native('PUT', '/want-to-read/order', { entryIds: turned.map(({ id }) => id) }));
      const ordered = (await server.native('GET', '/want-to-read?sort=position')).json.items;
      const ids = ordered.map((one: { seriesId: string | null; bookId: string }) => one.seriesId ?? one.bookId);
      assert.equal(await idsInAtom('/want-to-read'), ids);
      const isBook = (one: string): boolean => one !== mixed.seriesId; // JSON feeds list series apart
      assert.equal((await idsInJson('/want-to-read')).filter(isBook), ids.filter(isBook));
    }
    succeeded(await server.native('DELETE', `/want-to-read/books/${mixed.id}`));
    succeeded(await server.native('DELETE', `/want-to-read/books/${zot.id}`));
    assert.equal(await wantedBy(), all(mixed.seriesId));
    succeeded(await server.native('DELETE', `/want-to-read/series/${mixed.seriesId}`));
    assert.equal(await wantedBy(), all());
  });
};

const REPORTS: Readonly<Record<string, (page: number) => Promise<unknown>>> = {
  'the native API': (page) => server.native('PUT', `/books/${zot.id}/progress`, { currentPage: page }),
  'the comic-server API': (page) => comics.change('PATCH', `/api/v1/books/${compact(zot.id)}/read-progress`, { page }),
  'an OPDS app': (page) => catalog.image(`/v1.2/books/${zot.id}/pages/${page - 1}?zero_based=true`),
  'an e-reader': (page) => {
    const body = { document: zot.koreaderHash, progress: String(page), percentage: page / 5, device: 'Kobo' };
    return device.send('PUT', '/syncs/progress', { body });
  },
};

const told = (check: Check): void => {
  for (const [name, report] of Object.entries(REPORTS))
    check(`what is read by ${name} is told to the apps of its reader`, async () => {
      await server.native('DELETE', `/books/${zot.id}/progress`);
      await report(2);
      const { id: userId } = (await server.native('GET', '/auth/me')).json;
      assert.equal(await events.next('ReadProgressChanged'), { bookId: compact(zot.id), userId: compact(userId) });
      await comics.change('DELETE', `/api/v1/books/${compact(zot.id)}/read-progress`);
      assert.equal(await events.next('ReadProgressDeleted'), { bookId: compact(zot.id), userId: compact(userId) });
    });
  check('metadata changed by an app is told in the native stream, and the other way round', async () => {
    const bearer = await server.app('/api/v1', {}).send('POST', '/auth/login', {
      body: { username: PERSON.username, password: PERSON.password },
    });
    const native = await watchEvents(
      server.app('/api/v1', { Authorization: `Bearer ${bearer.json.access_token}` }),
      '/events/stream',
    );
    try {
      await keeper.change('PATCH', `/api/v1/books/${compact(mixed.id)}/metadata`, { title: 'Told' });
      const news = (await native.next('book_updated')) as { readonly book_id: string };
      assert.is(news.book_id, mixed.id);
      assert.is((await server.native('GET', `/books/${mixed.id}`)).json.title, 'Told');
      assert.is(((await events.next('BookChanged')) as { readonly bookId: string }).bookId, compact(mixed.id));
      succeeded(await server.admin('PATCH', `/books/${zot.id}`, { title: 'Also told' }));
      assert.is(((await events.next('BookChanged')) as { readonly bookId: string }).bookId, compact(zot.id));
      assert.is((await comics.send('GET', `/api/v1/books/${compact(zot.id)}`)).json.metadata.title, 'Also told');
    } finally {
      native.close();
    }
  });
};

block(
  'lists and events of one truth',
  (check) => {
    lists(check);
    wanted(check);
    told(check);
  },
  {
    before: async () => {
      server = await startAppServer();
      const basic = { Authorization: basicOf(PERSON.username, PERSON.password) };
      comics = server.app('/komga', basic);
      keeper = server.app('/komga', { Authorization: basicOf(ADMIN.username, ADMIN.password) });
      catalog = server.app('/opds', basic);
      device = server.app('/koreader', { 'x-auth-user': server.key, 'x-auth-key': '' });
      const { data } = (await server.native('GET', '/books?pageSize=100')).json;
      const bookAt = (part: string): Book => data.find(({ path }: { path: string }) => path.includes(part));
      [zot, mixed] = [bookAt('Zot v03'), bookAt('haruko.cbr')];
      events = await watchEvents(comics, '/sse/v1/events');
    },
    after: () => {
      events.close();
      return server.stop();
    },
    deadlineS: 120,
  },
);
