// Replies as bytes on a socket: HEAD, bodies of files, slow and vanishing clients, faults of dispatch, stopping.
import { createHash } from 'node:crypto';
import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { AT_BYTES, BACK_ENDS, BIG_BYTES, big, HANDLER_MS, type Server, startServer, textOf } from './back-end.js';
import { ask, RawClient } from './raw-client.js';

const request = (method: string, path: string, headers = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const get = (path: string, headers = ''): string => request('GET', path, headers);
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');
const openFiles = (): number => readdirSync('/proc/self/fd').length;

const bare = (check: Check, server: () => Server): void => {
  check('HEAD has the headers of GET, no body, and the connection goes on', async () => {
    const client = await RawClient.open(server().port);
    for (const [path, length] of [
      ['/hello', '5'],
      ['/empty', '0'],
      ['/hot', String(BIG_BYTES)],
      ['/cold', String(BIG_BYTES)],
      ['/later', '5'],
      ['/lent?x', String(Buffer.byteLength(textOf('x')))],
    ] as const) {
      client.send(request('HEAD', path));
      const reply = await client.reply(true);
      assert.equal([reply?.status, reply?.headers.get('content-length')], [200, length], path);
    }
    client.send(get('/hello'));
    assert.is((await client.reply())?.body.toString(), 'hello');
    client.end();
  });
  check('204 and 304 have no body and no length above zero, and the connection goes on', async () => {
    const client = await RawClient.open(server().port);
    for (const [path, status] of [
      ['/none', 204],
      ['/same', 304],
    ] as const) {
      client.send(get(path));
      const reply = await client.reply(true);
      assert.equal([reply?.status, reply?.headers.get('content-length') ?? '0'], [status, '0']);
    }
    client.send(get('/hello'));
    assert.is((await client.reply())?.body.toString(), 'hello');
    client.end();
  });
  check('CR, LF and NUL in a header value cannot end it', async () => {
    const reply = await ask(server().port, get('/inject'));
    assert.equal([reply?.headers.has('x-evil'), reply?.body.toString()], [false, 'safe']);
    assert.not.ok(reply?.head.includes('\0'));
  });
};

const files = (check: Check, server: () => Server): void => {
  for (const path of ['/hot', '/cold', '/big']) {
    check(`20 MB from ${path} arrive unchanged`, async () => {
      assert.is(md5((await ask(server().port, get(path)))?.body ?? Buffer.alloc(0)), md5(big));
    });
  }
  for (const path of ['/text', '/lent'])
    check(`bytes of ${path} arrive unchanged while many clients are being answered`, async () => {
      const names = Array.from({ length: 24 }, (_, n) => `text${n}`);
      const crowd = names.map(() => ask(server().port, get('/big')));
      const texts = names.map(async (name) => {
        const found = await ask(server().port, get(`${path}?${name}`));
        assert.ok(found?.body.equals(Buffer.from(textOf(name))), name);
      });
      await Promise.all([...crowd, ...texts]);
    });
  check('bytes that are gone when they are sent close the connection, and others are served', async () => {
    const client = await RawClient.open(server().port);
    client.send(get('/gone-lent'));
    assert.ok(await client.closes());
    assert.is(client.receivedBytes, 0);
    client.end();
    assert.is((await ask(server().port, get('/hello')))?.status, 200);
  });
  check('a range begins where it should and has the right length', async () => {
    for (const length of [0, 1, 65_536, 3_000_000]) {
      for (const heat of ['hot', 'cold']) {
        const body = (await ask(server().port, get(`/part?${length}`, `X-One: ${heat}\r\n`)))?.body;
        assert.ok(body?.equals(big.subarray(7, 7 + length)), `${length} ${heat}`);
      }
    }
  });
  check('ranges requested without waiting for one another arrive in order, each unchanged', async () => {
    const client = await RawClient.open(server().port);
    const places = Array.from({ length: 8 }, (_, n) => 4096 + n * AT_BYTES);
    client.send(places.map((place) => get(`/at?${place}`)).join(''));
    for (const [at, place] of places.entries()) {
      const reply = await client.reply();
      // That engine closes the connection when an answer has to wait for its turn, as on a busy machine.
      if (reply === undefined && server().adapter.name === 'uws' && at > 0) break;
      assert.equal([place, reply?.status, reply?.body.length], [place, 200, AT_BYTES]);
      assert.ok(reply?.body.equals(big.subarray(place, place + AT_BYTES)), `from ${place}`);
    }
    client.end();
  });
  check('many at once, each complete', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ask(server().port, get(n % 2 === 0 ? '/hot' : '/cold'))),
    );
    assert.equal(new Set(bodies.map((reply) => md5(reply?.body ?? Buffer.alloc(0)))), new Set([md5(big)]));
  });
  check('a file that ends early closes the connection instead of sending less', async () => {
    for (const path of ['/beyond', '/beyond-hot']) {
      const client = await RawClient.open(server().port);
      client.send(get(path));
      assert.ok(await client.closes(), path);
      client.end();
    }
  });
  check('every file was released exactly once', async () => {
    await until('files are released', () => server().releases.every((count) => count === 1));
    assert.ok(server().releases.length > 20);
  });
};

