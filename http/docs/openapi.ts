// The API description (OpenAPI 3.1): a pure function of the surfaces it is given. Typebox schemas are JSON Schema already.
import Type, { type TSchema } from 'typebox';
import { COOKIE } from '../surface/credentials.js';
import { WIRE } from '../surface/errors.js';
import { needsOf } from '../surface/permit.js';
import type { Route } from '../surface/route.js';
import { pathOf, type Surface } from '../surface/surface.js';

type Json = Readonly<Record<string, unknown>>;

interface Properties {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** Our own keywords and their standard names in the description; an explicit description is kept. */
const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['expected', 'description'],
  ['otherwise', 'default'],
]);

const described = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(described);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [KEYWORDS.get(key) ?? key, described(value)]);
  return { ...Object.fromEntries(entries), ...('description' in schema ? { description: schema.description } : {}) };
};

const parametersOf = (schema: unknown, place: 'path' | 'query'): Json[] => {
  const { properties = {}, required = [] } = schema as Properties;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required.includes(name) && !('default' in property)),
    schema: described(property),
  }));
};

const bodyOf = (schema: TSchema): Json => ({
  required: !Type.IsOptional(schema),
  description:
    'An optional field may also be null, which means the same as leaving it out unless its schema accepts null.',
  content: { 'application/json': { schema: described(schema) } },
});

const errors = (route: Route): Json => {
  const statuses = [400, ...(route.access === 'public' ? [] : [401, 403]), 404, 500];
  const reply = {
    description: 'What is wrong, and what to do.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  return Object.fromEntries(statuses.map((status) => [String(status), reply]));
};

const permissionsOf = ({ access }: Route): Json => {
  const needs = needsOf(access);
  return needs.length === 0 ? {} : { 'x-permissions': needs };
};

const operationOf = (route: Route): Json => ({
  operationId: route.id,
  tags: [route.id.split('.')[0] ?? 'other'],
  summary: route.about,
  parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
  ...(route.body === null ? {} : { requestBody: bodyOf(route.body) }),
  responses: { default: { description: 'Done.' }, ...errors(route) },
  security: route.access === 'public' ? [] : [{ bearer: [] }, ...(route.cookie ? [{ cookie: [] }] : [])],
  ...permissionsOf(route),
});

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'message', 'details'],
  properties: {
    error: { type: 'string', enum: [...new Set(Object.values(WIRE).map(({ word }) => word))] },
    message: { type: 'string' },
    details: {},
  },
} as const;

export const toOpenApi = (surfaces: readonly Surface[], version: string): Json => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const surface of surfaces)
    for (const route of surface.rows) {
      const path = pathOf(surface, route);
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
    }
  return {
    openapi: '3.1.0',
    info: { title: 'Longbox', version, license: { name: 'AGPL-3.0-or-later', identifier: 'AGPL-3.0-or-later' } },
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: COOKIE },
      },
    },
  };
};
