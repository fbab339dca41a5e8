// Bytes in memory over uWebSockets.js: handed over as the socket takes them. All readers of the same bytes share them; the engine's own
// buffering would copy what is left for each of them.
import type { Readers } from './readers.js';
import type { Exchange } from './uws-exchange.js';

/** What fits the send buffer of any socket is handed over at once. */
const AT_ONCE_BYTES = 16 * 1024;

/** `head` writes status and headers. */
export const sendBytes = (exchange: Exchange, body: Uint8Array | string, readers: Readers, head: () => void): void => {
  const { response } = exchange;
  head();
  if (body.length <= AT_ONCE_BYTES) {
    response.end(body);
    exchange.finish();
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const [, done] = response.tryEnd(bytes, bytes.byteLength);
  if (done) exchange.finish();
  else sendRest(exchange, bytes, readers);
};

const sendRest = (exchange: Exchange, bytes: Uint8Array, readers: Readers): void => {
  const { response } = exchange;
  exchange.watch();
  const reader = { bytes, taken: () => response.getWriteOffset(), close: () => exchange.break() };
  exchange.onFinish(() => readers.remove(reader));
  response.onWritable(() => {
    if (exchange.isEnded) return true;
    const [ok, done] = response.tryEnd(bytes.subarray(response.getWriteOffset()), bytes.byteLength);
    if (done) exchange.finish();
    return ok;
  });
  readers.add(reader);
};
