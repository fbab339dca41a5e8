// The last bytes of an answer, over a connection that closes with it. The engine closes the socket as soon as the kernel has those bytes.
// While TCP memory is short the kernel resets closed sockets that still have bytes to deliver, so the close waits for the client's.
import type { Exchange } from './uws-exchange.js';

/** Clients that know the length close at once. Others, which read until the connection closes, wait this long. */
const LINGER_MS = 500;
/** The kernel spares sockets with no more than 4.5 kB to deliver, which includes headers and its own records. */
export const SPARED_BYTES = 1024;

const NOTHING = new Uint8Array(0);

/** Like `tryEnd` of the engine: whether the socket takes more, and whether the answer is over. `piece` continues at the write offset. */
export const tryEnd = (exchange: Exchange, piece: Uint8Array, length: number): [ok: boolean, done: boolean] => {
  const { response } = exchange;
  if (!exchange.isLast || length <= SPARED_BYTES) return response.tryEnd(piece, length);
  exchange.watch();
  // The first call writes the length. By the later ones the engine counts: with one byte missing it does not close.
  if (response.getWriteOffset() === 0) response.tryEnd(NOTHING, length);
  const [ok] = response.tryEnd(piece, length + 1);
  if (response.getWriteOffset() < length) return [ok, false];
  const timer = setTimeout(() => response.cork(() => response.tryEnd(NOTHING, length)), LINGER_MS);
  exchange.onClosed(() => clearTimeout(timer));
  return [true, true];
};
