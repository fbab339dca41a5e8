// Example values, put together from the examples of the fields of a schema.
import { SOME_ID } from '../surface/schemas.js';
import type { Components, Json } from './printed-schemas.js';

const PREFIX = '#/components/schemas/';

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 1, boolean: true, null: null };

const ofObject = (schema: Json, components: Components): unknown => {
  const fields = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, components)]));
};

/** The example of a printed schema. */
export const exampleOf = (schema: unknown, components: Components): unknown => {
  if (!isObject(schema)) return null;
  if (typeof schema.$ref === 'string') return exampleOf(components.get(schema.$ref.slice(PREFIX.length)), components);
  for (const list of [schema.examples, schema.enum]) if (firstOf(list) !== undefined) return firstOf(list);
  if (schema.default !== undefined) return schema.default;
  const shape = firstOf(schema.anyOf);
  if (shape !== undefined) return exampleOf(shape, components);
  const type = Array.isArray(schema.type) ? firstOf(schema.type) : schema.type;
  if (type === 'array') return schema.maxItems === 0 ? [] : [exampleOf(schema.items, components)];
  if (type === 'object') return ofObject(schema, components);
  if (schema.format === 'uuid') return SOME_ID;
  if (schema.format === 'date-time') return '2026-01-31T12:00:00.000Z';
  return BY_TYPE[String(type)] ?? null;
};
