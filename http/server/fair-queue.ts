// Shares the event loop: a turn does a few milliseconds of work for clients; what is left waits for the next turn, one piece per peer,
// round-robin. Answers begin before long ones continue: a crowd with large answers delays no one else by much more than a turn.
import { peerOf } from '../../core/access/peers.js';

const TURN_MS = 8;

type Act = () => void;

/** By peer, in the order of their next turns; no queue is empty. */
type Waiting = Map<string, Act[]>;

/** Whether a piece of work begins an answer, or continues one that takes many pieces. */
export type Part = 'start' | 'rest';

/** Each connection has a bounded number of requests in here, so the limit on connections also bounds the queue. */
export class FairQueue {
  readonly #onFault: (thrown: unknown) => void;
  readonly #starts: Waiting = new Map();
  readonly #rests: Waiting = new Map();
  #turnEndsMs = 0;
  #turn = 0;
  #isInTurn = false;

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  /** True while no one waits and this turn has time left: the caller may continue. */
  isFree(): boolean {
    if (this.isCrowded) return false;
    this.#begin();
    return performance.now() < this.#turnEndsMs;
  }

  /** The number of this turn. */
  get turn(): number {
    this.#begin();
    return this.#turn;
  }

  /** True when others wait: the caller then works in small pieces. */
  get isCrowded(): boolean {
    return this.#starts.size > 0 || this.#rests.size > 0;
  }

  /** Calls `act` in one of the next turns. */
  later(address: string, part: Part, act: Act): void {
    const { home } = peerOf(address);
    const waiting = part === 'start' ? this.#starts : this.#rests;
    const acts = waiting.get(home);
    if (acts === undefined) waiting.set(home, [act]);
    else acts.push(act);
    this.#begin();
  }

  /** Runs `body` now if the queue is free, otherwise in the caller's turn. */
  async run<T>(address: string, part: Part, body: () => T): Promise<T> {
    if (this.isFree()) return body();
    return new Promise<T>((resolve, reject) => {
      this.later(address, part, () => {
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
    this.#turn += 1;
    this.#turnEndsMs = performance.now() + TURN_MS;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isInTurn = false;
    if (!this.isCrowded) return;
    this.#begin();
    this.#serve(this.#starts);
    this.#serve(this.#rests);
  }

  /** At least one piece, even when the time is up: a flood of requests slows long answers down, but does not stop them. */
  #serve(waiting: Waiting): void {
    for (const [peer, acts] of waiting) {
      // A peer with more to do goes to the end of the map, where this loop reaches it again.
      waiting.delete(peer);
      const act = acts.shift();
      if (acts.length > 0) waiting.set(peer, acts);
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
