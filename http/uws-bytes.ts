// Sends bytes from memory over uWebSockets.js. All readers of the same bytes share them.
import type { Exchange } from './uws-exchange.js';
import { type Flow, Pump } from './uws-pump.js';

/** Up to this size, which fits the send buffer of any socket, bytes are handed over at once. */
const AT_ONCE_BYTES = 16 * 1024;

/** `head` writes status and headers. */
export const sendBytes = (exchange: Exchange, body: Uint8Array | string, flow: Flow, head: () => void): void => {
  head();
  if (body.length <= AT_ONCE_BYTES) {
    exchange.response.end(body);
    exchange.finish();
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const piece = (from: number, length: number): Uint8Array =>
    length === bytes.byteLength ? bytes : bytes.subarray(from, from + length);
  new Pump(exchange, { length: bytes.byteLength, held: bytes, piece }, flow).push();
};
