// Addresses, ids and bodies that are malformed: each is refused in the envelope, none is the fault of the server.
import { join } from 'node:path';
import { ROUTES } from '../../http/api/rows/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let book = '';
let series = '';

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  writeBook(join(temp.shelf, 'Book', 'book.cbz'), 2, 'book');
  await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf, scanImmediately: true } });
  await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
  const [found] = (await api('GET', '/books')).json.data;
  [book, series] = [found.id, found.seriesId];
};

const isEnvelope = ({ json }: Answer): boolean =>
  typeof json.error === 'string' && typeof json.message === 'string' && 'details' in json;

/** Ids that are none, as they stand in an address. */
const NO_IDS = [
  'x',
  '0',
  '-1',
  '%00',
  '%20',
  '..%2f',
  '%F0%9F%90%9C',
  'null',
  'undefined',
  '01890000-0000-7000-8000-00000000000',
  '01890000-0000-7000-8000-0000000000000',
  '01890000000070008000000000000000',
  '{01890000-0000-7000-8000-000000000000}',
  '01890000-0000-7000-8000-00000000000g',
  "1'%20or%20'1'='1",
  'x'.repeat(3000),
];

const NO_PAGES: readonly (readonly [number: string, status: number])[] = [
  ['0', 404],
  ['-0', 404],
  ['-1', 404],
  ['3', 404],
  ['2147483648', 404],
  ['99999999999999999999999', 404],
  ['1.5', 400],
  ['1e0', 400],
  ['0x1', 400],
  ['one', 400],
  ['%31%00', 400],
  ['1%20', 400],
];

const places = (check: Check): void => {
  check('an invalid id is 400 and named', async () => {
    for (const id of NO_IDS)
      for (const path of [
        `/books/${id}`,
        `/series/${id}/books`,
        `/libraries/${id}/scan-status`,
        `/books/${id}/pages/1`,
      ]) {
        const answer = await api('GET', path);
        assert.equal([answer.status, answer.json.error, isEnvelope(answer)], [400, 'BadRequest', true], path);
        assert.match(answer.json.message, /id must be a uuid/);
      }
  });
  check('a page that does not exist is 404 and says which do; anything but a number is 400', async () => {
    for (const [number, status] of NO_PAGES) {
      const answer = await api('GET', `/books/${book}/pages/${number}`);
      assert.equal([answer.status, isEnvelope(answer)], [status, true], number);
      if (status === 404) assert.match(answer.json.message, /pages 1 to 2/);
    }
  });
  check('an invalid escape is 400', async () => {
    for (const part of ['%', '%z', '%zz', '%c3%28', '%ff', 'a%'])
      for (const path of [`/books/${part}`, `/books/${book}/pages/${part}`, `/series/${part}/full`])
        assert.equal([(await api('GET', path)).status, path], [400, path]);
  });
  check('an unknown address is 404', async () => {
    for (const path of ['', '/', '/nothing', `/books/${book}/nothing`, `/books/${book}/pages/1/2`, '/series/a/b/c/d'])
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await api(method, path);
        assert.equal(
          [answer.status, answer.json.error, isEnvelope(answer)],
          [404, 'NotFound', true],
          `${method} ${path}`,
        );
      }
    for (const path of [
      '//api/v1/books',
      '/api/v2/books',
      '/api/v1',
      '/API/V1/books',
      '/%61pi/v1/books',
      '/..',
      '/favicon.ico',
    ])
      assert.is((await temp.call('GET', path, { token })).status, 404, path);
  });
};

/** Words that stand where an id does. */
const WORDS: readonly string[] = [
  'POST /books/bulk/analyze',
  'POST /books/bulk/genres',
  'PATCH /books/bulk/metadata',
  'PUT /books/bulk/metadata/locks',
  'POST /books/bulk/tags',
  'POST /series/bulk/analyze',
  'POST /series/bulk/genres',
  'PATCH /series/bulk/metadata',
  'PUT /series/bulk/metadata/locks',
  'POST /series/bulk/tags',
  'GET /series/external-index',
];

const words = (check: Check): void => {
  check('features that do not exist here are 404, not resources with an odd id', async () => {
    for (const line of WORDS) {
      const [method = '', path = ''] = line.split(' ');
      const answer = await api(method, path, { body: {} });
      assert.equal([answer.status, answer.json.message], [404, 'There is nothing at this address.'], line);
    }
  });
  check('full records of all series have their own address', async () => {
    const { json, status } = await api('GET', '/series/full?pageSize=1');
    assert.equal([status, json.total, json.data[0].id], [200, 1, series]);
    assert.equal(json.data, (await api('GET', '/series?full=true')).json.data);
    assert.match(json.links.self, /^\/api\/v1\/series\/full\?/);
  });
};

const deep = (levels: number): string => `{"customMetadata":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;

const bodies = (check: Check): void => {
  const at = (): string => `/series/${series}/metadata`;
  check('a body that is not JSON, or not an object, is 400 on every route that takes one', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    for (const route of ROUTES.filter((one) => one.body !== null && one.access !== 'public'))
      for (const body of [
        '{',
        '{"a":1}}',
        '{a:1}',
        "{'a':1}",
        '[]',
        '1',
        'true',
        '"x"',
        'null',
        '\u0000',
        '\ufeff{}',
        '{"a":1,}',
      ]) {
        const answer = await api(route.method, route.path.replaceAll(/\{\w+\}/g, id), { body });
        assert.equal([answer.status, isEnvelope(answer)], [400, true], `${route.id} ${body}`);
      }
  });
  check('a body that is not text is 400', async () => {
    const body = Buffer.concat([Buffer.from('{"summary":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]);
    const answer = await api('PATCH', at(), { body });
    assert.equal([answer.status, isEnvelope(answer)], [400, true]);
    assert.match(answer.json.message, /UTF-8/);
  });
  check('a body nested too deeply is 400, and what was stored can be read', async () => {
    for (const levels of [100, 1001, 5000, 100_000]) {
      for (const body of [deep(levels), `${'['.repeat(levels)}${']'.repeat(levels)}`]) {
        const answer = await api('PATCH', at(), { body });
        assert.equal([answer.status, isEnvelope(answer)], [400, true], String(levels));
      }
      assert.is(
        (await api('POST', '/collections', { body: deep(levels).replace('customMetadata', 'condition') })).status,
        400,
      );
    }
    assert.is((await api('PATCH', at(), { body: deep(40) })).status, 200);
    for (const path of [at(), '/series', `/series/${series}/full`])
      assert.is((await api('GET', path)).status, 200, path);
  });
  check('no answer was a server error', () => assert.equal(temp.faults, []));
};

block(
  'malformed addresses and bodies',
  (check) => {
    for (const part of [places, words, bodies]) part(check);
  },
  { before: setUp, after: () => temp.close() },
);
