// Tags of answers follow what their viewer may be told of: a person with restrictions cannot tell from them that something hidden changed.
import type { Answer } from '../app.js';
import { assert, block } from '../kit.js';
import { become, type GuardedShelf, guardedShelf, type Shown } from './guarded-shelf.js';

let shelf: GuardedShelf;

const as = async (token: string, method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await shelf.temp.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${method} ${path} ${answer.status} ${answer.bytes}`);
  return answer;
};

const free = (method: string, path: string, body?: unknown): Promise<Answer> =>
  as(shelf.free, method, `/api/v1${path}`, body);

const one = (title: string): Shown => {
  const found = shelf.all.find((shown) => shown.title === title);
  if (found === undefined) throw new Error(`no series ${title}`);
  return found;
};

const paths = (): readonly string[] => {
  const [ants, [collection]] = [one('Ants'), shelf.collections];
  return [
    '/api/v1/series',
    '/api/v1/books',
    `/api/v1/series/${ants.id}`,
    `/api/v1/books/${ants.books[0]}`,
    '/api/v1/genres',
    '/api/v1/libraries',
    '/api/v1/collections',
    `/api/v1/collections/${collection}`,
    `/api/v1/collections/${collection}/series`,
    '/api/v1/readlists',
    `/api/v1/readlists/${shelf.listId}`,
    `/api/v1/readlists/${shelf.listId}/books`,
    '/komga/api/v1/series',
    '/komga/api/v1/collections',
    `/komga/api/v1/collections/${collection}`,
    '/komga/api/v1/readlists',
    `/komga/api/v1/readlists/${shelf.listId}`,
    '/opds/v1.2/series',
    '/opds/v1.2/collections',
    '/opds/v1.2/readlists',
    '/opds/v2/catalog',
  ];
};

const tagsOf = async (token: string): Promise<ReadonlyMap<string, string>> => {
  const tags = new Map<string, string>();
  for (const path of paths()) tags.set(path, (await as(token, 'GET', path)).header('etag') ?? 'none');
  return tags;
};

/** Paths whose answers have another tag, or are sent whole to somebody who has them. */
const changedSince = async (token: string, before: ReadonlyMap<string, string>): Promise<readonly string[]> => {
  const changed: string[] = [];
  for (const [path, tag] of before) {
    const { status } = await shelf.temp.call('GET', path, { token, headers: { 'if-none-match': tag } });
    const now = (await as(token, 'GET', path)).header('etag') ?? 'none';
    if (now !== tag || (tag !== 'none' && status !== 304)) changed.push(path);
  }
  return changed;
};

const HIDDEN_CHANGES: readonly (readonly [what: string, change: (hidden: Shown) => Promise<unknown>])[] = [
  ['a summary', ({ id }) => free('PATCH', `/series/${id}/metadata`, { summary: 'Other' })],
  ['a title', ({ books }) => free('PATCH', `/books/${books[0]}/metadata`, { title: 'Other' })],
  ['what another user reads', ({ books }) => free('PUT', `/books/${books[1]}/progress`, { currentPage: 1 })],
  ['a collection of it alone', ({ id }) => free('POST', '/collections', { name: 'Hidden', seriesIds: [id] })],
  [
    'it leaves a collection that has others',
    ({ id }) => free('DELETE', `/collections/${shelf.collections[0]}/series/${id}`),
  ],
  [
    'it enters a collection that has others',
    ({ id }) => free('POST', `/collections/${shelf.collections[0]}/series`, { seriesIds: [id] }),
  ],
  ['a book of it leaves a read list', ({ books }) => free('DELETE', `/readlists/${shelf.listId}/books/${books[0]}`)],
  [
    'a book of it enters a read list',
    ({ books }) => free('POST', `/readlists/${shelf.listId}/books`, { bookIds: [books[0]] }),
  ],
  [
    'an account',
    () =>
      free('POST', '/users', {
        username: 'new',
        email: 'new@example.org',
        password: 'Fog over 7 harbours!',
        role: 'reader',
      }),
  ],
];

block(
  'tags of answers to people with restrictions',
  (check) => {
    for (const [what, change] of HIDDEN_CHANGES)
      check(`${what}: nothing is new where it is hidden`, async () => {
        shelf.temp.advance(60_000);
        const before = await tagsOf(shelf.limited);
        assert.ok([...before.values()].filter((tag) => tag !== 'none').length >= 15);
        await change(one('Dogs'));
        assert.equal(await changedSince(shelf.limited, before), []);
      });
    check('what they see gives new tags, and only where it is shown', async () => {
      const ants = one('Ants');
      const before = await tagsOf(shelf.limited);
      await free('PATCH', `/series/${ants.id}/metadata`, { title: 'Ants, renamed' });
      const changed = await changedSince(shelf.limited, before);
      for (const path of ['/api/v1/series', `/api/v1/series/${ants.id}`, '/komga/api/v1/series'])
        assert.ok(changed.includes(path), path);
      assert.not(changed.includes('/api/v1/libraries'));
    });
    check(
      'whoever administers all of it has tags that change with every write, for which nothing is read',
      async () => {
        const before = await tagsOf(shelf.free);
        await free('PATCH', `/series/${one('Dogs').id}/metadata`, { summary: 'Again' });
        assert.ok((await changedSince(shelf.free, before)).includes('/api/v1/genres'));
      },
    );
  },
  {
    before: async () => {
      shelf = await guardedShelf();
      const { user } = await shelf.temp.app.callers.byToken(shelf.limited);
      await become(shelf, 'reader');
      await free('PATCH', `/users/${user.id}`, { libraryIds: [one('Ants').libraryId] });
    },
    after: () => shelf.temp.close(),
  },
);
