// What a socket has taken of a reply over node:http, while a slow client reads it.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FairQueue } from '../../http/server/fair-queue.js';
import { Outflow } from '../../http/server/node-outflow.js';
import { type Reader, Readers } from '../../http/server/slow-readers.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { RawClient } from '../system/raw-client.js';

const MIB = 1024 * 1024;
/** More than the system holds for a connection. */
const PAGE = Buffer.alloc(24 * MIB);

class Collected extends Readers {
  readonly all: Reader[] = [];

  override add(reader: Reader): ReturnType<Readers['add']> {
    this.all.push(reader);
    return super.add(reader);
  }
}

block('a slow reader over node:http', (check) => {
  check('what the system took of a page counts before it has taken all of it', async () => {
    const readers = new Collected(64 * MIB, 60_000, new FairQueue((thrown) => assert.unreachable(String(thrown))));
    const responses: ServerResponse[] = [];
    const server = createServer((_request, response) => {
      responses.push(response);
      response.writeHead(200, { 'Content-Length': PAGE.byteLength });
      new Outflow(response, { readers, meter: { sentBytes: 0 } }, null).end(PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = await RawClient.open((server.address() as AddressInfo).port);
    try {
      client.socket.pause();
      client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await until('the client is a slow reader', () => readers.all.length === 1);
      const taken = (): number => readers.all[0]?.taken() ?? 0;
      client.socket.on('data', () => {
        if (client.receivedBytes > 8 * MIB) client.socket.pause();
      });
      client.socket.resume();
      await until('it has read a part', () => client.receivedBytes > 8 * MIB);
      await until('that part counts', () => taken() >= 8 * MIB);
      assert.ok(taken() < PAGE.byteLength, 'the rest does not');
      assert.is(responses[0]?.writableLength === 0, false, 'node:http holds the page');
      client.socket.removeAllListeners('data');
      client.socket.resume();
      await until('the page is taken', () => taken() === PAGE.byteLength);
    } finally {
      client.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
