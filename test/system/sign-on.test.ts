// Single sign-on on the real program, set up by the file of the README, with a real provider: over both network engines.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, block } from '../kit.js';
import { CLIENT, type RealProvider, realProvider } from '../sign-on/house.js';
import { type Program, startProgram } from './program.js';

const README = fileURLToPath(new URL('../../../README.md', import.meta.url));
const BASE = 'https://comics.example';

let provider: RealProvider;
let folder = '';

/** The example as it stands there, for the provider of this test. */
const written = (): string => {
  const example = /```yaml\n(application:\n[\s\S]*?)```/.exec(readFileSync(README, 'utf8'))?.[1] ?? '';
  return example.replace('https://login.example', provider.issuer);
};

const start = (backend: string): Promise<Program> => {
  const file = join(folder, 'longbox.yaml');
  writeFileSync(file, written());
  const data = mkdtempSync(join(folder, 'data-'));
  return startProgram(['--config', file, '--data', data], {
    LOGIN_SECRET: CLIENT.secret,
    SVC_HTTP__BACKEND: backend,
    SVC_AUTH__ARGON2_MEMORY_COST: '1024',
    SVC_AUTH__ARGON2_TIME_COST: '1',
  });
};

const post = (program: Program, path: string, body: unknown): Promise<Response> =>
  fetch(`${program.address}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

const signIn = async (program: Program): Promise<Response> => {
  const begun = await post(program, '/auth/oidc/home/login', {});
  assert.is(begun.status, 200);
  const { redirectUrl } = (await begun.json()) as { redirectUrl: string };
  const back = await provider.visit(redirectUrl, 'ann');
  return fetch(back.replace(BASE, program.address), { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
};

block(
  'single sign-on on the real program',
  (check) => {
    for (const backend of ['node', 'auto'])
      check(`the file of the README signs somebody in (${backend})`, async () => {
        const program = await start(backend);
        const admin = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
        assert.is((await post(program, '/setup/initialize', admin)).status, 200);
        const answer = await signIn(program);
        assert.equal([answer.status, answer.headers.get('location')], [303, '/auth/sign-on']);
        assert.is(answer.headers.getSetCookie().length, 3);
        const me = await fetch(`${program.address}/api/v1/auth/me`, { headers: { cookie: cookiesOf(answer) } });
        const { username, role } = (await me.json()) as { username: string; role: string };
        assert.equal([username, role], ['ann', 'admin']);
        const page = await fetch(`${program.address}/auth/sign-on`);
        assert.match(await page.text(), /<script[^>]* src="\.\.\/web\/[\w-]+\.js"/, 'a screen of the web client');
        program.child.kill('SIGTERM');
        assert.is(await program.ended, 0);
        const secrets = [
          CLIENT.secret,
          ...cookiesOf(answer)
            .split('; ')
            .map((one) => one.split('=')[1] ?? ''),
        ];
        for (const secret of secrets.filter((one) => one !== '')) assert.not.ok(program.printed().includes(secret));
      });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-sign-on-'));
      provider = await realProvider();
      await provider.setPeople({ ann: { preferred_username: 'ann', groups: ['comics-admins'] } });
    },
    after: async () => {
      await provider.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
