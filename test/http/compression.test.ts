// Which answers are compressed and how: Accept-Encoding, types, sizes, headers; forms that are kept, and how many are made at a time.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { BytesBody, Reply, Request } from '../../http/server/adapter.js';
import { codingOf, isCompressible, MIN_BYTES } from '../../http/server/compression.js';
import { compressing } from '../../http/server/compressor.js';
import { assert, block } from '../kit.js';

/** RFC 9110 12.5.3; the examples of the standard among them. */
const CODINGS: readonly (readonly [header: string, wanted: string | null])[] = [
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip, br', 'br'],
  ['br, gzip', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['compress, gzip', 'gzip'],
  ['compress', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['gzip;q=0', null],
  ['gzip;q=0.0', null],
  ['gzip;q=0, *', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*, gzip;q=0, br;q=0', null],
  ['gzip, *;q=0', 'gzip'],
  ['gzip;q=1.0, br;q=0.8', 'gzip'],
  ['gzip;q=0.5,br;q=0.501', 'br'],
  ['compress;q=0.5, gzip;q=1.0', 'gzip'],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip'],
  ['identity;q=0.5, gzip;q=0.1', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0', null],
  ['gzip ; q=0.3 , br ; Q=0.2', 'gzip'],
  ['gzip;q=high', null],
  ['gzip;q=1.5', null],
  ['gzip;q=-1', null],
  ['gzip;q=0.1234', null],
  ['gzip;level=9', 'gzip'],
  [',,gzip,,', 'gzip'],
];

const reply = (type: string, more: Partial<Reply> = {}, bytes = 'a'.repeat(MIN_BYTES)): Reply => ({
  status: 200,
  headers: [['Content-Type', type]],
  body: { kind: 'bytes', bytes },
  ...more,
});

const TYPES: readonly (readonly [type: string, isText: boolean])[] = [
  ['application/json; charset=utf-8', true],
  ['application/json', true],
  ['Application/JSON', true],
  ['application/xml', true],
  ['application/atom+xml;profile=opds-catalog', true],
  ['application/opds+json', true],
  ['application/opensearchdescription+xml', true],
  ['text/html; charset=utf-8', true],
  ['text/css', true],
  ['text/javascript', true],
  ['text/plain', true],
  ['image/svg+xml', true],
  ['text/event-stream', false],
  ['image/jpeg', false],
  ['image/webp', false],
  ['application/zip', false],
  ['application/epub+zip', false],
  ['application/pdf', false],
  ['application/octet-stream', false],
  ['application/jsonish', false],
  ['', false],
];

const request = (acceptEncoding: string, method = 'GET'): Request => ({
  method,
  path: '/',
  query: '',
  header: (name) => (name === 'accept-encoding' ? acceptEncoding : ''),
  has: () => false,
  remoteAddress: '127.0.0.1',
  body: Buffer.alloc(0),
  signal: new AbortController().signal,
});

const JSON_TYPE = 'application/json';
const TEXT = JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ title: `Book ${n} é あ` })));
const TAGGED: Reply['headers'] = [
  ['Content-Type', JSON_TYPE],
  ['ETag', '"strong"'],
];
const tagged = (body: Partial<BytesBody> = {}): Reply => ({
  status: 200,
  headers: TAGGED,
  body: { kind: 'bytes', bytes: TEXT, ...body },
});

const headersOf = ({ headers }: Reply): ReadonlyMap<string, string> => new Map(headers);
const bytesOf = ({ body }: Reply): Uint8Array | string => (body.kind === 'bytes' ? body.bytes : '');

