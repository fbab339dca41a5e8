// Before a body is read: who may send how much to which row, with the real rows and real logins.

import { ROUTES } from '../../http/api/rows/index.js';
import { API, ROOT } from '../../http/api/surface.js';
import type { Admission, Request } from '../../http/server/adapter.js';
import { createAdmit } from '../../http/surface/admission.js';
import { buildRouter } from '../../http/surface/router.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { UNKNOWN_ID } from './row-bodies.js';

const LIMITS = { publicBytes: 16 * 1024, userBytes: 2 * 1024 * 1024, uploadBytes: 16 * 1024 * 1024 };
const router = buildRouter([API, ROOT]);
let temp: TempApp;

const admission = async (method: string, path: string, headers: Record<string, string> = {}): Promise<Admission> =>
  createAdmit(
    {
      app: temp.app,
      router,
      cors: { origins: ['*'] },
      isTrustedProxy: () => false,
      onUntrustedProxy: () => undefined,
      baseUrl: null,
      onFault: (thrown) => temp.faults.push(thrown),
    },
    LIMITS,
  )({
    method,
    path,
    query: '',
    header: (name) => headers[name] ?? '',
    has: (name) => name in headers,
    remoteAddress: '127.0.0.1',
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
  } satisfies Request);

/** Bytes that are admitted, or the status of the refusal. */
const told = async (method: string, path: string, token?: string): Promise<number | string> => {
  const found = await admission(method, path, token === undefined ? {} : { authorization: `Bearer ${token}` });
  return 'refusal' in found ? `refused with ${found.refusal.status}` : found.bodyBytes;
};

block(
  'admission of bodies',
  (check) => {
    check('every route without a login takes only small bodies', async () => {
      for (const { access, method, path } of ROUTES.filter((route) => route.access === 'public')) {
        if (path.startsWith('//')) continue;
        assert.is(await told(method, `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`), LIMITS.publicBytes, String(access));
      }
    });
    check('a route for users refuses unknown callers before their body, known or forged', async () => {
      for (const token of [undefined, '', 'abc', 'a.b.c'])
        assert.is(await told('POST', '/api/v1/books/list', token), 'refused with 401');
      assert.equal(await admission('POST', '/api/v1/auth/login'), { bodyBytes: LIMITS.publicBytes, isGuest: true });
    });
    check('a caller without permission is refused, others may send as much as the configuration allows', async () => {
      const reader = await temp.tokenOf('reader');
      const admin = await temp.tokenOf('admin');
      assert.is(await told('POST', '/api/v1/libraries', reader), 'refused with 403');
      assert.is(await told('POST', '/api/v1/libraries', admin), LIMITS.userBytes);
      assert.is(await told('POST', '/api/v1/libraries', admin), LIMITS.userBytes, 'also when the login is remembered');
      assert.is(await told('POST', '/api/v1/books/list', reader), LIMITS.userBytes);
    });
    check('a route that takes no body admits only a small one, and an unknown route none at all', async () => {
      const admin = await temp.tokenOf('admin');
      assert.is(await told('GET', '/api/v1/books', admin), LIMITS.publicBytes);
      assert.is(await told('POST', '/api/v1/nowhere', admin), 'refused with 404');
      assert.is(await told('PUT', '/api/v1/books/list', admin), 'refused with 405');
    });
    check('a route that takes a file admits a large body, from those who may send it, counted apart', async () => {
      const path = `/api/v1/books/${UNKNOWN_ID}/cover`;
      const admin = await temp.tokenOf('admin');
      const upload = { bodyBytes: LIMITS.uploadBytes, isUpload: true };
      assert.equal(await admission('POST', path, { authorization: `Bearer ${admin}` }), upload);
      assert.is(await told('POST', path, await temp.tokenOf('reader')), 'refused with 403');
      assert.is(await told('POST', path), 'refused with 401');
    });
    check('a page of another site can read why its body is refused', async () => {
      const origin = { origin: 'https://evil.example' };
      for (const [path, allowed] of [
        ['/api/v1/books/list', '*'],
        ['/api/v1/nothing', '*'],
        ['/api/v1/auth/nothing', undefined],
      ] as const) {
        const found = await admission('POST', path, origin);
        const headers = 'refusal' in found ? found.refusal.headers : [];
        assert.is(headers.find(([name]) => name === 'Access-Control-Allow-Origin')?.[1], allowed, path);
      }
    });
    check('no fault was reported', () => assert.equal(temp.faults, []));
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
