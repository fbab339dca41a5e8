// The schema of the configuration file: it is the one of the table, and says of a file what the program says.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Schema from 'typebox/schema';
import { loadConfig } from '../../http/config/config.js';
import { KEY_NAMES, type KeyName, keyOf } from '../../http/config/config-keys.js';
import { configSchema, schemaText } from '../../http/config/config-schema.js';
import { assert, block } from '../kit.js';

const FILE = fileURLToPath(new URL('../../../config.schema.json', import.meta.url));

let folder = '';

const isAccepted = (tree: unknown): boolean => {
  const file = join(folder, 'longbox.json');
  writeFileSync(file, JSON.stringify(tree));
  try {
    loadConfig({ file, environment: {}, overrides: [] });
    return true;
  } catch {
    return false;
  }
};

const isMarked = (tree: unknown): boolean => !Schema.Check(configSchema(), tree);

/** A file with one key. */
const treeOf = (name: KeyName, value: unknown): unknown => {
  const [word = '', group] = name.split('.').reverse();
  return group === undefined ? { [word]: value } : { [group]: { [word]: value } };
};

const defaults = (): unknown => {
  const tree: Record<string, unknown> = {};
  for (const name of KEY_NAMES) {
    const [group = '', value] = Object.entries(treeOf(name, keyOf(name).preset) as object)[0] ?? [];
    tree[group] =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { ...(tree[group] ?? {}), ...value }
        : value;
  }
  return tree;
};

/** The same word alone and in a list. */
const listsOf = (group: string, word: string, entry: string): readonly (readonly [fact: string, tree: unknown])[] => [
  [`${word}: "${entry}"`, { [group]: { [word]: entry } }],
  [`${word}: ["${entry}"]`, { [group]: { [word]: [entry] } }],
];

const WRONG: readonly (readonly [fact: string, tree: unknown])[] = [
  ['an unknown key', { application: { prot: 1 } }],
  ['an unknown group', { aplication: { port: 1 } }],
  ['a number as a text', { application: { port: '8080' } }],
  ['a number that is too large', { application: { port: 65_536 } }],
  ['a fraction', { pool: { threads: 2.5 } }],
  ['a text as a flag', { auth: { cookie_secure: 'yes' } }],
  ['another word', { logging: { level: 'loud' } }],
  ['a size without a unit', { cache: { budget_bytes: '2 GB' } }],
  ['nothing where a value belongs', { application: { port: null } }],
  ['a list as the whole', [1]],
  ['a text as a section', { application: 'here' }],
  ['a blank folder', { data_dir: ' ' }],
  ['an empty folder for the cache', { cache: { path: '' } }],
  ['a number among addresses', { http: { trusted_proxies: [1] } }],
  ...[
    'a.example',
    'HTTPS://a.example',
    'https://A.example',
    'https://a.example/',
    'https://a.example/b',
    'https://a.example:443',
    'http://a.example:80',
    'https://u@a.example',
    'https://a.example, https://b.example',
    'ftp://a.example',
    'null',
    '',
    '**',
  ].flatMap((word) => listsOf('api', 'cors_origins', word)),
  ...[
    '10.0.0',
    '256.0.0.1',
    '01.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/',
    '::1/129',
    'abc',
    'host:80',
  ].flatMap((word) => listsOf('http', 'trusted_proxies', word)),
  ...['docs', '', '/', '/health', '/api/v1', '/api/v1/', '/a b', '/a//b', '/a?b', '/ä', '/../docs', '/docs/.'].map(
    (path) => [`the path "${path}"`, { api: { api_docs_path: path } }] as const,
  ),
  ...['comics.example', 'ftp://comics.example', 'http://', 'https:///x', ' http://a'].map(
    (address) => [`the address "${address}"`, { application: { base_url: address } }] as const,
  ),
];

const RIGHT: readonly (readonly [fact: string, tree: unknown])[] = [
  ['an empty file', null],
  ['an empty group', { pool: null }],
  ['a size in words', { cache: { budget_bytes: '512MiB' } }],
  ['a size in bytes', { cache: { budget_bytes: 104_857_600 } }],
  ['no value where none is needed', { cache: { path: null } }],
  ['a key with a dot', { 'application.port': 1 }],
  ['an empty list', { api: { cors_origins: [] } }],
  ...[
    '*',
    'https://a.example',
    'http://a.example:8443',
    'https://a.example:80',
    'http://localhost',
    'http://[::1]:8080',
    'http://10.0.0.1',
  ].flatMap((word) => listsOf('api', 'cors_origins', word)),
  ...['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '10.0.0.1/32', '::1', 'fd00::/8', 'FD00::/128', '::ffff:1.2.3.4'].flatMap(
    (word) => listsOf('http', 'trusted_proxies', word),
  ),
  ...['/docs', '/docs/', '/a/b', '/.well-known/docs', '/api', '/api/v1/docs', '/healthy', '/~a_b-c.d'].map(
    (path) => [`the path "${path}"`, { api: { api_docs_path: path } }] as const,
  ),
  ...['http://a', 'HTTPS://a.example:1/b', 'http://[::1]:8080/'].map(
    (address) => [`the address "${address}"`, { application: { base_url: address } }] as const,
  ),
];

block(
  'the schema of the configuration',
  (check) => {
    check('config.schema.json is the one of the table (dist/test/write-schema.js writes it)', () =>
      assert.is(readFileSync(FILE, 'utf8'), schemaText()),
    );
    for (const [fact, tree] of WRONG)
      check(`${fact} is marked, and stops the start`, () =>
        assert.equal([isMarked(tree), isAccepted(tree)], [true, false]),
      );
    for (const [fact, tree] of [...RIGHT, ['every default', defaults()] as const])
      check(`${fact} is not marked, and accepted`, () =>
        assert.equal([isMarked(tree), isAccepted(tree)], [false, true]),
      );
    check('every key is described', () => {
      for (const name of KEY_NAMES)
        assert.ok(schemaText().includes(JSON.stringify(keyOf(name).say).slice(1, -1)), name);
    });
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-schema-'));
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
  },
);
