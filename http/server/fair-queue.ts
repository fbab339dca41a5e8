// Shares the event loop: a turn does a few milliseconds of work for clients; the rest waits for the next turn, one piece per peer,
// round-robin. Even a crowd with large answers then makes no one else wait for longer than one round.
import { peerOf } from '../../core/access/peers.js';

const TURN_MS = 8;

type Act = () => void;

/** Each connection has a bounded number of requests in here, so the limit on connections also bounds the queue. */
export class FairQueue {
  readonly #onFault: (thrown: unknown) => void;
  /** By peer, in the order of their next turns; no queue is empty. */
  readonly #waiting = new Map<string, Act[]>();
  #turnEndsMs = 0;
  #isInTurn = false;

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  /** True while no one waits and this turn has time left: the caller may continue. */
  isFree(): boolean {
    if (this.#waiting.size > 0) return false;
    this.#begin();
    return performance.now() < this.#turnEndsMs;
  }

  /** True when others wait: the caller then works in small pieces. */
  get isCrowded(): boolean {
    return this.#waiting.size > 0;
  }

  /** Calls `act` in one of the next turns. */
  later(address: string, act: Act): void {
    const { home } = peerOf(address);
    const acts = this.#waiting.get(home);
    if (acts === undefined) this.#waiting.set(home, [act]);
    else acts.push(act);
    this.#begin();
  }

  /** Runs `body` now if the queue is free, otherwise in the caller's turn. */
  async run<T>(address: string, body: () => T): Promise<T> {
    if (this.isFree()) return body();
    return new Promise<T>((resolve, reject) => {
      this.later(address, () => {
        try {
          resolve(body());
        } catch (thrown) {
          reject(thrown);
        }
      });
    });
  }

  #begin(): void {
    if (this.#isInTurn) return;
    this.#isInTurn = true;
    this.#turnEndsMs = performance.now() + TURN_MS;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isInTurn = false;
    if (this.#waiting.size === 0) return;
    this.#begin();
    for (const [peer, acts] of this.#waiting) {
      // A peer with more to do goes to the end of the map, where this loop reaches it again.
      this.#waiting.delete(peer);
      const act = acts.shift();
      if (acts.length > 0) this.#waiting.set(peer, acts);
      if (act !== undefined) this.#run(act);
      if (performance.now() >= this.#turnEndsMs) return;
    }
  }

  #run(act: Act): void {
    try {
      act();
    } catch (thrown) {
      this.#onFault(thrown);
    }
  }
}
