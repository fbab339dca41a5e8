// What shipped clients send about accounts, keys, settings, libraries, tasks and more is taken: everything that they may say, the least that
// they say, and null where they may say it; and each field is one that its row knows.
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { AppError } from '../../core/model/errors.js';
import { fixture } from '../../fixtures/index.js';
import { SERVED } from '../../http/cli/surfaces.js';
import { buildRouter } from '../../http/surface/router.js';
import { coerce } from '../../http/surface/schemas.js';
import { assert, block, thrownBy } from '../kit.js';
import { type Field, fieldOf, WORDS } from './answer-shapes.js';
import { UNKNOWN_ID } from './row-bodies.js';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly Field[];
}

const SENT: readonly Sent[] = readFileSync(fixture('spec/requests.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [method = '', path = '', ...fields] = line.split(' ');
    return { method, path, fields: fields.map(fieldOf) };
  });

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: 'BooksRead',
  boolean: true,
  Int: 1,
  Uuid: UNKNOWN_ID,
  DateTime: '2026-01-31T12:00:00.000Z',
  map: { 'ui.theme': 'dark' },
  BulkSettingUpdate: { key: 'application.name', value: 'Shelf' },
  unknown: 'dark',
  Format: 'CBZ',
  Direction: 'webtoon',
  Options: {},
  TitleRule: { pattern: '^The ', replacement: '' },
  ScanningConfigDto: { enabled: true, scanMode: 'deep', cronSchedule: '0 3 * * *', cronTimezone: 'Europe/Berlin' },
  TaskType: { type: 'analyze_series', seriesId: UNKNOWN_ID },
  TaskStatus: 'processing',
};

/** Where an example of the type is not enough. */
const OF_FIELDS: Readonly<Record<string, unknown>> = { source: 'custom', granularity: 'day' };

const exampleOf = (type: string): unknown => {
  if (type.endsWith('[]')) return [exampleOf(type.slice(0, -2))];
  return EXAMPLES[type] ?? [...(WORDS.get(type) ?? [])][0];
};

const said = (fields: readonly Field[], value: (field: Field) => unknown): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field.name, value(field)]));

const router = buildRouter(SERVED);

const knownBy = (schema: TSchema | null): readonly string[] =>
  Object.keys((schema as { properties?: object } | null)?.properties ?? {});

block('what clients send', (check) => {
  check('the parameters of an address are the same for every request, which cannot change them', () => {
    const address = `/api/v1/books/${UNKNOWN_ID.toUpperCase()}/pages/7`;
    const params = router.find('GET', address).params();
    assert.equal(params, { book_id: UNKNOWN_ID, page_number: 7 });
    assert.is(router.find('GET', address).params(), params);
    assert.ok(Object.isFrozen(params));
  });
  check('parameters that are wrong are refused each time', async () => {
    for (const address of [
      '/api/v1/books/x/pages/7',
      '/api/v1/books/x/pages/7',
      `/api/v1/books/${UNKNOWN_ID}/pages/-`,
    ]) {
      const thrown = await thrownBy(() => router.find('GET', address).params());
      assert.ok(thrown instanceof AppError && thrown.kind === 'BadRequest', address);
    }
  });
  check(
    'a query that was checked before is not checked again, and cannot be changed by the row that gets it',
    async () => {
      const { compiled } = router.find('GET', '/api/v1/books');
      const first = compiled.queryIn('page=2&pageSize=7') as Record<string, unknown>;
      assert.is(compiled.queryIn('page=2&pageSize=7'), first);
      assert.is(Object.isFrozen(first), true);
      assert.equal([first.page, first.pageSize], [2, 7]);
      for (let n = 0; n < 100; n += 1) compiled.queryIn(`page=${n + 1}`);
      assert.equal(compiled.queryIn('page=2&pageSize=7'), first);
      for (let n = 0; n < 2; n += 1) {
        const thrown = await thrownBy(() => compiled.queryIn('page=many'));
        assert.ok(thrown instanceof AppError && thrown.kind === 'BadRequest');
      }
    },
  );
  for (const { method, path, fields } of SENT) {
    const { compiled } = router.find(method, `/api/v1${path.replaceAll('{}', UNKNOWN_ID)}`);
    const { route, checkBody, checkQuery } = compiled;
    const hasQuery = method === 'GET' || method === 'DELETE';
    const take = (value: Record<string, unknown>): unknown =>
      hasQuery
        ? checkQuery(coerce(route.query, new URLSearchParams(value as Record<string, string>)))
        : checkBody?.(value);
    const required = fields.filter(({ isOptional }) => !isOptional);
    const example = ({ name, type }: Field): unknown => OF_FIELDS[name] ?? exampleOf(type);

    check(`${method} ${path}: everything they may say, and every field is known`, () => {
      assert.equal(
        fields.filter(({ name }) => !knownBy(hasQuery ? route.query : route.body).includes(name)),
        [],
      );
      take(said(fields, example));
      for (const words of fields.map(({ name, type }) => [name, WORDS.get(type) ?? []] as const))
        for (const word of words[1]) take({ ...said(required, example), [words[0]]: word });
    });
    check(`${method} ${path}: the least they say, and null for what they leave out`, () => {
      take(said(required, example));
      const nullable = fields.filter(({ isNullable }) => isNullable);
      take({ ...said(required, example), ...said(nullable, () => null) });
    });
    for (const { name } of required.filter(() => route.id !== 'auth.refresh'))
      check(`${method} ${path}: not without ${name}`, async () => {
        const others = required.filter((field) => field.name !== name);
        const thrown = (await thrownBy(() => take(said(others, example)))) as { details?: { path: string }[] };
        assert.ok(thrown.details?.some((fault) => fault.path === name));
      });
  }
});
