// One turn of the event loop does little, and each peer gets one piece of it at a time.
import { FairQueue } from '../../http/server/fair-queue.js';
import { assert, block } from '../kit.js';

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const settled = async (done: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 1000 && !done(); turn += 1) await nextTurn();
};

block('fair queue', (check) => {
  check('is free until a turn is used up, and again in the next one', async () => {
    const queue = new FairQueue(() => undefined);
    assert.is(queue.isFree(), true);
    busy(10);
    assert.is(queue.isFree(), false);
    await nextTurn();
    assert.is(queue.isFree(), true);
  });

  check('a turn has one number, whoever asks for it, and the next turn another', async () => {
    const queue = new FairQueue(() => undefined);
    const { turn } = queue;
    queue.isFree();
    assert.is(queue.turn, turn);
    await nextTurn();
    assert.is.not(queue.turn, turn);
  });

  check('takes one piece of each peer, round-robin, whatever the order of arrival', async () => {
    const queue = new FairQueue(() => undefined);
    const order: string[] = [];
    for (const name of ['a1', 'a2', 'a3']) queue.later('10.0.0.1', 'start', () => order.push(name));
    for (const name of ['b1', 'b2']) queue.later('10.0.0.2', 'start', () => order.push(name));
    await settled(() => order.length === 5);
    assert.equal(order, ['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  check('counts the addresses of one IPv6 network as one peer', async () => {
    const queue = new FairQueue(() => undefined);
    const order: string[] = [];
    for (let n = 1; n <= 3; n += 1) queue.later(`2001:db8:0:1::${n}`, 'start', () => order.push('crowd'));
    queue.later('2001:db8:0:2::1', 'start', () => order.push('other'));
    await settled(() => order.length === 4);
    assert.equal(order, ['crowd', 'other', 'crowd', 'crowd']);
  });

  check('begins answers before it continues long ones, whoever waits longer', async () => {
    const queue = new FairQueue(() => undefined);
    const order: string[] = [];
    for (const name of ['rest 1', 'rest 2']) queue.later('10.0.0.1', 'rest', () => order.push(name));
    for (const name of ['start 1', 'start 2']) queue.later('10.0.0.2', 'start', () => order.push(name));
    await settled(() => order.length === 4);
    assert.equal(order, ['start 1', 'start 2', 'rest 1', 'rest 2']);
  });

  check('continues a long answer in every turn, however many answers begin', async () => {
    const queue = new FairQueue(() => undefined);
    let [starts, rests, isOver] = [0, 0, false];
    const start = (): void => {
      if (isOver) return;
      starts += 1;
      busy(10);
      queue.later('10.0.0.1', 'start', start); // a flood: there is always one more
    };
    const rest = (): void => {
      if (isOver) return;
      rests += 1;
      queue.later('10.0.0.2', 'rest', rest);
    };
    start();
    rest();
    await settled(() => starts === 5);
    isOver = true;
    assert.ok(rests >= 4, `${rests} pieces of the long answer in ${starts} turns`);
  });

  check('lets other events come between turns', async () => {
    const queue = new FairQueue(() => undefined);
    let [done, seenAt] = [0, 10];
    for (let n = 0; n < 10; n += 1)
      queue.later('10.0.0.1', 'start', () => {
        // Not set before the first piece: on a busy machine it may be due before the first turn begins.
        if (done === 0)
          setTimeout(() => {
            seenAt = done;
          }, 0);
        busy(5);
        done += 1;
      });
    await settled(() => done === 10);
    assert.ok(seenAt < 10, `the timer fired after ${seenAt} pieces`);
  });

  check('continues after a piece that throws, and reports it', async () => {
    const faults: unknown[] = [];
    const queue = new FairQueue((thrown) => faults.push(thrown));
    let isDone = false;
    queue.later('10.0.0.1', 'start', () => {
      throw new Error('broken');
    });
    queue.later('10.0.0.1', 'start', () => {
      isDone = true;
    });
    await settled(() => isDone);
    assert.is(isDone, true);
    assert.is(faults.length, 1);
  });
});
