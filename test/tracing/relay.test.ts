// What pages send to their collector through the server: bad bodies first, then what goes on and what does not.
import { createHash } from 'node:crypto';
import { PbfWriter } from 'pbf';
import { isExportRequest } from '../../core/tracing/otlp-message.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { type Collector, startCollector } from './collector.js';

const message = (write: (pbf: PbfWriter) => void): Buffer => {
  const pbf = new PbfWriter();
  write(pbf);
  return Buffer.from(pbf.finish());
};

const nested = (fields: readonly number[], inner: Buffer): Buffer =>
  fields.reduceRight((below, field) => message((pbf) => pbf.writeBytesField(field, below)), inner);

const spanOf = (traceBytes: number, name = 'click'): Buffer =>
  message((pbf) => {
    pbf.writeBytesField(1, Buffer.alloc(traceBytes, 1));
    pbf.writeBytesField(2, Buffer.alloc(8, 2));
    pbf.writeStringField(5, name);
    pbf.writeFixed64Field(7, 1);
  });

const metric = message((pbf) => {
  pbf.writeStringField(1, 'ttfb');
  pbf.writeBytesField(5, Buffer.alloc(0));
});

const TRACES = nested([1, 2, 2], spanOf(16));
const METRICS = nested([1, 2, 2], metric);
const PATH = '/api/v1/observability/otlp/v1';
const CONFIG = '/api/v1/observability/config';

let temp: TempApp;
let collector: Collector;
let token = '';

const post = (signal: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) =>
  temp.call('POST', `${PATH}/${signal}`, {
    token,
    body,
    headers: { 'content-type': 'application/x-protobuf', ...headers },
  });

const settings = (endpoint: string) => [
  { key: 'tracing.endpoint', text: endpoint },
  { key: 'tracing.headers', text: 'x-key=of-the-server' },
  { key: 'tracing.browser', text: 'true' },
  { key: 'tracing.browser_sample_ratio', text: '0.25' },
  { key: 'tracing.sample_ratio', text: '0' },
];

block(
  'traces and metrics of pages',
  (check) => {
    check('bytes that are not an export request of that signal are none, wherever they are cut or changed', () => {
      assert.ok(isExportRequest(TRACES, 'traces') && isExportRequest(METRICS, 'metrics'));
      assert.not.ok(isExportRequest(TRACES, 'metrics') || isExportRequest(METRICS, 'traces'));
      for (let length = 0; length < TRACES.length; length += 1)
        assert.not.ok(isExportRequest(TRACES.subarray(0, length), 'traces'), `cut at ${length}`);
      for (const wrong of [spanOf(15), Buffer.alloc(0), Buffer.from('{"resourceSpans":[]}'), Buffer.alloc(64, 0xff)])
        assert.not.ok(isExportRequest(nested([1, 2, 2], wrong), 'traces'));
      const many = Buffer.concat(Array.from({ length: 5000 }, () => TRACES));
      assert.not.ok(isExportRequest(many, 'traces'));
    });
    check('random bytes are refused and never throw', () => {
      for (let seed = 0; seed < 2000; seed += 1) {
        const bytes = createHash('sha512').update(String(seed)).digest();
        for (const signal of ['traces', 'metrics'] as const)
          assert.is(typeof isExportRequest(bytes, signal), 'boolean');
      }
    });
    check('without a login there is nothing', async () => {
      for (const [method, path] of [
        ['GET', CONFIG],
        ['POST', `${PATH}/traces`],
        ['POST', `${PATH}/metrics`],
      ] as const)
        assert.is((await temp.call(method, path, { body: method === 'POST' ? TRACES : undefined })).status, 401);
    });
    check('another type, another signal, a compressed body and no body answer 400', async () => {
      const answers = [
        await post('traces', TRACES, { 'content-type': 'application/json' }),
        await post('traces', METRICS),
        await post('traces', TRACES, { 'content-encoding': 'gzip' }),
        await post('metrics', Buffer.alloc(0)),
      ];
      assert.equal(
        answers.map(({ status, json }) => [status, json.error]),
        answers.map(() => [400, 'BadRequest']),
      );
      assert.is(collector.posts.length, 0);
    });
    check('more than 1 MiB answers 413', async () => {
      assert.is((await post('traces', nested([1, 2, 2], spanOf(16, 'x'.repeat(1 << 20))))).status, 413);
    });
    check('pages are told where to and how many', async () => {
      assert.equal((await temp.call('GET', CONFIG, { token })).json, {
        enabled: true,
        proxyPath: '/api/v1/observability/otlp',
        sampleRatio: 0.25,
        serviceName: 'longbox',
      });
    });
    check('the body goes on as it is, with the headers of the server and none of the page', async () => {
      const own = { cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', referer: 'http://x/', 'x-key': 'of-the-page' };
      assert.is((await post('traces', TRACES, own)).status, 200);
      assert.is((await post('metrics', METRICS, own)).status, 200);
      assert.equal(
        collector.posts.map(({ path }) => path),
        ['/v1/traces', '/v1/metrics'],
      );
      const [first] = collector.posts;
      assert.equal(first?.body, TRACES);
      assert.equal(
        [first?.headers['x-key'], first?.headers['content-type']],
        ['of-the-server', 'application/x-protobuf'],
      );
      for (const name of ['cookie', 'authorization', 'x-forwarded-for', 'referer'])
        assert.is(first?.headers[name], undefined, name);
    });
    check('a collector that refuses, redirects or leaves answers 502, and its words stay there', async () => {
      const other = await startCollector();
      for (const status of [403, 500, 307]) {
        collector.answer = (_request, response) => {
          response.writeHead(status, { location: `${other.address}/v1/traces`, 'x-inner': 'secret' });
          response.end('secret words');
        };
        const { status: got, json } = await post('traces', TRACES);
        assert.equal([got, json.error], [502, 'CollectorFailed'], `${status}`);
        assert.not.match(JSON.stringify(json), /secret|127\.0\.0\.1/);
      }
      collector.answer = (request) => request.socket.destroy();
      assert.is((await post('traces', TRACES)).status, 502);
      assert.is(other.posts.length, 0);
      await other.close();
      collector.answer = (_request, response) => response.end();
    });
    check('one user cannot send without end; others still can', async () => {
      let refused = await post('traces', TRACES);
      for (let n = 0; n < 40 && refused.status === 200; n += 1) refused = await post('traces', TRACES);
      assert.equal([refused.status, refused.header('retry-after')], [429, '1']);
      const mine = token;
      token = await temp.tokenOf('reader');
      assert.is((await post('traces', TRACES)).status, 200);
      token = mine;
      temp.advance(1000);
      assert.is((await post('traces', TRACES)).status, 200);
    });
    check('not turned on, pages are told so and get 503', async () => {
      const plain = await tempApp();
      try {
        const reader = await plain.tokenOf('reader');
        const { json } = await plain.call('GET', CONFIG, { token: reader });
        assert.equal([json.enabled, json.sampleRatio], [false, 0.1]);
        const headers = { 'content-type': 'application/x-protobuf' };
        const answer = await plain.call('POST', `${PATH}/traces`, { token: reader, body: TRACES, headers });
        assert.equal([answer.status, answer.json.error], [503, 'NotConfigured']);
      } finally {
        await plain.close();
      }
    });
  },
  {
    before: async () => {
      collector = await startCollector();
      temp = await tempApp({ overrides: settings(collector.address) });
      token = await temp.tokenOf('reader');
    },
    after: async () => {
      await temp.close();
      await collector.close();
    },
  },
);
