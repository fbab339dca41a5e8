// Wakes the runner when the next scheduled task is due.
import type { Reader } from '../store/db.js';

/** After suspend, or a change of the clock, tasks are late by no more than this. */
const LONGEST_MS = 60_000;

export class Alarm {
  #timer: NodeJS.Timeout | undefined;
  readonly #wake: () => void;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  async set(from: Reader, nowMs: number): Promise<void> {
    clearTimeout(this.#timer);
    const [next] = await from.all<{ at: number | null }>(
      `SELECT min(scheduled_at) AS at FROM task INDEXED BY task_scheduled
       WHERE state = 'pending' AND scheduled_at > 0 AND scheduled_at > ?`,
      [nowMs],
    );
    if (next?.at == null) return;
    this.#timer = setTimeout(this.#wake, Math.min(next.at - nowMs, LONGEST_MS));
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
