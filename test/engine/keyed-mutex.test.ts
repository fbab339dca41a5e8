// Work that takes turns.
import { KeyedMutex } from '../../core/engine/keyed-mutex.js';
import { AppError } from '../../core/model/errors.js';
import { assert, block, thrownBy } from '../kit.js';

const never = new AbortController().signal;

block('keyed mutex', (check) => {
  check('work under one key runs one at a time, in order, also after a failure; other keys do not wait', async () => {
    const turns = new KeyedMutex(4);
    const done: string[] = [];
    let running = 0;
    const work =
      (name: string, fails = false) =>
      async (): Promise<void> => {
        running += 1;
        assert.is(running, 1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        done.push(name);
        if (fails) throw new Error(name);
      };
    const all = [
      turns.run('k', never, work('a')),
      turns.run('k', never, work('b', true)),
      turns.run('k', never, work('c')),
    ];
    await turns.run('other', never, async () => done.push('other'));
    assert.equal(done, ['other']);
    assert.equal(
      (await Promise.allSettled(all)).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(done, ['other', 'a', 'b', 'c']);
  });
  check('a caller who left while waiting does not start', async () => {
    const turns = new KeyedMutex(4);
    let release = (): void => undefined;
    const first = turns.run('k', never, () => new Promise<void>((resolve) => (release = resolve)));
    const left = new AbortController();
    const second = turns.run('k', left.signal, () => Promise.reject(new Error('began')));
    left.abort();
    await Promise.resolve();
    release();
    await first;
    assert.match(String(await thrownBy(() => second)), /cancelled/);
  });
  check('a caller is refused at once when the queue is full; a place that was given up is free again', async () => {
    const turns = new KeyedMutex(2);
    let release = (): void => undefined;
    const first = turns.run('k', never, () => new Promise<void>((resolve) => (release = resolve)));
    const left = new AbortController();
    const second = turns.run('k', left.signal, () => Promise.resolve('second'));
    const third = turns.run('k', never, () => Promise.resolve('third'));
    const refused = await thrownBy(() => turns.run('k', never, () => Promise.resolve('fourth')));
    assert.ok(refused instanceof AppError && refused.kind === 'Overloaded');
    assert.is(await turns.run('other', never, () => Promise.resolve('other')), 'other');
    left.abort();
    assert.match(String(await thrownBy(() => second)), /cancelled/);
    const fifth = turns.run('k', never, () => Promise.resolve('fifth'));
    release();
    await first;
    assert.equal(await Promise.all([third, fifth]), ['third', 'fifth']);
  });
});
