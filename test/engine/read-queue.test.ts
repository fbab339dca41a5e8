// Beginnings of answers go before long ones; long ones go on.
import { ReadQueue } from '../../core/engine/read-queue.js';
import { assert, block } from '../kit.js';

const MIB = 1024 * 1024;

block('read queue', (check) => {
  check('takes beginnings first, then pages, then files', () => {
    const queue = new ReadQueue<string>();
    queue.push('file', 5 * MIB);
    queue.push('page', MIB / 2);
    queue.push('beginning', 0);
    assert.equal(
      [queue.shift(), queue.shift(), queue.shift(), queue.shift()],
      ['beginning', 'page', 'file', undefined],
    );
  });

  check('lets files make progress while beginnings keep coming', () => {
    const queue = new ReadQueue<string>();
    for (let n = 0; n < 5; n += 1) queue.push('file', 5 * MIB);
    const taken: unknown[] = [];
    for (let n = 0; n < 40; n += 1) {
      queue.push('beginning', 0);
      taken.push(queue.shift());
    }
    assert.is(taken.filter((one) => one === 'file').length, 5);
  });

  check('counts and drains all of it', () => {
    const queue = new ReadQueue<number>();
    for (const sent of [0, 1, 2 * MIB]) queue.push(sent, sent);
    assert.is(queue.length, 3);
    assert.is(queue.drain().length, 3);
    assert.is(queue.length, 0);
  });
});
