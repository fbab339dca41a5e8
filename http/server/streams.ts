// Replies that are made while they are sent: one piece at a time, as the socket takes them, and ended exactly once, however it comes about.
import { AppError } from '../../core/model/errors.js';
import type { StreamBody } from './adapter.js';
import type { Flow } from './flow.js';

/** What is handed over cannot be taken back, and the engine copies what its socket does not take. */
const PIECE_BYTES = 32 * 1024;

/** How a back-end sends one reply. Nothing is called any more once the reply has ended or its client has left. */
export interface Outlet {
  readonly peer: string;
  readonly path: string;
  /** Writes status and headers; they go out with the first piece. */
  head(): void;
  /** Never with an empty piece. False when the socket takes no more for now. */
  write(piece: Uint8Array): boolean;
  /** Calls `resume` when the socket takes more again. */
  whenWritable(resume: () => void): void;
  end(): void;
  /** Ends the connection: what was begun cannot be finished. */
  cut(): void;
  /** Answers with this error instead; possible as long as nothing was written. */
  refuse(thrown: unknown): void;
}

type Pieces = AsyncIterator<Uint8Array | string>;

type Made = IteratorResult<Uint8Array | string>;

/** What is made, or `late` when that takes longer. */
const within = (made: Promise<Made>, ms: number): Promise<Made | 'late'> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  return Promise.race([made, late]).finally(() => clearTimeout(timer));
};

/** Bytes that several readers share are not copied. */
const bytesOf = (piece: Uint8Array | string): Uint8Array => (typeof piece === 'string' ? Buffer.from(piece) : piece);

export class Streaming {
  readonly #body: StreamBody;
  readonly #outlet: Outlet;
  readonly #flow: Flow;
  readonly #left = new AbortController();
  #pieces: Pieces | null = null;
  /** The maker has come to its end or failed: it must not be told to end. */
  #isMade = false;
  #hasBegun = false;
  #isOver = false;
  #taken = 0;
  #history: ReturnType<Flow['readers']['add']> | undefined;
  #stopWaiting: (() => void) | null = null;

  constructor(body: StreamBody, outlet: Outlet, flow: Flow) {
    this.#body = body;
    this.#outlet = outlet;
    this.#flow = flow;
  }

  /** The back-end calls `left` when the exchange is over; everything else happens by itself. */
  start(): void {
    void this.#run();
  }

  /** The client is gone, or was disconnected. */
  left(): void {
    this.#close();
  }

  /** The server stops. A client that takes nothing is not waited for. */
  stop(): void {
    const isStuck = this.#stopWaiting !== null || !this.#hasBegun;
    if (!this.#close()) return;
    if (isStuck) this.#outlet.cut();
    else this.#outlet.end();
  }

  async #run(): Promise<void> {
    try {
      if (this.#body.isLive) this.#flow.live.add(this);
      if (this.#isOver) return;
      const pieces = this.#body.open(this.#left.signal)[Symbol.asyncIterator]();
      this.#pieces = pieces;
      for (;;) {
        const made = await this.#next(pieces);
        if (this.#isOver) return;
        if (made.done === true) break;
        if (made.value.length > 0) await this.#send(bytesOf(made.value));
      }
      this.#begin();
      if (this.#close()) this.#outlet.end();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** The first piece may take as long as any answer. Later ones too, unless the stream is live and waits for something to happen. */
  async #next(pieces: Pieces): Promise<Made> {
    const isPatient = this.#body.isLive && this.#hasBegun;
    let made: Made | 'late';
    try {
      made = await (isPatient ? pieces.next() : within(pieces.next(), this.#flow.handlerMs));
    } catch (thrown) {
      this.#isMade = true;
      throw thrown;
    }
    if (made === 'late') throw new AppError('Timeout', 'The server took too long to answer.');
    this.#isMade = made.done === true;
    return made;
  }

  #begin(): void {
    if (this.#hasBegun || this.#isOver) return;
    this.#hasBegun = true;
    this.#outlet.head();
  }

  /** Resolves when the socket has taken all of it, or the reply is over. */
  async #send(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength && !this.#isOver; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      const part = this.#hasBegun && !this.#body.isLive ? 'rest' : 'start';
      const goesOn = await this.#flow.queue.run(this.#outlet.peer, part, () => {
        if (this.#isOver) return true;
        this.#begin();
        return this.#outlet.write(piece);
      });
      if (!goesOn) await this.#writable(bytes);
      this.#taken += piece.byteLength;
      this.#flow.meter.sentBytes += piece.byteLength;
    }
  }

  /** Meanwhile its client counts as a slow reader, who holds these bytes. */
  async #writable(bytes: Uint8Array): Promise<void> {
    if (this.#isOver) return;
    const { readers } = this.#flow;
    const close = (): void => {
      if (this.#close()) this.#outlet.cut();
    };
    const reader = { bytes, taken: () => this.#taken, close };
    await new Promise<void>((resolve) => {
      this.#stopWaiting = resolve;
      this.#outlet.whenWritable(resolve);
      this.#history = readers.add(reader, this.#history);
    });
    this.#stopWaiting = null;
    readers.remove(reader);
  }

  #fail(thrown: unknown): void {
    if (!this.#close()) return;
    this.#flow.onFault(thrown, this.#outlet.path);
    if (this.#hasBegun) this.#outlet.cut();
    else this.#outlet.refuse(thrown);
  }

  /** False when it was closed before. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#flow.live.delete(this);
    this.#stopWaiting?.();
    if (!this.#isMade) void this.#endMaking();
    return true;
  }

  /** The signal wakes a maker that waits for something: `return` alone would wait for it too. */
  async #endMaking(): Promise<void> {
    this.#left.abort();
    try {
      await this.#pieces?.return?.();
    } catch (thrown) {
      this.#flow.onFault(thrown, this.#outlet.path);
    }
  }
}
