// The last lines of the log, as administrators see them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../http/cli/log.js';
import { RecentLog } from '../../http/surface/recent-log.js';
import { assert, block, type Check } from '../kit.js';
import { startProgram } from '../system/program.js';

const nowhere = { write: () => undefined };
const line = (message: string) => ({ at: 0, level: 'info', message, facts: {}, stack: null });

const kept = (check: Check): void => {
  check('of too many lines the oldest go, and long ones are cut', () => {
    const log = new RecentLog(3);
    for (let n = 0; n < 5; n += 1) log.add(line(`line ${n}`));
    assert.equal(
      log.last(10).map(({ message }) => message),
      ['line 4', 'line 3', 'line 2'],
    );
    assert.equal(
      log.last(1).map(({ message }) => message),
      ['line 4'],
    );
    log.add({ ...line('x'.repeat(100_000)), stack: 'y'.repeat(100_000) });
    assert.ok((log.last(1)[0]?.message.length ?? 0) < 10_000 && (log.last(1)[0]?.stack?.length ?? 0) < 10_000);
  });
  check('all of them together have a bound', () => {
    const log = new RecentLog(1000, 100_000);
    for (let n = 0; n < 1000; n += 1) log.add(line('x'.repeat(1000)));
    assert.is(log.last(1000).length, Math.floor(100_000 / (200 + 2 * 1002)));
    log.add(line('x'.repeat(1_000_000)));
    assert.ok(log.last(1000).length > 0);
  });
  check('what is written is what is kept, whatever the format; what is not written is not kept', () => {
    for (const format of ['text', 'json'] as const) {
      const log = createLog({ level: 'info', format }, { out: nowhere, terminal: nowhere });
      log.debug('too much');
      log.warn('a disk is slow', { disk: 'a' });
      log.error('background work failed', new Error('why'));
      const [failed, slow, ...rest] = log.recent.last(10);
      assert.equal(rest, []);
      assert.equal([slow?.level, slow?.message, slow?.facts], ['warn', 'a disk is slow', { disk: 'a' }]);
      assert.is(failed?.level, 'error');
      assert.match(failed?.stack ?? '', /^Error: why/);
    }
  });
};

const ADMIN = { username: 'admin', email: 'admin@example.org', password: 'Secret123!' };

const served = (check: Check): void => {
  check('the program shows its log to administrators in person, and to nobody else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-logs-'));
    const program = await startProgram(['--data', join(folder, 'data')], { SVC_LOGGING__LEVEL: 'debug' });
    const api = `${program.address}/api/v1`;
    // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
    const json = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: any }> => {
      const answer = await fetch(api + path, init);
      return { status: answer.status, body: await answer.json() };
    };
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      json(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    try {
      assert.is((await json('/admin/logs')).status, 401);
      const { body: made } = await post('/setup/initialize', ADMIN);
      const authorization = `Bearer ${made.access_token}`;
      const { body: key } = await post('/api-keys', { name: 'x' }, { authorization });
      assert.is((await json('/admin/logs', { headers: { 'x-api-key': key.key } })).status, 403);
      for (const query of ['limit=0', 'limit=1001', 'level=loud'])
        assert.is((await json(`/admin/logs?${query}`, { headers: { authorization } })).status, 400);
      const { status, body } = await json('/admin/logs', { headers: { authorization } });
      assert.is(status, 200);
      const messages = body.lines.map(({ message }: { message: string }) => message);
      assert.ok(
        messages.includes('answered') && messages.some((one: string) => /^longbox .* network engine: /.test(one)),
      );
      const times = body.lines.map(({ time }: { time: string }) => time);
      assert.equal(times, [...times].sort().reverse());
      for (const secret of [ADMIN.password, made.access_token, made.refresh_token, key.key])
        assert.not.ok(JSON.stringify(body).includes(secret));
      const { body: some } = await json('/admin/logs?limit=1', { headers: { authorization } });
      assert.is(some.lines.length, 1);
      const { body: severe } = await json('/admin/logs?level=warn', { headers: { authorization } });
      assert.ok(severe.lines.every(({ level }: { level: string }) => level === 'warn' || level === 'error'));
    } finally {
      program.child.kill('SIGTERM');
      await program.ended;
      rmSync(folder, { recursive: true, force: true });
    }
  });
};

block('the last lines of the log', (check) => {
  kept(check);
  served(check);
});
