// Where apps find the server: what is switched off is not named, and what is named is there.
import { appAddressesOf, surfacesFor } from '../../http/cli/surfaces.js';
import { loadConfig } from '../../http/config/config.js';
import { buildRouter } from '../../http/surface/router.js';
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const configWith = (settings: Readonly<Record<string, string>>) =>
  loadConfig({
    file: null,
    environment: {},
    overrides: Object.entries(settings).map(([key, text]) => ({ key, text, from: 'test' })) as never,
  });

let temp: TempApp;

block(
  'addresses for apps',
  (check) => {
    check('those who are signed in are told all of them', async () => {
      const { json } = await temp.call('GET', '/api/v1/app-addresses', { token: await temp.tokenOf('admin') });
      assert.equal(
        json.addresses.map(({ kind, path, port }: { kind: string; path: string; port: number | null }) => [
          kind,
          path,
          port,
        ]),
        [
          ['opds', '/opds/v1.2/catalog', null],
          ['comics', '/komga', null],
          ['sync', '/koreader', null],
          ['opds2', '/opds/v2', null],
        ],
      );
    });
    check(
      'a server that listens only on the loopback address has no network addresses to tell an administrator',
      async () => {
        const { json } = await temp.call('GET', '/api/v1/network-addresses', { token: await temp.tokenOf('admin') });
        assert.equal(json, { addresses: [] });
        const { status } = await temp.call('GET', '/api/v1/network-addresses', { token: await temp.tokenOf('reader') });
        assert.is(status, 403);
      },
    );
    check('each is an address of the server', () => {
      const config = configWith({ 'komga_api.prefix': 'comics' });
      const router = buildRouter(surfacesFor(config, 'test'));
      const SOMETHING = { opds: '', opds2: '', comics: '/api/v1/series', sync: '/users/auth' };
      for (const { kind, path } of appAddressesOf(config)) assert.ok(router.find('GET', path + SOMETHING[kind]), path);
    });
    check('prefix and port are those of the settings', () => {
      const found = appAddressesOf(configWith({ 'komga_api.prefix': 'comics', 'komga_api.port': '25600' }));
      assert.equal(
        found.find(({ kind }) => kind === 'comics'),
        { kind: 'comics', path: '/comics', port: 25600 },
      );
    });
    check('what is switched off is not named', () => {
      const kindsWith = (key: string) => appAddressesOf(configWith({ [key]: 'false' })).map(({ kind }) => kind);
      assert.equal(kindsWith('opds.enabled'), ['comics', 'sync']);
      assert.equal(kindsWith('komga_api.enabled'), ['opds', 'sync', 'opds2']);
      assert.equal(kindsWith('koreader_api.enabled'), ['opds', 'comics', 'opds2']);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
    },
    after: () => temp.close(),
  },
);
