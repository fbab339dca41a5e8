// Whether the clock of the machine has jumped: sessions, schedules and leases depend on it.
import type { Clock } from '../engine/clock.js';
import { type Finding, fine, span, warning } from './finding.js';

const NAME = 'clock';
const JUMP_MS = 60_000;
/** How long a jump is worth mentioning. */
const TOLD_MS = 60 * 60_000;
const ACTION =
  'If the machine was not suspended, check its time synchronisation (NTP). After a jump people may have to sign in again, and schedules may run late.';

export class ClockHealth {
  readonly #clock: Clock;
  #offsetMs: number;
  #jump: { readonly byMs: number; readonly atMs: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = this.#offset();
  }

  look(): Finding {
    const byMs = this.#offset() - this.#offsetMs;
    const nowMs = performance.now();
    this.#offsetMs += byMs;
    if (Math.abs(byMs) > JUMP_MS) this.#jump = { byMs, atMs: nowMs };
    if (this.#jump === null || nowMs - this.#jump.atMs > TOLD_MS) return fine(NAME, 'The system clock is steady.');
    const where = this.#jump.byMs > 0 ? 'forwards' : 'backwards';
    return warning(NAME, `The system clock jumped ${span(Math.abs(this.#jump.byMs))} ${where}.`, ACTION);
  }

  /** Between the clock that can be set and the one that cannot. */
  #offset(): number {
    return this.#clock.now() - performance.now();
  }
}