const slow = (check: Check, server: () => Server): void => {
  for (const path of ['/hot', '/cold', '/big']) {
    check(`clients that leave in the middle of ${path} leave nothing behind`, async () => {
      const before = openFiles();
      const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.open(server().port)));
      for (const client of clients) client.send(get(path));
      await Promise.all(clients.map((client) => client.has(100_000)));
      for (const client of clients) client.end();
      await until('files are released', () => server().releases.every((count) => count === 1));
      await until('descriptors are closed', () => openFiles() <= before + 1);
      assert.is((await ask(server().port, get('/hello')))?.status, 200);
    });
  }
  check('clients that do not read cost no more than what is in flight, and others are served', async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => RawClient.open(server().port)));
    const before = process.memoryUsage.rss();
    for (const client of clients) {
      client.socket.pause();
      client.send(get('/cold'));
    }
    for (let n = 0; n < 20; n += 1) assert.is((await ask(server().port, get('/hello')))?.status, 200);
    const grown = process.memoryUsage.rss() - before;
    for (const client of clients) client.end();
    assert.ok(grown < 160 * 1024 * 1024, `${grown} bytes for 320 MB of answers`);
  });
  check('a client that reads slowly gets every byte', async () => {
    const client = await RawClient.open(server().port);
    client.send(get('/part?3000000', 'X-One: cold\r\n'));
    const throttle = setInterval(() => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 15);
    }, 20);
    const body = (await client.reply(false, 10_000))?.body;
    clearInterval(throttle);
    client.end();
    assert.ok(body?.equals(big.subarray(7, 3_000_007)));
  });
};

const faulty = (check: Check, server: () => Server): void => {
  check('a dispatch that throws or rejects ends that exchange only', async () => {
    for (const path of ['/throw', '/reject']) {
      const reply = await ask(server().port, get(path));
      assert.ok(reply === undefined || reply.status === 500, `${path} gave ${reply?.status}`);
    }
    assert.is((await ask(server().port, get('/hello')))?.status, 200);
    assert.ok(server().faults.length >= 2);
  });
  check(
    `a dispatch that takes longer than ${HANDLER_MS} ms is answered with Timeout, and its late reply is released`,
    async () => {
      const count = server().releases.length;
      const reply = await ask(server().port, get('/never'));
      assert.equal([reply?.status, JSON.parse(reply?.body.toString() ?? '{}').error], [503, 'Timeout']);
      assert.is((server().faults.at(-1) as { kind?: string }).kind, 'Timeout', 'it is told');
      await until('the late file is released', () => server().releases[count] === 1);
    },
  );
  check('the signal of a request fires when its client goes away', async () => {
    const client = await RawClient.open(server().port);
    client.send(get('/gone'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.end();
    await until('the abort is seen', () => server().aborted.includes('/gone'));
  });
  check('a file truncated while it is sent closes the connection', async () => {
    const client = await RawClient.open(server().port);
    client.socket.pause();
    client.send(get('/cold'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    truncateSync(server().path, 1000);
    client.socket.resume();
    assert.ok(await client.closes());
    assert.ok(client.receivedBytes < BIG_BYTES);
    client.end();
    writeFileSync(server().path, big);
  });
};

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(
    `replies over ${adapter.name}`,
    (check) => {
      const named: Check = Object.assign(
        (fact: string, body: () => void | Promise<void>) => check(`${adapter.name}: ${fact}`, body),
        { skip: check.skip },
      );
      bare(named, () => server);
      files(named, () => server);
      slow(named, () => server);
      faulty(named, () => server);
      named('stopping lets a running answer finish and takes no new connection', async () => {
        const client = await RawClient.open(server.port);
        client.send(get('/wait'));
        await new Promise((resolve) => setTimeout(resolve, 50));
        const stopped = server.stop();
        const refused = await RawClient.open(server.port).then(
          () => false,
          () => true,
        );
        assert.is((await client.reply())?.body.toString(), 'waited');
        assert.ok(refused);
        await stopped;
        client.end();
      });
    },
    {
      before: async () => {
        server = await startServer(adapter);
      },
      deadlineS: 30,
    },
  );
}
