// The bytes that were read last, in memory: a cover wall that is shown again costs no copy out of the cache file. Bounded in bytes.
// Larger ones are not kept, but found as long as somebody still uses them: all who read one page at the same time share its bytes.

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

  /** Nobody may write into what this returns. */
  get(key: string): Uint8Array | undefined {
    return this.#kept.get(key) ?? this.#inUse.get(key);
  }

  /** Whoever reads them keeps what was read. */
  forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.byteLength ?? 0;
    this.#kept.delete(key);
    this.#inUse.forget(key);
  }

  /** The oldest go first: keeping exact order of use would cost every read what an occasional miss costs once. */
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
