// The configuration: layers, names, types, and the sentences about what is wrong.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { helpText } from '../../http/cli/help.js';
import { closestOf } from '../../http/config/closest.js';
import { type Config, loadConfig } from '../../http/config/config.js';
import { KEY_NAMES, sizeOf, sizeText, variableOf } from '../../http/config/config-keys.js';
import { assert, block, thrownBy } from '../kit.js';

type Environment = Readonly<Record<string, string>>;

const folder = mkdtempSync(join(tmpdir(), 'longbox-config-'));
const FILE = join(folder, 'longbox.yaml');

const load = (environment: Environment = {}, yaml: string | null = null, port: string | null = null): Config => {
  if (yaml !== null) writeFileSync(FILE, yaml);
  const overrides = port === null ? [] : [{ key: 'application.port' as const, text: port, from: 'option --port' }];
  return loadConfig({ file: yaml === null ? null : FILE, environment, overrides });
};

const refusalOf = async (environment: Environment, yaml: string | null = null): Promise<string> => {
  const thrown = await thrownBy(() => load(environment, yaml));
  assert.instance(thrown, AppError);
  return thrown instanceof AppError ? thrown.message : '';
};

const removeFolder = (): void => rmSync(folder, { recursive: true });

const BAD_VARIABLES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['a single underscore between levels', 'SVC_APPLICATION_PORT', '1', ['Unknown', 'SVC_APPLICATION__PORT']],
  ['a name without its group', 'SVC_PORT', '1', ['SVC_APPLICATION__PORT']],
  ['a name without its group, with a slip', 'SVC_BUDGET_BYTE', '1', ['SVC_CACHE__BUDGET_BYTES']],
  ['a slip in the name', 'SVC_APLICATION__HOST', 'x', ['SVC_APPLICATION__HOST']],
  [
    'a word where a number belongs',
    'SVC_APPLICATION__PORT',
    'http',
    ['application.port', 'SVC_APPLICATION__PORT', '0 to 65535', '"http"'],
  ],
  ['a number out of range', 'SVC_APPLICATION__PORT', '65536', ['0 to 65535', 'the number 65536']],
  ['a fraction', 'SVC_POOL__THREADS', '2.5', ['whole number', '"2.5"']],
  ['a size without a known unit', 'SVC_CACHE__BUDGET_BYTES', '2 GB', ['16 MiB to 64 TiB', '"2 GB"']],
  ['a word outside a choice', 'SVC_HTTP__BACKEND', 'uWS2', ['auto, uws, node', '"uWS2"']],
  ['a flag that is neither', 'SVC_AUTH__COOKIE_SECURE', 'maybe', ['true or false', '"maybe"']],
  ['a name of the object prototype as a flag', 'SVC_AUTH__COOKIE_SECURE', 'constructor', ['"constructor"']],
  ['a range with too many bits', 'SVC_HTTP__TRUSTED_PROXIES', '10.0.0.0/33', ['10.0.0.0/33']],
  ['a list that is broken JSON', 'SVC_HTTP__TRUSTED_PROXIES', '["10.0.0.1"', ['http.trusted_proxies']],
  ['an address without a protocol', 'SVC_APPLICATION__BASE_URL', 'comics.example', ['http://']],
  [
    'a setting of the running server',
    'SVC_ARCHIVE__PASSWORDS',
    'x',
    ['archive.passwords (variable SVC_ARCHIVE__PASSWORDS)', 'PUT /api/v1/admin/settings/archive.passwords'],
  ],
  ['blanks as a folder', 'SVC_DATA_DIR', '  ', ['data_dir']],
];

const ON = 'auth.oidc.enabled: true\napplication.base_url: https://a.example';
const AT = 'auth.oidc.providers.home';
const ONE = '{issuer_url: "https://a.example", client_id: x}';

