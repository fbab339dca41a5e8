// Runs an action soon after libraries changed: once for the many changes in a row that a scan makes.
import type { Db } from '../store/db.js';

const RELOAD_AFTER_MS = 100;

export class Reloading {
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(act: () => void) {
    this.#act = act;
  }

  /** Call this once. */
  listen({ feed }: Pick<Db, 'feed'>): void {
    feed.listen({
      onBatch: ({ reports }) => {
        if (reports.some(({ kind }) => kind === 'library' || kind === 'everything')) this.ask();
      },
      forget: () => this.ask(),
    });
  }

  ask(): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#act();
    }, RELOAD_AFTER_MS);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
