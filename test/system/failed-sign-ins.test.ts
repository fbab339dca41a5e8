// Wrong passwords in the log, as a program reads it that blocks addresses: one line each, in which nothing that a stranger sends looks like
// another line.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { ask } from './ask-program.js';
import { kill, startProgram } from './program.js';

const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };
const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };
const LINE = /^\S+ warn {2}sign-in failed address=(\S+) surface=(.+?) reason=.+? waitS=(\d+) name="/gm;
const FORGED = 'x"\n2026-01-01T00:00:00.000Z warn  sign-in failed address=203.0.113.9 surface=API';

/** As fail2ban does: the time is cut out of each line, and the filter is matched with the rest. */
const found = (log: string, format: 'text' | 'json'): readonly string[] => {
  const guide = readFileSync(new URL('../../../docs/fail2ban.md', import.meta.url), 'utf8');
  const [text, json] = [...guide.matchAll(/^failregex = (.+)$/gm)].map(([, pattern = '']) => pattern);
  const [filter, time] = format === 'text' ? [text, /^\S+Z/] : [json, /"time":\d+/];
  const pattern = new RegExp(filter?.replace('<ADDR>', '([\\da-f.:]+)') ?? '(?!)');
  return log.split('\n').flatMap((line) => pattern.exec(line.replace(time, ''))?.[1] ?? []);
};

block('failed sign-ins', (check) => {
  check('each is one line with its address and surface, but none is written while an address waits', async () => {
    const data = mkdtempSync(join(tmpdir(), 'longbox-failed-'));
    const program = await startProgram(['--data', data], { ...CHEAP, SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1' });
    const failed = () => [...program.printed().matchAll(LINE)].map(([, ...parts]) => parts);
    const client = { 'x-forwarded-for': '198.51.100.7' };
    const signIn = async (password: string): Promise<number> =>
      (await ask(program, 'POST', '/auth/login', client, { username: 'admin', password })).status;
    try {
      assert.is((await ask(program, 'POST', '/setup/initialize', {}, ADMIN)).status, 200);
      assert.is(await signIn(ADMIN.password), 200);
      assert.equal(failed(), []);
      let guesses = 0;
      while ((await signIn('wrong')) === 401) guesses += 1;
      assert.ok(guesses >= 5);
      await until('all are written', () => failed().length === guesses);
      assert.is(await signIn('wrong'), 429);
      assert.equal(failed()[0], ['198.51.100.7', 'API', '0']);
      assert.ok(Number(failed().at(-1)?.[2]) > 50);
      const basic = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:wrong`).toString('base64')}` });
      for (const [path, headers] of [
        ['/opds/v1.2/catalog', basic(FORGED)],
        ['/komga/api/v1/libraries', basic('eve')],
        ['/koreader/users/auth', { 'x-auth-user': 'eve', 'x-auth-key': 'wrong' }],
      ] as const)
        assert.is((await fetch(program.address + path, { headers: { ...headers } })).status, 401);
      await until('the others are written', () => failed().length === guesses + 3);
      assert.equal(
        failed()
          .slice(guesses)
          .map(([address, surface]) => [address, surface]),
        [
          ['127.0.0.1', 'OPDS 1.2'],
          ['127.0.0.1', 'comic-server API'],
          ['127.0.0.1', 'e-reader sync'],
        ],
      );
      assert.not.match(program.printed(), /^2026-01-01/m);
    } finally {
      await kill(program);
      rmSync(data, { recursive: true, force: true });
    }
  });
  for (const format of ['text', 'json'] as const)
    check(`the filter in docs/fail2ban.md finds the address of each, with logging.format ${format}`, async () => {
      const data = mkdtempSync(join(tmpdir(), 'longbox-failed-'));
      const program = await startProgram(['--data', data], {
        ...CHEAP,
        SVC_LOGGING__FORMAT: format,
        SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1',
      });
      const signIn = (client: Readonly<Record<string, string>>, username: string) =>
        ask(program, 'POST', '/auth/login', client, { username, password: 'wrong' });
      try {
        assert.is((await ask(program, 'POST', '/setup/initialize', {}, ADMIN)).status, 200);
        await signIn({ 'x-forwarded-for': '198.51.100.7' }, FORGED);
        await signIn({ 'x-forwarded-for': '2001:db8::7' }, '","address":"203.0.113.9","surface":');
        await until('both are written', () => program.printed().split('sign-in failed').length > 2);
        assert.equal(found(program.printed(), format), ['198.51.100.7', '2001:db8::7']);
      } finally {
        await kill(program);
        rmSync(data, { recursive: true, force: true });
      }
    });
});
