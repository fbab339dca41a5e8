// Kept answers and conditional lists: the same question again takes no query, and no write, by anyone, leaves a stale answer. A random
// model asks and writes as several users, across restarts and a restore, and compares every answer with one made at that moment.
import { join } from 'node:path';
import { databasePath } from '../../core/start.js';
import { withConnection } from '../../core/store/connection.js';
import { copyDatabase } from '../../core/upkeep/backup.js';
import { restoreDatabase } from '../../core/upkeep/restore.js';
import type { Reply } from '../../http/server/adapter.js';
import { KeptAnswers } from '../../http/surface/kept-answers.js';
import { type Answer, type CallOptions, until } from '../app.js';
import { assert, block } from '../kit.js';
import { House, header, LISTS, model } from './kept-model.js';

let house: House;
const ask = (user: number, path: string, options?: CallOptions): Promise<Answer> =>
  house.call(user, 'GET', path, options);
const tagFor = async (user: number, path: string): Promise<string> => (await ask(user, path)).header('etag') ?? '';

/** Queries that reach the database meanwhile. */
const queriesOf = async (body: () => Promise<unknown>): Promise<number> => {
  const { db } = house.temp.app;
  const { all, json, readsFor, snapshot } = db;
  let count = 0;
  const counted = { all, json, readsFor, snapshot };
  const note = <F extends (...args: never[]) => unknown>(call: F): F =>
    ((...args: never[]) => {
      count += 1;
      return call(...args);
    }) as F;
  Object.assign(db, { all: note(all), json: note(json), readsFor: note(readsFor), snapshot: note(snapshot) });
  await body().finally(() => Object.assign(db, counted));
  return count;
};

