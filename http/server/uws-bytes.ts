// Sends bytes and text from memory over uWebSockets.js. All readers of the same bytes share them.
import { LENT_BYTES } from '../../core/store/lent.js';
import type { LentBody } from './adapter.js';
import { SPARED_BYTES } from './uws-closing.js';
import type { Exchange } from './uws-exchange.js';
import { Pump, type PushFlow, type Source } from './uws-pump.js';

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

/** Its first piece is taken at once; only a socket that does not take the whole text makes it keep the bytes. */
const textSource = (text: string): Source => {
  if (text.length > SHARED_CHARACTERS) return bytesSource(Buffer.from(text));
  const { written } = encoder.encodeInto(text, shared);
  let first: Uint8Array | null = shared;
  let kept: Uint8Array | null = null;
  const bytes = (): Uint8Array => {
    kept ??= Buffer.from(text);
    return kept;
  };
  return {
    length: written,
    get held() {
      return bytes();
    },
    piece: (from, length) => {
      const source = first ?? bytes();
      first = null;
      return source.subarray(from, from + length);
    },
  };
};

/** Read again whenever the socket takes more, so that a slow reader holds none. What is gone by then cannot be finished. */
const lentSource = (lent: Uint8Array, read: LentBody['read']): Source => {
  if (lent.byteLength > LENT_BYTES) return bytesSource(lent);
  const length = lent.byteLength;
  let first: Uint8Array | undefined = lent;
  return {
    length,
    held: null,
    piece: (from, most) => {
      const bytes = first ?? read();
      first = undefined;
      return bytes?.byteLength === length ? bytes.subarray(from, from + most) : null;
    },
  };
};

/** `head` writes status and headers. */
export const sendBytes = (exchange: Exchange, body: Uint8Array | string, flow: PushFlow, head: () => void): void => {
  head();
  if (body.length <= (exchange.isLast ? SPARED_BYTES / 3 : AT_ONCE_BYTES)) {
    exchange.response.end(body);
    flow.meter.sentBytes += typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    exchange.finish();
    return;
  }
  new Pump(exchange, typeof body === 'string' ? textSource(body) : bytesSource(body), flow).push();
};

/** What is gone by now closes the connection: its client asks again. */
export const sendLent = (exchange: Exchange, { read }: LentBody, flow: PushFlow, head: () => void): void => {
  const lent = read();
  if (lent === undefined) {
    exchange.break();
    return;
  }
  head();
  new Pump(exchange, lentSource(lent, read), flow).push();
};