const BAD_FILES: readonly (readonly [string, string, readonly string[]])[] = [
  ['an unknown key', 'application:\n  prot: 1', ['"application.prot"', 'application.port', FILE]],
  ['a key without its group', 'port: 1', ['"port"', 'application.port']],
  [
    'an unknown section',
    'aplication:\n  prot: 1',
    ['"aplication"', FILE, 'one of application, http,', 'application.port'],
  ],
  [
    'a setting of the running server',
    'archive:\n  passwords: secret',
    ['archive.passwords (', FILE, 'PUT /api/v1/admin/settings/archive.passwords with {"value"'],
  ],
  ['the same with a dot', 'archive.passwords: secret', ['PUT /api/v1/admin/settings/archive.passwords']],
  ['an unknown section without a known key', 'x:\n  y: 1', ['Unknown section "x"', 'one of application, http,']],
  [
    'a text where a section belongs',
    'application: here',
    ['application (', FILE, 'like application.host', 'a single value'],
  ],
  ['a list where a section belongs', 'http: [1]', ['http (', 'a section with keys of its own', 'like http.backend']],
  ['an empty text as a folder', 'data_dir: ""', ['data_dir (', FILE, 'like ./data', 'got ""']],
  ['a path without its slash', 'api.api_docs_path: docs', ['api.api_docs_path (', 'like /docs', 'got "docs"']],
  ['a path that is taken', 'api.api_docs_path: /health', ['other than /api/v1, /auth and /health', 'got "/health"']],
  [
    'an origin with a path',
    'api.cors_origins: https://a/',
    ['api.cors_origins (', 'like https://comics.example', 'got "https://a/"'],
  ],
  ['one wrong entry of a list', 'api.cors_origins: ["*", a]', ['without a path', 'or * for all', 'but got "a".']],
  [
    'a provider without its name',
    'auth.oidc.providers:\n  client_id: x',
    ['auth.oidc.providers.client_id (', 'like auth.oidc'],
  ],
  ['a provider of another kind of name', 'auth.oidc.providers: {Home: {client_id: x}}', ['"auth.oidc.providers.Home']],
  [
    'a slip in a provider',
    'auth.oidc.providers: {home: {client: x}}',
    ['"auth.oidc.providers.home.client"', 'client_id'],
  ],
  ['administrators by default', 'auth.oidc.default_role: admin', ['auth.oidc.default_role (', 'reader, maintainer']],
  ['sign-on without a provider', `${ON}`, ['auth.oidc.providers names no provider']],
  ['a provider without an address', `${ON}\n${AT}: {client_id: x}`, [`${AT}.issuer_url is missing`]],
  ['a provider without a client', `${ON}\n${AT}: {issuer_url: "https://a.example"}`, [`${AT}.client_id is missing`]],
  ['two secrets', `${ON}\n${AT}: {client_secret: hunter2, client_secret_env: X}`, ['both set']],
  ['a secret in a variable that is not set', `${ON}\n${AT}: {client_secret_env: NO_SUCH}`, ['NO_SUCH, but it is not']],
  ['sign-on without a way back', 'auth.oidc.enabled: true', ['application.base_url or auth.oidc.redirect_uri_base']],
  [
    'an issuer that anybody on the way can be',
    `${AT}: {issuer_url: "http://login.example"}`,
    [`${AT}.issuer_url (`, 'https://', 'http:// for this computer only'],
  ],
  ['an issuer that is named twice', `${ON}\nauth.oidc.providers: {a: ${ONE}, b: ${ONE}}`, ['named twice']],
  [
    'an issuer that is named again in another spelling',
    `${ON}\nauth.oidc.providers: {a: ${ONE}, b: ${ONE.replace(/https:[^"]*/, 'HTTPS://A.Example:443/')}}`,
    ['the issuer https://a.example/ is named twice'],
  ],
  ['an address with a query', 'application.base_url: "https://a.example?b"', ['application.base_url (', 'no ? or #']],
  ['an address with a hash', 'auth.oidc.redirect_uri_base: "https://a.example/#b"', ['_uri_base (', 'no ? or #']],
  ['an address that runs', 'auth.oidc.allowed_redirect_uris: "javascript:alert(1)"', ['com.example.app:/signed-in']],
  ['a page without TLS', 'auth.oidc.allowed_redirect_uris: "http://a.example/"', ['auth.oidc.allowed_redirect_uris (']],
  ['a number as a text', 'application:\n  port: "8080"', ['application.port', FILE, '"8080"']],
  ['a text as a number', 'application:\n  host: 5', ['application.host', 'the number 5']],
  ['a group where a value belongs', 'application:\n  port: {a: 1}', ['application.port', 'a group of keys']],
  ['nothing where a value belongs', 'application:\n  port:', ['application.port', 'nothing']],
  ['a key that stands twice, nested and flat', 'application:\n  port: 1\napplication.port: 2', ['twice']],
  ['a key that stands twice', 'application:\n  port: 1\n  port: 2', ['line 3']],
  ['a list as the whole', '- 1', ['a list']],
  ['text that is no YAML', 'a: [1', ['line 1', 'not valid YAML']],
  ['aliases', 'a: &a [1]\nb: *a', ['aliases']],
];

