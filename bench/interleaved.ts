// Measures two sides alternately: a busy moment of the machine hits both, and neither always goes first.
import { median } from './measure.js';

export interface Sides {
  readonly ours: number;
  readonly bare: number;
}

type Side = (round: number) => unknown;

const timed = async (side: Side, round: number): Promise<number> => {
  const started = performance.now();
  const result = side(round);
  if (result instanceof Promise) await result; // awaiting a value that is not a promise would cost more than a small read
  return performance.now() - started;
};

/** Median milliseconds of a call of each side; `round` counts from 0, and both sides get each number. */
export const interleaved = async (rounds: number, ours: Side, bare: Side): Promise<Sides> => {
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) times.ours.push(await timed(ours, round));
    times.bare.push(await timed(bare, round));
    if (round % 2 === 1) times.ours.push(await timed(ours, round));
  }
  return { ours: median(times.ours), bare: median(times.bare) };
};

/** As rates: calls per second. */
export const perSecond = ({ ours, bare }: Sides): Sides => ({ ours: 1000 / ours, bare: 1000 / bare });
