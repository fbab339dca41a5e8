// Strategies in the body of a library: what is refused and with which words, and what cannot be changed later.
import { type Answer, tempApp } from '../app.js';
import { assert, block, type Check } from '../kit.js';

type Refusal = readonly [body: Readonly<Record<string, unknown>>, message: RegExp];

const REFUSED: readonly Refusal[] = [
  [{ seriesStrategy: 'nonsense' }, /seriesStrategy/],
  [{ seriesStrategy: 'custom', seriesConfig: { pattern: '(?<series>' } }, /seriesConfig\.pattern does not compile/],
  [
    { seriesStrategy: 'custom', seriesConfig: { pattern: '(?<series>[^/]+)(?=/)' } },
    /seriesConfig\.pattern does not compile: look-ahead and look-behind/,
  ],
  [{ seriesStrategy: 'custom', seriesConfig: { pattern: '^[^/]+/' } }, /must name a group for the series/],
  [{ seriesStrategy: 'flat', series_config: { filename_patterns: ['('] } }, /filenamePatterns does not compile/],
  [{ seriesStrategy: 'publisher_hierarchy', seriesConfig: { skipDepth: -1 } }, /skipDepth must be a whole number/],
  [{ seriesStrategy: 'calibre', seriesConfig: { seriesMode: 'x' } }, /must be one of standalone/],
  [{ bookStrategy: 'custom' }, /bookConfig\.pattern is required/],
  [{ bookStrategy: 'custom', bookConfig: { pattern: 'a'.repeat(501) } }, /longer than 500/],
  [{ bookStrategy: 'custom', bookConfig: { pattern: 'a', fallback: 'custom' } }, /fallback must be one of filename/],
  [{ bookStrategy: 'smart', bookConfig: { additionalGenericPatterns: 'a' } }, /must be a list/],
  [
    { titlePreprocessingRules: [{ pattern: '[', replacement: '' }] },
    /titlePreprocessingRules\[0\]\.pattern does not compile/,
  ],
  [{ bookConfig: 7 }, /bookConfig must be an object of options/],
];

block('strategies: what is refused', (check: Check) => {
  for (const [body, message] of REFUSED)
    check(JSON.stringify(body).slice(0, 80), async () => {
      const temp = await tempApp();
      try {
        const token = await temp.tokenOf('admin');
        const answer = await temp.call('POST', '/api/v1/libraries', {
          token,
          body: { name: 'S', path: temp.shelf, ...body },
        });
        assert.is(answer.status, 400);
        assert.match(answer.json.message, message);
        assert.ok(answer.json.details.length > 0);
      } finally {
        await temp.close();
      }
    });
  check('changes of different parts made at the same time are all kept', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
        temp.call(method, `/api/v1/libraries${path}`, { token, body });
      const { id } = (await api('POST', '', { name: 'S', path: temp.shelf })).json;
      const changes = { name: 'T', description: 'about', bookStrategy: 'smart', defaultReadingDirection: 'rtl' };
      const each = Object.entries(changes).map(([name, value]) => api('PATCH', `/${id}`, { [name]: value }));
      for (const { status } of await Promise.all(each)) assert.is(status, 200);
      const { json } = await api('GET', `/${id}`);
      for (const [name, value] of Object.entries(changes)) assert.is(json[name], value, name);
    } finally {
      await temp.close();
    }
  });
  check('the series strategy cannot be changed later; naming the current one is accepted', async () => {
    const temp = await tempApp();
    try {
      const token = await temp.tokenOf('admin');
      const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
        temp.call(method, `/api/v1/libraries${path}`, { token, body });
      const fixed = { seriesStrategy: 'flat', seriesConfig: { requireMetadata: true } };
      const { id } = (await api('POST', '', { name: 'S', path: temp.shelf, ...fixed })).json;
      for (const body of [{ seriesStrategy: 'custom' }, { series_strategy: 'series_volume' }, { seriesConfig: null }]) {
        for (const method of ['PUT', 'PATCH']) {
          const answer = await api(method, `/${id}`, body);
          assert.is(answer.status, 400);
          assert.match(answer.json.message, /cannot be changed/);
        }
      }
      assert.is((await api('PUT', `/${id}`, { ...fixed, name: 'New' })).json.name, 'New');
      assert.is((await api('PATCH', `/${id}`, { bookStrategy: 'custom' })).status, 400);
      const rules = [{ pattern: 'a', replacement: 'b' }];
      const numbers = { numberStrategy: 'smart', number_config: { x: 1 }, title_preprocessing_rules: rules };
      assert.is((await api('PATCH', `/${id}`, numbers)).status, 200);
      const { json } = await api('GET', `/${id}`);
      assert.equal([json.seriesStrategy, json.seriesConfig], ['flat', { requireMetadata: true }]);
      assert.equal([json.bookStrategy, json.bookConfig], ['smart', null]);
      assert.equal([json.numberStrategy, json.numberConfig], ['smart', { x: 1 }]);
      assert.equal(json.titlePreprocessingRules, [{ ...rules[0], description: null, enabled: true }]);
    } finally {
      await temp.close();
    }
  });
});
