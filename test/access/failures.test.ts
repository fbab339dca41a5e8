// The memory of failures: bounded, and not to be flushed by whoever has to wait.
import { Failures } from '../../core/access/failures.js';
import { peerOf } from '../../core/access/peers.js';
import { RequestRate } from '../../core/access/request-rate.js';
import { assert, block } from '../kit.js';

const KEYS = 100;
const HOUR_MS = 3_600_000;

const start = (): { failures: Failures; advance(ms: number): void } => {
  let now = 1_000_000;
  const rules = { firstWaitMs: 60_000, longestWaitMs: HOUR_MS, forgetMs: 24 * HOUR_MS, keysMax: KEYS };
  return {
    failures: new Failures({ now: () => now, elapsed: () => now }, rules),
    advance: (ms) => {
      now += ms;
    },
  };
};

const fail = (failures: Failures, key: string, times = 1, free = 3): void => {
  for (let n = 0; n < times; n += 1) {
    failures.begin(key);
    failures.failed({ key, free });
  }
};

block('failures', (check) => {
  check('a flood of new keys evicts new keys, never a waiting one', () => {
    const { failures } = start();
    fail(failures, 'guesser', 5);
    for (let n = 0; n < 50 * KEYS; n += 1) fail(failures, `flood-${n}`, 2);
    assert.is(failures.waitMs({ key: 'guesser', free: 3 }), 240_000);
    assert.is(failures.count('flood-0'), 0);
    assert.is(failures.count(`flood-${50 * KEYS - 1}`), 2);
  });
  check('a limited number of waiting keys is kept, the latest', () => {
    const { failures } = start();
    for (let n = 0; n < 2 * KEYS; n += 1) fail(failures, `key-${n}`, 3);
    const kept = Array.from({ length: 2 * KEYS }, (_, n) => n).filter((n) => failures.count(`key-${n}`) > 0);
    assert.equal([kept.length, kept[0]], [KEYS, KEYS]);
  });
  check('a key expires a day after its last wait, and not before', () => {
    const { failures, advance } = start();
    fail(failures, 'key', 3);
    advance(60_000 + 24 * HOUR_MS - 1);
    assert.is(failures.count('key'), 3);
    advance(1);
    assert.is(failures.count('key'), 0);
  });
  check('pausing gains no more guesses than continuing', () => {
    /** Guesses in thirty days by somebody who comes back when it is allowed, or who also lets everything be forgotten each time. */
    const guesses = (patienceMs: number): number => {
      const { failures, advance } = start();
      let count = 0;
      for (let passed = 0; passed < 30 * 24 * HOUR_MS; count += 1) {
        const wait = failures.waitMs({ key: 'key', free: 3 });
        const pause = wait > 0 ? wait + patienceMs : 0;
        advance(pause);
        passed += pause;
        fail(failures, 'key');
      }
      return count;
    };
    assert.ok(guesses(24 * HOUR_MS) < guesses(0), `${guesses(24 * HOUR_MS)} ${guesses(0)}`);
  });
  check('while one attempt beyond the free ones runs, others wait a moment', () => {
    const { failures, advance } = start();
    fail(failures, 'key', 3);
    advance(60_000);
    const attempt = { key: 'key', free: 3 };
    assert.is(failures.waitMs(attempt), 0);
    failures.begin('key');
    assert.is(failures.waitMs(attempt), 1000);
    failures.withdrawn('key');
    assert.is(failures.waitMs(attempt), 0);
  });
});

block('peers', (check) => {
  const cases: readonly (readonly [address: string, home: string, site: string | null])[] = [
    ['10.0.0.1', '10.0.0.1', null],
    ['::ffff:10.0.0.1', '10.0.0.1', null],
    ['::ffff:a00:1', '10.0.0.1', null],
    ['::FFFF:0a00:0001', '10.0.0.1', null],
    ['::1', '0:0:0:0::/64', '0:0:0::/48'],
    ['2001:DB8:0:1::5', '2001:db8:0:1::/64', '2001:db8:0::/48'],
    ['2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64', '2001:db8:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
    ['64:ff9b::10.0.0.1', '64:ff9b:0:0::/64', '64:ff9b:0::/48'],
    ['no address', 'no address', null],
  ];
  for (const [address, home, site] of cases)
    check(`${address} belongs to ${home}`, () => assert.equal(peerOf(address), { home, site }));
});

block('request rate', (check) => {
  check('a clock that is set back neither grants nor takes requests', () => {
    let now = 1_000_000;
    const rate = new RequestRate({ now: () => now, elapsed: () => now }, { perSecond: 10, burst: 2 });
    rate.take('10.0.0.1');
    now -= HOUR_MS;
    assert.is(rate.take('10.0.0.1').remaining, 0);
    now += 100;
    assert.is(rate.take('10.0.0.1').retryS, null);
    assert.is(rate.take('10.0.0.1').retryS, 1);
  });
});
