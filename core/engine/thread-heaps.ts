// Memory held by the compiled readers (WASM) and the JavaScript objects of all threads. It shrinks late or not at all, so a thread whose
// share is too large is replaced.

import {
  endWaiting,
  giveRoom,
  isExceeded,
  newDecodeRoom,
  noteBeyond,
  passToThread,
  releaseForThread,
} from '../model/decode-budget.js';
import type { Ran } from '../model/ran.js';

/** Four threads rendering scanned pages stay below this. */
const TOTAL_MAX_BYTES = 256 * 1024 * 1024;

export class ThreadHeaps {
  readonly #bytes = new Map<number, number>();
  /** What each thread holds of the budget for decoding, besides its jobs. */
  readonly #heldKb = new Map<number, number>();
  /** The budget. */
  readonly room: Int32Array;
  readonly #threads: () => readonly { readonly threadId: number }[];
  readonly #fewest: number;

  /** `threads`: those that are running, of which usually no more than `most` have a job. */
  constructor(most: number, threads: () => readonly { readonly threadId: number }[]) {
    this.room = new Int32Array(newDecodeRoom(most));
    this.#threads = threads;
    this.#fewest = Math.max(2, Math.ceil(most / 2));
  }

  /** Call this whenever the number of jobs that run has changed; false when one holds so much that no more than these should run. */
  mayStart(running: number): boolean {
    noteBeyond(this.room, Math.max(0, running - this.#fewest));
    return running < this.#fewest || !isExceeded(this.room);
  }

  /** True when a job holds so much that a thread without a job should end: each needs memory of its own. */
  get isCrowded(): boolean {
    return this.#threads().length > this.#fewest && isExceeded(this.room);
  }

  get #living(): readonly number[] {
    return this.#threads().map(({ threadId }) => threadId);
  }

  /** Call this when jobs have ended: what they hold passes to their thread, or is released if that has ended. */
  settle(controls: readonly SharedArrayBuffer[], thread?: number): void {
    const living = this.#living;
    for (const shared of controls) {
      const control = new Int32Array(shared);
      endWaiting(this.room, control);
      if (thread === undefined || !living.includes(thread)) giveRoom(this.room, control);
      else this.#heldKb.set(thread, (this.#heldKb.get(thread) ?? 0) + passToThread(control));
    }
    for (const [known, kb] of [...this.#heldKb]) {
      if (living.includes(known)) continue;
      this.#heldKb.delete(known);
      releaseForThread(this.room, kb);
    }
  }

  /** Call this after each job of a thread; true when the thread should be replaced to keep the total within bounds. */
  isTooMuch({ thread, heapBytes }: Pick<Ran, 'thread' | 'heapBytes'>): boolean {
    const living = this.#living;
    this.#bytes.set(thread, heapBytes);
    for (const known of [...this.#bytes.keys()]) if (!living.includes(known)) this.#bytes.delete(known);
    const total = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    return this.isCrowded || (total > TOTAL_MAX_BYTES && heapBytes > total / (this.#bytes.size + 1));
  }
}
