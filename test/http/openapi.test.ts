// The description of the API: complete, sound by the rules of others, and the same as the one that is kept beside the sources.
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { fixture } from '../../fixtures/index.js';
import { API, ROOT } from '../../http/api/surface.js';
import { toOpenApi } from '../../http/docs/openapi.js';
import type { Json } from '../../http/docs/printed-schemas.js';
import { checkOf } from '../../http/surface/validate.js';
import { assert, block, type Check } from '../kit.js';

const kept = readFileSync(fixture('openapi.json'), 'utf8');
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Json[];
  readonly responses: Readonly<Record<string, Json>>;
  readonly requestBody?: Json;
}

const description = toOpenApi([API, ROOT], version) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses', Readonly<Record<string, Json>>>>;
};

const rows = [API, ROOT].flatMap((surface) => surface.rows);
const operations = Object.values(description.paths).flatMap((path) => Object.values(path));

const lint = async (document: unknown): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  return found.map(({ ruleId, location: [at] }) => `${ruleId} ${at?.pointer ?? ''}`).sort();
};

/** These have no input and no credentials: there is nothing to refuse. Coming back from a provider always leads on. */
const MEANT = [
  ['2xx', '/api/v1/auth/oidc/{provider}/callback'],
  ['4xx', '/api/v1/health'],
  ['4xx', '/api/v1/info'],
  ['4xx', '/api/v1/settings/branding'],
  ['4xx', '/health'],
  ['4xx', '/health/live'],
  ['4xx', '/health/ready'],
].map(([kind, path]) => `operation-${kind}-response #/paths/${path?.replaceAll('/', '~1')}/get/responses`);

/** A schema of the description by itself, with what it refers to. */
const standalone = (schema: Json): TSchema => {
  const text = JSON.stringify({ ...schema, $defs: description.components.schemas });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as TSchema;
};

const sound = (check: Check): void => {
  check('a document with faults has them found', async () => {
    const [path = ''] = Object.keys(description.paths);
    const broken = {
      ...description,
      paths: { [path]: { get: { responses: { 200: { $ref: '#/components/none' } } } } },
    };
    const found = await lint(broken);
    assert.ok(found.some((one) => one.startsWith('no-unresolved-refs')) && found.length > 5, found.join('\n'));
  });
  check('the rules of the linter hold', async () => assert.equal(await lint(description), MEANT));
  check('examples are what they are examples of', () => {
    for (const [name, schema] of Object.entries(description.components.schemas)) {
      const validator = Compile(standalone(schema));
      for (const example of (schema.examples ?? []) as readonly unknown[])
        assert.equal(validator.Errors(example), [], `${name}: ${JSON.stringify(example)}`);
    }
    for (const { id, body, example } of rows) if (body !== null) assert.equal(checkOf(body, id)(example), example, id);
  });
};

const complete = (check: Check): void => {
  check('every row is there with its answers, its errors and who may use it', () => {
    assert.is(operations.length, rows.length);
    for (const { id, reply, access, body, upload, raw } of rows) {
      const operation = operations.find(({ operationId }) => operationId === id);
      assert.ok(operation !== undefined, id);
      const statuses = Object.keys(operation.responses);
      assert.equal(
        Object.keys(reply).filter((status) => !statuses.includes(status)),
        [],
        id,
      );
      assert.is(
        operation.responses[401] !== undefined,
        access !== 'public' || ['auth.login', 'auth.refresh', 'sign-on.exchange'].includes(id),
        id,
      );
      assert.is(operation.security.length > 0, access !== 'public', id);
      assert.is(operation.requestBody !== undefined, body !== null || upload !== null || raw !== null, id);
      assert.ok(statuses.includes('500') && statuses.includes('503'), id);
    }
  });
  check('every record and every error has an example, and nothing of ours is left in it', () => {
    const { schemas, responses } = description.components;
    assert.ok(Object.keys(schemas).length > 70 && Object.keys(responses).length > 12);
    for (const [name, { examples }] of Object.entries(schemas)) assert.ok(Array.isArray(examples), name);
    assert.not.match(JSON.stringify(description), /"(?:component|shown|expected|otherwise)":/);
  });
  check('conditions are described with every field and every operator', () => {
    const { BookCondition, SeriesCondition, NumberTest } = description.components.schemas;
    assert.match(JSON.stringify(BookCondition), /"readStatus":.*StatusTest/);
    assert.match(JSON.stringify(SeriesCondition), /"author":.*TextTest/);
    assert.match(JSON.stringify(NumberTest), /"between".*"min".*"max"/);
  });
  check('fixtures/openapi.json is up to date; node dist/http/longbox.cjs openapi --output it', () => {
    assert.ok(kept === `${JSON.stringify(description, null, 2)}\n`, 'the description has changed');
  });
};

block('the description of the API', (check) => {
  sound(check);
  complete(check);
});
