// What the compiled readers of all threads hold together. Their memory never shrinks, so a thread whose share is too large is replaced.

/** Four threads that draw scanned pages stay below this. */
const TOTAL_MAX_BYTES = 320 * 1024 * 1024;

export class ThreadHeaps {
  readonly #bytes = new Map<number, number>();

  /** Told after each job of a thread; true when the thread should be replaced so that all together keep within bounds. */
  isTooMuch(thread: number, heapBytes: number, living: readonly number[]): boolean {
    this.#bytes.set(thread, heapBytes);
    for (const known of [...this.#bytes.keys()]) if (!living.includes(known)) this.#bytes.delete(known);
    const total = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    return total > TOTAL_MAX_BYTES && heapBytes > total / (this.#bytes.size + 1);
  }
}