block(
  'kept answers',
  (check) => {
    for (const path of LISTS) {
      check(`${path} asked again takes no query and is 304 for a client that has it`, async () => {
        const first = await ask(0, path);
        const tag = first.header('etag') ?? '';
        assert.match(tag, /^W\/"[\w-]{22}"$/);
        assert.is(first.header('cache-control'), 'private, no-cache');
        const token = house.tokens[0] ?? '';
        const dispatchOnly = (options: CallOptions): Promise<Answer> =>
          house.temp.kept('GET', `/api/v1${path}`, { token, ...options });
        let [again, unchanged, head] = [first, first, first];
        const queries = await queriesOf(async () => {
          again = await dispatchOnly({});
          unchanged = await dispatchOnly(header(tag));
          head = await house.temp.kept('HEAD', `/api/v1${path}`, { token });
        });
        assert.is(queries, 0);
        assert.equal([again.status, again.header('etag')], [200, tag]);
        assert.ok(again.bytes.equals(first.bytes));
        assert.equal([unchanged.status, unchanged.header('etag'), unchanged.bytes.length], [304, tag, 0]);
        assert.is(unchanged.header('vary'), 'Accept-Encoding', 'as the answer itself says once it is compressed');
        assert.is(head.header('etag'), tag);
      });
    }
    check(
      'If-Match with a tag is 412, since no weak tag matches; an answer that is refused anyhow stays as it is',
      async () => {
        const tag = await tagFor(0, '/books');
        const statusOf = async (path: string, headers: Readonly<Record<string, string>>, user = 0): Promise<number> =>
          (await ask(user, path, { headers })).status;
        for (const given of [tag, tag.slice(2), '""', '"other"', `"other", ${tag}`, '"*"']) {
          assert.is(await statusOf('/books', { 'if-match': given }), 412, given);
          assert.is(
            await statusOf('/books?page=2&pageSize=1', { 'if-match': given }),
            412,
            'of one that is not kept yet',
          );
          assert.is(await statusOf('/books', { 'if-match': given, 'if-none-match': tag }), 412);
        }
        assert.is((await ask(0, '/books', { headers: { 'if-match': tag } })).json.error, 'PreconditionFailed');
        assert.is(
          (
            await house.temp.kept('HEAD', '/api/v1/books', {
              token: house.tokens[0] ?? '',
              headers: { 'if-match': tag },
            })
          ).status,
          412,
        );
        assert.is(await statusOf('/books', { 'if-match': '*' }), 200);
        assert.is(await statusOf('/books', { 'if-match': '*', 'if-none-match': tag }), 304);
        assert.is(await statusOf('/books?pageSize=x', { 'if-match': tag }), 400);
        assert.is(await statusOf('/series/01900000-0000-7000-8000-000000000000/full', { 'if-match': tag }), 404);
        const body = { condition: { title: { operator: 'contains', value: 'alpha' } } };
        const filtered = await house.call(0, 'POST', '/books/list', { body, headers: { 'if-match': tag } });
        assert.is(filtered.status, 200, 'POST has no tags');
      },
    );
    check('a filter by POST is kept too, by its body, and carries no tag', async () => {
      const body = { condition: { title: { operator: 'contains', value: 'alpha' } } };
      const filter = (options: CallOptions): Promise<Answer> =>
        house.temp.kept('POST', '/api/v1/books/list', { token: house.tokens[0] ?? '', ...options });
      const first = await filter({ body });
      let [again, other] = [first, first];
      assert.is(
        await queriesOf(async () => {
          again = await filter({ body });
        }),
        0,
      );
      assert.ok(again.bytes.equals(first.bytes));
      assert.is(first.header('etag'), undefined);
      other = await filter({ body: { condition: { title: { operator: 'contains', value: 'beta' } } } });
      assert.not.ok(other.bytes.equals(first.bytes));
      assert.is((await filter({ body, headers: { 'if-none-match': '*' } })).status, 200);
    });
    check('a tag of one user, one address or one page is none of another', async () => {
      const tags = [
        await tagFor(0, '/books'),
        await tagFor(1, '/books'),
        await tagFor(2, '/books'),
        await tagFor(0, '/books?page=1'),
        await tagFor(0, '/series'),
      ];
      assert.is(new Set(tags).size, tags.length);
      for (const tag of tags.slice(1)) assert.is((await ask(0, '/books', header(tag))).status, 200);
    });
    check('reading changes the answers of the reader and leaves those of others', async () => {
      const [mine, theirs] = [await tagFor(1, '/books'), await tagFor(2, '/books')];
      const [book = ''] = await house.ids(1, '/books');
      assert.is((await house.call(1, 'PUT', `/books/${book}/progress`, { body: { current_page: 2 } })).status, 200);
      assert.equal(
        [(await ask(1, '/books', header(mine))).status, (await ask(2, '/books', header(theirs))).status],
        [200, 304],
      );
    });
    check('signing in leaves answers as they are', async () => {
      const tag = await tagFor(0, '/series');
      const caller = await house.temp.app.callers.byToken(house.tokens[0] ?? '');
      await house.temp.app.sessions.open(caller.user);
      assert.is((await ask(0, '/series', header(tag))).status, 304);
    });
    check('tags hold after a restart, and not after a restore, although its numbers are given again', async () => {
      const copy = join(house.folder, 'copy.db');
      await copyDatabase(databasePath(join(house.folder, 'data')), copy);
      const rename = async (name: string): Promise<string> => {
        const [series = ''] = await house.ids(0, '/series');
        await house.call(0, 'PATCH', `/series/${series}/metadata`, { body: { summary: name } });
        return tagFor(0, `/series/${series}/full`);
      };
      const [series = ''] = await house.ids(0, '/series');
      const first = await rename('before');
      await house.temp.close();
      await house.open();
      assert.is((await ask(0, `/series/${series}/full`, header(first))).status, 304);
      await house.temp.close();
      const path = databasePath(join(house.folder, 'data'));
      // As a power loss leaves it: the newest changes may be gone, and their numbers are given again.
      await withConnection(path, (connection) => connection.run('UPDATE change_feed SET is_closed = 0'));
      await house.open();
      assert.is((await ask(0, `/series/${series}/full`, header(first))).status, 200);
      await house.temp.close();
      await restoreDatabase({
        path,
        source: copy,
        keptFolder: join(house.folder, 'data', 'backups'),
        nowMs: Date.now(),
      });
      await house.open();
      const second = await rename('after');
      assert.is.not(second, first);
      assert.is((await ask(0, `/series/${series}/full`, header(first))).status, 200);
    });
    check('the memory has a bound, and is freed when nobody asks', async () => {
      const { app } = house.temp;
      let dropped = 0;
      const kept = new KeptAnswers({
        feed: app.db.feed,
        versions: app.versions,
        release: 'x',
        bytesMax: 64_000,
        restMs: 20,
        onDropped: () => {
          dropped += 1;
        },
      });
      const viewer = app.viewers.unrestricted(1);
      const request = (query: string) => ({
        method: 'GET',
        path: '/x',
        query,
        header: () => '',
        has: () => false,
        remoteAddress: '',
        body: Buffer.alloc(0),
        signal: new AbortController().signal,
      });
      const reply = (bytes: number): Reply => ({
        status: 200,
        headers: [],
        body: { kind: 'bytes', bytes: 'x'.repeat(bytes) },
      });
      for (let n = 0; n < 100; n += 1) await kept.answer({ request: request(String(n)), viewer }, () => reply(3000));
      assert.ok(kept.size > 5 && kept.size < 20, String(kept.size));
      await kept.answer({ request: request('large'), viewer }, () => reply(5000));
      let made = 0;
      for (const base of ['http://a', 'http://b', 'http://b'])
        await kept.answer({ request: request('base'), viewer, base }, () => {
          made += 1;
          return reply(10);
        });
      assert.is(made, 2, 'one per address of the server');
      made = 0;
      await kept.answer({ request: request('large'), viewer }, () => {
        made += 1;
        return reply(5000);
      });
      assert.is(made, 1, 'one that is too large is made again');
      await until('the memory is freed', () => kept.size === 0);
      assert.is(dropped, 1, 'and the program is told, so that it collects garbage');
    });
    check('an answer that was begun before a change is not kept', async () => {
      const { app } = house.temp;
      const kept = new KeptAnswers({ feed: app.db.feed, versions: app.versions, release: 'x' });
      const viewer = app.viewers.unrestricted(house.users[0]?.key ?? 0);
      const request = {
        method: 'GET',
        path: '/x',
        query: '',
        header: () => '',
        has: () => false,
        remoteAddress: '',
        body: Buffer.alloc(0),
        signal: new AbortController().signal,
      };
      const reply: Reply = { status: 200, headers: [], body: { kind: 'bytes', bytes: 'old' } };
      const make = async (): Promise<Reply> => {
        const [series = ''] = await house.ids(0, '/series');
        await house.call(0, 'PATCH', `/series/${series}/metadata`, { body: { summary: 'meanwhile' } });
        return reply;
      };
      const answered = await kept.answer({ request, viewer }, make);
      assert.equal([kept.size, answered.headers], [0, []]);
      // Tags of others are made of the answer: without one, they would know that something was written.
      const other = { ...viewer, administers: false };
      const tagOf = async (made: () => Reply | Promise<Reply>) =>
        new Map((await kept.answer({ request, viewer: other }, made)).headers).get('ETag');
      const tag = await tagOf(make);
      assert.match(tag ?? '', /^W/);
      assert.is(kept.size, 0);
      assert.is(await tagOf(() => reply), tag);
    });
    check('random users, writes, restarts and restores: no answer is ever stale', () => model(house));
  },
  {
    before: async () => {
      house = new House();
      await house.stock();
    },
    after: () => house.close(),
  },
);
