// Memory while fuzzing: resident memory every second, and what the threads tell of their WASM modules.
import { BroadcastChannel } from 'node:worker_threads';

/** The channel on which threads tell. */
export const HEAPS = 'fuzz-heaps';

export interface HeapSeen {
  readonly thread: number;
  readonly bytes: number;
  readonly trapped: boolean;
}

const EVERY_MS = 1000;

export const mb = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** The lowest level in a part of a run: what is kept, without what single large books need for a moment. */
export interface MemoryLevels {
  readonly warmBytes: number;
  readonly endBytes: number;
}

/** Of a run of samples the second quarter counts as warm, the last as its end: libraries are loaded in the first. */
export const levelsOf = (samples: readonly number[]): MemoryLevels | null => {
  const quarter = Math.floor(samples.length / 4);
  if (quarter === 0) return null;
  return {
    warmBytes: Math.min(...samples.slice(quarter, 2 * quarter)),
    endBytes: Math.min(...samples.slice(-quarter)),
  };
};

export class Watch {
  readonly samples: number[] = [];
  /** Threads that were left in the middle of compiled code. */
  readonly trapped = new Set<number>();
  readonly #heaps = new Map<number, number>();
  readonly #channel = new BroadcastChannel(HEAPS);
  readonly #timer = setInterval(() => this.samples.push(process.memoryUsage.rss()), EVERY_MS);

  constructor() {
    this.#channel.onmessage = (event) => {
      const { thread, bytes, trapped } = (event as { readonly data: HeapSeen }).data;
      this.#heaps.set(thread, bytes);
      if (trapped) this.trapped.add(thread);
    };
  }

  get heapBytes(): number {
    return [...this.#heaps.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** A thread that was replaced took its memory with it; the others tell theirs with their next job. */
  forget(): void {
    this.#heaps.clear();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#channel.close();
  }
}
