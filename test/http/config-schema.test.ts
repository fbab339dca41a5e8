// The schema of the configuration file: it is the one of the table, and says of a file what the program says.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Schema from 'typebox/schema';
import { loadConfig } from '../../http/config/config.js';
import { KEY_NAMES, keyOf } from '../../http/config/config-keys.js';
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

type Section = { [word: string]: unknown };

const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every key; one provider stands for all. */
const defaults = (): unknown => {
  const tree: Section = {};
  for (const name of KEY_NAMES) {
    const { preset } = keyOf(name);
    const words = name.replace('<name>', 'home').split('.');
    const last = words.pop() ?? '';
    let at = tree;
    for (const word of words) {
      const next = at[word];
      const below: Section = isSection(next) ? next : {};
      at[word] = below;
      at = below;
    }
    at[last] = preset;
  }
  return tree;
};

/** The same word alone and in a list. */
const listsOf = (group: string, word: string, entry: string): readonly (readonly [fact: string, tree: unknown])[] => [
  [`${word}: "${entry}"`, { [group]: { [word]: entry } }],
  [`${word}: ["${entry}"]`, { [group]: { [word]: [entry] } }],
];

const redirects = (word: string): readonly (readonly [fact: string, tree: unknown])[] => [
  [`the redirect address "${word}"`, { auth: { oidc: { allowed_redirect_uris: word } } }],
  [`the redirect address "${word}" in a list`, { auth: { oidc: { allowed_redirect_uris: [word] } } }],
];

const issuer = (address: string): unknown => ({ auth: { oidc: { providers: { home: { issuer_url: address } } } } });

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
  ['a provider with a name of its own kind', { auth: { oidc: { providers: { 'My login': { client_id: 'x' } } } } }],
  ['a provider as a text', { auth: { oidc: { providers: { home: 'https://login.example' } } } }],
  ['an unknown key of a provider', { auth: { oidc: { providers: { home: { secret: 'x' } } } } }],
  ['a provider whose name stands for all', { auth: { oidc: { providers: { '<name>': { client_id: 'x' } } } } }],
  ['administrators by default', { auth: { oidc: { default_role: 'admin' } } }],
  ['a role that there is not', { auth: { oidc: { providers: { home: { role_mapping: { owner: ['x'] } } } } } }],
  ...['app:x#y', 'javascript:', '/signed-in', 'x'].flatMap((word) => redirects(word)),
  ...['ftp://login.example', 'login.example', 'https://login.example/?a=b', 'https://me@login.example'].map(
    (address) => [`the issuer "${address}"`, issuer(address)] as const,
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
  ['a provider', { auth: { oidc: { providers: { 'my-login_2': { client_id: 'x', role_mapping: { admin: 'a' } } } } } }],
  ...['app.example:/signed-in', 'https://app.example/a?b=c', 'http://127.0.0.1:7777/x'].flatMap((word) =>
    redirects(word),
  ),
  ...['https://login.example', 'https://login.example/realms/home/', 'http://localhost:9000', 'http://127.0.0.1:1'].map(
    (address) => [`the issuer "${address}"`, issuer(address)] as const,
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
