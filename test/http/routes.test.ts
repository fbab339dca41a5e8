// The routing table, row by row: credentials, permissions, input, methods. A new row is tested by being in the table.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { ROUTES } from '../../http/api/rows/index.js';
import { API } from '../../http/api/surface.js';
import { toOpenApi } from '../../http/docs/openapi.js';
import { needsOf, permit } from '../../http/surface/permit.js';
import type { Route } from '../../http/surface/route.js';
import { pathOf } from '../../http/surface/surface.js';
import { checkOf } from '../../http/surface/validate.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { bodyOf, UNKNOWN_ID as UUID } from './row-bodies.js';

/** A path of the row whose parameters are well formed and name nothing. */
const validPath = (route: Route): string =>
  pathOf(API, route)
    .replace('{page_number}', '1')
    .replace('{key}', 'ui.theme')
    .replaceAll(/\{\w+\}/g, UUID);

/** Rows for which it makes no difference whether there is such a thing. */
const ALSO_ABSENT = new Set(['wanted.books.remove', 'wanted.series.remove']);

/** Rows about progress tell of books, so they ask for both: an API key may have one without the other. */
const OF_PROGRESS: Readonly<Record<string, 'ProgressRead' | 'ProgressWrite'>> = {
  'progress.get': 'ProgressRead',
  'progress.put': 'ProgressWrite',
  'progress.delete': 'ProgressWrite',
  'progress.list': 'ProgressRead',
  'progress.current': 'ProgressRead',
  'books.read': 'ProgressWrite',
  'books.unread': 'ProgressWrite',
  'series.read': 'ProgressWrite',
  'series.unread': 'ProgressWrite',
  'books.bulk-read': 'ProgressWrite',
  'books.bulk-unread': 'ProgressWrite',
  'series.bulk-read': 'ProgressWrite',
  'series.bulk-unread': 'ProgressWrite',
  'progression.get': 'ProgressRead',
  'progression.put': 'ProgressWrite',
};

let temp: TempApp;

const credentials = (check: Check): void => {
  for (const [n, route] of ROUTES.filter(({ access }) => access !== 'public').entries()) {
    check(`${route.id}: no one gets in without credentials`, async () => {
      for (const options of [
        {},
        { token: 'nonsense' },
        { headers: { authorization: 'Basic YTpi' }, address: `10.4.${n >> 8}.${n & 255}` },
        { headers: { authorization: 'Basic YTpi!' } },
        { headers: { authorization: 'Digest username="a"' } },
        { headers: { authorization: '' } },
        { headers: { 'x-api-key': 'nonsense' } },
        { headers: { 'x-api-key': `svc_${'a'.repeat(8)}_${'b'.repeat(40)}` } },
        { headers: { cookie: 'auth_token=nonsense' } },
      ]) {
        const answer = await temp.call(route.method, validPath(route), options);
        assert.equal([answer.status, answer.json.error], [401, 'Unauthorized']);
      }
    });
  }
};

const permissions = (check: Check): void => {
  for (const [id, own] of Object.entries(OF_PROGRESS)) {
    check(`${id}: requires BooksRead and ${own}, and names the missing one`, async () => {
      const needs = needsOf(ROUTES.find((route) => route.id === id)?.access ?? 'public');
      assert.equal(needs, ['BooksRead', own]);
      for (const [held, missing] of [
        [[own], 'BooksRead'],
        [['BooksRead'], own],
      ] as const) {
        const thrown = await thrownBy(() => permit(needs, new Set(held)));
        assert.is((thrown as Error).message, `Missing required permission: ${missing}`);
      }
      permit(needs, new Set(['BooksRead', own]));
    });
  }
  check('the description lists what a row requires', () => {
    const { paths } = toOpenApi([API], '0') as { paths: Record<string, Record<string, Record<string, unknown>>> };
    const asked = (path: string): unknown => paths[`/api/v1${path}`]?.get?.['x-permissions'];
    assert.equal(asked('/progress'), ['BooksRead', 'ProgressRead']);
    assert.equal([asked('/books'), asked('/auth/me')], [['BooksRead'], undefined]);
  });
};

/** Providers, settings, preferences and profiles have names, not ids. */
const hasIds = ({ path }: Route): boolean => path.includes('{') && !/\{(?:provider|key|profile)\}/.test(path);

