// Memory while fuzzing: resident memory and its peak, and what the threads tell of their WASM modules.
import { readFileSync, writeFileSync } from 'node:fs';
import { BroadcastChannel } from 'node:worker_threads';

/** The channel on which threads tell. */
export const HEAPS = 'fuzz-heaps';

export interface HeapSeen {
  readonly thread: number;
  readonly bytes: number;
  readonly trapped: boolean;
}

const EVERY_MS = 1000;
/** How often the ceiling is looked at: fast enough to end the process before the machine suffers. */
const CEILING_EVERY_MS = 50;

/** The highest resident memory since `forgetPeak`; on other systems than Linux, since the process began. */
export const peakBytes = (): number => {
  try {
    const kilobytes = /^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // not Linux
  }
  return process.resourceUsage().maxRSS * 1024;
};

export const forgetPeak = (): void => {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // not Linux, or not allowed: the peak is that of the run so far
  }
};

/** Calls back once when more memory is resident than allowed, while the file that took it is still being read. */
export const watchCeiling = (ceilingBytes: number, onExceeded: () => void): { readonly close: () => void } => {
  const timer = setInterval(() => {
    if (Math.max(process.memoryUsage.rss(), peakBytes()) <= ceilingBytes) return;
    clearInterval(timer);
    onExceeded();
  }, CEILING_EVERY_MS);
  return { close: () => clearInterval(timer) };
};

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
