// Streams of events over real sockets and both back-ends: what clients and proxies see of them, from the first byte to the end.
import type { HttpAdapter } from '../../http/server/adapter.js';
import { type TempApp, tempApp, until } from '../app.js';
import { assert, block } from '../kit.js';
import { BACK_ENDS, type Server, startServer } from '../system/back-end.js';
import { RawClient } from '../system/raw-client.js';
import { heardIn } from './listener.js';

const PATHS = ['/events/stream', '/tasks/stream', '/scans/stream'].map((path) => `/api/v1${path}`);

interface Scene {
  readonly temp: TempApp;
  readonly token: string;
  readonly server: Server;
}

const openScene = async (adapter: HttpAdapter): Promise<Scene> => {
  const temp = await tempApp();
  const routes = Object.fromEntries(PATHS.map((path) => [path, temp.dispatch]));
  return { temp, token: await temp.tokenOf('admin'), server: await startServer(adapter, {}, { routes }) };
};

const ask = async ({ server, token }: Scene, method: string, path: string): Promise<RawClient> => {
  const client = await RawClient.open(server.port);
  client.send(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip, br\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return client;
};

for (const adapter of BACK_ENDS) {
  let scene: Scene;
  block(
    `events over ${adapter.name}`,
    (check) => {
      check('HEAD and OPTIONS answer at once, and open nothing', async () => {
        for (const path of PATHS) {
          const head = await ask(scene, 'HEAD', path);
          assert.is((await head.reply(true))?.status, 200);
          const options = await ask(scene, 'OPTIONS', path);
          const reply = await options.reply();
          assert.equal([reply?.status, reply?.headers.get('allow')], [204, 'GET, HEAD, OPTIONS']);
          for (const client of [head, options]) client.end();
        }
        assert.is(scene.temp.app.events.size, 0);
      });
      check('the head comes before anything happens, and each event as it happens, uncompressed', async () => {
        const { temp, token } = scene;
        const client = await ask(scene, 'GET', PATHS[0] ?? '');
        await until('the head', () => client.receivedBytes > 0);
        const before = client.receivedBytes;
        const body = { name: 'Shelf', path: temp.shelf };
        assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
        await until('the event', () => client.receivedBytes > before);
        await temp.app.events.stop();
        const reply = await client.reply();
        assert.equal(
          [
            reply?.status,
            reply?.headers.get('content-encoding'),
            reply?.headers.get('x-accel-buffering'),
            client.isCut,
          ],
          [200, undefined, 'no', false],
        );
        assert.equal(
          heardIn(reply?.body.toString() ?? '').map(({ event }) => event),
          ['library_created'],
        );
        client.end();
      });
      check('once the server stops, nobody begins to follow', async () => {
        const client = await ask(scene, 'GET', PATHS[0] ?? '');
        assert.is((await client.reply())?.status, 503);
        client.end();
      });
    },
    {
      before: async () => {
        scene = await openScene(adapter);
      },
      after: async () => {
        assert.equal(scene.temp.faults, []);
        await scene.server.stop();
        await scene.temp.close();
      },
    },
  );
}
