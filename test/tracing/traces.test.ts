// Traces of the real program, as a collector receives them: one page, one scan, nothing that is private, and nothing at all when they are off.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { ask } from '../system/ask-program.js';
import { kill, type Program, spawnProgram, startProgram } from '../system/program.js';
import { type Collector, type Received, startCollector, treeOf } from './collector.js';

const ACCOUNT = { username: 'ann-of-the-hill', email: 'ann@example.org', password: 'A-long-passw0rd!' };
const PARENT = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' };

/** Prints at the end which modules of the SDK were loaded. */
const WATCH = `--import data:text/javascript,${encodeURIComponent(
  'import{createRequire}from"node:module";process.on("SIGTERM",()=>console.log("sdk modules: "+Object.keys(createRequire("/")("module")._cache).filter(n=>n.includes("@opentelemetry/sdk")).length+"."));',
)}`;

let folder = '';
let collector: Collector;
let program: Program;
let token: Readonly<Record<string, string>> = {};

const start = async (name: string, environment: Readonly<Record<string, string>>): Promise<Program> => {
  const started = await startProgram([join(folder, 'comics'), '--data', join(folder, name)], environment);
  const { json } = await ask(started, 'POST', '/setup/initialize', {}, ACCOUNT);
  token = { authorization: `Bearer ${json.accessToken ?? json.access_token}` };
  await until('the scan completes', () => /scan of comics completed/.test(started.printed()));
  return started;
};

const rootNamed = (name: string): Received | undefined =>
  collector.spans.find((span) => span.name === name && (span.parentId === '' || span.parentId === PARENT.span));

const arrived = async (name: string): Promise<Received> => {
  await until(`the trace "${name}" arrives`, () => rootNamed(name) !== undefined);
  const root = rootNamed(name);
  if (root === undefined) throw new Error('it went away');
  return root;
};

const PAGE = 'GET /api/v1/books/{book_id}/pages/{page_number}';

