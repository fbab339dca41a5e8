// What the cache holds, oldest first, and how much it counts: what is evicted next. Changes only within a transaction of its caller.
import { hasKey, type Stores } from './blob-store.js';
import type { BlobTally, StoredBlob } from './blob-types.js';

export const EVICT_BATCH = 64;
const READ_MAX = 65_536;

export interface Inserted {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly isReplaced: boolean;
}

/** First in, first out, with a second chance for what was read since: no start-up scan, no write on a read. */
export class BlobLedger {
  readonly #touched = new Set<string>();
  readonly tally: BlobTally = { hits: 0, misses: 0, stored: 0, evicted: 0 };
  readonly #now: () => number;
  #next = 1;
  #total = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Bytes on disk that count against the budget. */
  get total(): number {
    return this.#total;
  }

  /** `last`: the newest sequence number in the file. */
  open({ state }: Stores, last: number): void {
    this.#total = state.get('total') ?? 0;
    this.#next = last + 1;
  }

  /** True when it is the first read of this key since reads were forgotten. */
  noteRead(key: string): boolean {
    if (this.#touched.has(key)) return false;
    if (this.#touched.size >= READ_MAX) this.#touched.clear(); // not by age: reopening the file forgets them all much sooner
    this.#touched.add(key);
    return true;
  }

  forgetReads(): void {
    this.#touched.clear();
  }

  /** What is replaced keeps its place in the order, and the size that it counts as. */
  insert(stores: Stores, key: string, { bytes, size, isReplaced }: Inserted): void {
    const { order, state } = stores;
    const isKnown = hasKey(stores, key);
    if (isKnown && !isReplaced) return;
    stores.bytes.putSync(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.tally.stored += 1;
    if (isKnown) return;
    order.putSync(this.#next, [key, size, Math.floor(this.#now() / 1000)]);
    this.#next += 1;
    this.#total += size;
    state.putSync('total', this.#total);
  }

  /** Returns how many it looked at; 0: nothing is left to evict. What was read since gets a second chance. */
  evictBatch({ bytes, order, state }: Stores, target: number): number {
    const oldest = [...order.getRange({ limit: EVICT_BATCH })];
    let seen = 0;
    for (const { key: sequence, value } of oldest) {
      if (this.#total <= target) break;
      seen += 1;
      const [key, size] = value;
      order.removeSync(sequence);
      if (this.#touched.delete(key)) {
        order.putSync(this.#next, value);
        this.#next += 1;
        continue;
      }
      bytes.removeSync(key);
      this.tally.evicted += 1;
      this.#total = Math.max(0, this.#total - size);
    }
    state.putSync('total', this.#total);
    return seen;
  }

  list({ order }: Stores, after: number, limit: number): readonly StoredBlob[] {
    const found = [...order.getRange({ start: after + 1, limit })];
    return found.map(({ key: at, value: [key, size, made] }) => ({
      at,
      key,
      size,
      madeAt: made === undefined ? null : made * 1000,
    }));
  }

  /** What was evicted, or moved in the order, since it was listed is left alone. */
  discard({ bytes, order, state }: Stores, listed: readonly StoredBlob[]): readonly StoredBlob[] {
    const found = listed.filter(({ at, key }) => order.get(at)?.[0] === key);
    for (const { at, key, size } of found) {
      order.removeSync(at);
      bytes.removeSync(key);
      this.#total = Math.max(0, this.#total - size);
    }
    state.putSync('total', this.#total);
    return found;
  }
}
