// How many requests are answered in one turn of the event loop. A client that sends thousands back to back would otherwise have all of
// one read answered at once, with everybody else waiting.

/** Far above what honest clients send between two turns; answering so many takes about a millisecond. */
const REQUESTS_PER_TURN = 128;

export class Turn {
  #count = 0;

  /** False when this turn has had enough: the request waits for the next one, or ends its connection. */
  take(): boolean {
    if (this.#count === 0) setImmediate(() => this.#end());
    this.#count += 1;
    return this.#count <= REQUESTS_PER_TURN;
  }

  #end(): void {
    this.#count = 0;
  }
}
