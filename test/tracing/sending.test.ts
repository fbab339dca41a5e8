// What happens when the collector is down, slow, refuses, or answers without end: the server goes on, and says so once.
import { createRequire } from 'node:module';
import { NO_SPAN } from '../../core/model/tracing.js';
import { CollectorState } from '../../core/tracing/collector-state.js';
import { openTracing } from '../../core/tracing/open.js';
import { headersIn, type TracingOptions } from '../../core/tracing/options.js';
import { SPANS_MAX, type Tracer } from '../../core/tracing/tracer.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { type Collector, startCollector } from './collector.js';

const clock = { now: () => 0, elapsed: () => 0 };

const optionsFor = (endpoint: string | null): TracingOptions => ({
  endpoint,
  headers: { authorization: 'Bearer hidden' },
  sampleRatio: 1,
  serviceName: 'test',
  browser: { isOn: false, sampleRatio: 0 },
});

interface Said {
  readonly notes: string[];
  readonly warnings: string[];
}

const using = async (
  endpoint: string,
  use: (tracing: Tracer, said: Said, stop: () => Promise<void>) => Promise<void>,
): Promise<void> => {
  const said: Said = { notes: [], warnings: [] };
  const { tracing, stop } = await openTracing(optionsFor(endpoint), clock, {
    onNote: (sentence) => said.notes.push(sentence),
    onWarning: (sentence) => said.warnings.push(sentence),
  });
  await use(tracing, said, stop).finally(stop);
};

const trace = (tracing: Tracer, spans = 1): void => {
  const root = tracing.root('GET /thing', { kind: 'request' });
  root?.run(() => {
    for (let n = 1; n < spans; n += 1) tracing.begin('part').end();
  });
  root?.end();
};

const withCollector = async (use: (collector: Collector) => Promise<void>): Promise<void> => {
  const collector = await startCollector();
  await use(collector).finally(() => collector.close());
};

