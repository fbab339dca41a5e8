// The address for scrapers, on the real program: what it serves, what it refuses, and when the server does not start.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenForScrapes } from '../../http/metrics/listener.js';
import type { Scrape } from '../../http/surface/exposition.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { kill, spawnProgram, startProgram } from './program.js';

const CHEAP = { SVC_AUTH__ARGON2_MEMORY_COST: '1024', SVC_AUTH__ARGON2_TIME_COST: '1' };

const listening = (host = '127.0.0.1'): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, host, () => resolve(server));
  });

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A port that was free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = await listening();
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const withData = async (use: (data: string) => Promise<void>): Promise<void> => {
  const data = mkdtempSync(join(tmpdir(), 'longbox-scraped-'));
  try {
    await use(data);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
};

const listenWith = (scrape: Scrape, faults: unknown[] = []) =>
  listenForScrapes({ host: '127.0.0.1', port: 0, scrape, onFault: (thrown) => faults.push(thrown) });

block('the address for scrapers', (check) => {
  check('metrics.port: a port that is taken is a clear fault of the start', () =>
    withData(async (data) => {
      const other = await listening();
      try {
        const environment = { ...CHEAP, SVC_DATA_DIR: data, SVC_METRICS__PORT: String(portOf(other)) };
        const started = spawnProgram(['serve', '--port', '0', '--host', '127.0.0.1'], environment);
        assert.is(await started.ended, 1);
        assert.match(
          started.printed(),
          new RegExp(`Cannot serve metrics on 127\\.0\\.0\\.1:${portOf(other)} .*already in use`),
        );
        assert.not.match(started.printed(), /longbox listening/);
      } finally {
        other.close();
      }
    }),
  );

  check('metrics.host, metrics.port: it serves the measurements there without a login, and closes at the stop', () =>
    withData(async (data) => {
      const port = await freePort();
      const environment = { ...CHEAP, SVC_METRICS__HOST: '127.0.0.2', SVC_METRICS__PORT: String(port) };
      const program = await startProgram(['--data', data], environment);
      const address = `http://127.0.0.2:${port}`;
      try {
        await fetch(`${program.address}/api/v1/info`);
        const found = await fetch(`${address}/metrics`);
        const text = await found.text();
        assert.is(found.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
        assert.match(text, /longbox_http_requests_total\{method="GET",route="\/api\/v1\/info",status="2xx"\} 1\n/);
        assert.match(text, /longbox_http_sent_bytes_total [1-9]/);
        assert.match(text, /longbox_http_connections \d/);
        const elsewhere = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => 'refused');
        assert.is(elsewhere, 'refused');
        assert.is((await fetch(`${program.address}/metrics`)).status, 404);
        const idle = connect(port, '127.0.0.2'); // must not keep the server from stopping
        idle.on('error', () => undefined);
        program.child.kill('SIGTERM');
        assert.is(await program.ended, 0);
        assert.is(await fetch(`${address}/metrics`).catch(() => 'refused'), 'refused');
        idle.destroy();
      } finally {
        await kill(program);
      }
    }),
  );

  check('nothing else is there: other paths, methods and bodies are refused', async () => {
    let scrapes = 0;
    const scrape: Scrape = async (format) => {
      scrapes += 1;
      return { type: 'text/plain', text: `${format}\n` };
    };
    const { port, stop } = await listenWith(scrape);
    const address = `http://127.0.0.1:${port}`;
    try {
      for (const path of ['/', '/metrics/', '/metrics/x', '/api/v1/metrics', '/METRICS', '/%6detrics'])
        assert.is((await fetch(address + path)).status, 404, path);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const refused = await fetch(`${address}/metrics`, { method });
        assert.equal([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], method);
      }
      assert.is(scrapes, 0);
      const head = await fetch(`${address}/metrics`, { method: 'HEAD' });
      assert.equal([head.status, head.headers.get('content-length'), await head.text()], [200, '11', '']);
      const open = await fetch(`${address}/metrics?x=1`, { headers: { accept: 'application/openmetrics-text' } });
      assert.is(await open.text(), 'openmetrics\n');
    } finally {
      await stop();
    }
  });

  check('what cannot be collected is a 503 and a fault in the log, and the next scrape works', async () => {
    const faults: unknown[] = [];
    let isBroken = true;
    const scrape: Scrape = async () => {
      if (isBroken) throw new Error('the disk is gone');
      return { type: 'text/plain', text: 'x 1\n' };
    };
    const { port, stop } = await listenWith(scrape, faults);
    try {
      const refused = await fetch(`http://127.0.0.1:${port}/metrics`);
      assert.is(refused.status, 503);
      assert.not.match(await refused.text(), /disk/);
      assert.is(faults.length, 1);
      isBroken = false;
      assert.is((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200);
    } finally {
      await stop();
    }
  });

  check(
    'more connections than it has places for are closed, and those that wait do not stop it from stopping',
    async () => {
      const { port, stop } = await listenWith(async () => ({ type: 'text/plain', text: 'x 1\n' }));
      const closed: boolean[] = [];
      const sockets = Array.from({ length: 40 }, () => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.on('close', () => closed.push(true));
        return socket;
      });
      await until('the others are closed', () => closed.length === 24);
      await stop();
      await until('all are closed', () => closed.length === sockets.length);
    },
  );
});
