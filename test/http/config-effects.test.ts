// No setting is dead: each key changes what it is for, here or in the test that is named, and nothing else gets its value.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { loadConfig } from '../../http/config/config.js';
import { KEY_NAMES, type KeyName } from '../../http/config/config-keys.js';
import { boundsOf, engineOptionsOf } from '../../http/config/engine-options.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { stockedShelf } from '../shelf.js';
import { ELSEWHERE } from './settings-elsewhere.js';

type Override = { readonly key: KeyName; readonly text: string };

/** Flat: `limits.entryBytes` and its value. */
const leaves = (value: object, above = ''): [string, unknown][] =>
  Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
    typeof one === 'object' && one !== null ? leaves(one, `${above}${name}.`) : [[`${above}${name}`, one]],
  );

const optionsWith = (...overrides: readonly Override[]): ReadonlyMap<string, unknown> => {
  const config = loadConfig({
    file: null,
    environment: {},
    overrides: overrides.map((one) => ({ ...one, from: 'test' })),
  });
  return new Map(leaves({ engine: engineOptionsOf(config), bounds: boundsOf(config) }));
};

/** The options that a setting changes; what each option does is tested where the option is. */
const OPTIONS: Partial<
  Record<KeyName, readonly [text: string, changed: Readonly<Record<string, unknown>>, file: string, fact: string]>
> = {
  'http.bodies_in_flight_bytes': [
    '5MiB',
    { 'bounds.bodiesBytes': 5 << 20 },
    'system/http-requests',
    'bodies that never end share one budget',
  ],
  'http.upload_limit_bytes': [
    '1MiB',
    { 'bounds.uploadsBytes': 4 << 20 },
    'system/http-requests',
    'files that never end have a budget of their own',
  ],
  'http.answers_in_flight_bytes': [
    '5MiB',
    { 'bounds.answersBytes': 5 << 20 },
    'system/http-limits',
    'bytes of slow readers have a budget',
  ],
  'http.connections': [
    '17',
    { 'bounds.connections': 17 },
    'system/http-limits',
    'at the limit, connections that sent nothing are closed first',
  ],
  'database.readers': ['5', { 'engine.readers': 5 }, 'store/db', 'more snapshots than readers all end'],
  'cache.budget_bytes': ['64MiB', { 'engine.cacheBudgetBytes': 64 << 20 }, 'store/blobs', 'the budget holds'],
  'pool.threads': [
    '7',
    { 'engine.pool.threads': 7 },
    'engine/pool',
    'background jobs leave a thread for interactive ones',
  ],
  'pool.idle_timeout_ms': ['99', { 'engine.pool.idleTimeoutMs': 99 }, 'engine/pool', 'idle threads end'],
  'pool.queue_interactive': [
    '9',
    { 'engine.pool.queueInteractive': 9 },
    'engine/pool',
    'more jobs than the queue holds are refused',
  ],
  'pool.queue_background': ['9', { 'engine.pool.queueBackground': 9 }, 'engine/pool', 'one user cannot fill the queue'],
  'pool.job_deadline_ms': [
    '1001',
    { 'engine.pool.jobDeadlineMs': 1001 },
    'engine/pool',
    'a job past its deadline that can stop',
  ],
  'pages.table_cache_bytes': [
    '1MiB',
    { 'engine.tableCacheBytes': 1 << 20 },
    'pages/book-files',
    'least recently used book is dropped when memory is used up',
  ],
  'pages.open_files': [
    '5',
    { 'engine.openFiles': 5 },
    'pages/open-files',
    'beyond the limit the least recently used one is closed',
  ],
  'scanner.max_concurrent_scans': [
    '1',
    { 'engine.maxConcurrentScans': 1 },
    'scan/endings',
    'queues behind another one',
  ],
};

const sourceOf = (file: string): string =>
  readFileSync(new URL(`../../../test/${file}.test.ts`, import.meta.url), 'utf8');