block(
  'sending traces',
  (check) => {
    check('nobody listens: one warning without the headers, and stopping does not wait for long', async () => {
      const collector = await startCollector();
      await collector.close();
      await using(collector.address, async (tracing, { warnings }, stop) => {
        trace(tracing);
        await stop();
        await until('it is told', () => warnings.length > 0);
        assert.is(warnings.length, 1);
        assert.match(warnings[0] ?? '', /does not accept traces \(ECONNREFUSED\)/);
        assert.not.match(warnings[0] ?? '', /hidden/);
      });
    });
    check('status 500 is told once, and once more when it is over, with what was lost', () =>
      withCollector(async (collector) => {
        collector.answer = (_request, response) => {
          response.statusCode = 500;
          response.end('Bearer hidden');
        };
        await using(collector.address, async (tracing, { notes, warnings }) => {
          for (let n = 1; n <= 2; n += 1) {
            trace(tracing);
            await until('it is sent', () => collector.posts.length >= n);
          }
          collector.answer = (_request, response) => response.end();
          await until('it works again', () => {
            trace(tracing);
            return notes.length > 0;
          });
          assert.equal(warnings.length, 1, warnings.join('\n'));
          assert.match(warnings[0] ?? '', /status 500/);
          assert.match(notes[0] ?? '', /accepts traces again; \d+ spans? w/);
        });
      }),
    );
    check('a collector that never answers holds neither the traced work nor the end', () =>
      withCollector(async (collector) => {
        collector.answer = () => undefined;
        await using(collector.address, async (tracing, _said, stop) => {
          trace(tracing);
          await until('it is sent', () => collector.posts.length === 1);
          trace(tracing);
          await stop();
        });
      }),
    );
    check('an answer without end is a failure like others', () =>
      withCollector(async (collector) => {
        collector.answer = (_request, response) => {
          const more = (): void => {
            while (response.write(Buffer.alloc(1 << 20))) if (response.destroyed) return;
            response.once('drain', more);
          };
          more();
        };
        await using(collector.address, async (tracing, { warnings }) => {
          trace(tracing);
          await until('it is told', () => warnings.length === 1);
        });
      }),
    );
    check('a redirection is not followed', () =>
      withCollector((other) =>
        withCollector(async (collector) => {
          collector.answer = (_request, response) => {
            response.writeHead(307, { location: `${other.address}/v1/traces` });
            response.end();
          };
          await using(collector.address, async (tracing, { warnings }) => {
            trace(tracing);
            await until('it is told', () => warnings.length === 1);
            assert.match(warnings[0] ?? '', /status 307/);
            assert.is(other.posts.length, 0);
          });
        }),
      ),
    );
    check('a queue that is full drops spans and says so', () =>
      withCollector(async (collector) => {
        collector.answer = () => undefined;
        await using(collector.address, async (tracing, { warnings }) => {
          for (let n = 0; n < 40; n += 1) trace(tracing, SPANS_MAX);
          assert.equal(warnings.length, 1);
          assert.match(warnings[0] ?? '', /some are dropped/);
        });
      }),
    );
    check('a trace with many parts says how many were left out', () =>
      withCollector(async (collector) => {
        await using(collector.address, async (tracing) => trace(tracing, SPANS_MAX + 8));
        const root = collector.spans.find(({ parentId }) => parentId === '');
        assert.is(root?.attributes['longbox.spans_left_out'], 7);
        assert.is(collector.spans.length, SPANS_MAX + 1);
      }),
    );
    check('what goes on after the end of its trace belongs to none; nor does what was never in one', () =>
      withCollector(async (collector) => {
        await using(collector.address, async (tracing) => {
          assert.is(tracing.begin('alone'), NO_SPAN);
          const root = tracing.root('GET /thing', { kind: 'request' });
          root?.run(() => {
            root.end();
            assert.is(tracing.begin('late'), NO_SPAN);
          });
          await root?.run(() => tracing.task('task thing', async () => tracing.begin('part').end()));
        });
        const task = collector.spans.find(({ name }) => name === 'task thing');
        assert.is(task?.parentId, '');
        assert.is(collector.spans.find(({ name }) => name === 'part')?.parentId, task?.spanId);
      }),
    );
    check('drops while the collector fails are counted, not told one by one', () => {
      const said: string[] = [];
      const news = { onNote: (one: string) => said.push(one), onWarning: (one: string) => said.push(one) };
      let elapsedMs = 0;
      const state = new CollectorState('http://key@collector.example/secret', news, () => elapsedMs);
      state.sent(3, 'ECONNREFUSED');
      state.sent(2, 'status 500');
      state.dropped(4);
      elapsedMs = 60_000;
      state.sent(1, null);
      state.sent(1, null);
      assert.equal(said, [
        'The collector at collector.example does not accept traces (ECONNREFUSED); they are dropped until it does.',
        'the collector at collector.example accepts traces again; 9 spans were dropped',
      ]);
    });
    check('a collector that is crowded on and off is told once, and that it keeps up only after a quiet minute', () => {
      const said: string[] = [];
      const news = { onNote: (one: string) => said.push(one), onWarning: (one: string) => said.push(one) };
      let elapsedMs = 0;
      const state = new CollectorState('http://collector.example', news, () => elapsedMs);
      for (; elapsedMs < 600_000; elapsedMs += 2000) {
        state.dropped(1);
        state.sent(512, null);
      }
      assert.is(said.length, 1, said.join('\n'));
      elapsedMs += 60_000;
      state.sent(512, null);
      assert.match(said[1] ?? '', /accepts traces again; 300 spans were dropped/);
      state.dropped(1);
      assert.is(said.length, 3, 'a new crowd is told');
    });
    check('headers are pairs, percent-encoded, and never those of the message', () => {
      assert.equal(headersIn('Authorization=Bearer%20a%3D, x-b = c=d ,'), { authorization: 'Bearer a=', 'x-b': 'c=d' });
      for (const wrong of ['a', '=b', 'a b=c', 'a=%', 'a=%0d%0ax', 'host=x', 'Content-Type=x', 'a=%C3%A9'])
        assert.is(headersIn(wrong), null, wrong);
    });
    check('the SDK is there after all', () => {
      const { cache } = createRequire(import.meta.url);
      assert.ok(Object.keys(cache).some((name) => name.includes('@opentelemetry')));
    });
  },
  { deadlineS: 90 },
);
