// Conditions of lists as the description shows them. They are checked by their own reader, which names each fault by its path; which
// operators a field has and what each needs is asked of that reader, so the description cannot say anything else.
import Type from 'typebox';
import { BOOK_FIELDS, type Fields, SERIES_FIELDS } from '../../../core/catalog/conditions/fields.js';
import { OPERATORS, type Taker } from '../../../core/catalog/conditions/operators.js';
import type { Family } from '../../../core/catalog/conditions/tree.js';

type Json = Readonly<Record<string, unknown>>;

/** What an operator asks for, by what its messages say was expected. */
const PARTS: readonly (readonly [start: string, schema: Json])[] = [
  ['text', { type: 'string', examples: ['harbor'] }],
  ['a uuid', { type: 'string', format: 'uuid' }],
  ['a list', { type: 'array', items: { type: 'string', format: 'uuid' } }],
  ['true or false', { type: 'boolean' }],
  ['a number', { type: 'number' }],
  ['a date-time', { type: 'string', format: 'date-time' }],
];

const partOf = (expected: string): Json => {
  const found = PARTS.find(([start]) => expected.startsWith(start));
  if (found === undefined) throw new Error(`nothing describes ${expected}`);
  return { ...found[1], description: expected };
};

interface Needs {
  readonly required: readonly string[];
  readonly parts: Json;
}

const needsOf = (operator: (from: Taker) => unknown): Needs => {
  const required: string[] = [];
  const parts: Record<string, Json> = {};
  operator({
    take: (name, expected) => {
      required.push(name);
      parts[name] = partOf(expected);
      return undefined;
    },
    maybe: (name, expected) => {
      parts[name] = partOf(expected);
      return null;
    },
  });
  return { required, parts };
};

/** Operators that need the same parts share a shape. */
const testOf = (family: Family): Json => {
  const shapes = new Map<string, Needs & { readonly names: string[] }>();
  for (const [name, operator] of Object.entries(OPERATORS[family])) {
    const needs = needsOf(operator);
    const key = JSON.stringify(needs);
    const known = shapes.get(key);
    if (known === undefined) shapes.set(key, { ...needs, names: [name] });
    else known.names.push(name);
  }
  return {
    component: `${(family[0] ?? '').toUpperCase()}${family.slice(1)}Test`,
    anyOf: [...shapes.values()].map(({ names, required, parts }) => ({
      type: 'object',
      required: ['operator', ...required],
      properties: { operator: { type: 'string', enum: names }, ...parts },
    })),
  };
};

const conditionOf = (component: string, fields: Fields<string>): Json => {
  const again = { type: 'array', items: { $ref: `#/components/schemas/${component}` } };
  const tests = new Map<Family, Json>();
  const testFor = (family: Family): Json => {
    const test = tests.get(family) ?? testOf(family);
    tests.set(family, test);
    return test;
  };
  return {
    component,
    type: 'object',
    description:
      'allOf, anyOf, noneOf, or one field with its test. A negated test also includes items without a value.',
    minProperties: 1,
    maxProperties: 1,
    properties: {
      allOf: again,
      anyOf: again,
      noneOf: again,
      ...Object.fromEntries(Object.entries(fields).map(([name, { family }]) => [name, testFor(family)])),
    },
    examples: [{ genre: { operator: 'is', value: 'Adventure' } }],
  };
};

const BOOK_CONDITION = conditionOf('BookCondition', BOOK_FIELDS);
const SERIES_CONDITION = conditionOf('SeriesCondition', SERIES_FIELDS);

/** A field that accepts anything here; `shown` is what the description has in its place. */
export const bookCondition = Type.Unknown({ shown: BOOK_CONDITION });
export const seriesCondition = Type.Unknown({ shown: SERIES_CONDITION });
export const seriesConditionOrNull = Type.Unknown({ shown: { anyOf: [SERIES_CONDITION, { type: 'null' }] } });
