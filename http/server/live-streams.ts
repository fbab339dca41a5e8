// Streams that go on until their clients leave: they would keep a server from stopping, so it ends them.

interface Live {
  stop(): void;
}

export class LiveStreams {
  readonly #running = new Set<Live>();
  #isStopped = false;

  add(stream: Live): void {
    this.#running.add(stream);
    if (this.#isStopped) stream.stop();
  }

  delete(stream: Live): void {
    this.#running.delete(stream);
  }

  get count(): number {
    return this.#running.size;
  }

  /** Ends them all, and those that begin from now on. */
  stop(): void {
    this.#isStopped = true;
    for (const stream of this.#running) stream.stop();
  }
}
