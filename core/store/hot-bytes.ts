// The most recently read bytes, in memory: showing a cover wall again costs no copy out of the cache file. Bounded in bytes.
// Larger ones are not kept, but can be found while they are in use: everyone who reads one page at the same time shares its bytes.

import { InUse } from './in-use.js';

export class HotBytes {
  readonly #budgetBytes: number;
  readonly #itemMaxBytes: number;
  readonly #kept = new Map<string, Uint8Array>();
  readonly #inUse = new InUse();
  #bytes = 0;

  constructor(budgetBytes: number, itemMaxBytes: number) {
    this.#budgetBytes = budgetBytes;
    this.#itemMaxBytes = itemMaxBytes;
  }

  /** The returned bytes must not be modified. */
  get(key: string): Uint8Array | undefined {
    return this.#kept.get(key) ?? this.#inUse.get(key);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** Whoever reads them keeps what was read. */
  forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.byteLength ?? 0;
    this.#kept.delete(key);
    this.#inUse.forget(key);
  }

  /**
   * The oldest are evicted first, without regard to use: a look-up in a plain map takes half the time of one that counts as use, and a cover
   * wall is read from its beginning again.
   */
  keep(key: string, bytes: Uint8Array): void {
    if (this.#kept.has(key)) return;
    if (bytes.byteLength > this.#itemMaxBytes) {
      this.#inUse.note(key, bytes);
      return;
    }
    this.#kept.set(key, bytes);
    this.#bytes += bytes.byteLength;
    for (const [oldest, dropped] of this.#kept) {
      if (this.#bytes <= this.#budgetBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= dropped.byteLength;
    }
  }
}
