// Which thread is replaced for the memory of its compiled readers.
import { ThreadHeaps } from '../../core/engine/thread-heaps.js';
import { beginWaiting, isBeside, isWaitedFor, takeRoom } from '../../core/model/decode-budget.js';
import { CONTROL_BYTES } from '../../core/model/jobs.js';
import { assert, block } from '../kit.js';

const MB = 1024 * 1024;

const heapsOf = (living: readonly number[]): ThreadHeaps =>
  new ThreadHeaps(4, () => living.map((threadId) => ({ threadId })));

block('memory of compiled readers in all threads', (check) => {
  check('four threads of 62 MB are kept; one that exceeds the total budget is not', () => {
    const living = [1, 2, 3, 4];
    const heaps = heapsOf(living);
    assert.equal(
      living.map((thread) => heaps.isTooMuch({ thread, heapBytes: 62 * MB })),
      [false, false, false, false],
    );
    assert.is(heaps.isTooMuch({ thread: 2, heapBytes: 120 * MB }), true);
    assert.is(heaps.isTooMuch({ thread: 3, heapBytes: 30 * MB }), false, 'a small thread is not to blame');
  });
  check('a thread that has ended no longer counts', () => {
    const living = [1, 2];
    const heaps = heapsOf(living);
    for (const thread of [1, 2]) assert.is(heaps.isTooMuch({ thread, heapBytes: 110 * MB }), false);
    living.splice(0, 2, 2, 3);
    assert.is(heaps.isTooMuch({ thread: 3, heapBytes: 100 * MB }), false);
    living.push(4);
    assert.is(heaps.isTooMuch({ thread: 4, heapBytes: 100 * MB }), true);
  });
  check('while a job holds most of the memory, half of the threads work and the others end', () => {
    const living = [1, 2, 3, 4];
    const heaps = heapsOf(living);
    const control = new SharedArrayBuffer(CONTROL_BYTES);
    assert.equal([heaps.isCrowded, heaps.mayStart(3)], [false, true]);
    assert.ok(takeRoom(heaps.room, new Int32Array(control), 200 * MB));
    assert.equal([heaps.isCrowded, heaps.mayStart(3), isBeside(heaps.room)], [true, false, true]);
    assert.equal([heaps.mayStart(2), isBeside(heaps.room), heaps.mayStart(1)], [false, false, true]);
    living.splice(0, 2);
    assert.is(heaps.isCrowded, false);
    heaps.settle([control], 1);
    assert.equal([heaps.isCrowded, heaps.mayStart(2)], [false, true], 'its thread has ended');
  });
  check('what jobs leave to their thread stays taken until that ends', () => {
    const living = [1, 2];
    const heaps = heapsOf(living);
    const { room } = heaps;
    const job = (bytes: number): SharedArrayBuffer => {
      const control = new SharedArrayBuffer(CONTROL_BYTES);
      assert.ok(takeRoom(room, new Int32Array(control), bytes));
      return control;
    };
    const rest = (): number => 112 - (room[0] ?? 0) / 1024;
    heaps.settle([job(30 * MB), job(10 * MB)], 1);
    heaps.settle([job(20 * MB)], 2);
    assert.is(rest(), 60);
    const lost = job(50 * MB);
    living.shift();
    heaps.settle([lost], 1);
    assert.is(rest(), 20, 'with what its last job held');
    living.shift();
    heaps.settle([]);
    heaps.settle([]);
    assert.is(rest(), 0);
  });
  check('a job that waited for memory when its thread was ended waits no longer', () => {
    const heaps = heapsOf([1]);
    const control = new SharedArrayBuffer(CONTROL_BYTES);
    beginWaiting(heaps.room, new Int32Array(control));
    beginWaiting(heaps.room, new Int32Array(control));
    assert.is(isWaitedFor(heaps.room), true);
    heaps.settle([control], 1);
    heaps.settle([control], 1);
    assert.is(isWaitedFor(heaps.room), false);
  });
});