block(
  'traces',
  (check) => {
    check('a scan is one trace: walking, analysing with the steps of each book, and storing', async () => {
      const root = await arrived('task scan_library');
      const tree = treeOf(collector.spans, root);
      const at = (line: string): number => tree.findIndex((one) => one.trim() === line);
      const phases = tree.filter((line) => /^ {2}scan /.test(line)).map((line) => line.trim());
      assert.equal(phases, ['scan discover', 'scan sweep', 'scan settle', 'scan analyse', 'scan settle', 'scan count']);
      assert.ok(tree.includes('    job walk') && tree.includes('      step walk'), tree.join('\n'));
      assert.ok(tree.includes('    job analyze') && tree.includes('      wait for a thread'), tree.join('\n'));
      for (const step of ['open', 'hash', 'list', 'measure', 'metadata', 'thumbnail'])
        assert.ok(at(`step ${step}`) > at('scan analyse'), step);
      assert.ok(tree.includes('    sqlite write'), tree.join('\n'));
      const job = collector.spans.find(({ name }) => name === 'job analyze');
      assert.is(job?.attributes['longbox.format'], 'cbz');
      assert.ok(Number(job?.attributes['longbox.file_bytes']) > 0);
    });
    check('a page is followed through the store, the cache, the queue, the steps of the thread, and back', async () => {
      const { json } = await ask(program, 'POST', '/books/list', token, {});
      const { id } = (json.data ?? json.items)[0];
      const traceparent = `00-${PARENT.trace}-${PARENT.span}-01`;
      const answer = await ask(program, 'GET', `/books/${id}/pages/1?width=60&api_key=hidden`, {
        ...token,
        traceparent,
      });
      assert.is(answer.status, 200);
      const root = await arrived(PAGE);
      assert.equal([root.traceId, root.parentId, root.kind], [PARENT.trace, PARENT.span, 2]);
      const { attributes } = root;
      assert.equal(attributes['http.route'], '/api/v1/books/{book_id}/pages/{page_number}');
      assert.equal([attributes['http.request.method'], attributes['http.response.status_code']], ['GET', 200]);
      assert.ok(Number(attributes['http.response.body.size']) > 100);
      const tree = treeOf(collector.spans, root);
      const wanted = [
        'cache read',
        'job page',
        '  wait for a thread',
        '  step open',
        '  step decode',
        '  step render',
        'cache write',
      ];
      let from = 0;
      for (const line of wanted) {
        const at = tree.indexOf(`  ${line}`, from);
        assert.ok(at >= from, `${line} in\n${tree.join('\n')}`);
        from = at;
      }
      assert.ok(tree.includes('  sqlite read'), tree.join('\n'));
    });
    check('a part lies within what it is a part of', () => {
      const byId = new Map(collector.spans.map((span) => [span.spanId, span]));
      const SLACK_NS = 5_000_000n;
      for (const span of collector.spans) {
        const above = byId.get(span.parentId);
        assert.ok(span.endNs >= span.startNs, span.name);
        if (above !== undefined && !/cache write|sqlite/.test(span.name))
          assert.ok(
            span.startNs + SLACK_NS >= above.startNs && span.endNs <= above.endNs + SLACK_NS,
            `${span.name} in ${above.name}`,
          );
      }
    });
    check('a refusal has its status; an unknown address has no name of its own', async () => {
      await ask(program, 'GET', '/books/not-an-id/pages/1', token);
      await ask(program, 'GET', '/no/such/secret-place', token);
      const nameless = await arrived('GET');
      assert.is(nameless.attributes['http.response.status_code'], 404);
    });
    check('no trace holds a path, an address, a name, a key or an id', () => {
      const text = JSON.stringify(collector.spans.map(({ name, attributes }) => [name, attributes]));
      for (const word of [
        folder,
        ACCOUNT.username,
        'comics',
        'one-page',
        'hidden',
        'secret-place',
        '127.0.0.1',
        '/books/0',
      ])
        assert.not.ok(text.includes(word), word);
      assert.not.match(text, /[0-9a-f]{8}-[0-9a-f]{4}-/);
    });
    check('the collector gets the configured headers and the name of the service, and no log line shows them', () => {
      assert.equal([...collector.services], ['shelf']);
      for (const { headers, path } of collector.posts)
        assert.equal(
          [path, headers['x-tenant'], headers['content-type']],
          ['/v1/traces', 'a b', 'application/x-protobuf'],
        );
      assert.not.ok(program.printed().includes('a b'));
    });
    check('what was not sent is sent when the server stops', async () => {
      await ask(program, 'GET', '/settings/branding', token);
      program.child.kill('SIGTERM');
      assert.is(await program.ended, 0, program.printed());
      assert.ok(rootNamed('GET /api/v1/settings/branding') !== undefined);
      assert.match(program.printed(), /sdk modules: [1-9]/);
    });
    check('not configured, the SDK is not loaded and nothing is sent', async () => {
      const before = collector.posts.length;
      const quiet = await start('quiet', { NODE_OPTIONS: WATCH, OTEL_EXPORTER_OTLP_ENDPOINT: collector.address });
      quiet.child.kill('SIGTERM');
      assert.is(await quiet.ended, 0, quiet.printed());
      assert.match(quiet.printed(), /sdk modules: 0\./);
      assert.is(collector.posts.length, before);
    });
    check('configured without its packages, the server says what to install, and does not start', async () => {
      // What `require` does when packages are not there; the first of them comes with prom-client too.
      const hook = `import Module from 'node:module';const resolve=Module._resolveFilename;Module._resolveFilename=(name,...more)=>{if(/^@opentelemetry\\/(?!api$)/.test(name))throw Object.assign(new Error('not found'),{code:'MODULE_NOT_FOUND'});return resolve(name,...more)}`;
      const { printed, ended } = spawnProgram(['serve', '--port', '0', '--data', join(folder, 'bare')], {
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook).replaceAll("'", '%27')}`,
        SVC_TRACING__ENDPOINT: collector.address,
      });
      assert.is(await ended, 1);
      assert.match(printed(), /^longbox: tracing\.endpoint is set, but .* npm install @opentelemetry\/api /m);
    });
    check('tracing.sample_ratio 0 traces nothing that a client asks for by itself', async () => {
      const before = collector.spans.length;
      const none = await start('none', { SVC_TRACING__ENDPOINT: collector.address, SVC_TRACING__SAMPLE_RATIO: '0' });
      await ask(none, 'GET', '/settings/branding', { traceparent: `00-${'a'.repeat(32)}-${PARENT.span}-01` });
      none.child.kill('SIGTERM');
      assert.is(await none.ended, 0, none.printed());
      assert.equal(collector.spans.slice(before), []);
    });
    check('tracing.sample_ratio 0 traces only what a trusted proxy asks for', async () => {
      const before = collector.spans.length;
      const rare = await start('rare', {
        SVC_TRACING__ENDPOINT: collector.address,
        SVC_TRACING__SAMPLE_RATIO: '0',
        SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1',
      });
      await ask(rare, 'GET', '/settings/branding', { traceparent: `00-${'a'.repeat(32)}-${PARENT.span}-01` });
      await ask(rare, 'GET', '/settings/branding', { traceparent: `00-${'0'.repeat(32)}-${PARENT.span}-01` });
      rare.child.kill('SIGTERM');
      assert.is(await rare.ended, 0, rare.printed());
      const roots = collector.spans.slice(before).filter(({ kind }) => kind === 2);
      assert.equal(
        roots.map(({ traceId }) => traceId),
        ['a'.repeat(32)],
      );
    });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-traces-'));
      mkdirSync(join(folder, 'comics', 'Alpha'), { recursive: true });
      cpSync(fixture('books/one-page.cbz'), join(folder, 'comics', 'Alpha', 'one-page.cbz'));
      collector = await startCollector();
      program = await start('data', {
        NODE_OPTIONS: WATCH,
        SVC_TRACING__ENDPOINT: `${collector.address}/`,
        SVC_TRACING__HEADERS: 'x-tenant=a%20b',
        SVC_TRACING__SERVICE_NAME: 'shelf',
      });
    },
    after: async () => {
      if (program.child.exitCode === null) await kill(program);
      await collector.close();
      rmSync(folder, { recursive: true, force: true });
    },
    deadlineS: 120,
  },
);
