// Signing in through the real socket: cookies, proxies, waits, other sites; and the commands that bring people and data back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type Answer, ask } from './ask-program.js';
import { BACK_ENDS, NO_UWS } from './back-end.js';
import { kill, type Program, spawnProgram, startProgram } from './program.js';

const PROGRAM = fileURLToPath(new URL('../../http/longbox.cjs', import.meta.url));
const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };

const root = mkdtempSync(join(tmpdir(), 'longbox-access-'));
const at = (name: string): string => join(root, name);

const signIn = (program: Program, password: string, headers: Readonly<Record<string, string | string[]>> = {}) =>
  ask(program, 'POST', '/auth/login', headers, { username: 'admin', password });

const startSetUp = async (name: string, environment: Readonly<Record<string, string>>): Promise<Program> => {
  const program = await startProgram(['--data', at(name)], { ...CHEAP, ...environment });
  assert.is((await ask(program, 'POST', '/setup/initialize', {}, ADMIN)).status, 200);
  return program;
};

/** Wrong passwords until one is refused; gives the refusal. */
const refusalOf = async (
  program: Program,
  headers: (n: number) => Readonly<Record<string, string | string[]>>,
): Promise<Answer | undefined> => {
  for (let n = 0; n < 20; n += 1) {
    const answer = await signIn(program, 'wrong', headers(n));
    if (answer.status !== 401) return answer;
  }
  return undefined;
};

const direct = (check: Check, backend: string, running: () => Program): void => {
  check(
    `${backend}: the cookie of a login is taken everywhere, for its own pages, and ends with the logout`,
    async () => {
      const program = running();
      const signedIn = await signIn(program, ADMIN.password);
      const [, value = ''] =
        /^auth_token=([^;]+); Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/m.exec(
          signedIn.header('set-cookie') ?? '',
        ) ?? [];
      const cookie = `theme=dark; auth_token=${value}`;
      const [origin, evil] = [program.address, 'http://evil.example'];
      const make = async (headers: Readonly<Record<string, string>>): Promise<number> =>
        (await ask(program, 'POST', '/api-keys', { cookie, ...headers }, { name: 'x' })).status;
      assert.is((await ask(program, 'GET', '/auth/me', { cookie })).json.username, 'admin');
      assert.is((await ask(program, 'GET', '/books', { cookie })).status, 200);
      assert.equal(
        [await make({ origin }), await make({ 'sec-fetch-site': 'same-origin' }), await make({})],
        [201, 201, 201],
      );
      assert.equal([await make({ origin: evil }), await make({ 'sec-fetch-site': 'cross-site' })], [403, 403]);
      assert.is((await ask(program, 'GET', '/auth/me', { cookie, authorization: 'Digest eA==' })).status, 401);
      assert.is((await ask(program, 'POST', '/auth/logout', { cookie, origin: evil })).status, 403);
      assert.is((await ask(program, 'GET', '/auth/me', { cookie })).status, 200);
      const out = await ask(program, 'POST', '/auth/logout', { cookie, origin });
      assert.equal(
        [out.status, out.header('set-cookie')?.split('\n')],
        [
          200,
          [
            'auth_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
            'refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Lax',
          ],
        ],
      );
      assert.is((await ask(program, 'GET', '/auth/me', { cookie })).status, 401);
    },
  );
  check(`${backend}: both cookies of a login arrive, and every kind of credential is taken`, async () => {
    const program = running();
    const body = { username: 'admin', password: ADMIN.password, cookie: true };
    const signedIn = await ask(program, 'POST', '/auth/login', {}, body);
    const set = signedIn.header('set-cookie')?.split('\n') ?? [];
    assert.equal(
      set.map((one) => one.split('=')[0]),
      ['auth_token', 'refresh_token'],
    );
    const [, refresh = ''] = /^refresh_token=([^;]+);/.exec(set[1] ?? '') ?? [];
    const next = await ask(program, 'POST', '/auth/refresh', { cookie: `refresh_token=${refresh}` });
    assert.equal(
      [next.status, next.json.refresh_token, next.header('set-cookie')?.split('\n').length],
      [200, undefined, 2],
    );
    const bearer = `Bearer ${next.json.access_token}`;
    const { key } = (await ask(program, 'POST', '/api-keys', { authorization: bearer }, { name: 'x' })).json;
    const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
    for (const headers of [
      { authorization: bearer },
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: basic(`api:${key}`) },
      { authorization: basic(`admin:${ADMIN.password}`) },
    ])
      assert.is((await ask(program, 'GET', '/auth/me', headers)).json.username, 'admin', JSON.stringify(headers));
    for (const headers of [{ 'x-api-key': [key, key] }, { authorization: basic('admin:wrong') }])
      assert.is((await ask(program, 'GET', '/auth/me', headers)).status, 401);
    assert.not.match(program.printed(), new RegExp(`${key}|${refresh}|${ADMIN.password}`));
  });
  // Comes last, because its address has to wait afterwards.
  check(`${backend}: a forged X-Forwarded-For buys no guess`, async () => {
    const program = running();
    const authorization = `Bearer ${(await signIn(program, ADMIN.password)).json.access_token}`;
    const refused = await refusalOf(program, (n) => ({ 'x-forwarded-for': `10.0.0.${n}` }));
    assert.equal([refused?.status, refused?.json.error], [429, 'TooManyRequests']);
    await until('the owner is told', () => /SVC_HTTP__TRUSTED_PROXIES/.test(program.printed()));
    assert.is(program.printed().split('127.0.0.1 forwards requests').length, 2, 'once');
    const { checks } = (await ask(program, 'GET', '/health/details', { authorization })).json;
    const { status, message } = checks.find(({ name }: { name: string }) => name === 'proxies');
    assert.is(status, 'warning');
    assert.match(message, /127\.0\.0\.1/);
  });
};

