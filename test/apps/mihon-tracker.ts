// The tracker of Mihon: it sends no login of its own, only the cookies that the extension was given. Part of mihon.test.ts.
import { assert, type Check } from '../kit.js';
import { type App, type AppServer, basicOf, PERSON, uuidOf, VOLUMES } from './app-server.js';
import { readListTracking, seriesTracking } from './comic-shapes.js';
import { int, listOf, record, text } from './strict.js';

interface Parts {
  readonly server: AppServer;
  zotId(): Promise<string>;
  chapters(seriesId: string): Promise<readonly { readonly id: string }[]>;
}

const AGENT = { 'User-Agent': 'Mihon/0.16', 'Accept-Encoding': 'gzip' };

/** The cookies of an answer, as the jar of both sends them. */
const jarOf = (header: string): string =>
  header
    .split('\n')
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');

export const trackerFacts = (check: Check, parts: () => Parts): void => {
  let app: App;
  check(
    'the extension answers a challenge with a password, and is given a cookie that serves the tracker',
    async () => {
      const { server, zotId } = parts();
      const login = server.app('/komga', { ...AGENT, Authorization: basicOf(PERSON.username, PERSON.password) });
      const first = await Promise.all(
        ['libraries', 'genres', 'tags'].map((path) => login.send('GET', `/api/v1/${path}`)),
      );
      const cookies = new Set(first.map(({ header }) => jarOf(header('set-cookie'))));
      assert.is(cookies.size, 1, 'the same one for all that came at once');
      const [cookie = ''] = cookies;
      app = server.app('/komga', { ...AGENT, Cookie: cookie });
      const path = `/api/v2/series/${await zotId()}/read-progress/tachiyomi`;
      assert.is((await app.send('GET', path)).status, 200);
      const both = await login.with({ Cookie: cookie }).send('GET', '/api/v1/libraries');
      assert.equal([both.status, both.header('set-cookie')], [200, ''], 'who has one is given no other');
      const without = await login.with({ Authorization: '', Cookie: cookie }).send('GET', '/api/v1/libraries');
      assert.is(without.status, 200);
      const wrong = login.with({ Authorization: basicOf(PERSON.username, 'wrong') });
      assert.is((await wrong.send('GET', '/api/v1/libraries')).header('set-cookie'), '');
    },
  );
  check('a link with a password on a page of another site gives its visitor no cookie', async () => {
    const { server } = parts();
    const headers = { Authorization: basicOf(PERSON.username, PERSON.password), 'Sec-Fetch-Site': 'cross-site' };
    const answer = await server.app('/komga', headers).send('GET', '/api/v1/libraries');
    assert.equal([answer.status, answer.header('set-cookie')], [200, '']);
  });
  check('a key is given no cookie, and a session that was ended is replaced', async () => {
    const { server } = parts();
    const keyed = await server.app('/komga', { ...AGENT, 'X-API-Key': server.key }).send('GET', '/api/v1/libraries');
    assert.equal([keyed.status, keyed.header('set-cookie')], [200, '']);
    const login = server.app('/komga', {
      'User-Agent': 'other',
      Authorization: basicOf(PERSON.username, PERSON.password),
    });
    const given = async (): Promise<string> => jarOf((await login.send('GET', '/api/v1/genres')).header('set-cookie'));
    const cookie = await given();
    assert.is(await given(), cookie, 'an app that keeps no cookies does not fill the list of sessions');
    const held = server.app('/komga', { Cookie: cookie });
    assert.is((await held.send('POST', '/api/logout')).status, 204);
    assert.is((await held.send('GET', '/api/v1/genres')).status, 401);
    const next = await given();
    assert.is.not(next, cookie);
    assert.is((await server.app('/komga', { Cookie: next }).send('GET', '/api/v1/genres')).status, 200);
  });
  const trackingOf = (id: string) => app.read(`/api/v2/series/${id}/read-progress/tachiyomi`, seriesTracking);
  check('the tracker reads counts, marks up to a number, and never un-marks', async () => {
    const id = await parts().zotId();
    const put = (lastBookNumberSortRead: number): Promise<void> =>
      app.change('PUT', `/api/v2/series/${id}/read-progress/tachiyomi`, { lastBookNumberSortRead });
    const before = await trackingOf(id);
    assert.equal(
      [before.booksCount, before.booksUnreadCount, before.lastReadContinuousNumberSort, before.maxNumberSort],
      [VOLUMES, VOLUMES, 0, VOLUMES],
    );
    await put(0);
    assert.is((await trackingOf(id)).booksReadCount, 0, 'nothing is read by binding');
    await put(3);
    const after = await trackingOf(id);
    assert.equal([after.booksReadCount, after.lastReadContinuousNumberSort], [3, 3]);
    await put(1);
    assert.is((await trackingOf(id)).booksReadCount, 3);
    const found = await app.read(
      `/api/v1/series/${id}`,
      record({ booksReadCount: int, booksUnreadCount: int, booksInProgressCount: int }),
    );
    assert.equal([found.booksReadCount, found.booksUnreadCount, found.booksInProgressCount], [3, VOLUMES - 3, 0]);
  });
  check('a number that is none, or none at all, is refused and marks nothing', async () => {
    const id = await parts().zotId();
    for (const body of [{}, { lastBookNumberSortRead: 'x' }, { lastBookNumberSortRead: null }]) {
      const refused = await app.send('PUT', `/api/v2/series/${id}/read-progress/tachiyomi`, { body });
      assert.is(refused.status, 400, JSON.stringify(body));
    }
    assert.is((await trackingOf(id)).booksReadCount, 3);
  });
  check('read lists are tracked by place', async () => {
    const { server, zotId, chapters } = parts();
    const found = await chapters(await zotId());
    const bookIds = [4, 0, 5].map((at) => uuidOf(found[at]?.id ?? ''));
    await server.listWith('readlists', 'Order', bookIds);
    const { content } = await app.read(
      '/api/v1/readlists?search=Order&page=0',
      record({ content: listOf(record({ id: text })) }),
    );
    const [{ id }] = content;
    const path = `/api/v1/readlists/${id}/read-progress/tachiyomi`;
    assert.equal((await app.read(path, readListTracking)).lastReadContinuousIndex, 0);
    await app.change('PUT', path, { lastBookRead: 2 });
    const after = await app.read(path, readListTracking);
    assert.equal([after.booksReadCount, after.lastReadContinuousIndex], [2, 2]);
  });
};
