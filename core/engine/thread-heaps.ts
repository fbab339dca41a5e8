// Memory held by the compiled readers (WASM) and the JavaScript objects of all threads. It shrinks late or not at all, so a thread whose
// share is too large is replaced.

/** Four threads rendering scanned pages stay below this. */
const TOTAL_MAX_BYTES = 256 * 1024 * 1024;

export class ThreadHeaps {
  readonly #bytes = new Map<number, number>();

  /** Call this after each job of a thread; true when the thread should be replaced to keep the total within bounds. */
  isTooMuch(thread: number, heapBytes: number, living: readonly number[]): boolean {
    this.#bytes.set(thread, heapBytes);
    for (const known of [...this.#bytes.keys()]) if (!living.includes(known)) this.#bytes.delete(known);
    const total = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    return total > TOTAL_MAX_BYTES && heapBytes > total / (this.#bytes.size + 1);
  }
}