const proxied = (check: Check, backend: string, running: () => Program): void => {
  check(`${backend}: behind TLS the cookie is for TLS only`, async () =>
    assert.match((await signIn(running(), ADMIN.password)).header('set-cookie') ?? '', /; Secure$/),
  );
  check(
    `${backend}: behind a trusted proxy each client waits for itself, and Retry-After matches the body`,
    async () => {
      const program = running();
      const spellings = ['10.0.0.1', '1.2.3.4, 10.0.0.1', '10.0.0.1:4711', '::ffff:10.0.0.1', '10.0.0.1, 10.9.8.7'];
      const refused = await refusalOf(program, (n) => ({ 'x-forwarded-for': spellings[n % spellings.length] ?? '' }));
      assert.is(refused?.status, 429);
      const seconds = Number(refused?.header('retry-after'));
      assert.ok(seconds > 50 && seconds <= 60, String(seconds));
      assert.equal(
        [refused?.json.details.retry_after, /in (\d+) s/.exec(refused?.json.message)?.[1]],
        [seconds, String(seconds)],
      );
      assert.equal([refused?.header('x-ratelimit-limit'), refused?.header('x-ratelimit-remaining')?.length], ['50', 2]);
      assert.is((await signIn(program, 'wrong', { 'x-forwarded-for': ['1.2.3.4', '10.0.0.1'] })).status, 429);
      assert.is((await signIn(program, 'wrong', { forwarded: 'for=1.2.3.4, for="10.0.0.1:80"' })).status, 429);
      assert.is((await signIn(program, 'wrong', { 'x-forwarded-for': '10.0.0.2' })).status, 401);
      const groups = await refusalOf(program, (n) => ({ 'x-forwarded-for': `[2001:db8::${n + 1}]:4711` }));
      assert.is(groups?.status, 429, 'addresses of one /64');
      assert.is((await signIn(program, ADMIN.password, { 'x-forwarded-for': '2001:db8:0:1::1' })).status, 200);
    },
  );
  check(`${backend}: a page of another site may not sign in, not even behind a proxy`, async () => {
    const program = running();
    for (const [headers, status] of [
      [{ origin: program.address }, 200],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'https://comics.example', 'x-forwarded-host': 'comics.example' }, 200],
      [{ origin: 'https://evil.example', 'x-forwarded-host': 'comics.example' }, 403],
      [{ origin: 'null' }, 403],
    ] as const) {
      const answer = await signIn(program, ADMIN.password, headers);
      assert.equal([answer.status, answer.header('access-control-allow-origin')], [status, undefined], headers.origin);
    }
  });
};