block('config: refusals', (check) => {
  for (const [fact, name, value, words] of BAD_VARIABLES) {
    check(`variable: ${fact} stops the start`, async () => {
      const message = await refusalOf({ [name]: value });
      for (const word of words) assert.ok(message.includes(word), `${message}\nlacks ${word}`);
    });
  }
  for (const [fact, yaml, words] of BAD_FILES) {
    check(`file: ${fact} stops the start`, async () => {
      const message = await refusalOf({}, yaml);
      for (const word of words) assert.ok(message.includes(word), `${message}\nlacks ${word}`);
    });
  }
  check('a missing file is named', async () => {
    const thrown = await thrownBy(() => loadConfig({ file: join(folder, 'no.yaml'), environment: {}, overrides: [] }));
    assert.match(String(thrown), /no\.yaml cannot be read \(ENOENT/);
  });
  check('an invalid secret is never shown', async () => {
    for (const yaml of [
      'auth:\n  jwt_secret: hunter2',
      'auth:\n  jwt_secret: [hunter2]',
      'auth:\n  jwt_secret: "hunter2\nx: 1',
      'auth: hunter2',
      'auth.oidc.providers.home.client_secret: [hunter2]',
      `${ON}\n${AT}: {client_secret: hunter2, client_secret_env: X}`,
    ]) {
      assert.not.match(await refusalOf({}, yaml), /hunter2/);
    }
    assert.not.match(await refusalOf({ SVC_ENCRYPTION_KEY: 'hunter2' }), /hunter2/);
    assert.not.match(await refusalOf({ SVC_AUTH__JWT_SECRT: 'hunter2' }), /hunter2/);
  });
  check('the flat and the long name of one key must agree', async () => {
    const environment = { SVC_ENCRYPTION_KEY: 'a'.repeat(64), SVC_AUTH__ENCRYPTION_KEY: 'b'.repeat(64) };
    assert.match(await refusalOf(environment), /both set and differ/);
  });
  check('every mistake is reported at once', async () => {
    const message = await refusalOf({ SVC_X: '1', SVC_APPLICATION__PORT: 'x' }, 'nothing_like_it: 1');
    assert.is(message.split('\n').length, 3);
  });
});

const GOOD_VARIABLES: readonly (readonly [string, string, (config: Config) => unknown, unknown])[] = [
  ['SVC_APPLICATION__PORT', '0', (c) => c.application.port, 0],
  ['SVC_APPLICATION__PORT', '', (c) => c.application.port, 8080],
  ['SVC_API__ENABLE_API_DOCS', 'TRUE', (c) => c.api.enableApiDocs, true],
  ['SVC_API__ENABLE_API_DOCS', '0', (c) => c.api.enableApiDocs, false],
  ['SVC_CACHE__BUDGET_BYTES', '512MiB', (c) => c.cache.budgetBytes, 512 * 1024 * 1024],
  ['SVC_CACHE__BUDGET_BYTES', '104857600', (c) => c.cache.budgetBytes, 104_857_600],
  ['SVC_HTTP__TRUSTED_PROXIES', '10.0.0.0/8, ::1', (c) => c.http.trustedProxies, ['10.0.0.0/8', '::1']],
  ['SVC_HTTP__TRUSTED_PROXIES', '["fd00::/8"]', (c) => c.http.trustedProxies, ['fd00::/8']],
  ['SVC_HTTP__TRUSTED_PROXIES', '[]', (c) => c.http.trustedProxies, []],
  ['SVC_ENCRYPTION_KEY', 'ab'.repeat(32), (c) => c.auth.encryptionKey, 'ab'.repeat(32)],
  ['SVC_AUTH__ENCRYPTION_KEY', 'A'.repeat(43), (c) => c.auth.encryptionKey, 'A'.repeat(43)],
  ['SVC_RATE_LIMIT__LOGIN_WINDOW_SECONDS', '5', (c) => c.rateLimit.loginWindowSeconds, 5],
  ['SVC_AUTH__ARGON2_MEMORY_COST', '4096', (c) => c.auth.argon2MemoryCost, 4096],
  ['PATH', '/bin', (c) => c.dataDir, './data'],
];

block(
  'config: values',
  (check) => {
    check('without any settings the defaults apply, frozen', async () => {
      const config = load();
      assert.is(config.dataDir, './data');
      assert.is(config.application.baseUrl, null);
      assert.is(config.cache.budgetBytes, 2 * 1024 ** 3);
      assert.is(config.limits.imagePixels, 268_435_456);
      await thrownBy(() => Object.assign(config.application, { port: 1 }));
      await thrownBy(() => Object.assign(config.http.trustedProxies, ['x']));
    });
    check('a provider comes from a file, from variables, and from both; others have their defaults', () => {
      const yaml = `${ON}\nauth:\n  oidc:\n    providers:\n      my-login_2: {client_id: x, issuer_url: "https://b.example"}\n      constructor: ${ONE}`;
      const secret = { SVC_AUTH__OIDC__PROVIDERS__CONSTRUCTOR__CLIENT_SECRET: 's3cret', OTHER: 'from there' };
      const mapping = { SVC_AUTH__OIDC__PROVIDERS__MY_LOGIN__ROLE_MAPPING__ADMIN: 'a, b' };
      const named = {
        SVC_AUTH__OIDC__PROVIDERS__MY_LOGIN__CLIENT_ID: 'y',
        SVC_AUTH__OIDC__PROVIDERS__MY_LOGIN__ISSUER_URL: 'https://c.example',
      };
      const later = {
        SVC_AUTH__OIDC__PROVIDERS__MY_LOGIN__CLIENT_SECRET_ENV: 'OTHER',
        SVC_AUTH__OIDC__PROVIDERS__MY_LOGIN__SCOPES: '',
      };
      const { providers } = load({ ...secret, ...mapping, ...named, ...later }, yaml).auth.oidc;
      assert.equal(Object.keys(providers).sort(), ['constructor', 'my-login_2', 'my_login']);
      assert.is(Object.entries(providers).find(([name]) => name === 'constructor')?.[1].clientSecret, 's3cret');
      const { my_login: mine } = providers;
      assert.equal([mine?.clientId, mine?.clientSecret, mine?.roleMapping.admin], ['y', 'from there', ['a', 'b']]);
      assert.equal([mine?.scopes, mine?.groupsClaim], [['openid', 'profile', 'email'], 'groups']);
      assert.equal([load().auth.oidc.providers, load().auth.oidc.defaultRole], [{}, 'reader']);
    });
    for (const [name, value, pick, want] of GOOD_VARIABLES) {
      check(`${name}=${value} is understood`, () => assert.equal(pick(load({ [name]: value })), want));
    }
    check('option beats variable beats file beats default', () => {
      const yaml = 'application:\n  port: 1\n  host: file\nlogging.level: warn\npool:\n';
      const config = load({ SVC_APPLICATION__PORT: '2' }, yaml, '3');
      assert.is(config.application.port, 3);
      assert.is(load({ SVC_APPLICATION__PORT: '2' }, yaml).application.port, 2);
      assert.is(load({}, yaml).application.port, 1);
      assert.is(config.application.host, 'file');
      assert.is(config.logging.level, 'warn');
      assert.is(config.pool.idleTimeoutMs, 30_000);
    });
    check('a file may be JSON, be empty, and be named by SVC_CONFIG', () => {
      const json = '{"cache": {"budget_bytes": "1 GiB", "path": null}, "http": {"trusted_proxies": ["10.0.0.1"]}}';
      assert.is(load({}, json).cache.budgetBytes, 1024 ** 3);
      assert.is(load({}, '# nothing\n').application.port, 8080);
      writeFileSync(FILE, 'application: {port: 7}');
      assert.is(load({ SVC_CONFIG: FILE }).application.port, 7);
    });
    check('one text is a list of one, as in a variable', () => {
      assert.equal(load({}, 'api.cors_origins: "*"').api.corsOrigins, ['*']);
      assert.equal(load({}, 'http: {trusted_proxies: 10.0.0.0/8}').http.trustedProxies, ['10.0.0.0/8']);
    });
    check('sizes are written and read alike', () => {
      for (const size of [1024, 3 * 1024 ** 2, 1536 * 1024, 2 * 1024 ** 4]) assert.is(sizeOf(sizeText(size)), size);
      assert.is(sizeText(1000), '1000');
      assert.is(sizeOf('1000'), undefined);
    });
    check('the closest name counts swaps once and ignores case', () => {
      assert.equal(closestOf('CHEKC', ['scan', 'check']), { word: 'check', steps: 1 });
    });
    check('of a name like no other, none is said to be the closest', async () => {
      assert.match(
        await refusalOf({ SVC_ZEBRA__COLOUR: 'x' }),
        /^Unknown variable SVC_ZEBRA__COLOUR\. longbox config lists/m,
      );
      assert.match(
        await refusalOf({}, 'logging.quite_another_thing: 1'),
        /^Unknown key "logging[^)]*\)\. longbox config lists/m,
      );
      assert.match(await refusalOf({}, 'cache.budget: 1'), /The closest valid key is cache\.budget_bytes\./);
    });
    check('the help names every key and its variable in 80 columns', () => {
      const page = helpText('config');
      for (const name of KEY_NAMES) assert.ok(page.includes(`${name} = `) && page.includes(variableOf(name)), name);
      assert.equal(
        page.split('\n').filter((line) => line.length > 80),
        [],
      );
    });
  },
  { after: removeFolder },
);
