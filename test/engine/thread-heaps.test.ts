// Which thread is replaced for the memory of its compiled readers.
import { ThreadHeaps } from '../../core/engine/thread-heaps.js';
import { assert, block } from '../kit.js';

const MB = 1024 * 1024;

block('memory of compiled readers in all threads', (check) => {
  check('four threads of 62 MB are kept; one that exceeds the total budget is not', () => {
    const heaps = new ThreadHeaps();
    const living = [1, 2, 3, 4];
    assert.equal(
      living.map((thread) => heaps.isTooMuch(thread, 62 * MB, living)),
      [false, false, false, false],
    );
    assert.is(heaps.isTooMuch(2, 120 * MB, living), true);
    assert.is(heaps.isTooMuch(3, 30 * MB, living), false, 'a small thread is not to blame');
  });
  check('a thread that has ended no longer counts', () => {
    const heaps = new ThreadHeaps();
    for (const thread of [1, 2]) assert.is(heaps.isTooMuch(thread, 110 * MB, [1, 2]), false);
    assert.is(heaps.isTooMuch(3, 100 * MB, [2, 3]), false);
    assert.is(heaps.isTooMuch(4, 100 * MB, [2, 3, 4]), true);
  });
});
