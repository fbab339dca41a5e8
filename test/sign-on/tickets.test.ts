// Secrets of one use: bounded in number and time. And values that are remembered for a while.
import { Remembered } from '../../core/sign-on/remembered.js';
import { newSecret, Tickets } from '../../core/sign-on/tickets.js';
import { assert, block, thrownBy } from '../kit.js';

const turned = () => {
  let now = 1_000_000;
  return {
    clock: { now: () => now, elapsed: () => now },
    advance: (ms: number) => {
      now += ms;
    },
  };
};

block('tickets', (check) => {
  check('of more than there may be the oldest is forgotten', () => {
    const { clock } = turned();
    const tickets = new Tickets<{ n: number }>(clock, { max: 3, lifetimeMs: 1000 });
    const texts = Array.from({ length: 4 }, newSecret);
    for (const [n, text] of texts.entries()) tickets.give(text, { n });
    assert.equal(
      texts.map((text) => tickets.take(text)?.n),
      [undefined, 1, 2, 3],
    );
  });
  check('one counts once, and only in its time', () => {
    const { clock, advance } = turned();
    const tickets = new Tickets<{ n: number }>(clock, { max: 3, lifetimeMs: 1000 });
    tickets.give('a', { n: 1 });
    assert.equal([tickets.take('b'), tickets.take('a')?.n, tickets.take('a')], [undefined, 1, undefined]);
    tickets.give('c', { n: 2 });
    advance(1000);
    assert.is(tickets.take('c'), undefined);
  });
});

block('remembered values', (check) => {
  const start = () => {
    const time = turned();
    const state = { fetched: 0, isBroken: false };
    const value = new Remembered(time.clock, { validMs: 1000, failureMs: 100 }, async () => {
      state.fetched += 1;
      if (state.isBroken) throw new Error('broken');
      return state.fetched;
    });
    return { ...time, state, value };
  };

  check('a failure is remembered for its own time, and a value again after it', async () => {
    const { value, state, advance } = start();
    state.isBroken = true;
    await thrownBy(() => value.get());
    state.isBroken = false;
    advance(99);
    await thrownBy(() => value.get());
    assert.is(state.fetched, 1);
    advance(1);
    assert.is(await value.get(), 2);
  });
  check('those who come together share one fetch; a value lasts its time', async () => {
    const { value, advance } = start();
    assert.equal(await Promise.all([value.get(), value.get(), value.newerThan(10)]), [1, 1, 1]);
    advance(999);
    assert.is(await value.get(), 1);
    advance(1);
    assert.is(await value.get(), 2);
  });
  check('a newer one is fetched only if the known one is old enough, also where it failed', async () => {
    const { value, state, advance } = start();
    await value.get();
    advance(9);
    assert.is(await value.newerThan(10), 1);
    advance(1);
    state.isBroken = true;
    await thrownBy(() => value.newerThan(10));
    assert.is(state.fetched, 2);
    await thrownBy(() => value.newerThan(10));
    assert.equal([state.fetched, await value.get()], [2, 1], 'what was known before is still good');
    advance(990);
    await thrownBy(() => value.get());
  });
  check('a clock that is set back makes nothing last longer', async () => {
    const { value, advance } = start();
    await value.get();
    advance(-500);
    assert.is(await value.get(), 2);
  });
});
