// The documents that worker threads keep open between pages, as these report. A thread that waits for a job receives no messages: it is
// asked by a flag in shared memory, and woken by a job that does nothing.
import type { DocumentNews, Wake, Woken } from '../model/document-news.js';

export interface OpenDocument {
  readonly path: string;
  readonly openedMs: number;
  readonly usedMs: number;
  /** Pages made from it. */
  readonly pages: number;
}

export interface DocumentCounts {
  readonly opens: number;
  readonly hits: number;
  readonly evictions: number;
  readonly idleEvictions: number;
}

interface Held extends OpenDocument {
  readonly flag: Int32Array;
  isIdle: boolean;
}

interface Threads {
  readonly threads: readonly { readonly threadId: number }[];
  readonly maxThreads: number;
  run(job: Wake): Promise<Woken>;
}

/** A reader requests the next page soon. */
export const DOCUMENT_IDLE_MS = 5000;
const CLOSE_MS = 2000;

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** What threads said of their documents travels beside the results of their jobs, and may come after them. */
const heard = async (): Promise<void> => {
  await turn();
  await turn();
};

export class OpenDocuments {
  readonly #threads: Threads;
  readonly #busy: () => number | null;
  readonly #held = new Map<number, Held>();
  readonly #waiting = new Set<() => void>();
  #counts = { opens: 0, hits: 0, evictions: 0, idleEvictions: 0 };
  #timer: NodeJS.Timeout | null = null;

  /** `busy`: how many threads have a job; null while none may be given one. */
  constructor(threads: Threads, busy: () => number | null) {
    this.#threads = threads;
    this.#busy = busy;
  }

  /** How many there may be. */
  get capacity(): number {
    return this.#threads.maxThreads;
  }

  get counts(): DocumentCounts {
    return this.#counts;
  }

  /** Those of threads that live. */
  async all(): Promise<readonly OpenDocument[]> {
    await heard();
    this.#forgetDead();
    return [...this.#held.values()];
  }

  told({ document, thread, path, wanted }: DocumentNews): void {
    const nowMs = performance.now();
    const before = this.#held.get(thread);
    if (document === 'closed') {
      if (before?.isIdle) this.#counts.idleEvictions += 1;
      this.#held.delete(thread);
    } else {
      const isHit = document === 'used';
      if (isHit) this.#counts.hits += 1;
      else this.#counts.opens += 1;
      if (document === 'replaced') this.#counts.evictions += 1;
      const { openedMs, pages } = isHit && before !== undefined ? before : { openedMs: nowMs, pages: 0 };
      const flag = new Int32Array(wanted);
      this.#held.set(thread, { path, openedMs, usedMs: nowMs, pages: pages + 1, flag, isIdle: false });
      this.#timer ??= setInterval(() => this.#closeIdle(), DOCUMENT_IDLE_MS).unref();
    }
    for (const look of this.#waiting) look();
  }

  /** Closes those that `isMeant`. One in use is closed after its page; this waits for it a moment. Returns how many have been closed. */
  async close(isMeant: (document: OpenDocument) => boolean): Promise<number> {
    await heard();
    this.#forgetDead();
    const asked = [...this.#held].filter(([, held]) => isMeant(held));
    for (const [, { flag }] of asked) Atomics.store(flag, 0, 1);
    if (asked.length === 0) return 0;
    const isOpen = ([thread, { openedMs }]: [number, Held]): boolean => this.#held.get(thread)?.openedMs === openedMs;
    const closed = this.#until(() => !asked.some(isOpen));
    void this.wake(); // a thread that never starts must not hold up the answer
    await closed;
    this.#forgetDead();
    return asked.filter((one) => !isOpen(one)).length;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    for (const look of this.#waiting) look();
  }

  /** Has every thread without a job look at its flag: as many jobs without work, each of which goes to another of these. Never rejects. */
  async wake(): Promise<readonly Woken[]> {
    const busy = this.#busy() ?? Number.POSITIVE_INFINITY;
    const idle = Math.max(0, this.#threads.threads.length - busy);
    const ended = await Promise.allSettled(Array.from({ length: idle }, () => this.#threads.run({ wake: true })));
    return ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isSo()) end();
      };
      const timer = setTimeout(end, CLOSE_MS);
      this.#waiting.add(look);
      look();
    });
  }

  #closeIdle(): void {
    this.#forgetDead();
    if (this.#held.size === 0) {
      this.stop();
      return;
    }
    const limit = performance.now() - DOCUMENT_IDLE_MS;
    const idle = [...this.#held.values()].filter(({ usedMs }) => usedMs < limit);
    for (const one of idle) {
      one.isIdle = true;
      Atomics.store(one.flag, 0, 1);
    }
    if (idle.length > 0) void this.wake();
  }

  #forgetDead(): void {
    const living = new Set(this.#threads.threads.map(({ threadId }) => threadId));
    for (const thread of this.#held.keys()) if (!living.has(thread)) this.#held.delete(thread);
  }
}
