// The judgement of a soak run, on made series: growth is found, noise and a plateau are not.
import { seeded } from '../../bench/corpus.js';
import { assert, block } from '../kit.js';
import { type Sample, slopeOf } from './slope.js';

const series = (valueAt: (minute: number, noise: number) => number): Sample[] => {
  const random = seeded(7);
  return Array.from({ length: 60 }, (_, at) => ({ at, value: valueAt(at, random() - 0.5) }));
};

block('slopes of a soak run', (check) => {
  check('growth within noise is found', () => {
    const slope = slopeOf(series((at, noise) => 100 + 2 * at + 10 * noise));
    assert.is(slope?.isZero, false);
    assert.ok(Math.abs((slope?.perMinute ?? 0) - 2) <= (slope?.within ?? 0));
  });
  check('noise alone, a plateau after a warm-up, and shrinking are no growth', () => {
    for (const valueAt of [
      (_at: number, noise: number) => 100 + 10 * noise,
      (at: number, noise: number) => Math.min(100, 10 * at) + noise,
      (at: number) => 100 - at,
    ])
      assert.is(slopeOf(series(valueAt))?.isZero, true);
  });
  check('growth below what is allowed counts as none', () => {
    assert.is(
      slopeOf(
        series((at) => at),
        2,
      )?.isZero,
      true,
    );
    assert.is(
      slopeOf(
        series((at) => at),
        0.5,
      )?.isZero,
      false,
    );
  });
  check('too few samples say nothing', () => assert.is(slopeOf(series((at) => at).slice(0, 6)), undefined));
});
