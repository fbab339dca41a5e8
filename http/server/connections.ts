// Limits the connections of node:http. At the limit, connections that never sent a whole request are closed first, except for a share of
// newcomers, then the longest idle. When all are active, an address with more connections than the newcomer's loses its oldest.
import type { Socket } from 'node:net';

/** One place in this many is reserved for newcomers that have not sent a whole request yet. */
const FRESH_SHARE = 4;
/** After this time without a whole request a connection is no longer a newcomer. */
const FRESH_MS = 3000;

export class Connections {
  /** May change at run time. */
  max: number;
  /** Each connection is in one of the three, oldest first; fresh ones with their time of arrival, busy ones with their requests at work. */
  readonly #fresh = new Map<Socket, number>();
  readonly #idle = new Set<Socket>();
  readonly #busy = new Map<Socket, number>();
  readonly #addresses = new Map<string, number>();
  readonly #onCrowded: (sentence: string) => void;
  #isCrowded = false;

  constructor(max: number, onCrowded: (sentence: string) => void) {
    this.max = max;
    this.#onCrowded = onCrowded;
  }

  /** Registers a new connection. */
  add(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    if (this.size >= this.max && !this.#makeRoom(address)) {
      socket.destroy();
      return;
    }
    this.#fresh.set(socket, performance.now());
    this.#addresses.set(address, (this.#addresses.get(address) ?? 0) + 1);
    socket.once('close', () => this.#remove(socket, address));
  }

  /** A whole request has arrived on this connection. */
  begin(socket: Socket): void {
    const others = this.#busy.get(socket);
    if (others !== undefined) this.#busy.set(socket, others + 1);
    else if (this.#fresh.delete(socket) || this.#idle.delete(socket)) this.#busy.set(socket, 1);
  }

  /** An answer has been sent. */
  rest(socket: Socket): void {
    const others = (this.#busy.get(socket) ?? 0) - 1;
    if (others > 0) this.#busy.set(socket, others);
    else if (this.#busy.delete(socket)) this.#idle.add(socket);
  }

  /** Closes those that carry no answer. */
  endResting(isKept: (socket: Socket) => boolean): void {
    for (const socket of [...this.#fresh.keys(), ...this.#idle]) if (!isKept(socket)) socket.destroy();
  }

  isBusy(socket: Socket): boolean {
    return this.#busy.has(socket);
  }

  get size(): number {
    return this.#fresh.size + this.#idle.size + this.#busy.size;
  }

  #remove(socket: Socket, address: string): void {
    this.#forget(socket);
    const left = (this.#addresses.get(address) ?? 1) - 1;
    if (left > 0) this.#addresses.set(address, left);
    else this.#addresses.delete(address);
    if (this.size < this.max / 2) this.#isCrowded = false;
  }

  #forget(socket: Socket): void {
    this.#fresh.delete(socket);
    this.#idle.delete(socket);
    this.#busy.delete(socket);
  }

  #makeRoom(newcomer: string): boolean {
    if (!this.#isCrowded) {
      this.#isCrowded = true;
      this.#onCrowded(
        `${this.max} connections are open; the least active are closed to make room for new ones (http.connections)`,
      );
    }
    const leaver = this.#leastActive() ?? this.#ofGreediest(newcomer);
    if (leaver === undefined) return false;
    this.#forget(leaver); // its close event fires later
    leaver.destroy();
    return true;
  }

  /**
   * A newcomer needs a moment to send its request. While others are idle, a share is left to newcomers; otherwise each would evict the one
   * before.
   */
  #leastActive(): Socket | undefined {
    const [fresh] = this.#fresh;
    const [idle] = this.#idle;
    if (fresh === undefined || idle === undefined) return fresh?.[0] ?? idle;
    const isCrowd = this.#fresh.size > this.max / FRESH_SHARE;
    return isCrowd || performance.now() - fresh[1] > FRESH_MS ? fresh[0] : idle;
  }

  #ofGreediest(newcomer: string): Socket | undefined {
    let greediest = '';
    let most = (this.#addresses.get(newcomer) ?? 0) + 1;
    for (const [address, count] of this.#addresses) if (count > most) [greediest, most] = [address, count];
    if (greediest === '') return undefined;
    for (const socket of this.#busy.keys()) if (socket.remoteAddress === greediest) return socket;
    return undefined;
  }
}
