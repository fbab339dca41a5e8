// The configuration file as a JSON Schema, for editors: they complete keys, show what each is for, and mark wrong values. Made of the same
// table as everything else; http/config/config.ts alone decides what is accepted.
import { expectationOf, isNamed, KEY_NAMES, type Key, keyOf, OWN_NAME, sizeText } from './config-keys.js';
import { put, type Tree } from './config-tree.js';
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
    case 'ratio':
      return { type: 'number', minimum: 0, maximum: 1, default: key.preset };
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

/** A section; what the owner names is found by the form of its name. */
const sectionOf = (tree: Tree<Schema>): Schema => {
  const entries = [...tree].map(([word, one]) => [word, one instanceof Map ? sectionOf(one) : one] as const);
  const named = entries.filter(([word]) => isNamed(word)).map(([, schema]) => [`^${OWN_NAME}$`, schema]);
  return {
    type: ['object', 'null'],
    properties: Object.fromEntries(entries.filter(([word]) => !isNamed(word))),
    ...(named.length === 0 ? {} : { patternProperties: Object.fromEntries(named) }),
    additionalProperties: false,
  };
};

/** Keys in groups. Those written with dots are accepted too, unchecked: editors are to suggest one form. */
export const configSchema = (): Schema => {
  const tree: Tree<Schema> = new Map();
  for (const name of [...KEY_NAMES].sort((a, b) => Number(a.includes('.')) - Number(b.includes('.'))))
    put(tree, name.split('.'), schemaOf(keyOf(name)));
  return {
    $schema: DIALECT,
    title: 'Configuration of Longbox',
    ...sectionOf(tree),
    patternProperties: { '^[a-z_]+\\.[a-z_0-9.\\-]+$': {} },
    additionalProperties: false,
  };
};

/** What config.schema.json holds: test/write-schema.ts writes it. */
export const schemaText = (): string => `${JSON.stringify(configSchema(), null, 2)}\n`;
