// The dashboard in docs/grafana.json: every metric that it names is in the text, with the labels by which it asks for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, block } from '../kit.js';
import { withTaskShelf } from './task-shelf.js';

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const FILE = join(fileURLToPath(new URL('../../..', import.meta.url)), 'docs', 'grafana.json');
const { panels } = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly panels: readonly Panel[] };

/** Prometheus itself makes this one, and the label that names a server. */
const NOT_OURS = new Set(['up']);
const INSTANCE = 'instance';
/** Back-ends count these; no test server without a socket has one. */
const OF_NETWORK = new Set(['longbox_http_connections', 'longbox_http_live_streams', 'longbox_http_sent_bytes_total']);
/** Only after a malformed request. */
const RARE = new Set(['longbox_http_refusals_total']);

const METRIC = /\b(up|(?:longbox|process)_\w+)(?:\{([^}]*)\})?/g;

const namedIn = (expression: string): readonly { readonly name: string; readonly labels: readonly string[] }[] =>
  [...expression.matchAll(METRIC)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));

const labelsByMetric = (text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gm)) found.set(name, new Set());
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{([^}]*)\})? /gm)) {
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    found.set(name, known);
  }
  return found;
};

block('the dashboard', (check) => {
  check('each of its panels has a title of its own and asks for something', () => {
    assert.ok(panels.length > 15);
    assert.is(new Set(panels.map(({ title }) => title)).size, panels.length);
    for (const { title, targets } of panels)
      assert.ok(targets.length > 0 && targets.every(({ expr }) => namedIn(expr).length > 0), title);
  });

  check('every metric and label that it names is in the text', () =>
    withTaskShelf(async ({ ask, temp, bookId }) => {
      await ask('GET', `/books/${bookId}/pages/1`);
      await ask('GET', '/no/such/path');
      const token = await temp.tokenOf('admin');
      const { bytes } = await temp.call('GET', '/api/v1/metrics', { token, headers: { accept: 'text/plain' } });
      const text = bytes.toString();
      const known = labelsByMetric(text);
      for (const { expr, legendFormat } of panels.flatMap(({ targets }) => targets))
        for (const { name, labels } of namedIn(expr)) {
          if (NOT_OURS.has(name) || OF_NETWORK.has(name)) continue;
          const own = known.get(name);
          assert.ok(own !== undefined, `${name} is not in the text: ${expr}`);
          if (RARE.has(name)) continue;
          const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
          for (const label of [...labels, ...shown])
            assert.ok(label === INSTANCE || own?.has(label) === true, `${name} has no label ${label}: ${expr}`);
        }
    }),
  );
});
