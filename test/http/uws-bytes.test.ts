// Bytes that uWebSockets.js sends: lent ones, while the socket takes them piece by piece, and long ones, while others wait.
import { FairQueue } from '../../http/server/fair-queue.js';
import { Readers } from '../../http/server/slow-readers.js';
import { sendBytes, sendLent } from '../../http/server/uws-bytes.js';
import type { Exchange } from '../../http/server/uws-exchange.js';
import { assert, block } from '../kit.js';

const PIECE = 1000;

interface Sent {
  readonly bytes: Buffer;
  readonly end: 'finished' | 'broken';
}

/** What a socket gets that takes so many bytes at a time. */
const sent = (read: () => Uint8Array | undefined): Sent => {
  const pieces: Buffer[] = [];
  let offset = 0;
  let end: Sent['end'] | undefined;
  const response = {
    getWriteOffset: () => offset,
    tryEnd: (piece: Uint8Array, length: number): [boolean, boolean] => {
      if (pieces.length > 100) throw new Error('it never ends');
      pieces.push(Buffer.from(piece.subarray(0, PIECE)));
      offset += Math.min(piece.length, PIECE);
      piece.fill(0); // as another look-up does
      return [true, offset >= length];
    },
  };
  const exchange = {
    response,
    remoteAddress: '127.0.0.1',
    get isEnded() {
      return end !== undefined;
    },
    finish: () => {
      end = 'finished';
    },
    break: () => {
      end = 'broken';
    },
  };
  const queue = new FairQueue(() => undefined);
  queue.isFree = () => true; // one turn is long enough
  const flow = { queue, readers: new Readers(1e6, 30_000, queue), meter: { sentBytes: 0 } };
  sendLent(exchange as unknown as Exchange, { kind: 'lent', read }, flow, () => undefined);
  if (end === undefined) throw new Error('it was neither finished nor broken');
  return { bytes: Buffer.concat(pieces), end };
};

block('lent bytes', (check) => {
  const whole = Buffer.from(Array.from({ length: 3500 }, (_, at) => at % 251));
  check('arrive unchanged, though others use the buffer between two pieces', () => {
    const { bytes, end } = sent(() => Buffer.from(whole));
    assert.is(end, 'finished');
    assert.ok(bytes.equals(whole));
  });
  for (const [what, second] of [
    ['gone', undefined],
    ['shorter', whole.subarray(0, 500)],
    ['longer', Buffer.concat([whole, whole])],
  ] as const)
    check(`are not completed by others: those read for the second piece are ${what}`, () => {
      let reads = 0;
      const { bytes, end } = sent(() => {
        reads += 1;
        return reads === 1 ? Buffer.from(whole) : second;
      });
      assert.is(end, 'broken');
      assert.ok(bytes.equals(whole.subarray(0, PIECE)));
    });
});

/** An answer to a socket that takes everything, while others wait. `order` gets the length of each piece. */
const sendAmongOthers = (queue: FairQueue, length: number, order: (string | number)[]): void => {
  let offset = 0;
  let isEnded = false;
  const response = {
    cork: (write: () => void) => write(),
    getWriteOffset: () => offset,
    tryEnd: (piece: Uint8Array): [boolean, boolean] => {
      order.push(piece.byteLength);
      offset += piece.byteLength;
      return [true, offset === length];
    },
  };
  const exchange = {
    response,
    remoteAddress: '127.0.0.1',
    get isEnded() {
      return isEnded;
    },
    watch: () => undefined,
    finish: () => {
      isEnded = true;
    },
  };
  queue.later('10.0.0.1', 'rest', () => order.push('another'));
  const flow = { queue, readers: new Readers(1e9, 30_000, queue), meter: { sentBytes: 0 } };
  sendBytes(exchange as unknown as Exchange, new Uint8Array(length), flow, () => undefined);
};

const KIB = 1024;

block('bytes sent while others wait', (check) => {
  check('only begin when they are many, and go on after the answers that begin meanwhile', async () => {
    const queue = new FairQueue((thrown) => {
      throw thrown;
    });
    const order: (string | number)[] = [];
    sendAmongOthers(queue, 400 * KIB, order);
    assert.equal(order, [16 * KIB]);
    queue.later('10.0.0.2', 'start', () => order.push('request'));
    for (let turn = 0; turn < 100 && order.length < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(order, [16 * KIB, 'request', 'another', 384 * KIB]);
  });

  check('go out at once when they are few', () => {
    const order: (string | number)[] = [];
    sendAmongOthers(new FairQueue(() => undefined), 256 * KIB, order);
    assert.equal(order, [256 * KIB]);
  });
});
