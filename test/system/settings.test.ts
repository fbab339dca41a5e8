// Settings as the owner gives them to the real program, in its environment, and what each of them changes there.
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { kill, type Program, spawnProgram } from './program.js';

type Settings = Readonly<Record<string, string>>;

const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
const SECRET = 'a secret of the owner that is long enough';

let root = '';

const PLACE = { SVC_APPLICATION__HOST: '127.0.0.1', SVC_APPLICATION__PORT: '0' };

/** Without any option: everything comes from the environment. */
const withSettings = async (
  settings: Settings,
  use: (program: Program, data: string) => Promise<void>,
): Promise<void> => {
  const data = mkdtempSync(join(root, 'data-'));
  const started = spawnProgram([], { ...CHEAP, ...PLACE, SVC_DATA_DIR: data, ...settings });
  const ready = (): string | undefined => /longbox listening on (http:\/\/[^\s"]+)/.exec(started.printed())?.[1];
  await until('it listens', () => ready() !== undefined || started.child.exitCode !== null);
  const address = ready();
  assert.ok(address !== undefined, started.printed());
  const program = { ...started, address: address ?? '' };
  try {
    await use(program, data);
  } finally {
    await kill(program);
  }
};

const post = (program: Program, path: string, body: unknown, headers: Settings = {}): Promise<Response> =>
  fetch(`${program.address}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const setUp = (program: Program, headers: Settings = {}, more: object = {}): Promise<Response> =>
  post(program, '/setup/initialize', { ...ADMIN, ...more }, headers);

const tokenOf = async (program: Program): Promise<string> => {
  const { access_token: token } = (await (await setUp(program)).json()) as { access_token: string };
  return token;
};

const places = (check: Check): void => {
  check('data_dir is where the database is, cache.path where the cache is', () => {
    const cache = join(root, 'elsewhere');
    return withSettings({ SVC_CACHE__PATH: cache }, async (_program, data) => {
      assert.equal([existsSync(join(data, 'longbox.db')), existsSync(join(data, 'cache'))], [true, false]);
      assert.ok(existsSync(join(cache, 'data.mdb')));
    });
  });
  check('application.host and application.port say where it listens', () =>
    withSettings({ SVC_APPLICATION__HOST: '127.0.0.2' }, async ({ address }) => {
      assert.match(address, /^http:\/\/127\.0\.0\.2:[1-9]\d+$/);
      assert.is((await fetch(`${address}/health`)).status, 200);
    }),
  );
  check('application.base_url is an address of its own for pages that set it up', () =>
    withSettings({ SVC_APPLICATION__BASE_URL: 'https://comics.example' }, async (program) => {
      assert.is((await setUp(program, { origin: 'https://evil.example' })).status, 403);
      assert.is((await setUp(program, { origin: 'https://comics.example' })).status, 200);
    }),
  );
};

const network = (check: Check): void => {
  check('http.backend chooses the engine, logging.level says so, logging.format as JSON', () =>
    withSettings(
      { SVC_HTTP__BACKEND: 'node', SVC_LOGGING__LEVEL: 'debug', SVC_LOGGING__FORMAT: 'json' },
      async (program) => {
        const line =
          program
            .printed()
            .split('\n')
            .find((one) => one.includes('network engine')) ?? '';
        const { level, msg } = JSON.parse(line) as { level: string; msg: string };
        assert.is(level, 'info');
        assert.match(msg, /^longbox \d\S*, Node \d+\.\d+\.\d+, network engine: node$/);
        await until('every line is JSON, also the ready line', () => /longbox listening on/.test(program.printed()));
        for (const one of program
          .printed()
          .split('\n')
          .filter((text) => text !== ''))
          JSON.parse(one);
      },
    ),
  );
  check('http.public_body_limit_bytes holds without a login, http.body_limit_bytes with one', () =>
    withSettings({ SVC_HTTP__PUBLIC_BODY_LIMIT_BYTES: '1KiB', SVC_HTTP__BODY_LIMIT_BYTES: '4KiB' }, async (program) => {
      assert.is((await setUp(program, {}, { note: 'x'.repeat(2000) })).status, 413);
      const headers = { authorization: `Bearer ${await tokenOf(program)}` };
      const statusOf = async (bytes: number): Promise<number> =>
        (await post(program, '/books/list', { note: 'x'.repeat(bytes) }, headers)).status;
      assert.is.not(await statusOf(2000), 413);
      assert.is(await statusOf(5000), 413);
    }),
  );
  check('http.handler_timeout_ms ends an answer that takes longer', () =>
    withSettings(
      // Hashing a password at this cost takes seconds.
      {
        SVC_HTTP__HANDLER_TIMEOUT_MS: '1000',
        SVC_AUTH__ARGON2_MEMORY_COST: '524288',
        SVC_AUTH__ARGON2_TIME_COST: '16',
      },
      async (program) => assert.is((await setUp(program)).status, 503),
    ),
  );
};

const logins = (check: Check): void => {
  check('auth.jwt_secret signs the tokens, and neither it nor auth.encryption_key is then generated', () =>
    withSettings({ SVC_AUTH__JWT_SECRET: SECRET, SVC_AUTH__ENCRYPTION_KEY: 'ab'.repeat(32) }, async (program, data) => {
      const [head, body, signature] = (await tokenOf(program)).split('.');
      assert.is(createHmac('sha256', SECRET).update(`${head}.${body}`).digest('base64url'), signature);
      assert.not.ok(existsSync(join(data, 'secrets')));
      assert.not.ok(program.printed().includes(SECRET));
    }),
  );
};

const api = (check: Check): void => {
  check('api.enable_api_docs and api.api_docs_path: the documentation is served there', async () => {
    const settings = { SVC_API__ENABLE_API_DOCS: 'true', SVC_API__API_DOCS_PATH: '/handbook' };
    await withSettings(settings, async ({ address }) => {
      assert.is((await fetch(`${address}/handbook`)).status, 200);
      assert.is((await fetch(`${address}/docs`)).status, 404);
    });
    await withSettings({ SVC_API__API_DOCS_PATH: '/handbook' }, async ({ address }) => {
      assert.is((await fetch(`${address}/handbook`)).status, 404);
    });
  });
  check('api.cors_enabled: without it no page of another site may read', async () => {
    for (const [text, allowed] of [
      ['true', '*'],
      ['false', null],
    ] as const)
      await withSettings({ SVC_API__CORS_ENABLED: text }, async ({ address }) => {
        const answer = await fetch(`${address}/api/v1/health`, { headers: { origin: 'https://reader.example' } });
        assert.is(answer.headers.get('access-control-allow-origin'), allowed);
      });
  });
};

const surveyed = async (folder: string, settings: Settings): Promise<string> => {
  const program = spawnProgram(['scan', folder], settings);
  await program.ended;
  return program.printed();
};

const LIMITS: readonly (readonly [key: string, settings: Settings, words: RegExp])[] = [
  [
    'limits.archive_entries',
    { SVC_LIMITS__ARCHIVE_ENTRIES: '3' },
    /six-pages\.cbz: The archive contains more than 3 files/,
  ],
  ['limits.entry_bytes', { SVC_LIMITS__ENTRY_BYTES: '1KiB' }, /six-pages\.cbz: .*The page exceeds the size limit/],
  ['limits.entry_ratio', { SVC_LIMITS__ENTRY_RATIO: '2' }, /zeros\.cbz: .*The page exceeds the size limit/],
  ['limits.image_pixels', { SVC_LIMITS__IMAGE_PIXELS: '1024' }, /six-pages\.cbz: .*The image exceeds the pixel limit/],
];

const limits = (check: Check): void => {
  const folder = (): string => join(root, 'comics');
  const lenient = { SVC_LIMITS__ENTRY_RATIO: '100000' };
  check('with wide limits, nothing exceeds them', async () => {
    const text = await surveyed(folder(), lenient);
    for (const [key, , words] of LIMITS) assert.not.match(text, words, key);
  });
  for (const [key, settings, words] of LIMITS)
    check(`${key} refuses what exceeds it`, async () =>
      assert.match(await surveyed(folder(), { ...lenient, ...settings }), words),
    );
};

/** A book of one page that packs to next to nothing. */
const zeros = (): Buffer => {
  const page = Buffer.concat([readFileSync(fixture('images/png-16bit-gray-alpha.png')), Buffer.alloc(17 << 20)]);
  return writeZip([{ name: '1.png', bytes: page, isDeflated: true }]);
};

block(
  'settings of the program',
  (check) => {
    places(check);
    network(check);
    logins(check);
    api(check);
    limits(check);
  },
  {
    before: () => {
      root = mkdtempSync(join(tmpdir(), 'longbox-settings-'));
      mkdirSync(join(root, 'comics'));
      writeFileSync(join(root, 'comics', 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
      writeFileSync(join(root, 'comics', 'zeros.cbz'), zeros());
    },
    after: () => rmSync(root, { recursive: true, force: true }),
  },
);
