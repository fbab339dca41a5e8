// What settings do, while the server runs: a stored value holds at once, against the configuration, and after a restart.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type Answer, coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

const ADMIN = { username: 'admin', email: 'admin@example.org', password: 'Secret123!' };

interface Server {
  readonly temp: TempApp;
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
}

const serverOf = async (temp: TempApp, path: '/setup/initialize' | '/auth/login'): Promise<Server> => {
  const { json } = await temp.call('POST', `/api/v1${path}`, { body: ADMIN });
  return { temp, ask: (method, at, body) => temp.call(method, `/api/v1${at}`, { token: json.access_token, body }) };
};

const withServer = async (use: (server: Server) => Promise<void>, overrides = {}): Promise<void> => {
  const temp = await tempApp({
    overrides: Object.entries(overrides).map(([key, text]) => ({ key, text: String(text) })),
  });
  try {
    await use(await serverOf(temp, '/setup/initialize'));
  } finally {
    await temp.close();
  }
};

const set = async ({ ask }: Server, key: string, value: string): Promise<void> =>
  assert.is((await ask('PUT', `/admin/settings/${key}`, { value })).status, 200);

const WIDE = { width: 1200, height: 800, channels: 3 as const, background: '#3060c0' };

/** A book with one picture, scanned; returns the address of its cover. */
const coverOf = async ({ temp, ask }: Server, name: string): Promise<string> => {
  const bytes = await sharp({ create: WIDE }).jpeg().toBuffer();
  writeBook(join(temp.shelf, name, `${name}.cbz`), 0, name, [{ name: '1.jpg', bytes }]);
  await ask('POST', '/libraries', { name, path: join(temp.shelf, name), scanImmediately: true });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
  const { json } = await ask('GET', '/books?pageSize=100');
  return `/books/${json.data.find(({ title }: { title: string }) => title === name).id}/thumbnail`;
};

const widthOf = async ({ bytes }: Answer): Promise<number | undefined> => (await sharp(bytes).metadata()).width;

const effects = (check: Check): void => {
  check('auth.registration_enabled: people register from the change on, and no longer after the next', () =>
    withServer(async (server) => {
      const { temp } = server;
      const register = (username: string) =>
        temp.call('POST', '/api/v1/auth/register', {
          body: { username, email: `${username}@example.org`, password: 'fog over the harbour 7' },
        });
      const isOpen = async () => (await temp.call('GET', '/api/v1/setup/status')).json.registrationEnabled;
      assert.equal([(await register('ann')).status, await isOpen()], [403, false]);
      await set(server, 'auth.registration_enabled', 'true');
      assert.equal([(await register('ann')).status, await isOpen()], [201, true]);
      await set(server, 'auth.registration_enabled', 'false');
      assert.equal([(await register('bob')).status, await isOpen()], [403, false]);
    }),
  );
  check('application.name and display.custom_metadata_template: what clients are told', () =>
    withServer(async (server) => {
      const told = async () => [
        (await server.temp.call('GET', '/api/v1/settings/branding')).json,
        (await server.ask('GET', '/settings/public')).json,
      ];
      const publicly = (name: string, template: string) => ({
        'application.name': { key: 'application.name', value: name },
        'display.custom_metadata_template': { key: 'display.custom_metadata_template', value: template },
        'scheduler.timezone': { key: 'scheduler.timezone', value: 'UTC' },
      });
      assert.equal(await told(), [{ applicationName: 'Longbox' }, publicly('Longbox', '')]);
      await set(server, 'application.name', 'Leseraum');
      await set(server, 'display.custom_metadata_template', '{{ a }}');
      assert.equal(await told(), [{ applicationName: 'Leseraum' }, publicly('Leseraum', '{{ a }}')]);
      assert.equal((await server.temp.call('GET', '/api/v1/info')).json, { name: 'longbox', version: 'test' });
    }),
  );
  check('thumbnail.max_dimension and jpeg_quality: the next cover is made so, under another tag', () =>
    withServer(async (server) => {
      const path = await coverOf(server, 'First');
      const before = await server.ask('GET', path);
      assert.is(await widthOf(before), 400);
      await set(server, 'thumbnail.max_dimension', '200');
      const small = await server.ask('GET', path);
      assert.equal([await widthOf(small), small.header('etag') === before.header('etag')], [200, false]);
      await set(server, 'thumbnail.jpeg_quality', '50');
      assert.not.equal((await server.ask('GET', path)).header('etag'), small.header('etag'));
      assert.is(await widthOf(await server.ask('GET', await coverOf(server, 'Second'))), 200, 'of a scan');
      await server.ask('POST', '/admin/settings/thumbnail.max_dimension/reset');
      assert.is(await widthOf(await server.ask('GET', path)), 400);
    }),
  );
};

const precedence = (check: Check): void => {
  check('what is stored holds against the configuration; a reset leads back to it', () =>
    withServer(
      async (server) => {
        const one = async () => (await server.ask('GET', '/admin/settings/thumbnail.max_dimension')).json;
        assert.equal([(await one()).value, (await one()).defaultValue, (await one()).version], ['500', '500', 1]);
        await set(server, 'thumbnail.max_dimension', '300');
        assert.equal([(await one()).value, (await one()).defaultValue], ['300', '500']);
        assert.is((await server.ask('POST', '/admin/settings/thumbnail.max_dimension/reset')).json.value, '500');
        await set(server, 'auth.registration_enabled', 'false');
        assert.is((await server.temp.call('GET', '/api/v1/setup/status')).json.registrationEnabled, false);
      },
      { 'thumbnail.max_dimension': 500, 'auth.registration_enabled': true },
    ),
  );
  check('after a restart, with another configuration, it still holds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-test-'));
    try {
      const first = await tempApp({ folder });
      const server = await serverOf(first, '/setup/initialize');
      await set(server, 'application.name', 'Leseraum');
      await set(server, 'thumbnail.max_dimension', '300');
      await set(server, 'thumbnail.jpeg_quality', '60');
      await server.ask('POST', '/admin/settings/thumbnail.jpeg_quality/reset');
      const ids = (await server.ask('GET', '/admin/settings')).json.map(({ id }: { id: string }) => id);
      await first.close();
      const overrides = [
        { key: 'thumbnail.max_dimension', text: '500' },
        { key: 'thumbnail.jpeg_quality', text: '70' },
      ];
      const second = await tempApp({ folder, overrides });
      const again = await serverOf(second, '/auth/login');
      const { json } = await again.ask('GET', '/admin/settings');
      const said = json.map(({ key, value, version }: Record<string, unknown>) => `${key} ${value} ${version}`);
      assert.equal(said, [
        'application.name Leseraum 2',
        'archive.passwords  1',
        'auth.registration_enabled false 1',
        'backup.cron_schedule  1',
        'backup.retention_count 7 1',
        'deduplication.cron_schedule  1',
        'deduplication.enabled true 1',
        'display.custom_metadata_template  1',
        'events.unnamed false 1',
        'metrics.task_retention_days 30 1',
        'pdf_cache.cron_schedule  1',
        'pdf_cache.max_age_days 30 1',
        'scheduler.timezone UTC 1',
        'thumbnail.book_cron_schedule  1',
        'thumbnail.jpeg_quality 70 3',
        'thumbnail.max_dimension 300 2',
        'thumbnail.series_cron_schedule  1',
      ]);
      assert.equal(
        json.map(({ id }: { id: string }) => id),
        ids,
      );
      await second.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
};

block('effects of settings', (check) => {
  effects(check);
  precedence(check);
});
