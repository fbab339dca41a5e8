// What the settings of the catalogues change, on surfaces made from a configuration.
import { surfacesFor } from '../../http/cli/surfaces.js';
import { loadConfig } from '../../http/config/config.js';
import type { Reply, Request } from '../../http/server/adapter.js';
import { createDispatch } from '../../http/surface/dispatch.js';
import { RecentLog } from '../../http/surface/recent-log.js';
import { buildRouter } from '../../http/surface/router.js';
import { assert, block } from '../kit.js';
import { NO_SCRAPE } from '../no-scrape.js';
import { type OpdsShelf, opdsShelf } from './shelf.js';

let shelf: OpdsShelf;

/** What a server with this setting answers. */
const askedWith = async (key: string, text: string, path: string): Promise<Reply> => {
  const config = loadConfig({ file: null, environment: {}, overrides: [{ key, text, from: 'test' }] as never });
  const [address = '', query = ''] = path.split('?');
  const request: Request = {
    method: 'GET',
    path: address,
    query,
    header: (name) => (name === 'authorization' ? `Bearer ${shelf.token}` : ''),
    has: () => false,
    remoteAddress: '127.0.0.1',
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
  };
  const reply = await createDispatch({
    app: shelf.temp.app,
    router: buildRouter(surfacesFor(config, 'test')),
    settings: {
      cookieSecure: false,
      subPath: '',
      version: 'test',
      appAddresses: [],
      host: '127.0.0.1',
      recentLog: new RecentLog(),
      scrape: NO_SCRAPE,
    },
    kept: null,
    cors: { origins: ['*'] },
    isTrustedProxy: () => false,
    onUntrustedProxy: () => undefined,
    baseUrl: null,
    traffic: null,
    onDone: null,
    onFault: () => undefined,
  })(request);
  if (reply.body.kind === 'file') reply.body.release();
  return reply;
};

const pageOf = async (recorded: string, book: string | undefined): Promise<number | undefined> => {
  const page = `/opds/v1.2/books/${book}/pages/2?zero_based=true`;
  assert.is((await askedWith('opds.record_progress', recorded, page)).status, 200);
  shelf.temp.advance(5000);
  await shelf.temp.app.streamedReading.settle();
  return (await shelf.api('GET', `/books/${book}/progress`)).json?.currentPage;
};

block(
  'settings of the catalogues',
  (check) => {
    check('opds.enabled: without it there are none', async () => {
      for (const path of ['/opds', '/opds/v1.2/catalog', '/opds/v1.2/auth']) {
        assert.is((await askedWith('opds.enabled', 'true', path)).status, 200, path);
        assert.is((await askedWith('opds.enabled', 'false', path)).status, 404, path);
      }
    });
    check('opds.record_progress: without it, fetched pages move nobody on', async () => {
      assert.is(await pageOf('false', shelf.books[0]), undefined);
      assert.is(await pageOf('true', shelf.books[1]), 3);
    });
  },
  {
    before: async () => {
      shelf = await opdsShelf();
    },
    after: () => shelf.temp.close(),
  },
);
