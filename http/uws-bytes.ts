// Sends bytes and text from memory over uWebSockets.js. All readers of the same bytes share them.
import type { LentBody } from './adapter.js';
import type { Exchange } from './uws-exchange.js';
import { type Flow, Pump, type Source } from './uws-pump.js';

/** Up to this size, which fits the send buffer of any socket, bytes are handed over at once. */
const AT_ONCE_BYTES = 16 * 1024;
/** A longer text gets a buffer of its own. A character takes up to three bytes. */
const SHARED_CHARACTERS = 256 * 1024;

const encoder = new TextEncoder();
/** Filled and sent within one call, so one buffer serves all clients: making one for each text takes five times as long as filling it. */
const shared = Buffer.allocUnsafeSlow(3 * SHARED_CHARACTERS);

const bytesSource = (bytes: Uint8Array): Source => ({
  length: bytes.byteLength,
  held: bytes,
  piece: (from, length) => (length === bytes.byteLength ? bytes : bytes.subarray(from, from + length)),
});

/**
 * Bytes in a buffer that others reuse: the first piece is taken at once, and only a socket that does not take all of it makes the rest be
 * kept. `own` makes a copy; null when there is nothing left to copy.
 */
const passingSource = (passing: Uint8Array, own: () => Uint8Array | null): Source => {
  let first: Uint8Array | null = passing;
  let kept: Uint8Array | null = null;
  const bytes = (): Uint8Array | null => {
    kept ??= own();
    return kept;
  };
  return {
    length: passing.byteLength,
    get held() {
      return bytes();
    },
    piece: (from, length) => {
      const source = first ?? bytes();
      first = null;
      return source === null ? null : source.subarray(from, from + length);
    },
  };
};

const textSource = (text: string): Source => {
  if (text.length > SHARED_CHARACTERS) return bytesSource(Buffer.from(text));
  const { written } = encoder.encodeInto(text, shared);
  return passingSource(shared.subarray(0, written), () => Buffer.from(text));
};

/** `head` writes status and headers. */
export const sendBytes = (exchange: Exchange, body: Uint8Array | string, flow: Flow, head: () => void): void => {
  head();
  if (body.length <= AT_ONCE_BYTES) {
    exchange.response.end(body);
    exchange.finish();
    return;
  }
  new Pump(exchange, typeof body === 'string' ? textSource(body) : bytesSource(body), flow).push();
};

/** What is gone by now closes the connection: its client asks again. */
export const sendLent = (exchange: Exchange, { read }: LentBody, flow: Flow, head: () => void): void => {
  const lent = read();
  if (lent === undefined) {
    exchange.break();
    return;
  }
  const own = (): Uint8Array | null => {
    const again = read();
    return again === undefined ? null : Uint8Array.from(again);
  };
  head();
  new Pump(exchange, passingSource(lent, own), flow).push();
};
