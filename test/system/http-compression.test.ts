// Compressed answers as bytes on a socket: whole, with the right length, and the connection goes on.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressing } from '../../http/server/compressor.js';
import { assert, block } from '../kit.js';
import { BACK_ENDS, BIG_BYTES, type Server, startServer, textOf } from './back-end.js';
import { RawClient } from './raw-client.js';

const request = (method: string, path: string, accepted: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${accepted === '' ? '' : `Accept-Encoding: ${accepted}\r\n`}\r\n`;

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(
    `compressed answers over ${adapter.name}`,
    (check) => {
      check(`${adapter.name}: each form on one connection, with its length`, async () => {
        const client = await RawClient.open(server.port);
        for (const [accepted, coding, decoded] of [
          ['gzip', 'gzip', gunzipSync],
          ['', undefined, (bytes: Buffer) => bytes],
          ['gzip, br', 'br', brotliDecompressSync],
          ['identity', undefined, (bytes: Buffer) => bytes],
        ] as const) {
          client.send(request('GET', '/text?name', accepted));
          const reply = await client.reply();
          assert.is(reply?.headers.get('content-encoding'), coding);
          assert.is(reply?.headers.get('vary'), 'Accept-Encoding');
          assert.is(reply?.headers.get('content-length'), String(reply?.body.length));
          assert.is(decoded(reply?.body ?? Buffer.alloc(0)).toString(), textOf('name'));
        }
        client.end();
      });
      check(`${adapter.name}: HEAD has the headers of GET without a length, and the connection goes on`, async () => {
        const client = await RawClient.open(server.port);
        client.send(request('HEAD', '/text?name', 'gzip'));
        const reply = await client.reply(true);
        assert.equal(
          ['content-encoding', 'vary', 'content-length'].map((name) => reply?.headers.get(name)),
          ['gzip', 'Accept-Encoding', undefined],
        );
        client.send(request('HEAD', '/text?name', ''));
        const plain = await client.reply(true);
        assert.is(plain?.headers.get('content-length'), String(Buffer.byteLength(textOf('name'))));
        client.send(request('GET', '/hello', 'gzip'));
        assert.is((await client.reply())?.body.toString(), 'hello');
        client.end();
      });
      check(`${adapter.name}: files, bytes without a type and answers without a body stay as they are`, async () => {
        const client = await RawClient.open(server.port);
        for (const path of ['/hot', '/big', '/none', '/same', '/empty']) {
          client.send(request('GET', path, 'gzip'));
          const reply = await client.reply(path === '/none' || path === '/same');
          assert.equal([reply?.headers.has('content-encoding'), reply?.headers.has('vary')], [false, false], path);
          if (path === '/hot' || path === '/big') assert.is(reply?.body.length, BIG_BYTES);
        }
        client.end();
      });
    },
    {
      before: async () => {
        server = await startServer(adapter, {}, { wrap: compressing });
      },
      after: () => server.stop(),
      deadlineS: 30,
    },
  );
}