block('which answers are compressed', (check) => {
  for (const [header, wanted] of CODINGS)
    check(`Accept-Encoding "${header}": ${wanted ?? 'none'}`, () => assert.is(codingOf(header), wanted));
  for (const [type, isText] of TYPES)
    check(`${type === '' ? 'no type' : type}: ${isText ? 'yes' : 'no'}`, () =>
      assert.is(isCompressible(reply(type)), isText),
    );
  check('nothing small, partial, without a body, encoded already or not to be changed', () => {
    assert.not.ok(isCompressible(reply(JSON_TYPE, {}, 'a'.repeat(MIN_BYTES - 1))));
    for (const status of [204, 206, 304]) assert.not.ok(isCompressible(reply(JSON_TYPE, { status })), `${status}`);
    for (const status of [200, 201, 400, 404, 500])
      assert.ok(isCompressible(reply(JSON_TYPE, { status })), `${status}`);
    const having = (name: string, value: string): Reply =>
      reply(JSON_TYPE, {
        headers: [
          ['content-type', JSON_TYPE],
          [name, value],
        ],
      });
    assert.not.ok(isCompressible(having('Content-Encoding', 'gzip')));
    assert.not.ok(isCompressible(having('Cache-Control', 'private, no-transform')));
    assert.ok(isCompressible(having('Cache-Control', 'no-store')));
    const open = (): never => {
      throw new Error('it was opened');
    };
    assert.not.ok(isCompressible(reply(JSON_TYPE, { body: { kind: 'stream', open, isLive: false } })));
  });
});

block('compressed answers', (check) => {
  for (const [coding, decoded] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)
    check(`${coding}: the same text, fewer bytes, a weak tag`, async () => {
      const found = await compressing(() => tagged())(request(coding));
      assert.is(decoded(Buffer.from(bytesOf(found))).toString(), TEXT);
      assert.ok(bytesOf(found).length < TEXT.length / 5);
      const headers = headersOf(found);
      assert.equal(
        ['Content-Encoding', 'Vary', 'ETag', 'Content-Type'].map((name) => headers.get(name)),
        [coding, 'Accept-Encoding', 'W/"strong"', JSON_TYPE],
      );
    });
  check('plain: the answer itself, at once, with its tag, and caches are told that it varies', () => {
    const given = tagged();
    const found = compressing(() => given)(request('')) as Reply;
    assert.equal(found, { ...given, headers: [...TAGGED, ['Vary', 'Accept-Encoding']] });
  });
  check('what is never compressed stays the very same object', () => {
    const given = reply('image/jpeg');
    assert.is(compressing(() => given)(request('gzip')), given);
  });
  check('HEAD says what GET says, but no length, and nothing is compressed', () => {
    const found = compressing(() => tagged())(request('gzip', 'HEAD')) as Reply;
    assert.equal(
      [...headersOf(found)],
      [
        ['Content-Type', JSON_TYPE],
        ['ETag', 'W/"strong"'],
        ['Vary', 'Accept-Encoding'],
        ['Content-Encoding', 'gzip'],
      ],
    );
    assert.is(found.body.kind, 'stream');
  });
  check('an answer that is kept keeps its forms, which are sent at once', async () => {
    const encoded = new Map<string, Uint8Array>();
    const dispatch = compressing(async () => tagged({ encoded }));
    const first = await dispatch(request('gzip'));
    assert.is(encoded.get('gzip'), bytesOf(first));
    const again = compressing(() => tagged({ encoded }))(request('gzip')) as Reply;
    assert.is(bytesOf(again), bytesOf(first));
    assert.is(headersOf(again).get('Content-Encoding'), 'gzip');
    await dispatch(request('br'));
    assert.equal([...encoded.keys()], ['gzip', 'br']);
  });
  check('while some are being compressed, others are sent as they are, and afterwards compressed again', async () => {
    const dispatch = compressing(() => tagged());
    const found = await Promise.all(Array.from({ length: 10 }, () => dispatch(request('gzip'))));
    const forms = found.map((one) => headersOf(one).get('Content-Encoding'));
    assert.equal(
      forms,
      Array.from({ length: 10 }, (_, n) => (n < 4 ? 'gzip' : undefined)),
    );
    assert.ok(found.every((one) => headersOf(one).get('Vary') === 'Accept-Encoding'));
    assert.is(headersOf(await dispatch(request('gzip'))).get('Content-Encoding'), 'gzip');
  });
});
