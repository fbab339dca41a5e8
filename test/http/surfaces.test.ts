// Surfaces: each address belongs to one, which decides how errors look, which ways of signing in count and which headers are added.

import Type from 'typebox';
import { AppError } from '../../core/model/errors.js';
import { API, ROOT } from '../../http/api/surface.js';
import type { Reply, Request } from '../../http/server/adapter.js';
import { bearer, type SignIn } from '../../http/surface/credentials.js';
import { createDispatch } from '../../http/surface/dispatch.js';
import { RecentLog } from '../../http/surface/recent-log.js';
import { media } from '../../http/surface/replies.js';
import { type Route, route } from '../../http/surface/route.js';
import { buildRouter } from '../../http/surface/router.js';
import type { Surface } from '../../http/surface/surface.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { NO_SCRAPE } from '../no-scrape.js';

let temp: TempApp;

const text = (bytes: string): Reply => ({
  status: 200,
  headers: [['Content-Type', 'text/plain']],
  body: { kind: 'bytes', bytes },
});

const row = (path: string, access: Route['access'], run: (params: Record<string, string>) => Reply): Route =>
  route({
    id: `test.${path}`,
    method: 'GET',
    path,
    access,
    params: Type.Object({ name: Type.Optional(Type.String()) }),
    reply: { 200: media('text/plain') },
    about: 'For this test.',
    run: (_, { params }) => run(params as Record<string, string>),
  });

/** A row that tells where it is. */
const at = (path: string): Route =>
  route({
    id: `test${path}`,
    method: 'GET',
    path,
    access: 'public',
    reply: { 200: media('text/plain') },
    about: 'For this test.',
    run: ({ base, prefix }) => text(`${base()}${prefix}${path}`),
  });

/** A password that everybody knows: `Authorization: Open USER`. */
const open: SignIn = ({ app, request }) => {
  const token = /^Open (\S+)$/.exec(request.header('authorization'))?.[1];
  return token === undefined ? undefined : app.callers.byToken(token);
};

const FEEDS: Surface = {
  name: 'feeds',
  prefix: '/feeds',
  credentials: {
    ways: [open],
    challenge: 'Open realm="Longbox"',
    onUnauthorized: ({ base }) => [['Link', `<${base()}/login>`]],
  },
  errorView: ({ status, word, message }, { path, base }) => ({
    type: 'application/xml',
    text: `<e s="${status}" w="${word}" at="${base()}${path}">${message}</e>`,
  }),
  headers: [['X-Feed', '1']],
  cors: false,
  rows: [
    row('', 'public', () => text('start')),
    row('/files/{name*}', 'public', ({ name }) => text(`file ${name}`)),
    row('/files/list', 'public', () => text('list')),
    row('/own', 'user', () => text('own')),
    at('/at'),
    row('/broken', 'public', () => {
      throw new Error('secret of the house');
    }),
    row('/full', 'public', () => {
      throw new AppError('Overloaded');
    }),
  ],
};
const INNER: Surface = {
  ...FEEDS,
  name: 'inner',
  prefix: '/feeds/inner',
  headers: [],
  rows: [row('/x', 'public', () => text('x'))],
};

const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const [address = '', query = ''] = path.split('?');
  const request: Request = {
    method,
    path: address,
    query,
    header: (name) => headers[name] ?? '',
    has: (name) => name in headers,
    remoteAddress: '127.0.0.1',
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
  };
  const reply = await createDispatch({
    app: temp.app,
    router: buildRouter([FEEDS, API, INNER, ROOT]),
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
    cors: { origins: ['*'] },
    isTrustedProxy: () => false,
    onUntrustedProxy: () => undefined,
    baseUrl: null,
    traffic: null,
    onDone: null,
    onFault: () => undefined,
  })(request);
  const { body } = reply;
  const header = (name: string): string | undefined => reply.headers.find(([one]) => one === name)?.[1];
  return { status: reply.status, header, text: body.kind === 'bytes' ? String(body.bytes) : '' };
};

