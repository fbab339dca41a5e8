// Hands a body to uWebSockets.js piece by piece, as long as the socket takes it and no one else waits for the event loop. The
// engine's own buffering would copy the rest, once per reader.
import type { Flow } from './flow.js';
import { tryEnd } from './uws-closing.js';
import type { Exchange } from './uws-exchange.js';

/** The part of it that pushing bytes needs. */
export type PushFlow = Pick<Flow, 'readers' | 'queue' | 'meter'>;

/** A body whose bytes are available at any time without waiting. */
export interface Source {
  readonly length: number;
  /** The bytes it holds in memory until it is sent; null when there are none. */
  readonly held: Uint8Array | null;
  /** The bytes from there on, valid until the next call; null when they are no longer available. */
  piece(from: number, length: number): Uint8Array | null;
}

const PIECE_BYTES = 1024 * 1024;
/** Slice size while others wait: a loopback socket takes about a tenth of a millisecond for it. */
const SMALL_PIECE_BYTES = 256 * 1024;
/** While others wait, an answer longer than a small piece only begins in the turn of its request. */
const FIRST_PIECE_BYTES = 16 * 1024;

export class Pump {
  readonly #exchange: Exchange;
  readonly #source: Source;
  readonly #flow: PushFlow;
  /** Asking the engine for its write offset costs a call; most bodies go in one piece. */
  #hasBegun = false;
  /** What the meter knows of. */
  #noted = 0;
  #isSlow = false;
  #isQueued = false;

  constructor(exchange: Exchange, source: Source, flow: PushFlow) {
    this.#exchange = exchange;
    this.#source = source;
    this.#flow = flow;
  }

  /** Status and headers have already been written. */
  push(): void {
    const { response } = this.#exchange;
    const source = this.#source;
    const { queue } = this.#flow;
    while (!this.#exchange.isEnded) {
      const sent = this.#hasBegun ? response.getWriteOffset() : 0;
      this.#hasBegun = true;
      this.#note(sent);
      const piece = source.piece(sent, Math.min(this.#most(sent), source.length - sent));
      if (piece === null) {
        this.#exchange.break();
        return;
      }
      const [ok, done] = tryEnd(this.#exchange, piece, source.length);
      if (done) {
        this.#note(source.length);
        this.#exchange.finish();
        return;
      }
      if (!ok) {
        this.#waitForSocket();
        return;
      }
      if (!queue.isFree()) {
        this.#waitForTurn();
        return;
      }
    }
  }

  #note(sent: number): void {
    this.#flow.meter.sentBytes += sent - this.#noted;
    this.#noted = sent;
  }

  #most(sent: number): number {
    if (!this.#flow.queue.isCrowded) return PIECE_BYTES;
    return sent === 0 && this.#source.length > SMALL_PIECE_BYTES ? FIRST_PIECE_BYTES : SMALL_PIECE_BYTES;
  }

  #waitForTurn(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#exchange.watch();
    this.#flow.queue.later(this.#exchange.remoteAddress, 'rest', () => {
      this.#isQueued = false;
      if (!this.#exchange.isEnded) this.#exchange.response.cork(() => this.push());
    });
  }

  #waitForSocket(): void {
    if (this.#isSlow) return;
    this.#isSlow = true;
    const { queue, readers } = this.#flow;
    const { response } = this.#exchange;
    this.#exchange.watch();
    response.onWritable(() => {
      if (queue.isFree()) this.push();
      else this.#waitForTurn();
      return true;
    });
    const reader = {
      bytes: this.#source.held,
      taken: () => response.getWriteOffset(),
      close: () => this.#exchange.break(),
    };
    this.#exchange.onFinish(() => readers.remove(reader));
    readers.add(reader);
  }
}
