// Fingers on the screen of a browser, at the times that gestures take, however slow the machine is.
import type { CDPSession } from 'playwright-core';
import type { Visit } from '../browser.js';

export interface Spot {
  readonly x: number;
  readonly y: number;
}

const STEPS = 6;

const between = (from: Spot, to: Spot, share: number): Spot => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});

/** The browser takes the times of events from what it is told. */
class Fingers {
  readonly #session: CDPSession;
  #atS = Date.now() / 1000;

  constructor(session: CDPSession) {
    this.#session = session;
  }

  /** Fingers that go from one spot to another at once. */
  async move(paths: readonly (readonly [from: Spot, to: Spot])[], seconds: number): Promise<void> {
    await this.#tell(
      'touchStart',
      paths.map(([from]) => from),
    );
    for (let step = 1; step <= STEPS; step += 1) {
      this.#atS += seconds / STEPS;
      await this.#tell(
        'touchMove',
        paths.map(([from, to]) => between(from, to, step / STEPS)),
      );
    }
    await this.#tell('touchEnd', []);
  }

  /** Drags one finger from spot to spot, in this many seconds. */
  async drag(spots: readonly Spot[], seconds: number): Promise<void> {
    const legs = spots.slice(1).map((to, leg) => [spots[leg] ?? to, to] as const);
    await this.#tell('touchStart', spots.slice(0, 1));
    for (const [from, to] of legs)
      for (let step = 1; step <= STEPS; step += 1) {
        this.#atS += seconds / STEPS / legs.length;
        await this.#tell('touchMove', [between(from, to, step / STEPS)]);
      }
    await this.#tell('touchEnd', []);
  }

  /** Taps that follow each other as fast as the browser takes them. */
  async tap(spot: Spot, times: number): Promise<void> {
    const told: Promise<unknown>[] = [];
    for (let tap = 0; tap < times; tap += 1) {
      told.push(this.#tell('touchStart', [spot]));
      this.#atS += 0.04;
      told.push(this.#tell('touchEnd', []));
      this.#atS += 0.06;
    }
    await Promise.all(told);
  }

  #tell(type: 'touchStart' | 'touchMove' | 'touchEnd', spots: readonly Spot[]): Promise<unknown> {
    const touchPoints = spots.map((spot, id) => ({ ...spot, id }));
    return this.#session.send('Input.dispatchTouchEvent', { type, touchPoints, timestamp: this.#atS });
  }
}

export const fingersOn = async ({ context, page }: Visit): Promise<Fingers> =>
  new Fingers(await context.newCDPSession(page));
