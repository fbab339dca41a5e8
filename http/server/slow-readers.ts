// Slow readers. A reader that takes almost nothing is disconnected; when the bytes held for all readers exceed the budget, the slowest go
// first. Bytes shared by several readers count once.
import type { FairQueue } from './fair-queue.js';

/** An answer its socket did not accept at once. */
export interface Reader {
  /** Bytes its socket has accepted so far. */
  taken(): number;
  /** The bytes held in memory for it; null when it is read from a file as the socket drains. */
  readonly bytes: Uint8Array | null;
  /** Closes its connection. */
  close(): void;
}

/** What is known of a reader; one that waits for its socket again and again keeps it. */
interface Watched {
  readonly sinceMs: number;
  /** Its position at the most recent checks, oldest first. */
  readonly positions: number[];
}

const SLOW_BYTES_PER_S = 4096;
const LOOKS_PER_WINDOW = 6;
const SETTLE_MS = 1000;
const MANY = 32;

export class Readers {
  readonly #budgetBytes: number;
  readonly #slowMs: number;
  readonly #queue: FairQueue;
  readonly #watched = new Map<Reader, Watched>();
  readonly #held = new Map<Uint8Array, number>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(budgetBytes: number, slowMs: number, queue: FairQueue) {
    this.#queue = queue;
    this.#budgetBytes = budgetBytes;
    this.#slowMs = slowMs;
  }

  /** True while the budget is nearly used up: senders then read their files in small pieces. */
  get isTight(): boolean {
    return this.#watched.size > MANY || this.#bytes > this.#budgetBytes / 2;
  }

  add(reader: Reader, before?: Watched): Watched {
    const now = performance.now();
    const watched = before ?? { sinceMs: now, positions: [reader.taken()] };
    this.#watched.set(reader, watched);
    if (reader.bytes !== null) this.#hold(reader.bytes);
    this.#keepWithinBudget(now);
    if (this.#timer !== null) return watched;
    this.#timer = setInterval(() => this.#look(), this.#slowMs / LOOKS_PER_WINDOW);
    this.#timer.unref();
    return watched;
  }

  remove(reader: Reader): void {
    if (!this.#watched.delete(reader)) return;
    if (reader.bytes !== null) this.#release(reader.bytes);
    if (this.#watched.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #hold(bytes: Uint8Array): void {
    const holders = this.#held.get(bytes) ?? 0;
    this.#held.set(bytes, holders + 1);
    if (holders === 0) this.#bytes += bytes.byteLength;
  }

  #release(bytes: Uint8Array): void {
    const holders = (this.#held.get(bytes) ?? 1) - 1;
    if (holders > 0) {
      this.#held.set(bytes, holders);
      return;
    }
    this.#held.delete(bytes);
    this.#bytes -= bytes.byteLength;
  }

  #keepWithinBudget(now: number): void {
    // A single answer larger than the budget is allowed.
    while (this.#bytes > this.#budgetBytes && this.#held.size > 1) {
      const slowest = this.#slowest(now);
      if (slowest === undefined) return;
      this.#end(slowest);
    }
  }

  /** The rate since the answer began; an answer counts as at least a second old. */
  #slowest(now: number): Reader | undefined {
    let found: Reader | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const [reader, { sinceMs }] of this.#watched) {
      if (reader.bytes === null) continue;
      const rate = reader.taken() / Math.max(SETTLE_MS, now - sinceMs);
      if (rate < least) [found, least] = [reader, rate];
    }
    return found;
  }

  /** Every check considers the last `slowMs`, so that a reader is disconnected soon after it stops, however much it took before. */
  #look(): void {
    const least = (this.#slowMs / 1000) * SLOW_BYTES_PER_S;
    for (const [reader, { positions }] of this.#watched) {
      const taken = reader.taken();
      positions.push(taken);
      if (positions.length <= LOOKS_PER_WINDOW) continue;
      if (taken - (positions.shift() ?? 0) < least) this.#end(reader);
    }
  }

  /** One at a time: closing thousands of sockets with full buffers takes a second. */
  #end(reader: Reader): void {
    this.remove(reader);
    this.#queue.later('', 'rest', () => reader.close());
  }
}
