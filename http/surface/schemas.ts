// Schemas that any row may use, and how text from a URL becomes a value. `expected` is our own keyword: what a message says was expected.
import Type, { type TSchema } from 'typebox';
import { uuidOfHex } from '../../core/model/ids.js';

export const none = Type.Object({});

const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const uuid = Type.String({ format: 'uuid', pattern: UUID_PATTERN, expected: 'a uuid' });

/** A uuid with or without its hyphens, for surfaces whose apps take a hyphen in an id for a separator. Rows get it with hyphens. */
export const compactId = Type.String({ format: 'uuid', pattern: UUID_PATTERN, expected: 'an id', compact: true });

/** The same where ids of another server may arrive: text that is not an id matches nothing. */
export const foreignId = Type.String({ maxLength: 1000, expected: 'an id', compact: true });

/** An id for examples. */
export const SOME_ID = '0198c7a2-6f3e-7b51-9c0d-2a4e6f8b1d35';

export const byId = Type.Object({ id: uuid });

/** Typebox schemas are JSON Schema objects; these are the parts read here. */
interface Plain {
  readonly type?: string;
  readonly format?: string;
  readonly expected?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly items?: Plain;
  readonly commas?: boolean;
  readonly whole?: boolean;
  readonly maxLength?: number;
  readonly compact?: boolean;
}

const plain = (schema: TSchema): Plain => schema as Plain;

/** More than any client sends; the address of a request has its own bound. */
const LIST_MAX = 1000;

const COMPACT = /^[0-9a-fA-F]{32}$/;

const WHOLE = /^[+-]?\d{1,100}$/;

/** A number too large to represent becomes the largest there is, which is outside every range anyway. */
const wholeOf = (text: string): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));

/** Text that does not fit its type is left as it is: validation then reports it. */
const coerceOne = (schema: Plain | undefined, text: string): unknown => {
  if (schema?.type === 'integer' && WHOLE.test(text)) return wholeOf(text);
  if (schema?.type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (schema?.type === 'boolean' && (text === 'true' || text === '1')) return true;
  if (schema?.type === 'boolean' && (text === 'false' || text === '0')) return false;
  if (schema?.compact === true && COMPACT.test(text)) return uuidOfHex(text);
  return schema?.format === 'uuid' || schema?.compact === true ? text.toLowerCase() : text;
};

interface ListShape {
  readonly commas: boolean;
  /** For names, which may contain commas: the whole text, as it stands, is one more value. */
  readonly whole?: boolean;
}

/** A list in a query: its name repeated, and with `commas` also several values in one (`a,b` or `a, b`). */
export const listOf = <S extends TSchema>(item: S, shape: ListShape) =>
  Type.Array(item, { ...shape, maxItems: LIST_MAX });

const textsIn = ({ items, commas = false, whole = false }: Plain, text: string): readonly string[] => {
  const parts = (commas ? text.split(',').map((one) => one.trim()) : [text]).filter((one) => one !== '');
  return whole && parts.length > 1 && text.length <= (items?.maxLength ?? 0) ? [...parts, text.trim()] : parts;
};

const entriesOf = (list: Plain, text: string): unknown[] =>
  textsIn(list, text).map((one) => coerceOne(list.items, one));

const EARLIER: readonly unknown[] = [];
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EARLIER);

/**
 * Values from path or query, by the types of an object schema. Unknown names are dropped; the values of a list are collected, otherwise the
 * last of a repeated name wins.
 */
export const coerce = (schema: TSchema, pairs: Iterable<readonly [string, string]>): Record<string, unknown> => {
  const properties = plain(schema).properties ?? {};
  const found: Record<string, unknown> = {};
  for (const [name, text] of pairs) {
    const property = Object.hasOwn(properties, name) && text !== '' ? properties[name] : undefined;
    if (property?.type === 'array') found[name] = [...listIn(found[name]), ...entriesOf(property, text)];
    else if (property !== undefined) found[name] = coerceOne(property, text);
  }
  return found;
};

/** What a schema expects at a path such as `/scanning_config/enabled`. */
export const expectedAt = (schema: TSchema, path: string): string | undefined => {
  let at: Plain | undefined = plain(schema);
  for (const part of path.split('/').slice(1)) at = at?.properties?.[part] ?? at?.items;
  if (at?.expected !== undefined) return at.expected;
  return at?.enum === undefined ? undefined : `one of ${at.enum.join(', ')}`;
};
