// Pages of a list in random order, against sorting all of it.
import { randomPage, seedFor } from '../../core/catalog/random-order.js';
import { assert, block } from '../kit.js';

const keysTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => 3 * at + 1);

block('random order', (check) => {
  check('pages of any size, one after another, are the whole order', () => {
    for (const count of [0, 1, 7, 5000, 20_000])
      for (const pageSize of [1, 3, 20, 500, 30_000]) {
        const keys = keysTo(count);
        const whole = randomPage(keys, 7, { page: 1, pageSize: Math.max(1, count) });
        assert.equal(
          [...whole].sort((a, b) => a - b),
          keys,
        );
        const pages = Math.min(Math.ceil(count / pageSize), 40);
        for (let page = 1; page <= pages + 1; page += 1)
          assert.equal(randomPage(keys, 7, { page, pageSize }), whole.slice((page - 1) * pageSize, page * pageSize));
      }
  });
  check('the order is that of no other seed, user or hour, and does not depend on the order of the keys', () => {
    const keys = keysTo(1000);
    const whole = { page: 1, pageSize: 1000 };
    const orders = [seedFor(1, 0), seedFor(2, 0), seedFor(1, 3_600_000)].map((seed) =>
      randomPage(keys, seed, whole).join(),
    );
    assert.is(new Set(orders).size, 3);
    assert.is(seedFor(1, 0), seedFor(1, 3_599_999));
    assert.equal(randomPage([...keys].reverse(), 5, whole), randomPage(keys, 5, whole));
  });
});