block(
  'surfaces',
  (check) => {
    for (const [path, status, word] of [
      ['/feeds/nothing', 404, 'NotFound'],
      ['/feeds/own', 401, 'Unauthorized'],
      ['/feeds/broken', 500, 'InternalServerError'],
      ['/feeds/full', 503, 'Overloaded'],
      ['/feeds/files/%zz', 400, 'BadRequest'],
    ] as const) {
      check(
        `${path} is refused in the shape of its surface, with its headers, and says nothing of the house`,
        async () => {
          const answer = await ask(path, { host: 'reader.example' });
          assert.equal([answer.status, answer.header('Content-Type')], [status, 'application/xml']);
          assert.ok(
            answer.text.startsWith(`<e s="${status}" w="${word}" at="http://reader.example${path}">`),
            answer.text,
          );
          assert.not.ok(answer.text.includes('secret'));
          assert.is(answer.header('X-Feed'), '1');
        },
      );
    }
    check('another method is 405 in that shape, with what is allowed', async () => {
      const answer = await ask('/feeds/own', {}, 'DELETE');
      assert.equal(
        [answer.status, answer.header('Content-Type'), answer.header('Allow')],
        [405, 'application/xml', 'GET, HEAD, OPTIONS'],
      );
    });
    check('elsewhere errors are JSON, also where an address only begins like a prefix', async () => {
      for (const path of ['/', '/feedsx', '/api/v1', '/api/v1/nothing', '/api/v1x', '/nothing/at/all']) {
        const answer = await ask(path);
        assert.equal(
          [answer.status, JSON.parse(answer.text).error, answer.header('X-Feed')],
          [404, 'NotFound', undefined],
          path,
        );
      }
    });
    check('a row knows the address of its server and its prefix; a 401 may name further headers', async () => {
      const headers = { host: 'reader.example:81' };
      assert.is((await ask('/feeds/at', headers)).text, 'http://reader.example:81/feeds/at');
      assert.is((await ask('/feeds/at', { host: 'a b' })).text, '/feeds/at');
      assert.is((await ask('/feeds/own', headers)).header('Link'), '<http://reader.example:81/login>');
      assert.is((await ask('/feeds/nothing', headers)).header('Link'), undefined);
    });
    check('the longest prefix counts', async () => {
      assert.equal([(await ask('/feeds')).text, (await ask('/feeds/inner/x')).text], ['start', 'x']);
      assert.is((await ask('/feeds/inner/none')).header('X-Feed'), undefined);
    });
    check('the rest of a path is one parameter, decoded; a row of its own takes precedence', async () => {
      assert.is((await ask('/feeds/files/a/b%20c.js')).text, 'file a/b c.js');
      assert.is((await ask('/feeds/files/list')).text, 'list');
    });
    check('only the ways of signing in that a surface lists count, and it says which when none is used', async () => {
      const token = await temp.tokenOf('reader');
      assert.is((await ask('/feeds/own', { authorization: `Open ${token}` })).text, 'own');
      for (const headers of [
        { authorization: `Bearer ${token}` },
        { cookie: `auth_token=${token}` },
        { authorization: 'Open x' },
      ]) {
        const refused = await ask('/feeds/own', headers);
        assert.equal([refused.status, refused.header('WWW-Authenticate')], [401, 'Open realm="Longbox"']);
      }
      assert.is((await ask('/api/v1/auth/me', { authorization: `Bearer ${token}` })).status, 200);
      const other = await ask('/api/v1/auth/me', { authorization: `Open ${token}` });
      assert.equal([other.status, other.header('WWW-Authenticate')], [401, undefined]);
    });
    check('bearer is none of its ways', () => assert.not.ok(FEEDS.credentials.ways.includes(bearer)));
    check('OPTIONS says what an address answers, without credentials; nowhere is 404', async () => {
      const answer = await ask('/api/v1/libraries', {}, 'OPTIONS');
      assert.equal([answer.status, answer.header('Allow'), answer.text], [204, 'GET, HEAD, POST, OPTIONS', '']);
      assert.is((await ask('/api/v1/nothing', {}, 'OPTIONS')).status, 404);
      assert.is((await ask('/api/v1/books/bulk/x', {}, 'OPTIONS')).status, 404);
    });
    check('a surface without CORS has none', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
      for (const [path, method] of [
        ['/feeds', 'GET'],
        ['/feeds/own', 'OPTIONS'],
      ] as const) {
        const answer = await ask(path, headers, method);
        assert.equal(
          [answer.header('Access-Control-Allow-Origin'), answer.header('Access-Control-Allow-Methods')],
          [undefined, undefined],
        );
      }
    });
    check('without a surface for the rest there is no server', () => {
      assert.throws(() => buildRouter([API]), /no surface/);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
