// Each malformed shape has one outcome on each back-end, and nothing that follows a refusal is read as a request or answered.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Refuse } from '../../http/server/adapter.js';
import { errorReply } from '../../http/surface/errors.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, type Server, startServer } from './back-end.js';
import { type Outcome, outcomeAt, REFUSED, type Shape, TAKEN } from './malformed.js';
import { parserRefusals } from './parser-refusals.js';
import { ask, RawClient, type RawReply } from './raw-client.js';

const MARKER = 'GET /marker HTTP/1.1\r\nHost: x\r\n\r\n';
const SILENCE_MS = 60;
const ANSWER_MS = 5000;
/** The engine looks for idle connections every four seconds and closes them after ten. */
const IGNORED_MS = 18_000;
const UNFINISHED = 'GET /hello HTTP/1.1\r\nHost: x\r\n';

/** Only what our own code refuses carries it. */
const MARK = 'x-surface';
const refuse: Refuse = (thrown, path) => {
  const reply = errorReply(thrown);
  return { ...reply, headers: [...reply.headers, [MARK, path]] };
};

/** As in `Outcome`. */
const statusOf = ({ status, headers }: RawReply): Outcome =>
  (status === 400 || status === 431) && !headers.has(MARK) ? `${status}` : status;

interface Seen {
  readonly statuses: readonly Outcome[];
  readonly isClosed: boolean;
}

const withMarker = (bytes: Shape['bytes']): Buffer => Buffer.concat([Buffer.from(bytes), Buffer.from(MARKER)]);

/** How long to wait for the next answer or the end: long where one must come, else a moment in which none may. */
type Patience = (answers: number) => number;

const ends: Patience = () => ANSWER_MS;
const stays: Patience = () => SILENCE_MS;
const goesOnAfter =
  (expected: number): Patience =>
  (answers) =>
    answers < expected ? ANSWER_MS : SILENCE_MS;

/** All answers up to the end of the connection or a silence. `later` is sent after the first of them, in a segment of its own. */
const exchange = async (port: number, bytes: Shape['bytes'], patience: Patience, later = ''): Promise<Seen> => {
  const client = await RawClient.open(port);
  const statuses: Outcome[] = [];
  try {
    client.send(bytes);
    for (let pending = later; ; pending = '') {
      const reply = await client.reply(false, patience(statuses.length)).catch(() => null); // nothing came in time
      if (reply === undefined) return { statuses, isClosed: true };
      if (reply !== null) statuses.push(statusOf(reply));
      if (pending !== '') client.send(pending);
      else if (reply === null) return { statuses, isClosed: false };
    }
  } finally {
    client.end();
  }
};

const outcomeOf = ({ statuses: [status], isClosed }: Seen): Outcome => status ?? (isClosed ? 'closed' : 'ignored');

const refused = (check: Check, name: 'uws' | 'node', server: () => Server): void => {
  const markers = (): number => server().handled.filter((one) => one === 'GET /marker').length;
  for (const shape of REFUSED) {
    check(`${name}: ${shape.what}: ${outcomeAt(shape, name)}`, async () => {
      const { port } = server();
      const before = markers();
      const patience = outcomeAt(shape, name) === 'ignored' ? stays : ends;
      const isIgnored = outcomeAt(shape, name) === 'ignored';
      const [alone, later, ...followed] = await Promise.all([
        exchange(port, shape.bytes, patience),
        exchange(port, shape.bytes, patience, MARKER),
        ...(isIgnored ? [] : [exchange(port, withMarker(shape.bytes), patience)]),
      ]);
      assert.is(outcomeOf(alone), outcomeAt(shape, name));
      assert.is(alone.isClosed, !isIgnored, 'the connection ends');
      for (const seen of [...followed, later]) {
        assert.ok(seen.statuses.length <= 1, `one answer at the most: ${seen.statuses}`);
        assert.ok(seen.statuses.every((status) => status === outcomeAt(shape, name)));
      }
      assert.is(markers() - before, 0, 'what follows is no request');
      assert.is((await ask(port, 'GET /hello HTTP/1.1\r\nHost: x\r\n\r\n'))?.status, 200);
    });
  }
  check(`${name}: nothing malformed reached dispatch`, () => {
    assert.equal([...new Set(server().handled)], ['GET /hello']);
  });
};

const taken = (check: Check, name: 'uws' | 'node', server: () => Server): void => {
  for (const shape of TAKEN) {
    check(`${name}: ${shape.what}: ${outcomeAt(shape, name)}`, async () => {
      const isIgnored = outcomeAt(shape, name) === 'ignored';
      const alone = await exchange(server().port, shape.bytes, isIgnored ? stays : goesOnAfter(1));
      assert.is(outcomeOf(alone), outcomeAt(shape, name));
      const follows = !alone.isClosed && !isIgnored;
      const seen = await exchange(server().port, withMarker(shape.bytes), follows ? goesOnAfter(2) : stays);
      if (follows) assert.equal(seen.statuses, [outcomeAt(shape, name), 404], 'the next request is answered as itself');
      else assert.ok(seen.statuses.length <= 1, `one answer at the most: ${seen.statuses}`);
    });
  }
};

const tooLong = (check: Check, server: () => Server): void => {
  for (const [what, head] of [
    ['an address', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a header', `GET /hello HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(17_000)}\r\n\r\n`],
  ] as const)
    check(
      `node: ${what} of more than 16 kB is 431, which says that the address or the headers are too long`,
      async () => {
        const reply = await ask(server().port, head);
        const { message } = JSON.parse(String(reply?.body));
        assert.equal([reply?.status, /^The address or the headers .* too long\./.test(message)], [431, true], message);
      },
    );
};

const ignored = (check: Check, name: 'uws' | 'node', server: () => Server): void => {
  check(`${name}: an ignored request ends with its connection, and what follows is not answered either`, async () => {
    const unfinished = await RawClient.open(server().port);
    unfinished.send(UNFINISHED);
    const clients = await Promise.all(
      [...REFUSED, ...TAKEN]
        .filter((shape) => outcomeAt(shape, name) === 'ignored')
        .map(async ({ bytes }) => {
          const client = await RawClient.open(server().port);
          client.send(withMarker(bytes));
          return client;
        }),
    );
    const closed = await Promise.all(clients.map((client) => client.closes(IGNORED_MS)));
    for (const client of clients) client.end();
    assert.ok(clients.every(({ receivedBytes }) => receivedBytes === 0));
    assert.ok(closed.every(Boolean));
    const reply = await unfinished.reply(false, IGNORED_MS);
    assert.is(reply?.status, name === 'node' ? 408 : undefined, 'a request that never ends');
    assert.ok(await unfinished.closes());
    unfinished.end();
  });
};

block('what parsers refuse by themselves', (check) => {
  check('is listed in ARCHITECTURE.md (node dist/test/system/parser-refusals.js prints it)', () => {
    const text = readFileSync(fileURLToPath(new URL('../../../ARCHITECTURE.md', import.meta.url)), 'utf8');
    assert.ok(text.includes(parserRefusals()));
  });
});

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(
    `malformed requests over ${adapter.name}`,
    (check) => {
      refused(check, adapter.name, () => server);
      taken(check, adapter.name, () => server);
      ignored(check, adapter.name, () => server);
      if (adapter.name === 'node') tooLong(check, () => server);
      check(`${adapter.name}: no fault was reported`, () => assert.equal(server.faults, []));
    },
    {
      before: async () => {
        server = await startServer(adapter, {}, { refuse });
      },
      after: () => server.stop(),
      deadlineS: 30,
    },
  );
}
