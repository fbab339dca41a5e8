// Looks at something that may hang: one look at a time, an answer within a deadline, and the answer kept for a moment, so that it costs the
// same however often it is asked for.

export interface ProbeTimes {
  readonly deadlineMs?: number;
  readonly keptMs?: number;
}

const DEADLINE_MS = 2000;
const KEPT_MS = 1000;

export class Probe<T> {
  readonly #look: () => Promise<T>;
  readonly #late: (waitedMs: number) => T;
  readonly #keptMs: number;
  readonly #deadlineMs: number;
  #kept: { readonly value: T; readonly atMs: number } | null = null;
  #looking: { readonly end: Promise<T>; readonly sinceMs: number } | null = null;
  #asked: Promise<T> | null = null;

  /** `look` must not reject. `late` is the answer while a look has not ended; the look goes on, and no other begins. */
  constructor(look: () => Promise<T>, late: (waitedMs: number) => T, times: ProbeTimes = {}) {
    this.#look = look;
    this.#late = late;
    this.#keptMs = times.keptMs ?? KEPT_MS;
    this.#deadlineMs = times.deadlineMs ?? DEADLINE_MS;
  }

  /** Also for those who ask meanwhile. */
  get(): T | Promise<T> {
    if (this.#kept !== null && performance.now() - this.#kept.atMs < this.#keptMs) return this.#kept.value;
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  forget(): void {
    this.#kept = null;
  }

  async #ask(): Promise<T> {
    const looking = this.#looking ?? this.#begin();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<T>((resolve) => {
      timer = setTimeout(() => resolve(this.#late(performance.now() - looking.sinceMs)), this.#deadlineMs);
    });
    const value = await Promise.race([looking.end, late]).finally(() => clearTimeout(timer));
    this.#kept = { value, atMs: performance.now() };
    return value;
  }

  #begin(): { readonly end: Promise<T>; readonly sinceMs: number } {
    const end = this.#look().finally(() => {
      this.#looking = null;
    });
    this.#looking = { end, sinceMs: performance.now() };
    return this.#looking;
  }
}
