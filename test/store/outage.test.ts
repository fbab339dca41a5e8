// What an outage says, and what it calls when it is over.
import { Outage } from '../../core/store/outage.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

block('an outage', (check) => {
  check('that follows another one closely is not reported again, but its end is noticed', async () => {
    const said: (string | null)[] = [];
    let ends = 0;
    const outage = new Outage({
      probe: () => Promise.resolve(true),
      onChange: (reason) => said.push(reason),
      onBack: () => {
        ends += 1;
      },
    });
    for (const [reason, expected] of [
      ['full', 1],
      ['full again', 2],
    ] as const) {
      outage.begin(reason);
      await until(`it is over: ${reason}`, () => ends === expected);
      assert.is(outage.reason, null);
    }
    assert.equal(said, ['full', null]);
    outage.begin('at the end');
    await outage.stop();
    assert.is(ends, 2, 'a stop is no recovery');
  });
});
