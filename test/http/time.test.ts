// Times on the wire.
import { instant } from '../../http/api/views/time.js';
import { assert, block } from '../kit.js';

const DAY_MS = 86_400_000;
const LAST_MS = 8.64e15;

block('times on the wire', (check) => {
  check('every time is written as JavaScript itself writes it', () => {
    const times = [0, -1, 1, 1.5, -1.5, DAY_MS - 1, DAY_MS, DAY_MS - 0.1, LAST_MS, -LAST_MS, 253_402_300_800_000];
    for (let n = 0; n < 10_000; n += 1) times.push(Math.floor((n * 2_654_435_761) % 8e12) - 4e12);
    for (const ms of times) assert.is(instant(ms), new Date(ms).toISOString(), String(ms));
  });
  check('what is no time is refused, whatever was written before', () => {
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, LAST_MS + DAY_MS]) {
      instant(0);
      assert.throws(() => instant(ms), /Invalid time value/);
    }
    assert.is(instant(0), '1970-01-01T00:00:00.000Z');
  });
});
