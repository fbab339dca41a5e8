// The judgement of a soak run, on made series: growth is found; noise, a plateau and a busy machine are not. And a run of a few seconds.
import { seeded } from '../../bench/corpus.js';
import { assert, block, IS_FULL } from '../kit.js';
import { Latencies, PROBE } from './latency.js';
import { LOAD } from './load.js';
import { type Sample, slopeOf } from './slope.js';
import { soak } from './soak.js';

const series = (valueAt: (minute: number, noise: number) => number): Sample[] => {
  const random = seeded(7);
  return Array.from({ length: 60 }, (_, at) => ({ at, value: valueAt(at, random() - 0.5) }));
};

block('slopes of a soak run', (check) => {
  check('growth within noise is found, also beside a few disturbed samples', () => {
    for (const disturbed of [0, 500]) {
      const slope = slopeOf(series((at, noise) => 100 + 2 * at + 10 * noise + (at % 10 === 3 ? disturbed : 0)));
      assert.is(slope?.isZero, false);
      assert.ok(slope !== undefined && slope.low <= 2 && slope.high >= 2, JSON.stringify(slope));
    }
  });
  check('noise alone, a plateau after a warm-up, shrinking, and a disturbance at the end are no growth', () => {
    for (const valueAt of [
      (_at: number, noise: number) => 100 + 10 * noise,
      (at: number, noise: number) => Math.min(100, 10 * at) + noise,
      (at: number) => 100 - at,
      (at: number, noise: number) => 100 + noise + (at >= 57 ? 1000 : 0),
    ])
      assert.is(slopeOf(series(valueAt))?.isZero, true);
  });
  check('growth below what is allowed counts as none', () => {
    const grows = series((at) => at);
    assert.equal([slopeOf(grows, 2)?.isZero, slopeOf(grows, 0.5)?.isZero], [true, false]);
  });
  check('too few samples say nothing', () => assert.is(slopeOf(series((at) => at).slice(0, 14)), undefined));
  check('requests that become slower are found; a machine on which everything becomes slower is not', () => {
    const random = seeded(3);
    const latencies = new Latencies();
    for (let at = 0; at < 60; at += 1) {
      for (let n = 0; n < 20; n += 1) {
        const load = 1 + at / 10;
        latencies.note(PROBE, load * (1 + random() / 5));
        latencies.note('steady', 3 * load * (1 + random() / 5));
        latencies.note('slower', 3 * load * (1 + at / 30 + random() / 5));
      }
      latencies.endWindow(at);
    }
    const zero = Object.fromEntries(latencies.judge().map(({ kind, slopes }) => [kind, slopes.p50?.isZero]));
    assert.equal([zero.steady, zero.slower], [true, false]);
  });
});

block(
  'a short soak run',
  (check) => {
    check('everything is done at once, nothing fails, nothing acknowledged is lost', async () => {
      const said: string[] = [];
      const { failures, lost, faults, latencies, vitals } = await soak({
        minutes: IS_FULL ? 0.2 : 0.1,
        seed: 5,
        say: (line) => said.push(line),
      });
      assert.equal([failures, lost, faults], [[], [], []], said.join('\n'));
      const done = new Set(latencies.map(({ kind }) => kind));
      assert.equal(
        Object.keys(LOAD).filter((kind) => !done.has(kind)),
        [],
      );
      assert.ok(Object.values(vitals).every(Number.isFinite), JSON.stringify(vitals));
    });
  },
  { deadlineS: 120 },
);
