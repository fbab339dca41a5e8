// The configuration file as a JSON Schema, for editors: they complete keys, show what each is for, and mark wrong values. Made of the same
// table as everything else; http/config/config.ts alone decides what is accepted.
import { expectationOf, KEY_NAMES, type Key, keyOf, sizeText } from './config-keys.js';
import { SIZE_PATTERN } from './shapes.js';

type Schema = Readonly<Record<string, unknown>>;

const DIALECT = 'http://json-schema.org/draft-07/schema#';

const typeOf = (key: Key): Schema => {
  switch (key.type) {
    case 'text':
      return {
        type: key.preset === null ? ['string', 'null'] : 'string',
        pattern: key.shape.pattern,
        default: key.preset,
      };
    case 'flag':
      return { type: 'boolean', default: key.preset };
    case 'choice':
      return { enum: key.words, default: key.preset };
    case 'list': {
      const entry = { type: 'string', pattern: key.shape.pattern };
      return { anyOf: [{ type: 'array', items: entry }, entry], default: key.preset };
    }
    case 'whole':
      return { type: 'integer', minimum: key.min, maximum: key.max, default: key.preset };
    case 'bytes': {
      const bytes = { type: 'integer', minimum: key.min, maximum: key.max };
      return { anyOf: [bytes, { type: 'string', pattern: SIZE_PATTERN }], default: sizeText(key.preset) };
    }
  }
};

/** What the type alone does not say. */
const hintOf = (key: Key): string => {
  if (key.type !== 'bytes' && key.type !== 'list' && key.type !== 'text') return '';
  return ` Expected: ${expectationOf(key)}.`;
};

const schemaOf = (key: Key): Schema => ({ description: `${key.say}${hintOf(key)}`, ...typeOf(key) });

/** Keys in groups. Those written with dots are accepted too, unchecked: editors are to suggest one form. */
export const configSchema = (): Schema => {
  const top: Record<string, Schema> = {};
  const groups = new Map<string, Record<string, Schema>>();
  for (const name of KEY_NAMES) {
    const [word = '', group] = name.split('.').reverse();
    if (group === undefined) top[word] = schemaOf(keyOf(name));
    else groups.set(group, { ...groups.get(group), [word]: schemaOf(keyOf(name)) });
  }
  const nested = [...groups].map(([group, properties]) => {
    return [group, { type: ['object', 'null'], properties, additionalProperties: false }] as const;
  });
  return {
    $schema: DIALECT,
    title: 'Configuration of Longbox',
    type: ['object', 'null'],
    properties: { ...top, ...Object.fromEntries(nested) },
    patternProperties: { '^[a-z_]+\\.[a-z_0-9]+$': {} },
    additionalProperties: false,
  };
};

/** What config.schema.json holds: test/write-schema.ts writes it. */
export const schemaText = (): string => `${JSON.stringify(configSchema(), null, 2)}\n`;