/** Tests of one program, which is started once. */
const about = (
  name: string,
  environment: Readonly<Record<string, string>>,
  facts: (check: Check, running: () => Program) => void,
): void => {
  let program: Program | undefined;
  const running = (): Program => {
    if (program === undefined) throw new Error('it did not start');
    return program;
  };
  block(`signing in ${name}`, (check) => facts(check, running), {
    before: async () => {
      program = await startSetUp(name, environment);
    },
    after: async () => {
      await kill(running());
      rmSync(at(name), { recursive: true });
    },
  });
};

for (const { name: backend } of BACK_ENDS) {
  const environment = { SVC_HTTP__BACKEND: backend };
  about(`over ${backend}`, environment, (check, running) => direct(check, backend, running));
  about(
    `over ${backend}, behind a proxy`,
    { ...environment, SVC_AUTH__COOKIE_SECURE: 'true', SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1,10.9.0.0/16' },
    (check, running) => proxied(check, backend, running),
  );
}

/** `longbox user reset-password`, with the new password on its input; null: with nothing there. */
const resetPassword = async (
  folder: string,
  name: string,
  password: string | null,
): Promise<[number | null, string]> => {
  const child = spawn(process.execPath, [PROGRAM, 'user', 'reset-password', name, '--data', folder], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...CHEAP },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  }
  child.stdin.end(password === null ? '' : `${password}\n`);
  const [code] = await once(child, 'exit');
  return [typeof code === 'number' ? code : null, text];
};

const commands = (check: Check): void => {
  check('a forgotten password is replaced while the server runs, and every session ends', async () => {
    const program = await startSetUp('reset', {});
    const { access_token: token } = (await signIn(program, ADMIN.password)).json;
    for (const [name, password, words] of [
      ['nobody', 'Another123!', /no user named nobody/],
      ['nobody', null, /no user named nobody/],
      ['admin', null, /No password was given/],
      ['admin', 'weak', /at least 8 characters/],
    ] as const) {
      const [code, text] = await resetPassword(at('reset'), name, password);
      assert.is(code, 1);
      assert.match(text, words);
    }
    assert.is((await signIn(program, ADMIN.password)).status, 200, 'nothing changed yet');
    const [code, text] = await resetPassword(at('reset'), 'ADMIN@example.com', 'Another123!');
    assert.is(code, 0, text);
    assert.not.match(text, /Another123/);
    assert.is((await signIn(program, ADMIN.password)).status, 401);
    assert.is((await signIn(program, 'Another123!')).status, 200);
    assert.is((await ask(program, 'GET', '/auth/me', { authorization: `Bearer ${token}` })).status, 401);
    await kill(program);
  });
  check('a backup made while the server runs restores the data', async () => {
    const program = await startSetUp('copy', {});
    const before = (await signIn(program, ADMIN.password)).json;
    const run = async (...args: readonly string[]): Promise<[number | null, string]> => {
      const command = spawnProgram([...args, '--data', at('copy')], CHEAP);
      return [await command.ended, command.printed()];
    };
    mkdirSync(at('copies'));
    assert.match((await run('backup', at('copies/one.db')))[1], /wrote \S+one\.db/);
    assert.equal((await run('check'))[0], 0);
    await resetPassword(at('copy'), 'admin', 'Another123!');
    program.child.kill('SIGTERM');
    assert.is(await program.ended, 0);
    const [code, text] = await run('restore', at('copies/one.db'));
    assert.is(code, 0, text);
    assert.ok(existsSync(/kept as (\S+)/.exec(text)?.[1] ?? ''));
    const again = await startProgram(['--data', at('copy')], CHEAP);
    assert.equal(
      [(await signIn(again, ADMIN.password)).status, (await signIn(again, 'Another123!')).status],
      [200, 401],
    );
    const { access_token: token, refresh_token: refreshToken } = before;
    assert.is((await ask(again, 'GET', '/auth/me', { authorization: `Bearer ${token}` })).status, 401);
    assert.is((await ask(again, 'POST', '/auth/refresh', {}, { refreshToken })).status, 401);
    await kill(again);
  });
};

block(
  'commands for users and data',
  (check) => {
    if (NO_UWS !== null) check.skip('signing in over uws', NO_UWS);
    commands(check);
  },
  { after: () => rmSync(root, { recursive: true, force: true }) },
);