const input = (check: Check): void => {
  for (const route of ROUTES.filter(hasIds)) {
    check(`${route.id}: an id that is not a uuid is 400, an unknown id is 404`, async () => {
      const token = await temp.tokenOf('admin');
      const bad = await temp.call(route.method, pathOf(API, route).replaceAll(/\{\w+\}/g, 'x'), { token, body: {} });
      assert.equal([bad.status, bad.json.error, bad.json.details[0].message], [400, 'BadRequest', 'must be a uuid']);
      const body = route.body === null && route.upload === null ? undefined : bodyOf(route);
      assert.is(
        (await temp.call(route.method, validPath(route), { token, body })).status,
        ALSO_ABSENT.has(route.id) ? 204 : 404,
      );
    });
  }
  for (const route of ROUTES.filter(({ body }) => body !== null)) {
    check(`${route.id}: a body that is not JSON, not an object, or of another type is refused`, async () => {
      const token = await temp.tokenOf('admin');
      const ask = async (body: unknown, headers = {}): Promise<number> =>
        (await temp.call(route.method, validPath(route), { token, body, headers })).status;
      assert.equal([await ask('{"a":'), await ask([]), await ask('"text"'), await ask('null')], [400, 400, 400, 400]);
      assert.is(await ask('a=1', { 'content-type': 'application/x-www-form-urlencoded' }), 415);
    });
    check(`${route.id}: an optional field may be null`, async () => {
      const { properties = {}, required = [] } = route.body as unknown as {
        properties?: Record<string, unknown>;
        required?: readonly string[];
      };
      const whole = bodyOf(route) as object;
      const optional = Object.keys(properties).filter(
        (name) => !required.includes(name) && !Object.hasOwn(whole, name),
      );
      const body = { ...Object.fromEntries(optional.map((name) => [name, null])), ...whole };
      const answer = await temp.call(route.method, validPath(route), { token: await temp.tokenOf('admin'), body });
      const named = ((answer.json?.details ?? []) as readonly { path?: string }[]).map(({ path }) => path);
      assert.equal(
        optional.filter((name) => named.includes(name)),
        [],
      );
    });
  }
};

const queries: readonly (readonly [path: string, at: string])[] = [
  ['/books?page=1.5', 'page'],
  ['/books?page=abc', 'page'],
  ['/books?pageSize=many', 'pageSize'],
  ['/books?page_size=0x10', 'page_size'],
  ['/books?sort=nonsense', 'sort'],
  ['/books?sort=title,sideways', 'sort'],
  ['/books?sort=title&order=up', 'order'],
  ['/books?library_id=x', 'library_id'],
  ['/series?sort=title_sort%3B--', 'sort'],
  [`/books/${UUID}/pages/1?width=0`, 'width'],
  [`/books/${UUID}/pages/1?width=6001`, 'width'],
  [`/books/${UUID}/pages/1?height=1e3`, 'height'],
  [`/books/${UUID}/pages/1?format=gif`, 'format'],
  [`/books/${UUID}/pages/one`, 'page_number'],
];

const addresses = (check: Check): void => {
  for (const [path, at] of queries) {
    check(`${path} is 400 and names ${at}`, async () => {
      const answer = await temp.call('GET', `/api/v1${path}`, { token: await temp.tokenOf('reader') });
      assert.equal([answer.status, answer.json.details[0]?.path], [400, at]);
    });
  }
  check('an unknown sort names the accepted ones', async () => {
    const { json } = await temp.call('GET', '/api/v1/books?sort=rating', { token: await temp.tokenOf('reader') });
    assert.match(json.message, /title, number, file_size, page_count, created_at, modified_at/);
  });
  check('an unknown address is 404, an unsupported method is 405 with Allow', async () => {
    assert.is((await temp.call('GET', '/api/v1/nothing')).status, 404);
    assert.is((await temp.call('GET', '/')).status, 404);
    const answer = await temp.call('DELETE', '/api/v1/auth/login');
    assert.equal(
      [answer.status, answer.header('allow'), answer.json.error],
      [405, 'POST, OPTIONS', 'MethodNotAllowed'],
    );
  });
  check('a broken escape in a path is 400', async () => {
    assert.is((await temp.call('GET', '/api/v1/books/%zz', { token: await temp.tokenOf('reader') })).status, 400);
  });
  check('the schemas of every row compile, which otherwise the first request to it would find out', () => {
    for (const { params, query, body } of ROUTES)
      for (const schema of [params, query, ...(body === null ? [] : [body])]) checkOf(schema, 'row');
  });
  check('ids of rows are unique, and no row hides another', () => {
    assert.is(new Set(ROUTES.map(({ id }) => id)).size, ROUTES.length);
    const shapes = ROUTES.map((route) => `${route.method} ${pathOf(API, route).replaceAll(/\{\w+\}/g, '{}')}`);
    assert.is(new Set(shapes).size, shapes.length);
  });
  check('every path of the contract is in the table', () => {
    const wanted = readFileSync(fixture('spec/endpoints.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const present = new Set(ROUTES.map((route) => `${route.method} ${route.path.replaceAll(/\{\w+\}/g, '{}')}`));
    const shape = (line: string): string => line.replaceAll(/\{\w+\}/g, '{}');
    assert.equal(
      wanted.filter((line) => !present.has(shape(line))),
      [],
    );
  });
  check('no answer was a server error', () => assert.equal(temp.faults, []));
};

block(
  'routing table',
  (check) => {
    credentials(check);
    permissions(check);
    input(check);
    addresses(check);
  },
  {
    before: async () => {
      // All of them come from one address.
      temp = await tempApp({ overrides: [{ key: 'rate_limit.anonymous_burst', text: '1000' }] });
    },
    after: () => temp.close(),
  },
);
