// Passwords found correct recently, so that clients that send one with every request cost one comparison and not one each. Holds no
// passwords and nothing that outlives the process: only a keyed hash, and the stored hash that it matched. When the stored hash changes,
// the password is compared again. Bounded memory.
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';

interface Proof {
  readonly storedHash: string;
  untilMs: number;
}

/** After its last use. */
const PROVEN_MS = 10 * 60_000;
const PROVEN_MAX = 4096;

export class ProvenPasswords {
  readonly #clock: Clock;
  readonly #key = randomBytes(32).toString('base64');
  readonly #proven = boundedByCount<string, Proof>(PROVEN_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Stands for a name and a password in this process. A key in front is enough, since nobody outside sees or chooses marks; an HMAC object for
   * each request would cost more than the rest of a warm page's look-ups.
   */
  markOf(name: string, password: string): string {
    return hash('sha256', `${this.#key}:${name.length}:${name}:${password}`, 'base64');
  }

  /** Whether the password fitted this stored hash. */
  isProven(mark: string, storedHash: string): boolean {
    const proof = this.#proven.get(mark);
    const now = this.#clock.elapsed();
    if (proof === undefined || proof.storedHash !== storedHash || proof.untilMs <= now) return false;
    proof.untilMs = now + PROVEN_MS;
    return true;
  }

  prove(mark: string, storedHash: string): void {
    this.#proven.set(mark, { storedHash, untilMs: this.#clock.elapsed() + PROVEN_MS });
  }
}
