// Many raw connections at once, from other addresses than the legitimate readers' or from the same. Ends early when the server uses too much
// memory or dies: the failure is proven by then.
import { connect, type Socket } from 'node:net';
import { CEILING_BYTES, pause, type Scene } from './kind.js';
import type { Target } from './target.js';

export type From = 'others' | 'own';

/** Attackers use 127.0.0.2 and the addresses after it. */
const ADDRESSES = 50;
/** Connections opened at once. The large run opens them steadily, so that its latency is not that of one burst. */
const BATCH = { small: 100, large: 20 };
const BATCH_EVERY_MS = { small: 0, large: 15 };
const CONNECT_MS = 3000;

export const addressOf = (from: From, n: number): string =>
  from === 'own' ? '127.0.0.1' : `127.0.0.${2 + (n % ADDRESSES)}`;

/** True once the outcome is clear: the memory ceiling is exceeded, or the process is gone. */
export const isLost = (target: Target, { backend }: Scene): boolean =>
  target.death !== null || target.peakBytes() > CEILING_BYTES[backend];

export class Crowd {
  readonly #target: Target;
  readonly #sockets: Socket[] = [];
  /** Connections the server accepted. */
  connected = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Calls `act` with each socket as soon as it is connected. */
  async open(scene: Scene, count: number, from: From, act: (socket: Socket, n: number) => void): Promise<void> {
    const size = scene.isLarge ? 'large' : 'small';
    for (let begun = 0; begun < count && !isLost(this.#target, scene); begun += BATCH[size]) {
      const length = Math.min(BATCH[size], count - begun);
      await Promise.all(Array.from({ length }, (_, at) => this.#one(from, begun + at, act)));
      await pause(BATCH_EVERY_MS[size]);
    }
  }

  /** Waits for a while, or until the outcome is clear. */
  async stay(scene: Scene, ms: number, everySecond: () => void = () => undefined): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until && !isLost(this.#target, scene)) {
      await pause(Math.min(1000, Math.max(0, until - performance.now())));
      everySecond();
    }
  }

  /** Sockets not closed yet. */
  each(act: (socket: Socket) => void): void {
    for (const socket of this.#sockets) if (!socket.destroyed && socket.writable) act(socket);
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #one(from: From, n: number, act: (socket: Socket, n: number) => void): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: this.#target.port, localAddress: addressOf(from, n) });
      this.#sockets.push(socket);
      const timer = setTimeout(() => resolve(), CONNECT_MS);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      socket.once('connect', () => {
        this.connected += 1;
        act(socket, n);
        end();
      });
      socket.on('error', end); // refused or reset: only the legitimate readers are judged
    });
  }
}
