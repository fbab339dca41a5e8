// Runs steps one after the other while there is work, with a short pause after each; everything that arrives meanwhile forms the next step.

/** With many clients the pause is longer, since each step writes to each client. */
const PAUSE = { leastMs: 5, perClientMs: 0.03, mostMs: 50 };
const RETRY_MS = 1000;

interface LoopParts {
  isDue(): boolean;
  step(): Promise<void>;
  /** Pause after a step that threw. */
  failed(thrown: unknown): void;
  clients(): number;
}

export class Loop {
  readonly #parts: LoopParts;
  #running: Promise<void> | null = null;
  #isStopped = false;
  #endPause: (() => void) | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  wake(): void {
    if (this.#running !== null || !this.#isDue) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      this.wake();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause?.();
    await this.#running;
  }

  get #isDue(): boolean {
    return !this.#isStopped && this.#parts.isDue();
  }

  async #run(): Promise<void> {
    const { step, failed, clients } = this.#parts;
    while (this.#isDue) {
      let isRight = true;
      try {
        await step();
      } catch (thrown) {
        isRight = false;
        failed(thrown);
      }
      const { leastMs, perClientMs, mostMs } = PAUSE;
      await this.#pause(isRight ? Math.min(mostMs, leastMs + perClientMs * clients()) : RETRY_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = null;
  }
}
