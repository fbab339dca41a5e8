// Bytes that are lent to an answer, while its socket takes them piece by piece.
import { FairQueue } from '../../http/server/fair-queue.js';
import { Readers } from '../../http/server/slow-readers.js';
import { sendLent } from '../../http/server/uws-bytes.js';
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
  const flow = { queue, readers: new Readers(1e6, 30_000, queue) };
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