const options = (check: Check): void => {
  const preset = optionsWith();
  for (const [key, [text, want, file, fact]] of Object.entries(OPTIONS))
    check(`${key} reaches the option that ${file} tests, and no other`, () => {
      const found = optionsWith({ key: key as KeyName, text });
      assert.equal(Object.fromEntries([...found].filter(([name, value]) => preset.get(name) !== value)), want);
      assert.ok(sourceOf(file).includes(fact), `${file} has no test of it`);
    });
};

const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
const { username, password } = ADMIN;

/** The API with these settings, and its first user. */
const withUser = async (overrides: readonly Override[], use: (temp: TempApp) => Promise<void>): Promise<void> => {
  const temp = await tempApp({ overrides });
  try {
    assert.is((await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN })).status, 200);
    await use(temp);
  } finally {
    await temp.close();
  }
};

const login = (temp: TempApp, given = password): Promise<Answer> =>
  temp.call('POST', '/api/v1/auth/login', { body: { username, password: given } });

const storedHash = async (overrides: readonly Override[]): Promise<string> => {
  let hash = '';
  await withUser(overrides, async ({ app }) => {
    hash = String((await app.db.all<{ password_hash: string }>('SELECT password_hash FROM user'))[0]?.password_hash);
  });
  return hash;
};

const logins: Partial<Record<KeyName, () => Promise<void>>> = {
  'auth.jwt_expiry_hours': () =>
    withUser([{ key: 'auth.jwt_expiry_hours', text: '2' }], async (temp) => {
      assert.is((await login(temp)).json.expires_in, 7200);
    }),
  'auth.refresh_token_enabled': () =>
    withUser([{ key: 'auth.refresh_token_enabled', text: 'false' }], async (temp) => {
      assert.is((await login(temp)).json.refresh_token, undefined);
      const refused = await temp.call('POST', '/api/v1/auth/refresh', { body: { refreshToken: 'x' } });
      assert.equal([refused.status, refused.json.message], [401, 'Refresh tokens are not enabled']);
    }),
  'auth.refresh_token_expiry_days': () =>
    withUser([{ key: 'auth.refresh_token_expiry_days', text: '2' }], async (temp) => {
      const { refresh_token: refreshToken } = (await login(temp)).json;
      temp.advance(2 * 86_400_000);
      assert.is((await temp.call('POST', '/api/v1/auth/refresh', { body: { refreshToken } })).status, 401);
    }),
  'auth.argon2_memory_cost': async () =>
    assert.match(await storedHash([{ key: 'auth.argon2_memory_cost', text: '2048' }]), /m=2048,t=1,p=1\$/),
  'auth.argon2_time_cost': async () =>
    assert.match(await storedHash([{ key: 'auth.argon2_time_cost', text: '3' }]), /m=1024,t=3,p=1\$/),
  'auth.argon2_parallelism': async () =>
    assert.match(await storedHash([{ key: 'auth.argon2_parallelism', text: '2' }]), /m=1024,t=1,p=2\$/),
  'rate_limit.login_attempts': () =>
    withUser([{ key: 'rate_limit.login_attempts', text: '2' }], async (temp) => {
      const statuses = [await login(temp, 'x'), await login(temp, 'x'), await login(temp, 'x')].map(
        ({ status }) => status,
      );
      assert.equal(statuses, [401, 401, 429]);
    }),
  'rate_limit.login_window_seconds': () =>
    withUser(
      [
        { key: 'rate_limit.login_attempts', text: '1' },
        { key: 'rate_limit.login_window_seconds', text: '77' },
      ],
      async (temp) => {
        await login(temp, 'x');
        assert.is((await login(temp, 'x')).header('retry-after'), '77');
      },
    ),
  'rate_limit.anonymous_burst': () =>
    withUser([{ key: 'rate_limit.anonymous_burst', text: '3' }], async (temp) => {
      const answers = [await login(temp), await login(temp), await login(temp)];
      assert.equal([answers[0]?.header('x-ratelimit-limit'), answers[2]?.status], ['3', 429]);
    }),
  'rate_limit.anonymous_rps': () =>
    withUser([{ key: 'rate_limit.anonymous_rps', text: '2' }], async (temp) => {
      for (let n = 0; n < 2; n += 1) await login(temp);
      assert.is((await login(temp)).header('x-ratelimit-reset'), '2', 'four tokens at two a second');
    }),
};

