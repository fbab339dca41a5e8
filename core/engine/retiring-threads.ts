// Terminates worker threads that hold too much memory. Meanwhile no job is dispatched, since it could go to one of them.
import { setTimeout as delay } from 'node:timers/promises';
import type { Woken } from '../model/document-news.js';

interface Parts {
  readonly threads: () => readonly { readonly threadId: number; terminate(): Promise<unknown> }[];
  /** Has each thread without a job say whether others wait for its memory. */
  readonly wake: () => Promise<readonly Woken[]>;
  /** True when a thread without a job should end even if nobody waits for its memory. */
  readonly isCrowded: () => boolean;
  /** Called when jobs may be dispatched again. */
  readonly onEnd: () => void;
}

/** One that is still starting may not answer for long, and jobs do not wait for it. */
const ANSWER_MS = 1000;

export class RetiringThreads {
  readonly #parts: Parts;
  #ending = 0;
  #isReplacing = false;
  #isNeededAgain = false;
  /** Changes when a thread is terminated on purpose and again when it has exited. */
  changes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** True while a job must not be dispatched. */
  get isActive(): boolean {
    return this.#ending > 0 || this.#isReplacing;
  }

  /** Terminates a thread. A job dispatched to it at this moment goes to another one. */
  async retire(threadId: number): Promise<void> {
    this.changes += 1;
    this.#ending += 1;
    try {
      await this.#parts
        .threads()
        .find((thread) => thread.threadId === threadId)
        ?.terminate();
    } finally {
      this.changes += 1;
      this.#ending -= 1;
      if (this.#isNeededAgain && !this.isActive) void this.replaceIdle();
    }
  }

  /** Terminates threads without a job whose memory is needed. */
  async replaceIdle(): Promise<void> {
    this.#isNeededAgain = true;
    if (this.isActive) return;
    while (this.#isNeededAgain) {
      this.#isNeededAgain = false;
      const answers = this.#parts.wake(); // it counts threads that may get a job
      this.#isReplacing = true;
      try {
        await this.#replace(answers);
      } finally {
        this.#isReplacing = false;
      }
    }
    this.#parts.onEnd();
  }

  async #replace(answers: Promise<readonly Woken[]>): Promise<void> {
    const late = new AbortController();
    const none = delay(ANSWER_MS, [], { signal: late.signal }).catch(() => []);
    for (const { thread, retire } of await Promise.race([answers, none]))
      if (retire || this.#parts.isCrowded()) await this.retire(thread);
    late.abort();
  }
}
