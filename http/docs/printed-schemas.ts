// Schemas of rows as JSON Schema for others: our own keywords under their standard names, and named records as references to one place.

export type Json = Readonly<Record<string, unknown>>;

/** Named records that were met, by their names. */
export type Components = Map<string, Json>;

/** Our own keywords and their standard names; an explicit description is kept. */
const KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['expected', 'description'],
  ['otherwise', 'default'],
]);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A record of any names is written with a pattern that every name matches. */
const ANY_NAME = '^.*$';

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null';

/** `X or null` as one schema, if X is of a simple type. */
const withNull = (schema: Json): Json => {
  const [some, none, ...more] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!isObject(some) || !isNull(none) || more.length > 0 || typeof some.type !== 'string') return schema;
  const { anyOf: _anyOf, ...own } = schema;
  const words = Array.isArray(some.enum) ? { enum: [...some.enum, null] } : {};
  return { ...some, ...own, type: [some.type, 'null'], ...words };
};

const withType = (schema: Json): Json => {
  const { enum: words, type } = schema;
  const isText = Array.isArray(words) && words.every((word) => typeof word === 'string');
  return type === undefined && isText ? { type: 'string', ...schema } : schema;
};

const openRecord = (schema: Json): Json => {
  const { patternProperties, ...own } = schema;
  return isObject(patternProperties) && ANY_NAME in patternProperties
    ? { ...own, additionalProperties: patternProperties[ANY_NAME] }
    : schema;
};

/** Examples and defaults are values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['examples', 'default', 'enum', 'const', 'required']);

/** The fields of a record may have the names of keywords. */
const fieldsOf = (properties: Json, components: Components): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, printed(field, components)]));

const plain = (schema: Json, components: Components): Json => {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (VALUES.has(key)) return [key, value];
    if (key === 'properties' && isObject(value)) return [key, fieldsOf(value, components)];
    return [KEYWORDS.get(key) ?? key, printed(value, components)];
  });
  const { component: _component, commas: _commas, whole: _whole, ...shown } = Object.fromEntries(entries) as Json;
  const kept = 'description' in schema ? { ...shown, description: schema.description } : shown;
  return openRecord(withNull(withType(kept)));
};

/** A schema as it is printed; named records in it are added to the components. */
export const printed = (schema: unknown, components: Components): unknown => {
  if (Array.isArray(schema)) return schema.map((one) => printed(one, components));
  if (!isObject(schema)) return schema;
  if (schema.shown !== undefined) return printed(schema.shown, components);
  const { component } = schema;
  if (typeof component !== 'string') return plain(schema, components);
  if (!components.has(component)) {
    components.set(component, {});
    components.set(component, plain(schema, components));
  }
  return { $ref: `#/components/schemas/${component}` };
};