const WRITER = /Ann Writer/;
const REDUCED = '/pages/1?width=300&format=jpeg';

/** What a book answers, with a setting. */
const bytesWith = async (name: string, path: string, overrides: readonly Override[]): Promise<Buffer> => {
  const shelf = await stockedShelf([name], overrides);
  try {
    const answer = await shelf.api('GET', `/books/${(await shelf.bookOf(name)).id}${path}`);
    assert.is(answer.status, 200);
    return answer.bytes;
  } finally {
    await shelf.temp.close();
  }
};

/** An image is larger at the better quality. */
const grows = (key: KeyName, path: string) => async (): Promise<void> => {
  const [poor, good] = [
    await bytesWith('six-pages', path, [{ key, text: '5' }]),
    await bytesWith('six-pages', path, [{ key, text: '95' }]),
  ];
  assert.ok(poor.length * 1.5 < good.length, `${poor.length} and ${good.length} bytes`);
};

const books: Partial<Record<KeyName, () => Promise<void>>> = {
  'pages.quality': grows('pages.quality', REDUCED),
  'thumbnail.jpeg_quality': grows('thumbnail.jpeg_quality', '/thumbnail'),
  'thumbnail.max_dimension': async () => {
    const { width, height } = imageSize(
      await bytesWith('six-pages', '/thumbnail', [{ key: 'thumbnail.max_dimension', text: '100' }]),
    );
    assert.is(Math.max(width, height), 100);
  },
  'limits.xml_bytes': async () => {
    const textWith = async (text: string): Promise<string> =>
      String(await bytesWith('comicinfo-full', '?full=true', [{ key: 'limits.xml_bytes', text }]));
    assert.match(await textWith('4KiB'), WRITER);
    assert.not.match(await textWith('1KiB'), WRITER);
  },
};

/** How many jobs walk three folders of a library. */
const walksWith = async (overrides: readonly Override[]): Promise<number> => {
  const temp = await tempApp({ overrides });
  try {
    for (const name of ['A', 'B', 'C']) writeBook(join(temp.shelf, name, 'one.cbz'), 1, name);
    let walks = 0;
    const run = temp.app.pool.run.bind(temp.app.pool);
    temp.app.pool.run = (kind, input, options) => {
      walks += Number(kind === 'walk');
      return run(kind, input, options);
    };
    const token = await temp.tokenOf('admin');
    const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
    await temp.call('POST', '/api/v1/libraries', { token, body });
    await until(
      'the scan ends',
      async () => (await temp.call('GET', '/api/v1/scans/active', { token })).json.length === 0,
    );
    return walks;
  } finally {
    await temp.close();
  }
};

const scans: Partial<Record<KeyName, () => Promise<void>>> = {
  'scanner.walk_batch_files': async () => {
    assert.is(await walksWith([]), 1);
    assert.is(await walksWith([{ key: 'scanner.walk_batch_files', text: '1' }]), 3);
  },
};

block('settings have their effects', (check) => {
  options(check);
  const here = { ...logins, ...books, ...scans };
  for (const [key, shows] of Object.entries(here)) check(`${key} has its effect`, shows);
  check('every setting has a test that sees its effect', () => {
    for (const [key, [file, fact]] of Object.entries(ELSEWHERE))
      assert.ok(sourceOf(file).includes(fact), `${key}: ${file}`);
    const shown: readonly string[] = [OPTIONS, ELSEWHERE, here].flatMap((table) => Object.keys(table));
    assert.equal(
      KEY_NAMES.filter((name) => !shown.includes(name)),
      [],
    );
  });
});
